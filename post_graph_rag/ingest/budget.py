"""What one indexing call may take: models that are asked no more when it is spent."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from post_graph_rag.errors import BudgetExceeded, ConfigurationError, InputError
from post_graph_rag.models.answer_call import prompt_tokens
from post_graph_rag.models.limits import storable
from post_graph_rag.models.offline.chat import OfflineChat
from post_graph_rag.models.offline.embedding import OfflineEmbedding
from post_graph_rag.models.protocols import (
    ChatModel,
    ChatReply,
    ChatRequest,
    EmbeddingKind,
    EmbeddingModel,
    Vectors,
)
from post_graph_rag.models.roles import Models
from post_graph_rag.models.tally import tallied, tell_tokens
from post_graph_rag.models.tokens import Tokenizer
from post_graph_rag.models.wrapped import WrappedChat, WrappedEmbedding
from post_graph_rag.prices import Price, cost_of, price_of
from post_graph_rag.records import DocumentReport


@dataclass(slots=True)
class Budget:
    """tokens, cost: the most that may be spent, None: any; refused: whether a model was not asked because of it.

    A call that is under way when the budget is spent is waited for, so a little more may be spent than that.
    tokenizer: counts where a model does not tell.
    Raises InputError for a bound that is no number, which would hold nobody back.
    """

    tokens: int | None
    cost: float | None
    prices: Mapping[str, Price]
    tokenizer: Tokenizer
    spent_tokens: int = 0
    spent_cost: float = 0.0
    refused: bool = field(default=False)

    def __post_init__(self) -> None:
        bounds: dict[str, object] = {"budget_tokens": self.tokens, "budget_cost": self.cost}
        for name, most in bounds.items():
            if most is not None and not (isinstance(most, int | float) and most >= 0):
                raise InputError(f"{name} must be a number from 0 on, or None for any")

    def check_prices(self, models: Iterable[str]) -> None:
        """Raises ConfigurationError where a cost is bounded and nobody says what a model costs."""
        costly = set(models) - {OfflineChat().name, OfflineEmbedding().name}
        lacking = sorted(name for name in costly if price_of(self.prices, name) is None)
        if self.cost is not None and lacking:
            raise ConfigurationError(
                f"a budget in money needs the price of each model that is asked: give that of {', '.join(lacking)} "
                "(prices, POST_GRAPH_RAG_PRICES), or bound tokens instead (budget_tokens)"
            )

    def check(self) -> None:
        """Raises BudgetExceeded when it is spent."""
        tokens_spent = self.tokens is not None and self.spent_tokens >= self.tokens
        if tokens_spent or (self.cost is not None and self.spent_cost >= self.cost):
            self.refused = True
            raise self._exceeded()

    def over(self, models: Models) -> Models:
        """The models, each as long as the budget lasts: it is looked at when a call's turn has come."""
        return models.around(lambda model: BudgetedChat(model, self), lambda model: BudgetedEmbedding(model, self))

    def settle(self, reports: Sequence[DocumentReport]) -> None:
        """Raises BudgetExceeded, with the reports, when a model was not asked because of it."""
        if self.refused:
            error = self._exceeded()
            error.reports = tuple(reports)
            raise error

    def _exceeded(self) -> BudgetExceeded:
        return BudgetExceeded(
            f"the budget is spent ({self.spent_tokens} tokens, cost {self.spent_cost:.6g}), so no model was asked any "
            "more; what was finished is kept: index the same documents again to go on"
        )

    def spend(self, names: Sequence[str], prompt: int, output: int = 0, cached: int = 0) -> None:
        """Count a call of a model, by the names it goes by."""
        self.spent_tokens += prompt + output
        if (price := price_of(self.prices, *names)) is not None:
            self.spent_cost += cost_of(price, prompt, output, cached)


class BudgetedChat(WrappedChat):
    """`model` while the budget lasts. Raises BudgetExceeded."""

    def __init__(self, model: ChatModel, budget: Budget) -> None:
        super().__init__(model)
        self._budget = budget

    async def chat(self, request: ChatRequest) -> ChatReply:
        self._budget.check()
        reply = storable(await self._model.chat(request), self.name)
        self._budget.spend((reply.model, self.name), *self._counted(request, reply), reply.cached_tokens)
        return reply

    def stream(self, request: ChatRequest) -> AsyncIterator[str]:
        self._budget.check()
        return self._model.stream(request)

    def _counted(self, request: ChatRequest, reply: ChatReply) -> tuple[int, int]:
        if reply.prompt_tokens or reply.output_tokens:
            return reply.prompt_tokens, reply.output_tokens
        tokenizer = self._budget.tokenizer
        return prompt_tokens(request, tokenizer), tokenizer.count(reply.text)


class BudgetedEmbedding(WrappedEmbedding):
    """`model` while the budget lasts. Raises BudgetExceeded."""

    def __init__(self, model: EmbeddingModel, budget: Budget) -> None:
        super().__init__(model)
        self._budget = budget

    async def embed(self, texts: Sequence[str], kind: EmbeddingKind = "passage") -> Vectors:
        self._budget.check()
        with tallied() as tally:
            vectors = await self._model.embed(texts, kind)
        tell_tokens(tally.tokens)
        counted = tally.tokens or sum(self._budget.tokenizer.count(text) for text in texts)
        self._budget.spend((self.name,), counted)
        return vectors
