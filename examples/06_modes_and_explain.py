"""Modes, and what a question's search did: which channel found what, what was dropped and why, and what it took.

Runs on the embedded server and the offline models, or on your own; see common.py.
"""

from __future__ import annotations

import asyncio
from typing import get_args

from common import settings

from post_graph_rag import Document, GraphRAG, QueryParam
from post_graph_rag.errors import NoCommunities
from post_graph_rag.records import Funnel, Mode, QueryData

TEXTS = {
    "northgate": "Northgate Instruments acquired Halden Optics in 2011.",
    "halden": "Halden Optics was founded by Clara Voss. Its lenses are ground by hand.",
    "voss": "Clara Voss was born in Velmora. Her father mended watches.",
    "reik": "Jonas Reik founded Corran Glass. He was born in Tarn Bridge.",
    "lund": "Sofia Lund founded Meridian Devices. She was born in Port Ansel.",
    "pell": "Edgar Pell founded Brightwater Scales. He was born in Sandholm.",
}
QUESTION = "Where was the founder of the company that Northgate Instruments acquired born?"


def shown(data: QueryData) -> str:
    """The documents of the passages, best first."""
    return ", ".join(hit.sources[0].document for hit in data.passages) or "nothing"


def line(funnel: Funnel) -> str:
    """A channel's candidates, and what became of them."""
    dropped = ", ".join(f"{count} {reason}" for reason, count in sorted(funnel.dropped.items()))
    return f"  {funnel.channel} ({funnel.kind}): {len(funnel.candidates)} - ({dropped or 0}) = {funnel.returned}"


async def main() -> None:
    async with GraphRAG(settings("modes")) as rag:
        await rag.index_documents([Document(source=key, text=text) for key, text in TEXTS.items()])

        for mode in get_args(Mode):
            try:
                data = await rag.query_data(QUESTION, QueryParam(mode=mode, top_k=3))
            except NoCommunities as refusal:
                print(f"{mode}: {refusal}")
            else:
                print(f"{mode}: {shown(data)}; {len(data.relations)} facts")

        found = await rag.query_data(QUESTION, QueryParam(top_k=3, explain=True))
        assert found.explain is not None
        print("\ncandidates - dropped = returned:")
        for funnel in found.explain.funnels:
            print(line(funnel))
        print("statements:", {step.name: step.statements for step in found.explain.steps if step.statements})

        print("\nwhat is known of the answer's passage:")
        for place in next(hit for hit in found.passages if hit.sources[0].document == "voss").channels:
            print(f"  {place.channel} #{place.rank}")
        await rag.drop_realm()


if __name__ == "__main__":
    asyncio.run(main())
