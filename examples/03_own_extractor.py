"""An extractor of one's own: a register whose lines a regular expression reads better than any model.

Runs on the embedded server, with the offline embedding, or on your own; see common.py.
"""

from __future__ import annotations

import asyncio
import re

from common import settings

from post_graph_rag import DocumentContext, ExtractedRelation, Extraction, GraphRAG

REGISTER = """\
2011-03-14: Northgate Instruments acquired Brightwater Optics.
2014-06-02: Halden Group acquired Northgate Instruments.
2016-01-20: Brightwater Optics merged with Corvid Lenses.
"""
ENTRY = re.compile(r"(\S+): (.+?) (acquired|merged with) (.+)\.")


def read_register(text: str, context: DocumentContext) -> Extraction:
    """Each entry as a fact with its date."""
    return Extraction(
        relations=tuple(
            ExtractedRelation(subject=subject, predicate=predicate, object=target, valid_from=day)
            for day, subject, predicate, target in ENTRY.findall(text)
        )
    )


async def main() -> None:
    async with GraphRAG(settings("register"), extraction_fn=read_register, extraction_version="1") as rag:
        report = await rag.index_text(REGISTER, key="register")
        print(f"{report.relations} facts from {report.passages} passage, {report.model_calls} calls of a model")
        data = await rag.query_data("Who acquired Northgate Instruments?")
        for fact in sorted(data.relations, key=lambda fact: fact.periods[0].start or ""):
            print(f"{fact.periods[0].start}: {fact.subject} | {fact.predicate} | {fact.object}")
        await rag.drop_realm()


if __name__ == "__main__":
    asyncio.run(main())
