"""What the quality benchmark asks and where it looks: passages, the models that read them, questions and their gold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.minilm import MiniLM
from benchmarks.recorded import TRIPLES, lines, said_of, stored_embedding
from post_graph_rag import Document
from post_graph_rag.models.offline.chat import OfflineChat
from post_graph_rag.models.protocols import ChatModel
from post_graph_rag.models.roles import Models
from post_graph_rag.testing import ScriptedChat

SETS = ("musique", "hotpotqa")
PAGES = "timeqa"
"""Long pages in paragraphs, each question about one of them: unlike the others, so a default fits more than two."""
PARAGRAPHS = "train_paras.jsonl"
PAGED_QUESTIONS = 150

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and the keys of the documents that answer it."""

    text: str
    gold: frozenset[str]


@dataclass(frozen=True, slots=True)
class RecallSet:
    """Documents of one passage each, the models that read them, and what is asked of them."""

    name: str
    documents: Sequence[Document]
    models: Models
    questions: Sequence[Asked]


def recall_set(name: str, data: Path, cache: Path, queries: Path | None = None) -> RecallSet:
    """A folder of `data` with passages and questions; without recorded triples the offline extractor reads it.

    queries: another file of questions about the same passages.
    """
    folder = data / name
    asked, corpus = _paged(folder, queries) if (folder / PARAGRAPHS).exists() else _plain(folder, queries)
    return RecallSet(
        name=name,
        documents=[_document(row) for row in corpus],
        models=Models(_reader(folder, corpus), MiniLM(stored_embedding(data), data, cache)),
        questions=[_asked(row) for row in asked],
    )


def _plain(folder: Path, queries: Path | None) -> tuple[list[Row], list[Row]]:
    """Questions that have an answer, and all passages."""
    asked = [row for row in lines(queries or folder / "queries.jsonl") if row["gold_ids"]]
    return asked, list(lines(folder / "corpus.jsonl"))


def _paged(folder: Path, queries: Path | None) -> tuple[list[Row], list[Row]]:
    """The first questions that have an answer, and the paragraphs of their pages."""
    asked = [row for row in lines(queries or folder / "train_queries.jsonl") if row["gold_ids"]][:PAGED_QUESTIONS]
    pages = {row["page"] for row in asked}
    return asked, [row for row in lines(folder / PARAGRAPHS) if row["page"] in pages and row["text"].strip()]


def _reader(folder: Path, corpus: Sequence[Row]) -> ChatModel:
    if not (folder / TRIPLES).exists():
        return OfflineChat()
    said = said_of(folder)
    by_text = {_text(row): said[row["id"]] for row in corpus if row["id"] in said}
    return ScriptedChat(extract=lambda text: by_text[text.strip()])


def _document(row: Row) -> Document:
    return Document(key=str(row["id"]), title=row["title"], chunks=(_text(row),))


def _text(row: Row) -> str:
    return f"{row['title']}\n{row['text']}".strip()


def _asked(row: Row) -> Asked:
    return Asked(row["question"], frozenset(map(str, row["gold_ids"])))
