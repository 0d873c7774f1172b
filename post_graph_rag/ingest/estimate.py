"""What indexing some documents would take, found out without asking a model and without writing anything."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import ceil

from post_graph_rag.errors import RAGError
from post_graph_rag.ingest.drafts import Draft, PassageDraft, draft
from post_graph_rag.ingest.extract import Extractor
from post_graph_rag.ingest.lookup import Found, Lookup
from post_graph_rag.models.answer_call import prompt_tokens
from post_graph_rag.models.tokens import Tokenizer
from post_graph_rag.prices import Price, cost_of, price_of
from post_graph_rag.records import Document, Estimate

SLICE = 64
"""Documents looked up together."""
ASSUMED_BESIDE = 100
"""Tokens that a reply is assumed to have beside as many as its passage has."""
MOST_FOUND = 1_500
"""Tokens by which a later round's prompt tells at most what the earlier ones found."""
DERIVED = 0.5
"""Part of a reply that is embedded later: names, descriptions and facts, without what the format adds."""


@dataclass(slots=True)
class Estimating:
    """One estimate. usual: tokens of a reply about a passage in this realm; None where none is known.

    there: whether the realm is; else all is new. tokenizer: of the model that reads.
    """

    lookup: Lookup
    extractor: Extractor
    tokenizer: Tokenizer
    usual: float | None
    there: bool
    counts: Counter[str] = field(default_factory=Counter)
    _overheads: dict[int, int] = field(default_factory=dict)
    _seen: set[bytes] = field(default_factory=set)
    _embedded: set[bytes] = field(default_factory=set)

    async def run(self, documents: Sequence[Document], space: str, *, reindex: bool) -> None:
        """Count everything."""
        drafts = self._drafts(documents, space)
        for start in range(0, len(drafts), SLICE):
            for item, found in await self._look_up(drafts[start : start + SLICE], reindex):
                self._count(item, found)

    def told(self, prices: Mapping[str, Price], chat: str, embedding: str) -> Estimate:
        """What was counted. chat, embedding: names of the models that would be asked."""
        counts = {name: self.counts[name] for name in Estimate.model_fields if name not in ("cost", "basis")}
        return Estimate(**counts, cost=self._cost(prices, chat, embedding), basis=self._basis())

    def _drafts(self, documents: Sequence[Document], space: str) -> list[Draft]:
        drafts: dict[tuple[str, bytes], Draft] = {}
        for number, document in enumerate(documents):
            self.counts["documents"] += 1
            try:
                item = draft(number, document, space)
            except RAGError:
                self.counts["refused"] += 1
            else:
                drafts[item.identity] = item  # of two with one key the later counts
        return list(drafts.values())

    async def _look_up(self, drafts: Sequence[Draft], reindex: bool) -> list[tuple[Draft, Found]]:
        if self.there:
            return await self.lookup.look_up(drafts, reindex)
        return [(item, Found(error=await self.lookup.cut(item))) for item in drafts]

    def _count(self, item: Draft, found: Found) -> None:
        if found.error is not None:
            self.counts["refused"] += 1
        elif item.status in ("unchanged", "metadata"):
            held = item.held
            self.counts.update(unchanged_documents=1, passages=held, unchanged_passages=held)
        else:
            self.counts["passages"] += len(item.passages)
            for passage in item.unique_passages().values():
                self._count_passage(item, passage, found)

    def _count_passage(self, item: Draft, passage: PassageDraft, found: Found) -> None:
        self.counts["unchanged_passages"] += passage.known is not None
        if not found.embedded(passage) and passage.text_hash not in self._embedded:
            self._embedded.add(passage.text_hash)
            self.counts["embedding_tokens"] += passage.tokens
        keys = self.extractor.keys(passage.text_hash, item.context_hash)
        if passage not in found.structured and keys and keys[0] not in self._seen:
            self._seen.add(keys[0])
            for round, key in enumerate(keys):
                self.counts["replayed"] += key in found.kept and round < self.extractor.rounds
                if key not in found.kept:
                    self._count_call(item, passage, found, round)

    def _count_call(self, item: Draft, passage: PassageDraft, found: Found, round: int) -> None:
        said = ceil(self.usual if self.usual is not None else passage.tokens + ASSUMED_BESIDE)
        self.counts["embedding_tokens"] += 0 if round else ceil(said * DERIVED)
        if round >= self.extractor.rounds:  # the caller's own function, which costs no tokens
            return
        request = self.extractor.request(passage.chunk.text, item.context, found.known_names, round)
        asked = self.tokenizer.count(request.messages[-1].content)
        if round not in self._overheads:
            # Instructions and schema are the same for all.
            self._overheads[round] = prompt_tokens(request, self.tokenizer) - asked
        told = min(said, MOST_FOUND) if round else 0
        self.counts.update(calls=1, prompt_tokens=self._overheads[round] + asked + told, output_tokens=said)

    def _cost(self, prices: Mapping[str, Price], chat: str, embedding: str) -> float | None:
        counts, reading, placing = self.counts, price_of(prices, chat), price_of(prices, embedding)
        if (counts["calls"] and reading is None) or (counts["embedding_tokens"] and placing is None):
            return None
        read = cost_of(reading, counts["prompt_tokens"], counts["output_tokens"]) if reading is not None else 0.0
        return read + (cost_of(placing, counts["embedding_tokens"]) if placing is not None else 0.0)

    def _basis(self) -> str:
        reply = (
            f"a reply is assumed to have {ASSUMED_BESIDE} tokens more than its passage"
            if self.usual is None
            else f"the last replies of this realm had {self.usual:.0f} tokens on average"
        )
        most = "every round of gleaning is counted, which is the most there can be"
        return f"{reply}; half of a first reply is assumed to be embedded; {most}"
