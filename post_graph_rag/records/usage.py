"""What models took, and what they would take."""

from __future__ import annotations

from typing import Literal

from post_graph_rag.records.base import Record

UsageBy = Literal["model", "role", "day", "document"]


class Usage(Record):
    """What some calls of models took.

    of: the model that answered, the role, the day (UTC) or the document's key; None: made for several documents at
        once, for a question, or for a document that is no more. space: of the document.
    failed_calls: among the calls those of indexing that came to nothing after all tries; a failed call is counted under
        the model that was to be asked first.
    prompt_tokens, output_tokens, cached_tokens: as the models told, cached ones among those of the prompt; a model that
        tells nothing counts 0. milliseconds: of all calls together, waiting included.
    cost: by the prices in the settings, of the calls of models that have one; None where none has.
    unpriced_calls: of models without a price.
    unwritten_calls: among the calls those that this engine made and could not write into the ledger, as under a role
        that only reads; they are forgotten with it.
    """

    of: str | None
    space: str | None = None
    calls: int = 0
    failed_calls: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    milliseconds: int = 0
    cost: float | None = None
    unpriced_calls: int = 0
    unwritten_calls: int = 0


class Estimate(Record):
    """What indexing some documents would take.

    documents, unchanged_documents; passages: of all of them; unchanged_passages: those that are known already.
    calls: of the extraction model at most, every round of gleaning counted: it ends early where a round finds nothing.
    replayed: calls that are spared, since what they would say is stored.
    prompt_tokens: of these calls, counted; output_tokens: see `basis`. With gleaning both are upper bounds.
    embedding_tokens: passages as counted, and the vectors of what they hold, see `basis`.
    cost: by the prices in the settings; None where a model that would be asked has none.
    refused: documents that cannot be indexed. basis: on what the numbers that could not be counted rest.
    """

    documents: int = 0
    unchanged_documents: int = 0
    refused: int = 0
    passages: int = 0
    unchanged_passages: int = 0
    calls: int = 0
    replayed: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    embedding_tokens: int = 0
    cost: float | None = None
    basis: str = ""
