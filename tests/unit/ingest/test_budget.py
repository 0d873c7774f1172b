"""What one indexing call may take: bounds that hold, whatever a model tells of what it took."""

from __future__ import annotations

import math
from typing import Any

import pytest

from post_graph_rag.errors import BudgetExceeded, InputError
from post_graph_rag.ingest.budget import Budget, BudgetedChat
from post_graph_rag.models.protocols import ChatReply, ChatRequest
from post_graph_rag.models.tokens import tokenizer_for
from post_graph_rag.records import Message

ASK = ChatRequest("extraction", (Message(role="user", content="one two three"),))
UNTOLD: Any = None


def budget(tokens: Any = None, cost: Any = None) -> Budget:
    return Budget(tokens, cost, {}, tokenizer_for(None))


class Untelling:
    name = "untelling"

    async def chat(self, request: ChatRequest) -> ChatReply:
        return ChatReply("four", UNTOLD, UNTOLD, UNTOLD, UNTOLD)


@pytest.mark.parametrize("bound", [{"tokens": "10"}, {"tokens": math.nan}, {"cost": math.nan}, {"cost": -1}])
def test_a_bound_that_would_hold_nobody_back_is_refused(bound: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="must be a number from 0 on"):
        budget(**bound)


def test_a_budget_of_nothing_lets_no_call_begin() -> None:
    with pytest.raises(BudgetExceeded):
        budget(tokens=0).check()


async def test_the_tokens_of_a_model_that_does_not_tell_are_counted() -> None:
    held = budget(tokens=1)
    model: Any = Untelling()
    assert (await BudgetedChat(model, held).chat(ASK)).model == "untelling"
    assert held.spent_tokens > 4
