"""One passage through the extraction model: stored replies first, then calls, round by round."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from post_graph_rag import failpoints
from post_graph_rag.clean import clean_text
from post_graph_rag.errors import ExtractionError, LLMError
from post_graph_rag.ingest.evidence import located
from post_graph_rag.ingest.expected import Expected, Told
from post_graph_rag.ingest.gates import DEFAULT_GATES, apply_gates
from post_graph_rag.ingest.underway import Underway
from post_graph_rag.models.extraction_call import QUOTING_SCHEMA, SCHEMA, extraction_request, prompt_version
from post_graph_rag.models.parsing import parse_extraction
from post_graph_rag.models.prompts import Prompts
from post_graph_rag.models.protocols import ChatModel, ChatReply, ChatRequest, parameters_of
from post_graph_rag.models.replies import About, Kept, ReplyStore, asked_model, content_key
from post_graph_rag.models.vocabulary import extraction_instructions
from post_graph_rag.names import name_key, predicate_key
from post_graph_rag.records import DocumentContext, ExtractedRelation, Extraction, ExtractionSchema, Gate

READING = 2
"""Version of parser and gates; to be raised when either makes something else of the same reply."""


@dataclass(slots=True)
class Extracted:
    """What came of one passage; `failure` says why there is no extraction, `extractor` names the rounds it is from."""

    extraction: Extraction | None = None
    extractor: str = ""
    calls: int = 0
    replayed: int = 0
    gates: Counter[str] = field(default_factory=Counter)
    repairs: Counter[str] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)
    failure: str | None = None


class Extractor:
    """Asks one model, with one set of prompts, and keeps what it says.

    schema: what the user wants to find; None: anything. open_gates: names of the gates that stop nothing.
    quoting: ask where in the passage each relation is stated.
    """

    def __init__(
        self,
        chat: ChatModel,
        replies: ReplyStore,
        prompts: Prompts,
        gleaning: int,
        schema: ExtractionSchema | None = None,
        open_gates: Collection[Gate] = (),
        *,
        quoting: bool = False,
    ) -> None:
        self._chat = chat
        self._asked = asked_model(chat)
        self._replies = replies
        self._prompts = prompts
        self._rounds = range(1 + gleaning)
        self._quoting = quoting
        self._instructions = extraction_instructions(prompts, schema, quoting=quoting)
        self._shape = QUOTING_SCHEMA if quoting else SCHEMA
        self._versions = [prompt_version(prompts, round, self._instructions, self._shape) for round in self._rounds]
        self._expected = Expected.by(schema)
        self._gates = DEFAULT_GATES.difference(open_gates)
        parameters = sorted(parameters_of(chat).items())
        self._reading = (READING, schema and schema.model_dump_json(), *sorted(open_gates), *parameters)
        self._underway = Underway()

    @property
    def name(self) -> str:
        """Names model, rounds, and all that shapes what is made of a passage; it is kept beside its structure.

        Where it has changed, reindex=True exchanges the structure for what the replies say now.
        """
        return self._named(len(self._rounds))

    def _named(self, rounds: int) -> str:
        """The name of an extractor that reads so many rounds."""
        return f"{self._chat.name} {content_key(self._reading, self._versions[:rounds]).hex()[:12]}x{rounds}"

    def keys(self, text_hash: bytes, context_hash: bytes) -> list[bytes]:
        """Keys of the replies about a passage, one for each round; the names a call was shown are no part of them."""
        return [
            content_key(self._asked, version, text_hash, context_hash, round)
            for round, version in enumerate(self._versions)
        ]

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
        done = Extracted()
        keys = self.keys(text_hash, context_hash)
        about = About("extraction", text_hash, tuple(dict.fromkeys((*context.known_names, *known_names))), document)
        found = Extraction()
        async with self._underway.turn(keys[0]) as told:
            for round, key in zip(self._rounds, keys, strict=True):
                request = extraction_request(
                    text, context, known_names, round, found, self._prompts, self._instructions, self._shape
                )
                more = self._replay(told.get(key) or kept.get(key), done)
                more = more or await self._ask(request, key, about, told, done)
                if more is None:
                    # What is kept is named after the rounds it is from, so that a reindex makes up for the rest.
                    done.extractor = self._named(round)
                    break
                known, found = found, _joined(found, more)
                if not _adds(more, known):
                    break
        done.extractor = done.extractor or self.name
        if done.failure is None:
            given = Told(self._instructions, text, context, known_names)
            done.extraction, done.gates = apply_gates(found, self._gates, expected=self._expected, told=given)
            if self._quoting:
                done.extraction = located(done.extraction, text, done.repairs)
        return done

    def _replay(self, kept: Kept | None, done: Extracted) -> Extraction | None:
        """What a stored reply says; one that cannot be read is asked for again."""
        if kept is None:
            return None
        try:
            extraction, repairs = parse_extraction(kept.text)
        except ExtractionError:
            return None
        done.replayed += 1
        done.repairs += repairs
        return extraction

    async def _ask(
        self, request: ChatRequest, key: bytes, about: About, told: dict[bytes, Kept], done: Extracted
    ) -> Extraction | None:
        """Ask the model; None when it fails, which is the passage's failure only in the first round."""
        done.calls += 1
        try:
            reply = await self._told(request, key, about)
            extraction, repairs = parse_extraction(reply.text)
        except (LLMError, ExtractionError) as error:
            done.errors.append(clean_text(f"{type(error).__name__}: {error}")[0])
            done.failure = done.errors[0][:500] if request.round == 0 else None
            return None
        told[key] = Kept(reply.text, reply.model)
        done.repairs += repairs
        return extraction

    async def _told(self, request: ChatRequest, key: bytes, about: About) -> ChatReply:
        """What the model says, stored before it is used."""
        failpoints.reach("before_extraction")
        started = time.monotonic()
        reply = await self._chat.chat(request)
        failpoints.reach("after_extraction")
        await self._replies.keep(key, reply, about, round((time.monotonic() - started) * 1000))
        failpoints.reach("reply_kept")
        return reply


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
