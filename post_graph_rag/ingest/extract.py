"""One passage through the extraction model: stored replies first, then calls, round by round."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from post_graph_rag import failpoints
from post_graph_rag.errors import ExtractionError, LLMError
from post_graph_rag.ingest.gates import apply_gates
from post_graph_rag.models.extraction_call import extraction_request, prompt_version
from post_graph_rag.models.parsing import parse_extraction
from post_graph_rag.models.prompts import Prompts
from post_graph_rag.models.protocols import ChatModel, ChatRequest
from post_graph_rag.models.replies import About, Kept, ReplyStore, content_key
from post_graph_rag.records import DocumentContext, Extraction


@dataclass(slots=True)
class Extracted:
    """What came of one passage; `failure` says why there is no extraction."""

    extraction: Extraction | None = None
    calls: int = 0
    replayed: int = 0
    gates: Counter[str] = field(default_factory=Counter)
    repairs: Counter[str] = field(default_factory=Counter)
    errors: list[str] = field(default_factory=list)
    failure: str | None = None


class Extractor:
    """Asks one model, with one set of prompts, and keeps what it says."""

    def __init__(self, chat: ChatModel, replies: ReplyStore, prompts: Prompts, gleaning: int) -> None:
        self._chat = chat
        self._replies = replies
        self._prompts = prompts
        self._rounds = range(1 + gleaning)

    @property
    def name(self) -> str:
        """Names model and prompts; a passage keeps it beside its structure."""
        return f"{self._chat.name} {prompt_version(self._prompts)[:12]}"

    def keys(self, text_hash: bytes, context_hash: bytes) -> list[bytes]:
        """Keys of the replies about a passage, one for each round; the names a call was shown are no part of them."""
        return [
            content_key(self._chat.name, prompt_version(self._prompts, round), text_hash, context_hash, round)
            for round in self._rounds
        ]

    async def extract(
        self,
        text: str,
        text_hash: bytes,
        context_hash: bytes,
        context: DocumentContext,
        known_names: Sequence[str],
        kept: Mapping[bytes, Kept],
    ) -> Extracted:
        """Read one passage; a model that fails or talks nonsense is a `failure`, never an exception."""
        done = Extracted()
        found = Extraction()
        about = About("extraction", text_hash, tuple(dict.fromkeys((*context.known_names, *known_names))))
        for round, key in zip(self._rounds, self.keys(text_hash, context_hash), strict=True):
            request = extraction_request(text, context, known_names, round, found, self._prompts)
            try:
                more = await self._reply(request, key, about, kept.get(key), done)
            except (LLMError, ExtractionError) as error:
                done.errors.append(f"{type(error).__name__}: {error}")
                if round == 0:
                    done.failure = done.errors[0][:500]
                    return done
                break
            if round > 0 and not (more.entities or more.relations):
                break
            found = Extraction(
                entities=(*found.entities, *more.entities), relations=(*found.relations, *more.relations)
            )
        done.extraction, done.gates = apply_gates(found)
        return done

    async def _reply(
        self, request: ChatRequest, key: bytes, about: About, kept: Kept | None, done: Extracted
    ) -> Extraction:
        if kept is not None:
            try:
                extraction, repairs = parse_extraction(kept.text)
            except ExtractionError:
                pass  # what could not be read then is asked for again
            else:
                done.replayed += 1
                done.repairs += repairs
                return extraction
        failpoints.reach("before_extraction")
        started = time.monotonic()
        reply = await self._chat.chat(request)
        failpoints.reach("after_extraction")
        done.calls += 1
        await self._replies.keep(key, reply, about, round((time.monotonic() - started) * 1000))
        extraction, repairs = parse_extraction(reply.text)
        done.repairs += repairs
        return extraction
