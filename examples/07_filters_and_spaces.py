"""Filters and spaces: the same question put to some documents only, and to one space, another, or all.

Runs on the embedded server and the offline models, or on your own; see common.py.
"""

from __future__ import annotations

import asyncio

from common import settings

from post_graph_rag import Document, GraphRAG, QueryParam, SpaceNotFound

SALES = [
    Document(
        key="crm-17",
        source="crm",
        text="Norwind Energy bought forty turbines. Norwind Energy is based in Aarhus.",
        metadata={"desk": "north", "tags": ["energy", "won"]},
        observed_at="2023-02-10",
    ),
    Document(
        key="mail-3",
        source="mail",
        text="Norwind Energy sued Halden Optics.",
        metadata={"desk": "north", "tags": ["dispute"]},
        observed_at="2024-06-01",
    ),
    Document(
        key="mail-9",
        source="mail",
        text="Sunfield Power acquired Norwind Energy.",
        metadata={"desk": "south", "tags": ["energy"]},
        observed_at="2024-09-12",
    ),
]
LEGAL = [Document(key="case-1", source="court", text="Halden Optics settled with Norwind Energy.", space="legal")]
QUESTION = "What is known of Norwind Energy?"
ASKED = {
    "everything": QueryParam(),
    "of the mails": QueryParam(sources=("mail",)),
    "of one document": QueryParam(documents=("crm-17",)),
    "desk north": QueryParam(metadata={"desk": "north"}),
    "tagged energy or dispute, desk south": QueryParam(metadata={"tags": ("energy", "dispute"), "desk": "south"}),
    "written after 2023": QueryParam(observed_after="2023"),
    "by the predicate sued": QueryParam(predicates=("sued",)),
    "in the space legal": QueryParam(space="legal"),
    "in all spaces": QueryParam(space="*"),
}


async def main() -> None:
    async with GraphRAG(settings("filters")) as rag:
        await rag.index_documents([*SALES, *LEGAL])
        for name, param in ASKED.items():
            data = await rag.query_data(QUESTION, param)
            keys = sorted({source.document for hit in data.passages for source in hit.sources})
            facts = sorted(f"{fact.subject} {fact.predicate} {fact.object}" for fact in data.relations)
            print(f"{name}: {', '.join(keys)}")
            for fact in facts:
                print(f"    {fact}")
        try:
            await rag.query_data(QUESTION, QueryParam(space="elsewhere"))
        except SpaceNotFound as refusal:
            print("refused:", refusal)
        await rag.drop_realm()


if __name__ == "__main__":
    asyncio.run(main())
