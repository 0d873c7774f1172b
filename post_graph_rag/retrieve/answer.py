"""An answer from what was found: written at once or piece by piece, with the sources it cites."""

from __future__ import annotations

import re
import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from dataclasses import replace
from types import TracebackType
from typing import cast

from post_graph_rag.clean import clean_text, question_mark
from post_graph_rag.errors import InputError, LLMError
from post_graph_rag.models.answer_call import NOT_IN_SOURCES
from post_graph_rag.models.protocols import ChatModel, ChatReply, ChatRequest
from post_graph_rag.models.roles import Models
from post_graph_rag.records import Answer, QueryData, QueryParam, Reference
from post_graph_rag.retrieve.failing import failures_noted
from post_graph_rag.retrieve.pipeline import Reader, prepare
from post_graph_rag.retrieve.question import check_types
from post_graph_rag.store.usage import Call, milliseconds_since

_CITATION = re.compile(r"\[(\d{1,4}(?:\s*[,;]\s*\d{1,4})*)\]")


async def answer(reader: Reader, models: Models, question: str, param: QueryParam | None = None) -> Answer:
    """Search, then let the model answer from what was found.

    With `only_need_context` no model is called and the text is empty; nor when nothing was found, which is then said.
    Raises ModelNotConfigured before anything is searched, what `retrieve` raises, and LLMError, which carries what was
    found as `.retrieval`.
    """
    param, start = param or QueryParam(), time.perf_counter()
    _check(models, question, param)
    data, request = await prepare(reader, question, param)
    reply = _without_model(data, param) or await _ask(reader, models.chat("synthesis"), request, data)
    return _answer(data, reply, time.perf_counter() - start)


class AnswerStream:
    """An answer piece by piece: `async with AnswerStream(…) as stream: async for text in stream: …`.

    Entering searches; then `data` is there. Leaving early ends the model's call. `answer` is the same record that
    `answer()` gives, of the text that came.
    """

    def __init__(self, reader: Reader, models: Models, question: str, param: QueryParam | None = None) -> None:
        self._reader, self._models = reader, models
        self._question, self._param = question, param or QueryParam()
        self._said: list[str] = []
        self._pieces: AsyncGenerator[str, None] | None = None
        self._data: QueryData | None = None
        self._start = self._seconds = 0.0
        self._model = ""

    async def __aenter__(self) -> AnswerStream:
        self._start = time.perf_counter()
        _check(self._models, self._question, self._param)
        self._data, request = await prepare(self._reader, self._question, self._param)
        self._pieces = self._stream(request, self._data)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._pieces is not None:
            await self._pieces.aclose()
        self._seconds = time.perf_counter() - self._start

    def __aiter__(self) -> AsyncIterator[str]:
        if self._pieces is None:
            raise InputError("a stream is used as `async with … as stream: async for text in stream: …`")
        return self._pieces

    @property
    def data(self) -> QueryData:
        """What was found."""
        if self._data is None:
            raise InputError("a stream has searched once it was entered: `async with … as stream`")
        return self._data

    @property
    def answer(self) -> Answer:
        """The answer as far as it came; whole once the stream has ended."""
        reply = _without_model(self.data, self._param) or self._streamed()
        return _answer(self.data, reply, self._seconds or time.perf_counter() - self._start)

    def _streamed(self) -> ChatReply:
        text = "".join(self._said)
        name = self._model or self._models.names.get("synthesis", "")
        return ChatReply(text, name, self.data.tokens, self._reader.tokenizer.count(text))

    def _note_model(self, name: str) -> None:
        self._model = clean_text(name)[0]

    async def _stream(self, request: ChatRequest, data: QueryData) -> AsyncGenerator[str, None]:
        fixed = _without_model(data, self._param)
        if fixed is not None:
            if fixed.text:
                yield fixed.text
            return
        # Models hand out generators, which have to be closed at once for their call to end.
        asked, started = replace(request, answered=self._note_model), time.monotonic()
        spoken = cast("AsyncGenerator[str, None]", self._models.chat("synthesis").stream(asked))
        async with aclosing(spoken) as pieces:
            try:
                async for piece in pieces:
                    self._said.append(piece)
                    yield piece
                if not "".join(self._said).strip():
                    raise _silence(self._streamed().model, data)
            except LLMError as error:
                error.retrieval, error.partial = data, "".join(self._said)
                raise
            finally:
                # What was said is paid for, however it ended.
                if self._said:
                    self._reader.note(_call(self._streamed(), data, started))


def cited(text: str, references: tuple[Reference, ...]) -> tuple[Reference, ...]:
    """The references a text cites as [1], [1][3] or [1, 3]; numbers that stand for nothing are passed over."""
    numbers = {int(number) for marks in _CITATION.findall(text) for number in re.split(r"\s*[,;]\s*", marks)}
    return tuple(reference for reference in references if reference.number in numbers)


def _check(models: Models, question: str, param: QueryParam) -> None:
    """Refuse at once, before anything is searched, where no model is there to answer."""
    check_types(question, param)
    if not param.only_need_context:
        models.chat("synthesis")


def _without_model(data: QueryData, param: QueryParam) -> ChatReply | None:
    """What is said where no model is needed: nothing but the context is wanted, or nothing was found."""
    if param.only_need_context:
        return ChatReply("", "")
    if param.mode != "bypass" and not (data.passages or data.relations or data.entities):
        return ChatReply(NOT_IN_SOURCES, "")
    return None


async def _ask(reader: Reader, chat: ChatModel, request: ChatRequest, data: QueryData) -> ChatReply:
    try:
        with failures_noted(reader.note, "synthesis", chat.name, question_mark(data.question)) as started:
            reply = await chat.chat(request)
    except LLMError as error:
        error.retrieval = data
        raise
    reader.note(_call(reply, data, started))
    if not reply.text.strip():
        raise _silence(reply.model, data)
    return reply


def _silence(model: str, data: QueryData) -> LLMError:
    """The error of an answer without a word."""
    error = LLMError(
        f"The model {model!r} answered nothing: ask again, or raise POST_GRAPH_RAG_SYNTHESIS_MAX_TOKENS if it reasons "
        "before it answers."
    )
    error.retrieval = data
    return error


def _call(reply: ChatReply, data: QueryData, started: float) -> Call:
    taken = reply.prompt_tokens, reply.output_tokens, reply.cached_tokens
    mark = question_mark(data.question)
    return Call("synthesis", reply.model, milliseconds_since(started), *taken, question=mark)


def _answer(data: QueryData, reply: ChatReply, seconds: float) -> Answer:
    return Answer(
        text=reply.text,
        references=cited(reply.text, data.references),
        data=data,
        model=reply.model,
        prompt_tokens=reply.prompt_tokens,
        output_tokens=reply.output_tokens,
        seconds=seconds,
    )
