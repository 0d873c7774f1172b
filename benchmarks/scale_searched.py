"""What a question is searched with, worked out beforehand: its vector, and which of its terms are rare enough."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from benchmarks.time_words import WordVectors
from post_graph_rag.records import QueryParam
from post_graph_rag.retrieve import searching
from post_graph_rag.retrieve.question import Question, read_question
from post_graph_rag.store.search import WordChannel

KINDS: Mapping[WordChannel, int] = {"passage_text": 1, "entity_name": 2, "relation_text": 3}
"""The kind of posting that each channel reads."""
COUNT = """
SELECT t.term, (
    SELECT count(*) FROM (
        SELECT FROM posting p WHERE p.kind = $1::smallint AND p.term = t.term AND p.current
        AND p.space = ANY($3::int[]) LIMIT $4::int
    ) read
) AS postings
FROM unnest($2::text[]) AS t(term)
"""
TOTAL = "SELECT count(*) FROM (SELECT DISTINCT id FROM posting WHERE kind = $1::smallint) known"


@dataclass(frozen=True, slots=True)
class Searched:
    """A question's vector as text, for each channel terms with their rarity, and keys of names it may hold."""

    text: str
    vector: str
    terms: Mapping[WordChannel, tuple[list[str], list[float]]]
    keys: list[str]


async def read_all(
    connection: Any, spaces: Sequence[int], texts: Sequence[str], vectors: WordVectors
) -> list[Searched]:
    """What each of the questions is searched with in these spaces."""
    totals = {kind: await connection.fetchval(TOTAL, kind) for kind in KINDS.values()}
    return [await _read(connection, spaces, text, vectors, totals) for text in texts]


async def _read(
    connection: Any, spaces: Sequence[int], text: str, vectors: WordVectors, totals: Mapping[int, int]
) -> Searched:
    question = read_question(text, QueryParam())
    terms = {channel: await _rare(connection, spaces, question, kind, totals[kind]) for channel, kind in KINDS.items()}
    return Searched(text, str((await vectors.embed([text], "query"))[0].tolist()), terms, question.name_keys)


async def _rare(
    connection: Any, spaces: Sequence[int], question: Question, kind: int, total: int
) -> tuple[list[str], list[float]]:
    least, share, largest = searching._COMMON
    most = min(max(least, total // share), largest)
    rows = await connection.fetch(COUNT, kind, question.terms, spaces, most + 1)
    known = {row["term"]: row["postings"] for row in rows if row["postings"]}
    rare = {term: postings for term, postings in known.items() if postings <= most} or known
    return [*rare], [math.log(1 + (max(total - n, 0) + 0.5) / (n + 0.5)) for n in rare.values()]
