"""Questions."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TypeVar

from pydantic import JsonValue

from post_graph_rag.engine.front import Front, found_again
from post_graph_rag.models.question_call import question_chat
from post_graph_rag.models.tokens import tokenizer_for
from post_graph_rag.records import (
    Answer,
    EvalQuestion,
    EvalReport,
    Outcome,
    QueryData,
    QueryParam,
)
from post_graph_rag.retrieve.answer import AnswerStream, answer
from post_graph_rag.retrieve.evaluate import DEPTHS, report, texts_of
from post_graph_rag.retrieve.many import check_many, outcomes, with_vectors
from post_graph_rag.retrieve.pipeline import Library, Reader, retrieve
from post_graph_rag.store.cypher import run_cypher

T = TypeVar("T")


class Reading(Front):
    """Questions, their answers, and the graph in openCypher."""

    @found_again
    async def query_data(self, question: str, param: QueryParam | None = None) -> QueryData:
        """What is found for a question, without an answer.

        Raises InputError, RealmNotFound, SpaceNotFound, NoCommunities, BudgetTooSmall, EmbeddingError, DatabaseError.
        """
        return await retrieve(self._reader(), question, param)

    @found_again
    async def query(self, question: str, param: QueryParam | None = None) -> Answer:
        """An answer with the sources it cites, and everything that was found.

        Raises what `query_data` raises, and LLMError (with `retrieval`) when no answer could be written.
        """
        return await answer(self._reader(), self._opening.models, question, param)

    async def query_data_many(
        self, questions: Sequence[str], param: QueryParam | None = None, *, concurrency: int = 8
    ) -> list[Outcome[QueryData]]:
        """What is found for each of several questions, in their order; an error is in the outcome of its question.

        param: for all of them. concurrency: questions under way at once. Their vectors are asked for together.
        Raises InputError for arguments that no question could be asked with.
        """
        return await self._many(questions, param, concurrency, retrieve)

    async def query_many(
        self, questions: Sequence[str], param: QueryParam | None = None, *, concurrency: int = 8
    ) -> list[Outcome[Answer]]:
        """An answer to each of several questions, otherwise as `query_data_many`."""
        return await self._many(questions, param, concurrency, self._answered)

    async def evaluate(
        self,
        questions: Sequence[EvalQuestion],
        param: QueryParam | None = None,
        *,
        answers: bool = False,
        concurrency: int = 8,
    ) -> EvalReport:
        """How much of what is known to answer these questions is found in this realm, in the mode of `param`.

        At least as many passages are kept as documents are looked at. answers: have them answered too, a model call
        each, and compare the answers.
        Raises InputError for arguments that no question could be asked with.
        """
        param = param or QueryParam()
        param = param.model_copy(update={"top_k": max(param.top_k, *DEPTHS)})
        texts, started = texts_of(questions), time.monotonic()
        ask = self.query_many if answers else self.query_data_many
        found = await ask(texts, param, concurrency=concurrency)
        return report(param.mode, questions, found, time.monotonic() - started)

    async def _many(
        self,
        questions: Sequence[str],
        param: QueryParam | None,
        concurrency: int,
        ask: Callable[[Reader, str, QueryParam], Awaitable[T]],
    ) -> list[Outcome[T]]:
        param = param or QueryParam()
        check_many(questions, param, concurrency)
        reader = await with_vectors(self._reader(), questions, param)

        async def one(question: str) -> T:
            return await self._once_more(ask, reader, question, param)

        return await outcomes(questions, one, concurrency)

    @found_again
    async def _once_more(
        self, ask: Callable[[Reader, str, QueryParam], Awaitable[T]], reader: Reader, question: str, param: QueryParam
    ) -> T:
        return await ask(reader, question, param)

    async def _answered(self, reader: Reader, question: str, param: QueryParam) -> Answer:
        return await answer(reader, self._opening.models, question, param)

    @asynccontextmanager
    async def stream(self, question: str, param: QueryParam | None = None) -> AsyncIterator[AnswerStream]:
        """The same as `query`, piece by piece: `async with rag.stream(q) as s: async for text in s: …; s.answer`."""
        async with AsyncExitStack() as stack:
            yield await self._begin(stack, question, param)

    @found_again
    async def _begin(self, stack: AsyncExitStack, question: str, param: QueryParam | None) -> AnswerStream:
        stream = AnswerStream(self._reader(), self._opening.models, question, param)
        return await stack.enter_async_context(stream)

    @found_again
    async def cypher(
        self, query: str, params: Mapping[str, JsonValue] | None = None, columns: Sequence[str] = ("result",)
    ) -> list[dict[str, JsonValue]]:
        """Look at the graph by openCypher: one dict a row, by `columns`; nothing that the query changes is kept.

        Raises SchemaError for a realm without a graph, DatabaseError for a query that Apache AGE refuses.
        """
        return await run_cypher(
            await self._opening.database(), await self._opening.existing_realm(), query, params or {}, columns
        )

    async def _library(self) -> Library:
        realm = await self._opening.fitting_realm()
        return Library(await self._opening.database(), realm, self._opening.models.embedding)

    def _reader(self) -> Reader:
        return Reader(
            library=self._library,
            tokenizer=self._tokenizer or tokenizer_for(self.settings.synthesis_model or self.settings.model),
            space=self.settings.space,
            prompts=self._prompts,
            note=self._opening.calls.note,
            reranker=self._reranker,
            patience=self.settings.deadline,
            auxiliary=lambda: question_chat(self._opening.models),
            told=self._told,
        )
