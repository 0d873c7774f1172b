"""For tests, of this library and of programs that use it: models without a network, and realms that go away.

from post_graph_rag.testing import ScriptedChat, ScriptedEmbedding, plain_facts, throwaway_realm

chat = ScriptedChat({"synthesis": "Ada wrote them [1]."}, extract=plain_facts)
async with throwaway_realm(dsn, models=Models(chat, ScriptedEmbedding(dimensions=64))) as rag:
    await rag.index_text("Ada Lane wrote Birch Notes.")
    assert (await rag.query("Who wrote Birch Notes?")).references
assert len(chat.calls_for("extraction")) == 1
"""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import json
import re
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress
from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np
from pydantic import SecretStr

from post_graph_rag.config import Settings
from post_graph_rag.engine import GraphRAG
from post_graph_rag.errors import EmbeddingError, LLMError, RealmNotFound
from post_graph_rag.models.protocols import ChatReply, ChatRequest, EmbeddingKind, Role, Vectors
from post_graph_rag.models.roles import Models
from post_graph_rag.records import ExtractedEntity, ExtractedRelation, Extraction

__all__ = ["ScriptedChat", "ScriptedEmbedding", "fresh_realm_name", "plain_facts", "throwaway_realm"]

Said: TypeAlias = str | Extraction | Mapping[str, Any] | ChatReply | Exception
Script: TypeAlias = Said | Sequence[Said] | Callable[[ChatRequest], Said | Awaitable[Said]]

NOTHING_FOUND = Extraction()
WORD = re.compile(r"[^\W_]+")
PLAIN_FACT = re.compile(
    r"(?P<subject>(?:[A-Z][\w'&-]*\s)+)(?:also known as (?P<alias>(?:[A-Z][\w'&-]*\s)+))?(?P<never>never )?"
    r"(?P<predicate>(?:[a-z][a-z'-]*\s)+)(?P<object>[A-Z][\w'&-]*(?:\s[A-Z][\w'&-]*)*)"
    r"(?: (?:from|since) (?P<start>\d{4}(?:-\d\d)*))?(?: until (?P<end>\d{4}(?:-\d\d)*))?"
)


class Calls:
    """Counts calls under way, waits and fails as scripted: what both scripted models do before they answer."""

    def __init__(self, delay: float, fail: int, error: Exception) -> None:
        self.delay = delay
        self.fail = fail
        self.error = error
        self.under_way = 0
        self.most_under_way = 0

    async def __aenter__(self) -> None:
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        with ExitStack() as undone:
            undone.callback(self._end)
            await asyncio.sleep(self.delay)
            if self.fail > 0:
                self.fail -= 1
                raise self.error
            undone.pop_all()

    async def __aexit__(self, *_: object) -> None:
        self._end()

    def _end(self) -> None:
        self.under_way -= 1


class ScriptedChat:
    """A language model that says what the test wrote down.

    script: what it says. A text, an Extraction or a mapping (sent as JSON), a ChatReply, or an exception (raised);
        a sequence of those, one a call, the last one again and again; a function of the request that gives one, sync
        or async; or a mapping from role ("extraction", "synthesis", …) to any of these.
    extract: finds the Extraction in a passage; used in the first round of the extraction role where the script says
        nothing, with empty later rounds. `plain_facts` is one.
    delay: seconds each call takes. fail: how many calls fail first, with `error` (an LLMError if None).

    `calls` holds every request in order, `most_under_way` how many ran at once at most.
    A role that neither of both serves gets an empty extraction or the text "scripted answer".
    """

    def __init__(
        self,
        script: Script | Mapping[Role, Script] | None = None,
        *,
        extract: Callable[[str], Extraction] | None = None,
        name: str = "scripted",
        delay: float = 0.0,
        fail: int = 0,
        error: Exception | None = None,
    ) -> None:
        self._script = script
        self._extract = extract
        self._name = name
        self._spoken: dict[str, int] = {}
        self.behaviour = Calls(delay, fail, error or LLMError("The scripted model fails as told."))
        self.calls: list[ChatRequest] = []
        self.closed = False

    @property
    def name(self) -> str:
        return self._name

    @property
    def most_under_way(self) -> int:
        return self.behaviour.most_under_way

    def calls_for(self, role: Role) -> list[ChatRequest]:
        """The requests of one role, in order."""
        return [request for request in self.calls if request.role == role]

    async def chat(self, request: ChatRequest) -> ChatReply:
        self.calls.append(request)
        async with self.behaviour:
            return self._reply(request, await self._said(request))

    async def stream(self, request: ChatRequest) -> AsyncIterator[str]:
        """The same words, one by one."""
        reply = await self.chat(request)
        for word in re.findall(r"\S+\s*|\s+", reply.text):
            yield word

    async def close(self) -> None:
        self.closed = True

    async def _said(self, request: ChatRequest) -> Said:
        script = self._script_for(request.role)
        if script is None:
            return self._unscripted(request)
        if callable(script):
            said = script(request)
            return await said if inspect.isawaitable(said) else said
        if isinstance(script, Sequence) and not isinstance(script, str):
            turn = self._spoken.get(request.role, 0)
            self._spoken[request.role] = turn + 1
            return script[min(turn, len(script) - 1)]
        return script

    def _script_for(self, role: Role) -> Script | None:
        script: Any = self._script
        if isinstance(script, Mapping) and set(script) <= {"extraction", "community", "auxiliary", "synthesis"}:
            script = script.get(role)
        found: Script | None = script
        return found

    def _unscripted(self, request: ChatRequest) -> Said:
        if request.role != "extraction":
            return "scripted answer"
        first = self._extract is not None and request.round == 0
        return self._extract(request.inputs.get("text", "")) if first and self._extract else NOTHING_FOUND

    def _reply(self, request: ChatRequest, said: Said) -> ChatReply:
        if isinstance(said, Exception):
            raise said
        if isinstance(said, ChatReply):
            return said
        if isinstance(said, Extraction):
            said = said.model_dump_json()
        text = said if isinstance(said, str) else json.dumps(said)
        prompt = sum(len(message.content) for message in request.messages)
        return ChatReply(text=text, model=self._name, prompt_tokens=prompt // 4, output_tokens=len(text) // 4)


class ScriptedEmbedding:
    """An embedding model in which texts are near when they share words: a hashed bag of words.

    dimensions: width of the vectors. delay: seconds each call takes.
    fail: how many calls fail first, with `error` (an EmbeddingError if None).

    `texts` holds every text that was asked for in order, `requests` counts the calls.
    """

    def __init__(
        self,
        dimensions: int = 256,
        *,
        name: str = "scripted-embedding",
        delay: float = 0.0,
        fail: int = 0,
        error: Exception | None = None,
    ) -> None:
        self._dimensions = dimensions
        self._name = name
        self.behaviour = Calls(delay, fail, error or EmbeddingError("The scripted embedding fails as told."))
        self.texts: list[str] = []
        self.requests = 0
        self.closed = False

    @property
    def name(self) -> str:
        return self._name

    @property
    def dimensions(self) -> int:
        return self._dimensions

    async def embed(self, texts: Sequence[str], kind: EmbeddingKind = "passage") -> Vectors:
        self.requests += 1
        self.texts.extend(texts)
        async with self.behaviour:
            vectors = np.zeros((len(texts), self._dimensions), dtype=np.float32)
            for row, text in enumerate(texts):
                vectors[row] = _bag_of_words(text, self._dimensions)
            return vectors

    async def close(self) -> None:
        self.closed = True


def plain_facts(text: str) -> Extraction:
    """Extract from sentences written for tests, one fact each, in a form that can be read without a model.

    "Acme Corp acquired Birch Labs from 2001 until 2005." "Acme Corp never acquired Cedar Inc." "Acme Corp also known
    as Acme sued Cedar Inc." Names are runs of capitalized words, the predicate is the lower-case words between them.
    """
    entities: dict[str, ExtractedEntity] = {}
    relations = []
    for sentence in re.split(r"(?<=\.)\s+|\n", text):
        fact = PLAIN_FACT.match(sentence.strip())
        if fact:
            relations.append(_plain_relation(fact, sentence.strip()))
            for entity in _plain_entities(fact, sentence.strip()):
                entities.setdefault(entity.name, entity)
    return Extraction(entities=tuple(entities.values()), relations=tuple(relations))


def fresh_realm_name(prefix: str = "test") -> str:
    """A realm name that no other test uses."""
    return f"{prefix}_{secrets.token_hex(6)}"


@asynccontextmanager
async def throwaway_realm(database: str | Settings, *, models: Models | None = None) -> AsyncIterator[GraphRAG]:
    """An engine on a fresh realm, which is dropped with all that is in it when the block ends, however it ends.

    database: a DSN, or Settings, such as Settings(embedded=True) or Settings(dsn=…, graph="none"); the realm they name
        is not touched. The role must be allowed to create schemas.
    models: None for scripted ones that extract `plain_facts`.

    Raises what opening an engine and dropping a realm raise.
    """
    named = Settings(dsn=SecretStr(database)) if isinstance(database, str) else database
    settings = named.model_copy(update={"realm": fresh_realm_name(), "create": True})
    scripted = Models(ScriptedChat(extract=plain_facts), ScriptedEmbedding())
    async with GraphRAG(settings, models=models or scripted) as rag:
        try:
            yield rag
        finally:
            with suppress(RealmNotFound):  # the block may have dropped it itself
                await rag.drop_realm()


def _plain_relation(fact: re.Match[str], sentence: str) -> ExtractedRelation:
    return ExtractedRelation(
        subject=fact["subject"].strip(),
        predicate=fact["predicate"].strip().replace(" ", "_"),
        object=fact["object"],
        description=sentence,
        negated=bool(fact["never"]),
        valid_from=fact["start"],
        valid_to=fact["end"],
    )


def _plain_entities(fact: re.Match[str], sentence: str) -> tuple[ExtractedEntity, ExtractedEntity]:
    aliases = (fact["alias"].strip(),) if fact["alias"] else ()
    subject = fact["subject"].strip()
    return (
        ExtractedEntity(name=subject, type="Thing", description=f"{subject}: {sentence}", aliases=aliases),
        ExtractedEntity(name=fact["object"], type="Thing", description=f"{fact['object']}, named with {subject}"),
    )


def _bag_of_words(text: str, dimensions: int) -> Vectors:
    places: list[int] = []
    weights: list[float] = []
    for word in WORD.findall(text.lower()):
        first, second, sign = _hashed(word)
        places += (first % dimensions, second % dimensions)
        weights += (sign, 0.5)
    vector = np.bincount(places, weights, minlength=dimensions).astype(np.float32) if places else np.zeros(dimensions)
    length = float(np.linalg.norm(vector))
    # A text without words still needs a direction: the same for all of them.
    return (vector / length if length else np.eye(1, dimensions)[0]).astype(np.float32)


@lru_cache(maxsize=65_536)
def _hashed(word: str) -> tuple[int, int, float]:
    digest = hashlib.blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest[:4]), int.from_bytes(digest[4:]), 1.0 if digest[4] & 1 else -1.0
