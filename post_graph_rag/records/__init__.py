"""What goes into the library and what comes out: frozen pydantic records, no behaviour."""

from post_graph_rag.records.asking import Channel, Message, Mode, QueryParam, Weight
from post_graph_rag.records.base import Record
from post_graph_rag.records.documents import Document, DocumentContext
from post_graph_rag.records.extraction import ExtractedEntity, ExtractedRelation, Extraction
from post_graph_rag.records.finding import (
    Answer,
    Cause,
    ChannelRank,
    Closing,
    EntityHit,
    PassageHit,
    Period,
    QueryData,
    Reference,
    RelationHit,
    Source,
)
from post_graph_rag.records.realms import Finding, OptimizeReport, RealmInfo, RealmStats
from post_graph_rag.records.reports import DocumentReport, DocumentStatus, PendingReport, Progress, ProgressCallback
from post_graph_rag.records.rules import PredicateRule

__all__ = [
    "Answer",
    "Cause",
    "Channel",
    "ChannelRank",
    "Closing",
    "Document",
    "DocumentContext",
    "DocumentReport",
    "DocumentStatus",
    "EntityHit",
    "ExtractedEntity",
    "ExtractedRelation",
    "Extraction",
    "Finding",
    "Message",
    "Mode",
    "OptimizeReport",
    "PassageHit",
    "PendingReport",
    "Period",
    "PredicateRule",
    "Progress",
    "ProgressCallback",
    "QueryData",
    "QueryParam",
    "RealmInfo",
    "RealmStats",
    "Record",
    "Reference",
    "RelationHit",
    "Source",
    "Weight",
]
