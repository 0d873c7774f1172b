"""From nothing to an answered question: three documents, one question that no single one of them answers.

Runs on the embedded server and the offline models, or on your own: POST_GRAPH_RAG_DSN names a database,
OPENAI_BASE_URL / OPENAI_API_KEY with POST_GRAPH_RAG_MODEL and POST_GRAPH_RAG_EMBEDDING_MODEL name models.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from post_graph_rag import Document, GraphRAG, QueryParam, RAGError, Settings
from post_graph_rag.embedded import find_server, unpack_newest
from post_graph_rag.errors import ServerUnavailable
from post_graph_rag.records import Answer
from post_graph_rag.testing import fresh_realm_name

DATA = Path(__file__).parent / "data"
QUESTION = "Where was the founder of the company that Northgate Instruments acquired in March 2011 born?"


def settings() -> Settings:
    """Settings from the environment; where it says nothing, the local server and the offline models, and we say so."""
    asked = Settings(realm=fresh_realm_name("quickstart"))
    if asked.dsn is None:
        print("No POST_GRAPH_RAG_DSN is set: using the embedded PostgreSQL.")
        provide_server(asked)
        asked = asked.model_copy(update={"embedded": True})
    if asked.model is None and asked.api_key is None and asked.base_url is None:
        print("No POST_GRAPH_RAG_MODEL is set: using the offline models (small; good for trying, not for production).")
        asked = asked.model_copy(update={"offline": True})
    return asked


def provide_server(asked: Settings) -> None:
    """Unpack a server from the system's packages where none is installed; this needs no rights."""
    try:
        find_server(asked.server_dir, asked.home)
    except ServerUnavailable:
        unpack_newest(asked.home, print)


async def main() -> None:
    documents = [Document(text=path.read_text(), source=path.name) for path in sorted(DATA.glob("*.md"))]
    async with GraphRAG(settings()) as rag:
        for report in await rag.index_documents(documents):
            print(f"{report.key}: {report.passages} passages, {report.entities} entities, {report.relations} relations")
        answer = await rag.query(QUESTION, QueryParam(top_k=6))
        show(answer)
        await rag.drop_realm()


def show(answer: Answer) -> None:
    """The answer, its sources, and the facts it could use: when they held and which channels found them."""
    print(f"\nQuestion: {QUESTION}\nAnswer ({answer.model}): {answer.text}\n\nSources:")
    for reference in answer.references:
        print(f"  [{reference.number}] {reference.source}")
    print("\nFacts used:")
    for relation in answer.data.relations:
        dates = ", ".join(f"{p.start or '…'} to {p.end or '…'}" for p in relation.periods if p.dated) or "no date"
        found_by = ", ".join(f"{rank.channel} #{rank.rank}" for rank in relation.channels)
        print(f"  {relation.subject} | {relation.predicate} | {relation.object} ({dates}; {found_by})")


if __name__ == "__main__":
    try:
        asyncio.run(main())
    except RAGError as error:
        sys.exit(f"{type(error).__name__}: {error}")
