"""Graph RAG that lives in PostgreSQL: passages, entities and dated relations in one database."""

from post_graph_rag.config import Settings
from post_graph_rag.engine import GraphRAG
from post_graph_rag.errors import (
    ConfigurationError,
    DatabaseError,
    EmbeddingError,
    ExtractionError,
    InputError,
    LLMError,
    RAGError,
    SchemaError,
    ServerUnavailable,
)
from post_graph_rag.models.protocols import ChatModel, ChatReply, ChatRequest, EmbeddingModel
from post_graph_rag.models.roles import Models
from post_graph_rag.records import (
    Answer,
    Document,
    DocumentContext,
    DocumentReport,
    Message,
    PredicateRule,
    QueryData,
    QueryParam,
)

__version__ = "2.0.0a1"

__all__ = [
    "Answer",
    "ChatModel",
    "ChatReply",
    "ChatRequest",
    "ConfigurationError",
    "DatabaseError",
    "Document",
    "DocumentContext",
    "DocumentReport",
    "EmbeddingError",
    "EmbeddingModel",
    "ExtractionError",
    "GraphRAG",
    "InputError",
    "LLMError",
    "Message",
    "Models",
    "PredicateRule",
    "QueryData",
    "QueryParam",
    "RAGError",
    "SchemaError",
    "ServerUnavailable",
    "Settings",
    "__version__",
]
