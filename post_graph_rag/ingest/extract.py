"""One passage through the extraction model: stored replies first, then calls, round by round.

A function of the caller's own takes the model's place, or is one more round beside it.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from post_graph_rag import failpoints
from post_graph_rag.clean import clean_text
from post_graph_rag.errors import ExtractionError, LLMError, RAGError
from post_graph_rag.ingest import callback
from post_graph_rag.ingest.callback import Callback
from post_graph_rag.ingest.evidence import located
from post_graph_rag.ingest.expected import Expected, Told
from post_graph_rag.ingest.gates import DEFAULT_GATES, apply_gates
from post_graph_rag.ingest.underway import Underway
from post_graph_rag.models.extraction_call import QUOTING_SCHEMA, SCHEMA, extraction_request, prompt_version
from post_graph_rag.models.parsing import parse_extraction
from post_graph_rag.models.parsing.tidy import tidied
from post_graph_rag.models.prompts import Prompts
from post_graph_rag.models.protocols import ChatModel, ChatReply, ChatRequest, parameters_of
from post_graph_rag.models.replies import About, Kept, ReplyStore, asked_model, content_key
from post_graph_rag.models.vocabulary import extraction_instructions
from post_graph_rag.names import name_key, predicate_key
from post_graph_rag.records import DocumentContext, ExtractedRelation, Extraction, ExtractionSchema, Gate
from post_graph_rag.store.usage import Call, milliseconds_since

READING = 3
"""Version of parser and gates; to be raised when either makes something else of the same reply."""


@dataclass(slots=True)
class Extracted:
    """What came of one passage; `failure` says why there is no extraction.

    extractor: names the rounds it is from, also where these can find nothing; empty where to try again may help.
    """

    extraction: Extraction | None = None
    extractor: str = ""
    calls: int = 0
    replayed: int = 0
    gates: Counter[str] = field(default_factory=Counter)
    repairs: Counter[str] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)
    failure: str | None = None


@dataclass(slots=True)
class _Passage:
    """A passage while it is read. kept: stored replies; told: those of this call, to be added to."""

    text: str
    context: DocumentContext
    known_names: Sequence[str]
    about: About
    kept: Mapping[bytes, Kept]
    told: dict[bytes, Kept]
    done: Extracted = field(default_factory=Extracted)

    def replayed(self, key: bytes) -> Extraction | None:
        """What a stored reply says; one that cannot be read is asked for again."""
        kept = self.told.get(key) or self.kept.get(key)
        if kept is None:
            return None
        try:
            extraction, repairs = parse_extraction(kept.text)
        except ExtractionError:
            return None
        self.done.replayed += 1
        self.done.repairs += repairs
        return extraction

    def learned(self, key: bytes, reply: ChatReply, repairs: Counter[str]) -> None:
        self.told[key] = Kept(reply.text, reply.model)
        self.done.repairs += repairs

    def failed(self, error: RAGError, *, wholly: bool = True) -> None:
        """Note an error; wholly: nothing of the passage can be used."""
        self.done.errors.append(clean_text(f"{type(error).__name__}: {error}")[0])
        self.done.failure = self.done.errors[-1][:500] if wholly else None


class Extractor:
    """Asks one model, with one set of prompts, and keeps what it says.

    schema: what the user wants to find; None: anything. open_gates: names of the gates that stop nothing.
    quoting: ask where in the passage each relation is stated. own: the caller's function; `chat` is None where it
        stands in place of a model.
    """

    def __init__(
        self,
        chat: ChatModel | None,
        replies: ReplyStore,
        prompts: Prompts,
        gleaning: int,
        schema: ExtractionSchema | None = None,
        open_gates: Collection[Gate] = (),
        *,
        quoting: bool = False,
        own: Callback | None = None,
    ) -> None:
        self._chat = chat
        self._own = own
        self._asked = chat and asked_model(chat)
        self._replies = replies
        self._prompts = prompts
        self._rounds = range(1 + gleaning if chat else 0)
        self._quoting = quoting or own is not None
        self._instructions = extraction_instructions(prompts, schema, quoting=quoting)
        self._shape = QUOTING_SCHEMA if quoting else SCHEMA
        self._versions = [prompt_version(prompts, round, self._instructions, self._shape) for round in self._rounds]
        self._expected = Expected.by(schema)
        self._gates = DEFAULT_GATES.difference(open_gates)
        parameters = sorted(parameters_of(chat).items()) if chat else []
        self._reading = (READING, schema and schema.model_dump(), *sorted(open_gates), *parameters)
        self._underway = Underway()

    @property
    def name(self) -> str:
        """Names model, rounds, and all that shapes what is made of a passage; it is kept beside its structure.

        Where it has changed, reindex=True exchanges the structure for what the replies say now.
        """
        return self._named(len(self._rounds))

    def _named(self, rounds: int) -> str:
        """The name of an extractor that reads so many rounds."""
        if self._own is None:
            return f"{self._models()} {content_key(self._reading, self._versions[:rounds]).hex()[:12]}x{rounds}"
        shaped = content_key(self._reading, self._versions[:rounds], self._own.name)
        return f"{self._models()} {shaped.hex()[:12]}x{rounds}"

    def _models(self) -> str:
        """Whoever reads a passage."""
        return " + ".join(reader.name for reader in (self._chat, self._own) if reader is not None)

    @property
    def rounds(self) -> int:
        """How often the model is asked about a passage at most; 0 where the caller's function stands in its place."""
        return len(self._rounds)

    def keys(self, text_hash: bytes, context_hash: bytes) -> list[bytes]:
        """Keys of the replies about a passage, one for each round, the caller's function last.

        The names a call was shown are no part of them.
        """
        hashes = text_hash, context_hash
        keys = [content_key(self._asked, version, *hashes, round) for round, version in enumerate(self._versions)]
        return keys if self._own is None else [*keys, content_key("extraction_fn", self._own.name, *hashes)]

    def request(
        self,
        text: str,
        context: DocumentContext,
        known_names: Sequence[str],
        round: int = 0,
        found: Extraction | None = None,
    ) -> ChatRequest:
        """What the model is asked about a passage; found: by the rounds before this one."""
        return extraction_request(
            text, context, known_names, round, found, self._prompts, self._instructions, self._shape
        )

    def expect(self, text_hash: bytes, context_hash: bytes) -> None:
        """A passage is going to be read; said before stored replies are looked up, so that none is missed."""
        self._underway.expect(self.keys(text_hash, context_hash)[0])

    async def extract(
        self,
        text: str,
        text_hash: bytes,
        context_hash: bytes,
        context: DocumentContext,
        known_names: Sequence[str],
        kept: Mapping[bytes, Kept],
        document: bytes | None = None,
    ) -> Extracted:
        """Read one passage; a model that fails or talks nonsense is a `failure`, never an exception.

        document: mark of the document that is being read, for the ledger. Raises BudgetExceeded.
        """
        keys = self.keys(text_hash, context_hash)
        names = tuple(dict.fromkeys((*context.known_names, *known_names)))
        async with self._underway.turn(keys[0]) as told:
            about = About("extraction", text_hash, names, document)
            passage = _Passage(text, context, known_names, about, kept, told)
            found = Extraction() if self._chat is None else await self._by_model(self._chat, passage, keys)
            if self._own is not None and passage.done.failure is None:
                both = _joined(found, await self._by_own(self._own, passage, keys[-1]))
                found = tidied(both.entities, both.relations, passage.done.repairs)
        done = passage.done
        if done.failure is None:
            done.extractor = done.extractor or self.name
            self._check(found, passage)
        else:
            done.extractor = ""
        return done

    async def _by_model(self, chat: ChatModel, passage: _Passage, keys: Sequence[bytes]) -> Extraction:
        """What the model finds, round by round, while it finds more."""
        found = Extraction()
        for round, key in zip(self._rounds, keys, strict=False):
            request = self.request(passage.text, passage.context, passage.known_names, round, found)
            more = passage.replayed(key) or await self._ask(chat, request, key, passage)
            if more is None:
                # What is kept is named after the rounds it is from, so that a reindex makes up for the rest.
                passage.done.extractor = self._named(round)
                break
            known, found = found, _joined(found, more)
            if not _adds(more, known):
                break
        return found

    async def _by_own(self, own: Callback, passage: _Passage, key: bytes) -> Extraction:
        """What the caller's function finds; nothing where it fails, which is the passage's failure."""
        if (replayed := passage.replayed(key)) is not None:
            return replayed
        started = time.monotonic()
        try:
            reply = await own.reply(passage.text, passage.context)
            found, repairs = callback.read(reply.text)
        except ExtractionError as error:
            passage.failed(error)
            return Extraction()
        if own.keeps:
            await self._keep(key, reply, replace(passage.about, names=passage.context.known_names), started)
        passage.learned(key, reply, repairs)
        return found

    def _check(self, found: Extraction, passage: _Passage) -> None:
        """Let through the gates what was found, and look up where it stands."""
        done = passage.done
        shown = self._instructions if self._chat is not None else ""
        given = Told(shown, passage.text, passage.context, passage.known_names)
        kept, done.gates = apply_gates(found, self._gates, expected=self._expected, told=given)
        if self._own is not None and self._own.replaces and not (kept.entities or kept.relations):
            # It was read: to call the function once more would cost as much and find as little.
            passage.failed(ExtractionError("extraction_fn found nothing in the passage that can be used"))
        else:
            done.extraction = located(kept, passage.text, done.repairs) if self._quoting else kept

    async def _ask(self, chat: ChatModel, request: ChatRequest, key: bytes, passage: _Passage) -> Extraction | None:
        """Ask the model; None when it fails, which is the passage's failure only in the first round."""
        passage.done.calls += 1
        try:
            reply = await self._told(chat, request, key, passage.about)
            extraction, repairs = parse_extraction(reply.text)
        except (LLMError, ExtractionError) as error:
            passage.failed(error, wholly=request.round == 0)
            return None
        passage.learned(key, reply, repairs)
        return extraction

    async def _told(self, chat: ChatModel, request: ChatRequest, key: bytes, about: About) -> ChatReply:
        """What the model says, stored before it is used."""
        failpoints.reach("before_extraction")
        started = time.monotonic()
        try:
            reply = await chat.chat(request)
        except LLMError:
            failed = Call(about.role, chat.name, milliseconds_since(started), document=about.document, failed=True)
            await self._replies.note([failed])
            raise
        failpoints.reach("after_extraction")
        await self._keep(key, reply, about, started)
        failpoints.reach("reply_kept")
        return reply

    async def _keep(self, key: bytes, reply: ChatReply, about: About, started: float) -> None:
        await self._replies.keep(key, reply, about, milliseconds_since(started))


def _adds(more: Extraction, known: Extraction) -> bool:
    """Whether a round found anything that the rounds before it had not; else another one would not either."""
    names = {name_key(name) for entity in known.entities for name in (entity.name, *entity.aliases)}
    stated = set(map(_statement, known.relations))
    return any(name_key(entity.name) not in names for entity in more.entities) or any(
        _statement(relation) not in stated for relation in more.relations
    )


def _statement(relation: ExtractedRelation) -> tuple[str, str, str, bool]:
    ends = name_key(relation.subject), name_key(relation.object)
    return (*ends, predicate_key(relation.predicate), relation.negated)


def _joined(found: Extraction, more: Extraction) -> Extraction:
    return Extraction(entities=(*found.entities, *more.entities), relations=(*found.relations, *more.relations))
