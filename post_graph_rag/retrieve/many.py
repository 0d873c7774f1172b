"""Many questions at once: so many under way, their vectors made together, each with an outcome of its own."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from post_graph_rag.clean import clean_text
from post_graph_rag.errors import InputError, RAGError
from post_graph_rag.records import Outcome, QueryParam
from post_graph_rag.retrieve.modes import plan_for
from post_graph_rag.retrieve.pipeline import Reader
from post_graph_rag.retrieve.question import check_types, read_question
from post_graph_rag.retrieve.vectors import made_together

T = TypeVar("T")


def check_many(questions: Sequence[str], param: QueryParam, concurrency: int) -> None:
    """Raise InputError for arguments of other types, and for no question under way at once."""
    if isinstance(questions, str):
        raise InputError("questions is a single text: give a list of questions, or ask it with query")
    for question in questions:
        check_types(question, param)
    if concurrency < 1:
        raise InputError(f"concurrency is {concurrency}: at least one question is under way at once")


async def with_vectors(reader: Reader, questions: Sequence[str], param: QueryParam) -> Reader:
    """A reader that knows the vectors of these questions; where they cannot be made, each question says why."""
    texts = list(dict.fromkeys(text for question in questions for text in _searched(question, param)))
    if len(texts) < 2:
        return reader
    try:
        library = await reader.library()
    except RAGError:
        return reader
    prefix = library.realm.info.query_prefix
    return replace(reader, known=await made_together(library.embedding, [prefix + text for text in texts], reader.note))


async def outcomes(questions: Sequence[str], ask: Callable[[str], Awaitable[T]], concurrency: int) -> list[Outcome[T]]:
    """What `ask` makes of each question, in their order, so many under way at once; an error ends only its own."""
    slots = asyncio.Semaphore(concurrency)

    async def one(question: str) -> Outcome[T]:
        shown = clean_text(question)[0]
        async with slots:
            try:
                return Outcome(question=shown, result=await ask(question))
            except RAGError as error:
                return Outcome(question=shown, error=error)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(question)) for question in questions]
    return [task.result() for task in tasks]


def _searched(question: str, param: QueryParam) -> Iterator[str]:
    """The texts that a question is surely searched with; none of one that will be refused."""
    try:
        asked, plan = read_question(question, param), plan_for(param.mode)
    except RAGError:
        return
    if plan is not None and not (param.condense and param.conversation_history):
        yield from asked.searching(plan.vectors).embedded
