"""One question's way from its text to what was found: one embedding request, then one read-only transaction."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from post_graph_rag.models.prompts import Prompts
from post_graph_rag.models.protocols import ChatModel, ChatRequest, EmbeddingModel
from post_graph_rag.models.rerank import Reranker
from post_graph_rag.models.tokens import Tokenizer
from post_graph_rag.records import Explanation, QueryData, QueryParam
from post_graph_rag.retrieve.context import fitted, with_context
from post_graph_rag.retrieve.explaining import explained
from post_graph_rag.retrieve.modes import Plan, plan_for
from post_graph_rag.retrieve.question import Question, clean_param, read_question
from post_graph_rag.retrieve.reranking import reranked
from post_graph_rag.retrieve.results import Chosen, entity_hits, passage_hits, relation_hits
from post_graph_rag.retrieve.room import Room, bypass_prompt
from post_graph_rag.retrieve.searching import Search
from post_graph_rag.retrieve.spaces import resolve_spaces
from post_graph_rag.retrieve.steps import Remembered, Steps, nobody
from post_graph_rag.retrieve.trace import Trace
from post_graph_rag.retrieve.vectors import Known, question_vectors
from post_graph_rag.retrieve.walking import counted
from post_graph_rag.store.database import Database
from post_graph_rag.store.hydrate import Shown
from post_graph_rag.store.realms import Realm
from post_graph_rag.store.search import Scope
from post_graph_rag.store.usage import Call

_RERANKED = 40
"""Passages that a reranker is shown, at least, where so many are found."""


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
    told: Remembered = field(default_factory=Remembered)
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
        return data.model_copy(update={"explain": Explanation()}) if param.explain else data, request
    room, trace = Room.measure(asked.asked, param, reader.tokenizer, reader.prompts), Trace()
    data = await _find(reader, asked, plan, param, trace)
    with trace.step("context"):
        written = fitted(room, data)
    data = with_context(room, data, written)
    if param.explain:
        data = data.model_copy(update={"explain": explained(trace, data, written, param)})
    return data, room.request(data.context)


async def _find(reader: Reader, asked: Question, plan: Plan, param: QueryParam, trace: Trace) -> QueryData:
    library = await reader.library()
    with trace.step("auxiliary"):
        asked, notes = await reader.steps.taken(asked, plan, param)
    asked = asked.searching(plan.vectors)
    with trace.step("embedding"):
        vectors = await question_vectors(library.embedding, library.realm.info, asked, reader.known, reader.note)
    async with library.database.transaction(
        library.realm.statements, read_only=True, isolation="repeatable_read"
    ) as session:
        with trace.step("spaces", session):
            scope = await resolve_spaces(session, param.space, reader.space, asked.when)
        passages = param.top_k if reader.reranker is None else max(param.top_k, _RERANKED)
        if "passage_text" in plan.words:
            param = counted(param, scope.stated, scope.totals["passage_text"])
        chosen, shown = await Search(session, asked, plan, scope, param, passages, trace).run(vectors)
    data = _gathered(asked, param, chosen, shown, scope, notes)
    trace.gather(chosen, data)
    if reader.reranker is None:
        return data
    with trace.step("reranking"):
        return await reranked(data, reader.reranker, asked.texts[0], param.top_k, reader.patience)


def _gathered(
    asked: Question, param: QueryParam, chosen: Chosen, shown: Shown, scope: Scope, notes: tuple[str, ...]
) -> QueryData:
    return QueryData(
        question=asked.asked,
        mode=param.mode,
        searched=asked.embedded,
        notes=notes,
        passages=passage_hits(chosen, shown, scope.spaces, param.rrf_k, param.weight("evidence")),
        entities=entity_hits(chosen, shown, scope.spaces),
        relations=relation_hits(chosen, shown, scope.spaces),
    )
