"""One question's way from its text to what was found: one embedding request, then one read-only transaction."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from post_graph_rag.models.prompts import Prompts
from post_graph_rag.models.protocols import ChatModel, ChatRequest, EmbeddingModel, Vectors
from post_graph_rag.models.rerank import Reranker
from post_graph_rag.models.tokens import Tokenizer
from post_graph_rag.records import Channel, QueryData, QueryParam
from post_graph_rag.retrieve.channels import Found, Fused
from post_graph_rag.retrieve.context import write_context
from post_graph_rag.retrieve.modes import Plan, plan_for
from post_graph_rag.retrieve.question import Question, clean_param, read_question
from post_graph_rag.retrieve.reranking import reranked
from post_graph_rag.retrieve.results import Chosen, entity_hits, passage_hits, relation_hits
from post_graph_rag.retrieve.room import Room, bypass_prompt
from post_graph_rag.retrieve.spaces import resolve_spaces
from post_graph_rag.retrieve.steps import Steps, Told, nobody
from post_graph_rag.retrieve.vectors import Known, question_vectors
from post_graph_rag.retrieve.walking import choose_seeds, walk_from
from post_graph_rag.store.database import Database, Session
from post_graph_rag.store.hydrate import Shown, hydrate
from post_graph_rag.store.realms import Realm
from post_graph_rag.store.search import Scope, WordChannel, by_words, nearest
from post_graph_rag.store.usage import Call

_DEPTH = 40
"""Hits of each channel that go into fusion, at least."""
_SHOWN = 10
"""Sources, mentions and pieces of evidence that are listed for one hit."""
_RERANKED = 40
"""Passages that a reranker is shown, at least, where so many are found."""
_COMMON = (100, 8, 4000)
"""A term is common in more than 1 of 8 things, but not below 100 and always above 4,000: it is not searched with."""


def unnoted(_call: Call) -> None:
    """For questions of which no book is kept."""


@dataclass(frozen=True, slots=True)
class Library:
    """What is searched, and the model whose vectors it holds."""

    database: Database
    realm: Realm
    embedding: EmbeddingModel


@dataclass(frozen=True, slots=True)
class Reader:
    """What every question of an engine shares.

    library: opens what is searched; not called for a question that searches nothing, nor for one that is refused.
    space: the engine's own, for questions that name none. tokenizer: of the model that answers.
    note: told each call of a model that was made for a question.
    reranker: settles the order of passages; patience: seconds it may take.
    auxiliary: gives the model that helps with a question, where it is asked to; told: what it said before.
    known: vectors of texts that were made for several questions together.
    """

    library: Callable[[], Awaitable[Library]]
    tokenizer: Tokenizer
    space: str = "default"
    prompts: Prompts = field(default_factory=Prompts)
    note: Callable[[Call], None] = unnoted
    reranker: Reranker | None = None
    patience: float = 120.0
    auxiliary: Callable[[], ChatModel] = nobody
    told: Told = field(default_factory=Told)
    known: Known = field(default_factory=dict)

    @property
    def steps(self) -> Steps:
        """What may be asked of the auxiliary model before a search."""
        return Steps(self.auxiliary, self.told, self.tokenizer, self.prompts, self.note)


async def retrieve(reader: Reader, question: str, param: QueryParam | None = None) -> QueryData:
    """Everything that is found for a question, and the context a model would read, within the budget.

    Raises ConfigurationError when a step is asked for that no model can take, InputError for an empty question or a
    date that cannot be read, NoCommunities, SpaceNotFound, HistoryPurged, BudgetTooSmall, EmbeddingError, WidthMismatch
    when the model's vectors are not of the realm's width, and the database's errors.
    """
    return (await prepare(reader, question, param or QueryParam()))[0]


async def prepare(reader: Reader, question: str, param: QueryParam) -> tuple[QueryData, ChatRequest]:
    """What is found for a question, and the request that asks a model to answer from it. Raises as `retrieve`."""
    asked, plan, param = read_question(question, param), plan_for(param.mode), clean_param(param)
    if plan is None:
        request, tokens, notes = bypass_prompt(asked.asked, param, reader.tokenizer, reader.prompts)
        data = QueryData(question=asked.asked, mode=param.mode, tokens=tokens, truncated=bool(notes), notes=notes)
        return data, request
    room = Room.measure(asked.asked, param, reader.tokenizer, reader.prompts)
    data = write_context(room, await _find(reader, asked, plan, param))
    return data, room.request(data.context)


async def _find(reader: Reader, asked: Question, plan: Plan, param: QueryParam) -> QueryData:
    library = await reader.library()
    asked, notes = await reader.steps.taken(asked, plan, param)
    asked = asked.searching(plan.vectors)
    vectors = await question_vectors(library.embedding, library.realm.info, asked, reader.known, reader.note)
    async with library.database.transaction(
        library.realm.statements, read_only=True, isolation="repeatable_read"
    ) as session:
        scope = await resolve_spaces(session, param.space, reader.space, asked.when)
        passages = param.top_k if reader.reranker is None else max(param.top_k, _RERANKED)
        chosen, shown = await _search(session, asked, plan, vectors, scope, param, passages)
    data = _gathered(asked, param, chosen, shown, scope, notes)
    if reader.reranker is None:
        return data
    return await reranked(data, reader.reranker, asked.texts[0], param.top_k, reader.patience)


async def _search(
    session: Session, asked: Question, plan: Plan, vectors: Vectors, scope: Scope, param: QueryParam, passages: int
) -> tuple[Chosen, Shown]:
    depth = max(_DEPTH, 2 * param.top_k)
    found = Found()
    found.add(await nearest(session, vectors, asked.queries(plan.vectors), scope.ids, depth, asked.when))
    if plan.words:
        channels = {channel: _limits(scope, channel) for channel in plan.words}
        sought = asked.terms, channels, asked.name_keys, scope.ids
        found.add(await by_words(session, *sought, depth, asked.when, asked.doubtful))
    if plan.walk:
        await walk_from(session, choose_seeds(found, param), scope.ids, param.max_hops, found, depth, asked.when)
    chosen = Chosen(
        passages=found.fused("passage", param, passages),
        entities=found.fused("entity", param, param.top_k),
        relations=found.fused("relation", param, param.top_k),
    )
    shown, entities, relations = map(_ids, (chosen.passages, chosen.entities, chosen.relations))
    return chosen, await hydrate(session, shown, entities, relations, _SHOWN, asked.when)


def _limits(scope: Scope, channel: WordChannel) -> tuple[int, int]:
    """How many things a channel has, and how many postings of one term are read."""
    total = scope.totals[channel]
    least, share, most = _COMMON
    return total, min(max(least, total // share), most)


def _ids(fused: Sequence[Fused]) -> list[int]:
    return [one.id for one in fused]


def _gathered(
    asked: Question, param: QueryParam, chosen: Chosen, shown: Shown, scope: Scope, notes: tuple[str, ...]
) -> QueryData:
    evidence: Channel = "evidence"
    weight = param.weights.get(evidence, 1.0)
    return QueryData(
        question=asked.asked,
        mode=param.mode,
        searched=asked.embedded,
        notes=notes,
        passages=passage_hits(chosen, shown, scope.spaces, param.rrf_k, weight),
        entities=entity_hits(chosen, shown, scope.spaces),
        relations=relation_hits(chosen, shown, scope.spaces),
    )
