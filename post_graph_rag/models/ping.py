"""Asks each model for a few tokens, to see whether it answers at all."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterable
from time import monotonic

from post_graph_rag.errors import RAGError
from post_graph_rag.models.protocols import ChatModel, ChatRequest, Role, place_of
from post_graph_rag.models.roles import ROLES, Models
from post_graph_rag.records import Finding, Message

PATIENCE = 20.0  # seconds; a model that is up answers a greeting sooner
_GREETING = "Reply with the one word: ready"


async def ping(models: Models) -> list[Finding]:
    """Ask each chat model once at each place it is asked at, whatever roles it has, and the embedding model.

    Returns a finding for each: who answered and how fast, or why not. That there is no embedding model is one too,
    since nothing is indexed or searched without it. Raises nothing of the models'.
    """
    roles: dict[tuple[str, str], Role] = {}
    for role in ROLES:
        if role in models.names:
            roles[models.names[role], place_of(models.chat(role))] = role
    asked = [_finding(_check(*model, roles), _chat(models.chat(role), role)) for model, role in roles.items()]
    asked.append(_finding(f"embedding {models.names.get('embedding', 'model')}", _embed(models)))
    return list(await asyncio.gather(*asked))


def _check(name: str, place: str, known: Iterable[tuple[str, str]]) -> str:
    """The model by its name, with its place where another of that name is asked elsewhere."""
    alone = sum(other == name for other, _ in known) == 1
    return f"model {name}" if alone else f"model {name} at {place}"


async def _finding(check: str, answer: Awaitable[str]) -> Finding:
    start = monotonic()
    try:
        async with asyncio.timeout(PATIENCE):
            detail = await answer
    except TimeoutError:
        hint = "is its endpoint up, the address right, the name one it knows?"
        return Finding(check=check, ok=False, detail=f"no answer within {PATIENCE:.0f} seconds: {hint}")
    except RAGError as error:
        return Finding(check=check, ok=False, detail=str(error))
    return Finding(check=check, ok=True, detail=f"{detail} in {monotonic() - start:.1f} s")


async def _chat(model: ChatModel, role: Role) -> str:
    messages = (Message(role="user", content=_GREETING),)
    inputs = {"text": _GREETING, "question": _GREETING, "context": ""}
    reply = await model.chat(ChatRequest(role, messages, max_tokens=64, inputs=inputs))
    return f"{reply.model} answers"


async def _embed(models: Models) -> str:
    vectors = await models.embedding.embed([_GREETING], "query")
    return f"gives {vectors.shape[1]} dimensions"
