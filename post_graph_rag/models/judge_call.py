"""The question which of some facts cannot hold beside another one."""

from __future__ import annotations

import json
from collections.abc import Sequence

from post_graph_rag.models.choice_call import MOST_NAME, Asking, choosing_chat
from post_graph_rag.models.prompts import Prompts
from post_graph_rag.models.protocols import ChatModel, ChatRequest
from post_graph_rag.models.roles import Models
from post_graph_rag.names import predicate_words
from post_graph_rag.store.write import ShownFact

MOST_DATES = 10
"""Of one fact, in a prompt."""
_ASKING = Asking("contradiction", "contradiction", "contradiction_facts", "fact", "statement", "excluded")


def judging_chat(models: Models) -> ChatModel:
    """The auxiliary model, which judges. Raises ConfigurationError when there is none, or only the offline one."""
    return choosing_chat(
        models,
        "The offline models cannot judge whether facts contradict one another: name a language model with "
        "POST_GRAPH_RAG_MODEL or POST_GRAPH_RAG_AUXILIARY_MODEL, or leave judge_contradictions off and say with "
        "set_rules which facts exclude one another.",
    )


def contradiction_request(fact: ShownFact, others: Sequence[ShownFact], prompts: Prompts | None = None) -> ChatRequest:
    """Ask which of `others` cannot hold at the same time as `fact`; they are numbered from 1."""
    return _ASKING.request(_line(fact), [*map(_line, others)], prompts or Prompts())


def prompt_version(prompts: Prompts) -> str:
    """Hash of what shapes such a request besides the facts; part of a stored reply's key."""
    return _ASKING.version(prompts)


def _line(fact: ShownFact) -> str:
    """One JSON value on one line, so that no name can end it and go on as an instruction."""
    shown = {
        "subject": fact.subject[:MOST_NAME],
        "predicate": predicate_words(fact.predicate)[:MOST_NAME],
        "object": fact.object[:MOST_NAME],
        "dates": "; ".join(map(_dates, fact.dates[:MOST_DATES])) or "not stated",
    }
    return json.dumps(shown, ensure_ascii=False)


def _dates(dates: tuple[str | None, str | None]) -> str:
    start, end = dates
    return " ".join(([f"from {start}"] if start else []) + ([f"until {end}"] if end else [])) or "not stated"
