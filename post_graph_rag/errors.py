"""The errors of this library. Catch RAGError for all of them.

Each message says what went wrong and what to do; none holds a password or a key.
"""

from __future__ import annotations

from typing import Any


class RAGError(Exception):
    """Something in post_graph_rag failed."""

    def __init__(self, message: str | None = None) -> None:
        super().__init__(message or (type(self).__doc__ or "").strip())


class ConfigurationError(RAGError):
    """A setting is missing or contradicts another."""


class ModelNotConfigured(ConfigurationError):
    """No model is configured: name one (POST_GRAPH_RAG_MODEL) or ask for the offline models (offline=True)."""


class ServerUnavailable(RAGError):
    """The database cannot be reached, or no server that can be run was found."""


class DatabaseError(RAGError):
    """The database refused a statement."""


class RightMissing(DatabaseError):
    """The role may not do this: let the realm's owner grant it (`post-graph-rag realm grant ROLE --read|--write`)."""


class ReadOnlyServer(DatabaseError):
    """Only reading is allowed here: a streaming replica, or a session or transaction that is read only."""


class Conflict(DatabaseError):
    """The transaction met another one and was rolled back; it can be tried again."""


class SchemaError(RAGError):
    """The database or the realm is not in the shape this version needs."""


class ExtensionMissing(SchemaError):
    """The server lacks an extension: vector is needed always, age unless graph="none"."""


class MigrationNeeded(SchemaError):
    """The realm is older than this library: run `post-graph-rag migrate`."""


class RealmNotFound(SchemaError):
    """The realm does not exist: create it with `post-graph-rag realm create`, create=True or by indexing into it."""


class RealmMoved(SchemaError):
    """The realm was dropped, made anew or replaced while it was in use: look it up again."""


class SpaceNotFound(SchemaError):
    """The space holds nothing: index into it first or name another."""


class DocumentNotFound(SchemaError):
    """The space holds no document of this key: `list_documents` names those it holds."""


class EntityNotFound(SchemaError):
    """The space holds no entity of this name or id: `list_entities` names those it holds."""


class RelationNotFound(SchemaError):
    """The realm holds no relation of this id: ids come from questions, `changes_since` and `document_graph`."""


class HistoryPurged(SchemaError):
    """What was believed then is not kept any more: ask for a later moment, or follow the changes from the start."""


class NoCommunities(SchemaError):
    """No communities are built in this realm; use mode mix, local or naive."""


class Busy(RAGError):
    """Another process holds the lock that this call needs; try again."""


class InputError(RAGError):
    """An argument cannot be used as given."""


class EmptyText(InputError):
    """The text is empty or only blanks: there is nothing to index."""


class ImpossibleDate(InputError, ValueError):
    """The date does not exist or is not written so that it can be read; give ISO, partial dates allowed: 2020-05."""


class ChunkingError(RAGError):
    """The caller's own chunker failed, or gave what are no passages of the text; the document is left as it was."""


class BudgetTooSmall(InputError):
    """The token budget does not even hold the question and the instructions; raise max_total_tokens."""


class BudgetExceeded(RAGError):
    """The budget of this call is spent: what was finished is kept; index the same documents again to go on.

    `reports` holds a DocumentReport for each document of the call; those that were not finished have failed.
    """

    reports: tuple[Any, ...] = ()


class EmbeddingError(RAGError):
    """The embedding model failed or answered with unusable vectors.

    `outage` says that the model cannot be had at all, so that asking for fewer texts would not help.
    """

    outage: bool = False


class WidthMismatch(EmbeddingError):
    """The embedding model's width is not the realm's; a realm never mixes two models."""

    outage = True


class RerankError(RAGError):
    """The reranker failed; the passages keep the order they were found in."""


class LLMError(RAGError):
    """The language model failed.

    `retrieval` holds what was found (QueryData) when the failure came while an answer was written;
    `partial` what a broken stream had sent; `elsewhere` says whether another model might have answered.
    """

    retrieval: Any = None
    partial: str = ""
    elsewhere: bool = True


class ExtractionError(RAGError):
    """Nothing could be extracted; the passages themselves are kept and marked pending.

    `reports` holds a DocumentReport for each document of the call.
    """

    reports: tuple[Any, ...] = ()
