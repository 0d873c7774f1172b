"""A schema: which types and predicates to look for, and which facts take turns.

Runs on the embedded server and the offline models, or on your own; see common.py.
"""

from __future__ import annotations

import asyncio

from common import settings

from post_graph_rag import Document, ExtractionSchema, GraphRAG, PredicateSpec, QueryParam

SCHEMA = ExtractionSchema(
    entity_types={"Person": "", "Organization": "companies, agencies, clubs"},
    predicates={
        "chief executive of": PredicateSpec(
            description="leads the company",
            subject_types=("Person",),
            object_types=("Organization",),
            single_per="object",
        ),
        "acquired": PredicateSpec(aliases=("bought", "purchased")),
    },
    strict=True,
)
NEWS = [
    Document(
        source="press-2014",
        observed_at="2014",
        text="Tom Okafor is the chief executive of Norwind Energy. Norwind Energy bought Halden Optics.",
    ),
    Document(
        source="press-2021",
        observed_at="2021",
        text="Lena Brandt is the chief executive of Norwind Energy. Lena Brandt sued Halden Optics.",
    ),
]


async def main() -> None:
    async with GraphRAG(settings("schema"), schema=SCHEMA) as rag:
        for report in await rag.index_documents(NEWS):
            print(f"{report.key}: {report.relations} facts, gates {dict(report.gates)}")
        data = await rag.query_data("Norwind Energy", QueryParam(include_superseded=True))
        for fact in sorted(data.relations, key=lambda fact: fact.fact):
            print(f"{fact.subject} | {fact.predicate} | {fact.object}{' (superseded)' if fact.superseded else ''}")
        await rag.drop_realm()


if __name__ == "__main__":
    asyncio.run(main())
