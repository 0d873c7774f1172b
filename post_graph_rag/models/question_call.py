"""The requests that ask the auxiliary model what a question is to be searched with, and how its replies are read."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from post_graph_rag.clean import clean_text
from post_graph_rag.errors import LLMError
from post_graph_rag.models.choice_call import TEMPERATURE, choosing_chat
from post_graph_rag.models.parsing.json_text import json_values
from post_graph_rag.models.prompts import Prompts, fenced
from post_graph_rag.models.protocols import ChatModel, ChatRequest
from post_graph_rag.models.roles import Models
from post_graph_rag.models.thinking import strip_thinking
from post_graph_rag.records import Message

MOST_KEYWORDS, MOST_SUBQUESTIONS = 8, 5
"""That are taken from one reply, of each kind."""
LONGEST_KEYWORD, LONGEST_QUESTION = 100, 500
"""Characters; what is longer is not what was asked for and is left out."""

Fields = Mapping[str, Any]
"""What a reply says, by fields of QueryParam."""


@dataclass(frozen=True, slots=True)
class QuestionCall:
    """One kind of such a request.

    name: of its prompt; the one with its places is `name`_question. does: what it makes, in words.
    properties: of the JSON object in the reply. read: what of that is used. history: whether it is shown the turns.
    """

    name: str
    does: str
    properties: Mapping[str, Any]
    read: Callable[[Mapping[str, Any]], Fields]
    history: bool = False

    def request(self, question: str, history: Sequence[Message], prompts: Prompts) -> ChatRequest:
        """Ask about `question`, as it stands after `history` where the prompt has a place for that."""
        inputs = {"question": question} | ({"conversation": _conversation(history)} if self.history else {})
        values = {name: fenced(name, text) for name, text in inputs.items()}
        return ChatRequest(
            role="auxiliary",
            messages=(
                Message(role="system", content=prompts[self.name].render()),
                Message(role="user", content=prompts[f"{self.name}_question"].render(**values)),
            ),
            schema={
                "type": "object",
                "properties": self.properties,
                "required": list(self.properties),
                "additionalProperties": False,
            },
            schema_name=self.name,
            temperature=TEMPERATURE,
            inputs=inputs,
        )

    def parse(self, text: str) -> Fields:
        """Read a reply, tolerantly: JSON of the asked shape, perhaps in prose or fences.

        Raises LLMError when it holds no such object.
        """
        for value in reversed(json_values(strip_thinking(text), Counter())):
            if isinstance(value, Mapping) and not value.keys().isdisjoint(self.properties):
                return self.read(value)
        raise LLMError(
            f"The model's reply ({len(text)} characters) is not what was asked for, a JSON object with "
            f"{' and '.join(self.properties)}: check that the auxiliary model follows instructions."
        )


def question_chat(models: Models) -> ChatModel:
    """The auxiliary model, which is asked. Raises ConfigurationError when there is none, or only the offline one."""
    return choosing_chat(
        models,
        "The offline models cannot rewrite a question: name a language model with POST_GRAPH_RAG_MODEL or "
        "POST_GRAPH_RAG_AUXILIARY_MODEL, or leave extract_keywords, decompose and condense off.",
    )


def _conversation(history: Sequence[Message]) -> str:
    """One JSON value a line, so that no turn can pass for another one's."""
    turns = ({"role": turn.role, "content": turn.content} for turn in history)
    return "\n".join(json.dumps(turn, ensure_ascii=False) for turn in turns)


def _keywords(reply: Mapping[str, Any]) -> Fields:
    high, low = (_texts(reply.get(name), MOST_KEYWORDS, LONGEST_KEYWORD) for name in ("high", "low"))
    return {"hl_keywords": high, "ll_keywords": low}


def _subquestions(reply: Mapping[str, Any]) -> Fields:
    return {"subqueries": _texts(reply.get("questions"), MOST_SUBQUESTIONS, LONGEST_QUESTION)}


def _condensed(reply: Mapping[str, Any]) -> Fields:
    text = _texts([reply.get("question")], 1, LONGEST_QUESTION)
    if not text:
        raise LLMError("The model's reply holds no question that can be searched for.")
    return {"search_query": text[0]}


def _texts(said: object, most: int, longest: int) -> tuple[str, ...]:
    """Texts in a reply, each once; a single one may stand alone."""
    listed: Iterable[object] = said if isinstance(said, list) else [said]
    cleaned = (clean_text(one)[0].strip() for one in listed if isinstance(one, str))
    return tuple(dict.fromkeys(text for text in cleaned if 0 < len(text) <= longest))[:most]


_WORDS = {"type": "array", "items": {"type": "string"}}
KEYWORDS = QuestionCall("keywords", "keywords", {"high": _WORDS, "low": _WORDS}, _keywords)
SUBQUESTIONS = QuestionCall("subquestions", "sub-questions", {"questions": _WORDS}, _subquestions)
CONDENSE = QuestionCall(
    "condense", "a question that stands alone", {"question": {"type": "string"}}, _condensed, history=True
)
