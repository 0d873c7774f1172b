"""Facts that change: a company, its chief executives, a retraction and a late archive.

Runs on the embedded server and the offline models, or on your own; see common.py.
"""

from __future__ import annotations

import asyncio

from common import settings

from post_graph_rag import Document, GraphRAG, PredicateRule, QueryParam

RULES = [PredicateRule(predicate="chief executive of", per="object")]
NEWS = [
    Document(
        source="yearbook-2009",
        observed_at="2009",
        text="Ines Carver is the chief executive of Norwind Energy. The company builds wind turbines.",
    ),
    Document(
        source="press-2014",
        observed_at="2014-03",
        text="Tom Okafor is the chief executive of Norwind Energy.",
    ),
    Document(
        source="gazette-2018",
        observed_at="2018-05-02",
        text="Norwind Energy acquired Halden Optics in 2018.",
    ),
    Document(
        source="press-2021",
        observed_at="2021-06-01",
        text="Lena Brandt is the chief executive of Norwind Energy.",
    ),
]
ARCHIVE = Document(
    source="archive-1999",
    observed_at="2006",
    text="Paul Moreau was the chief executive of Norwind Energy from 1999 to 2006.",
)
CORRECTION = Document(
    source="gazette-2019",
    observed_at="2019-01-10",
    text="Norwind Energy did not acquire Halden Optics.",
)
QUESTION = "Who is the chief executive of Norwind Energy?"


async def chiefs(rag: GraphRAG, param: QueryParam | None = None) -> str:
    """The chief executives that a question finds, with the dates of each."""
    data = await rag.query_data(QUESTION, param)
    found = [
        f"{fact.subject} ({period.start or '…'} to {period.end or '…'})"
        for fact in data.relations
        if fact.predicate == "chief_executive_of"
        for period in fact.periods
    ]
    return ", ".join(sorted(found)) or "nobody"


async def main() -> None:
    async with GraphRAG(settings("time")) as rag:
        await rag.set_rules(RULES)
        await rag.index_documents(NEWS)
        print("now:", await chiefs(rag))
        print("as of 2011:", await chiefs(rag, QueryParam(as_of="2011")))
        print("all:", await chiefs(rag, QueryParam(include_superseded=True)))

        mark = await rag.watermark()
        await rag.index_documents([ARCHIVE, CORRECTION])
        print("\nafter a late archive and a correction:")
        changes = await rag.changes_since(mark, kinds=["relation"])
        for line in sorted(f"{change.change}: {change.text}" for change in changes.items):
            print(f"  {line}")
        print("now:", await chiefs(rag))
        print("as of 2003:", await chiefs(rag, QueryParam(as_of="2003")))
        print(
            "as of 2003, as it was believed before:", await chiefs(rag, QueryParam(as_of="2003", as_believed_at=mark))
        )

        await rag.delete_document("press-2021")
        print("\nafter the newest report was withdrawn:")
        print("now:", await chiefs(rag))
        await rag.drop_realm()


if __name__ == "__main__":
    asyncio.run(main())
