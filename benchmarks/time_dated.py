"""Dated questions (TimeQA): passages found with `as_of`, the first year a question names, and without.

The paragraphs of the pages that the questions are about are indexed with the offline models: facts with the dates that
the text states. `as_of` reaches passages only through the facts they carry, and through the walk.
"""

from __future__ import annotations

import asyncio
import json
import re
import time
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import SecretStr

from benchmarks.goals import Line
from benchmarks.server import fresh_database
from benchmarks.workload import emit
from post_graph_rag import Document, GraphRAG, QueryParam, Settings
from post_graph_rag.records import PassageHit

TOP = 5
YEAR = re.compile(r"\b1[0-9]{3}\b|\b20[0-9]{2}\b")


@dataclass(frozen=True, slots=True)
class Question:
    """A question, the ids of the paragraphs that answer it, and the first year it names."""

    text: str
    gold: frozenset[str]
    year: str | None


def dated_lines(options: Namespace, server: str) -> list[Line]:
    """Index and ask; nothing but a word where the data is not there."""
    folder = Path(options.data) / "timeqa"
    if not folder.is_dir():
        emit(phase="timeqa-skipped", why=f"there is no folder {folder}: name the one that holds it with --data")
        return []
    asked, pages = _read(folder, options.dated_questions)
    dsn = fresh_database(server, "bench_time_dated")
    return [asyncio.run(_run(dsn, asked, pages))]


def _read(folder: Path, count: int) -> tuple[list[Question], dict[str, list[dict[str, Any]]]]:
    """The first answerable questions, and the paragraphs of their pages."""
    rows = [row for row in _rows(folder / "train_queries.jsonl") if row["gold_ids"]][:count]
    pages: dict[str, list[dict[str, Any]]] = {str(row["page"]): [] for row in rows}
    for paragraph in _rows(folder / "train_paras.jsonl"):
        if str(paragraph["page"]) in pages and paragraph["text"].strip():
            pages[str(paragraph["page"])].append(paragraph)
    return [_question(row) for row in rows], pages


def _rows(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def _question(row: dict[str, Any]) -> Question:
    year = YEAR.search(row["question"])
    return Question(row["question"], frozenset(row["gold_ids"]), year[0] if year else None)


async def _run(dsn: str, asked: Sequence[Question], pages: dict[str, list[dict[str, Any]]]) -> Line:
    settings = Settings(dsn=SecretStr(dsn), realm="dated", create=True, offline=True, gleaning_passes=0)
    async with GraphRAG(settings) as rag:
        start = time.perf_counter()
        await rag.index_documents([_document(page, paragraphs) for page, paragraphs in pages.items()])
        seconds = time.perf_counter() - start
        stats = await rag.realm_stats()
        ids = {page: [paragraph["id"] for paragraph in paragraphs] for page, paragraphs in pages.items()}
        plain, dated = await _recalls(rag, asked, ids, with_year=False), await _recalls(rag, asked, ids, with_year=True)
    return {
        "phase": "timeqa",
        "questions": len(asked),
        "with_a_year": sum(question.year is not None for question in asked),
        "pages": len(pages),
        "passages": stats.passages,
        "relations": stats.relations,
        "index_secs": round(seconds, 1),
        "recall": round(sum(plain) / len(asked), 4),
        "recall_as_of": round(sum(dated) / len(asked), 4),
        "better": sum(b > a for a, b in zip(plain, dated, strict=True)),
        "worse": sum(b < a for a, b in zip(plain, dated, strict=True)),
    }


def _document(page: str, paragraphs: Sequence[dict[str, Any]]) -> Document:
    texts = tuple(paragraph["text"] for paragraph in paragraphs)
    return Document(key=page, title=paragraphs[0]["title"], chunks=texts)


async def _recalls(
    rag: GraphRAG, asked: Sequence[Question], ids: dict[str, list[str]], *, with_year: bool
) -> list[float]:
    """Of each question the share of its paragraphs that are among the first found."""
    recalls = []
    for question in asked:
        param = QueryParam(mode="mix", top_k=TOP, as_of=question.year if with_year else None)
        found = await rag.query_data(question.text, param)
        among = {id for hit in found.passages[:TOP] for id in _ids(hit, ids)}
        recalls.append(len(question.gold & among) / len(question.gold))
    return recalls


def _ids(hit: PassageHit, ids: dict[str, list[str]]) -> list[str]:
    """Paragraphs of a passage: a text that stands twice on a page is one passage."""
    return [ids[source.document][source.ordinal] for source in hit.sources]
