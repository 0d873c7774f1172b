"""The question which of some entities are one with another one."""

from __future__ import annotations

import json
from collections.abc import Sequence

from post_graph_rag.models.choice_call import MOST_NAME, Asking, choosing_chat
from post_graph_rag.models.prompts import Prompts
from post_graph_rag.models.protocols import ChatModel, ChatRequest
from post_graph_rag.models.roles import Models
from post_graph_rag.store.similar import CalledEntity

MOST_TYPE, MOST_DESCRIPTION = 100, 300
"""Of one entity, in a prompt."""
_ASKING = Asking("same_entity", "same_entity", "same_entity_names", "entity", "entry", "same")


def resolving_chat(models: Models) -> ChatModel:
    """The auxiliary model, which is asked. Raises ConfigurationError when there is none, or only the offline one."""
    return choosing_chat(
        models,
        "The offline models cannot say which entities are one: name a language model with POST_GRAPH_RAG_MODEL or "
        'POST_GRAPH_RAG_AUXILIARY_MODEL, or set resolve to "similar" or "exact".',
    )


def same_request(entity: CalledEntity, others: Sequence[CalledEntity], prompts: Prompts) -> ChatRequest:
    """Ask which of `others` are one with `entity`; they are numbered from 1."""
    return _ASKING.request(_line(entity), [*map(_line, others)], prompts)


def same_version(prompts: Prompts) -> str:
    """Hash of what shapes such a request besides the entities; part of a stored reply's key."""
    return _ASKING.version(prompts)


def _line(entity: CalledEntity) -> str:
    """One JSON value on one line, so that no name can end it and go on as an instruction."""
    shown = {
        "name": entity.name[:MOST_NAME],
        "type": entity.type[:MOST_TYPE] or "not known",
        "description": entity.description[:MOST_DESCRIPTION] or "not known",
    }
    return json.dumps(shown, ensure_ascii=False)
