"""Asks each model for a few tokens, to see whether it answers at all."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from time import monotonic

from post_graph_rag.errors import RAGError
from post_graph_rag.models.protocols import ChatModel, ChatRequest, Role
from post_graph_rag.models.roles import ROLES, Models
from post_graph_rag.records import Finding, Message

PATIENCE = 20.0  # seconds; a model that is up answers a greeting sooner
_GREETING = "Reply with the one word: ready"


async def ping(models: Models) -> list[Finding]:
    """Ask each chat model once, whatever roles it has, and the embedding model.

    Returns a finding for each: who answered and how fast, or why not. That there is no embedding model is one too,
    since nothing is indexed or searched without it. Raises nothing of the models'.
    """
    roles: dict[str, Role] = {}
    for role in ROLES:
        if role in models.names:
            roles[models.names[role]] = role
    asked = [_finding(f"model {name}", _chat(models.chat(role), role)) for name, role in roles.items()]
    asked.append(_finding(f"embedding {models.names.get('embedding', 'model')}", _embed(models)))
    return list(await asyncio.gather(*asked))


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
