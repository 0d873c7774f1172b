"""The request that asks a model which of some entities are one with another one; its reply is read as a choice."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from post_graph_rag.errors import ConfigurationError
from post_graph_rag.models.judge_call import TEMPERATURE
from post_graph_rag.models.offline.chat import OfflineChat
from post_graph_rag.models.prompts import Prompts, fenced
from post_graph_rag.models.protocols import ChatModel, ChatRequest
from post_graph_rag.models.roles import Models
from post_graph_rag.records import Message
from post_graph_rag.store.similar import CalledEntity

# Of one entity, in a prompt.
MOST_NAME, MOST_TYPE, MOST_DESCRIPTION = 300, 100, 300
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"same": {"type": "array", "items": {"type": "integer"}}},
    "required": ["same"],
    "additionalProperties": False,
}


def resolving_chat(models: Models) -> ChatModel:
    """The auxiliary model, which is asked. Raises ConfigurationError when there is none, or only the offline one."""
    chat = models.chat("auxiliary")
    if chat.name == OfflineChat().name:
        raise ConfigurationError(
            "The offline models cannot say which entities are one: name a language model with POST_GRAPH_RAG_MODEL or "
            'POST_GRAPH_RAG_AUXILIARY_MODEL, or set resolve to "similar" or "exact".'
        )
    return chat


def same_request(entity: CalledEntity, others: Sequence[CalledEntity], prompts: Prompts) -> ChatRequest:
    """Ask which of `others` are one with `entity`; they are numbered from 1."""
    one = _line(entity)
    listed = "\n".join(f"{n}. {_line(other)}" for n, other in enumerate(others, 1))
    asked = prompts["same_entity_names"].render(entity=fenced("entry", one), others=fenced("list", listed))
    return ChatRequest(
        role="auxiliary",
        messages=(
            Message(role="system", content=prompts["same_entity"].render()),
            Message(role="user", content=asked),
        ),
        schema=SCHEMA,
        schema_name="same_entity",
        temperature=TEMPERATURE,
        inputs={"entity": one, "others": listed},
    )


def same_version(prompts: Prompts) -> str:
    """Hash of what shapes such a request besides the entities; part of a stored reply's key."""
    shape = json.dumps([prompts.version("same_entity", "same_entity_names"), SCHEMA, TEMPERATURE], sort_keys=True)
    return hashlib.blake2b(shape.encode(), digest_size=8).hexdigest()


def _line(entity: CalledEntity) -> str:
    """One JSON value on one line, so that no name can end it and go on as an instruction."""
    shown = {
        "name": entity.name[:MOST_NAME],
        "type": entity.type[:MOST_TYPE] or "not known",
        "description": entity.description[:MOST_DESCRIPTION] or "not known",
    }
    return json.dumps(shown, ensure_ascii=False)
