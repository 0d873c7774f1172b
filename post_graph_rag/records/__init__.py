"""What goes into the library and what comes out: frozen pydantic records, no behaviour."""

from post_graph_rag.records.asking import Channel, Fusion, Message, Metadatum, Mode, QueryParam, Weight
from post_graph_rag.records.base import Record
from post_graph_rag.records.batch import Outcome
from post_graph_rag.records.changes import Change, ChangeKind, ChangeName, Changes
from post_graph_rag.records.documents import Document, DocumentContext
from post_graph_rag.records.editing import EntityEdit
from post_graph_rag.records.evaluating import EvalQuestion, EvalReport, EvalResult
from post_graph_rag.records.explaining import Candidate, Explanation, Funnel, Reason, Step
from post_graph_rag.records.extraction import ExtractedEntity, ExtractedRelation, Extraction, Gate
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
from post_graph_rag.records.forgetting import DeleteReport, EraseReport, PurgeReport
from post_graph_rag.records.judging import JudgeReport
from post_graph_rag.records.listing import (
    DocumentDetail,
    DocumentGraph,
    DocumentInfo,
    DocumentPage,
    DocumentStats,
    EntityDetail,
    EntityInfo,
    EntityPage,
    Evidence,
    GraphEdge,
    GraphNode,
    MergedEntity,
    Override,
    PassageInfo,
    RecordedPeriod,
    RelationDetail,
    VersionInfo,
)
from post_graph_rag.records.realms import Finding, OptimizeReport, RealmInfo, RealmStats, ReembedReport
from post_graph_rag.records.reports import DocumentReport, DocumentStatus, PendingReport, Progress, ProgressCallback
from post_graph_rag.records.resolving import ResolveReport
from post_graph_rag.records.rules import PredicateRule
from post_graph_rag.records.schema import ExtractionSchema, PredicateSpec
from post_graph_rag.records.usage import Estimate, Usage, UsageBy

__all__ = [
    "Answer",
    "Candidate",
    "Cause",
    "Change",
    "ChangeKind",
    "ChangeName",
    "Changes",
    "Channel",
    "ChannelRank",
    "Closing",
    "DeleteReport",
    "Document",
    "DocumentContext",
    "DocumentDetail",
    "DocumentGraph",
    "DocumentInfo",
    "DocumentPage",
    "DocumentReport",
    "DocumentStats",
    "DocumentStatus",
    "EntityDetail",
    "EntityEdit",
    "EntityHit",
    "EntityInfo",
    "EntityPage",
    "EraseReport",
    "Estimate",
    "EvalQuestion",
    "EvalReport",
    "EvalResult",
    "Evidence",
    "Explanation",
    "ExtractedEntity",
    "ExtractedRelation",
    "Extraction",
    "ExtractionSchema",
    "Finding",
    "Funnel",
    "Fusion",
    "Gate",
    "GraphEdge",
    "GraphNode",
    "JudgeReport",
    "MergedEntity",
    "Message",
    "Metadatum",
    "Mode",
    "OptimizeReport",
    "Outcome",
    "Override",
    "PassageHit",
    "PassageInfo",
    "PendingReport",
    "Period",
    "PredicateRule",
    "PredicateSpec",
    "Progress",
    "ProgressCallback",
    "PurgeReport",
    "QueryData",
    "QueryParam",
    "RealmInfo",
    "RealmStats",
    "Reason",
    "Record",
    "RecordedPeriod",
    "ReembedReport",
    "Reference",
    "RelationDetail",
    "RelationHit",
    "ResolveReport",
    "Source",
    "Step",
    "Usage",
    "UsageBy",
    "VersionInfo",
    "Weight",
]
