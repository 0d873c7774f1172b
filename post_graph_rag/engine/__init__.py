"""GraphRAG, the front door: each method hands on to one room."""

from __future__ import annotations

from post_graph_rag.engine.editing import Editing
from post_graph_rag.engine.forgetting import Forgetting
from post_graph_rag.engine.looking import Looking
from post_graph_rag.engine.reading import Reading
from post_graph_rag.engine.upkeep import Upkeep
from post_graph_rag.engine.writing import Writing

__all__ = ["GraphRAG"]


class GraphRAG(Writing, Reading, Looking, Editing, Forgetting, Upkeep):
    """One realm in one PostgreSQL, with the models that write and read it.

        async with GraphRAG(Settings(dsn=…, realm="acme")) as rag:
            await rag.index_text("…", source="a.md")
            answer = await rag.query("Who runs Acme?")

    settings: what to connect to and with which models; None takes everything from the environment.
    connection: an asyncpg pool or one connection that the caller owns; it is never closed here, its settings and role
        are left as they are, and nothing is migrated on it. On one connection calls wait for their turn; while they
        run, the caller must not use it. Inside a transaction of the caller's, no realm is made, its isolation holds,
        every model is asked before the realm's write lock is taken, which then lasts to its end, and all that was
        written, model replies included, is kept only if it commits.
    models: language and embedding models of the caller's own, in place of those the settings name.
    prompts: replacements for the shipped prompts, by name.
    schema: the types and predicates to look for; its rules of supersession are made the realm's by the first indexing.
    open_gates: names of gates between extractor and store that stop nothing (see docs/models.md); all are closed.
    extraction_fn: a function of a passage's text and its DocumentContext, sync or async, that gives an Extraction, a
        mapping with "entities" and "relations", or triples. extraction_mode: "replace" asks it in place of a model,
        "merge" adds to what the model finds. An error of it fails that passage only, and so does, in place of a model,
        finding nothing. extraction_version: what it finds is kept under this, so that it is not asked again for a
        passage that is known; None: nothing is kept.
    chunker: a function that cuts a text into passages, as texts or as spans (from, to).
    reranker: puts the passages that were found for a question in a better order.
    tokenizer: counts what a question's prompts take, for models whose own is not known here; None: by the model's name.

    Nothing is opened before it is needed. One object may be used in several event loops, one after the other.
    """
