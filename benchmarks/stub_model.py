"""The stub's mind, without HTTP: deterministic extraction, hash embeddings, fixed answers.

Text convention understood by `extract`, one fact a sentence:
    "Alder Systems acquired Birch Labs from 2001 until 2005."
    "Alder Systems never acquired Birch Labs."            negated
    "Alder Systems also known as Alder acquired Birch."   alias of the subject
Subject and object are runs of capitalised words, the predicate the lower-case words between them.

Embeddings are kept as ready-made JSON and base64 by text, and words are hashed once: a stub that computes little
leaves the machine to the libraries under test, for all of them alike.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
from array import array
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

WORD = re.compile(r"[a-z0-9]+")
SENTENCE_END = re.compile(r"(?<=\.)\s+|\n")
SENTENCE = re.compile(
    r"((?:[A-Z][\w'&-]*\s)+)(?:also known as ((?:[A-Z][\w'&-]*\s)+))?(never )?((?:[a-z][a-z'-]*\s)+)"
    r"((?:[A-Z][\w'&-]*)(?:\s[A-Z][\w'&-]*)*)"
    r"(?: (?:from|since) (\d{4}))?(?: until (\d{4}))?(?: confidence (0\.\d+))?"
)
TEXT_MARK = "---Document Text---"


# ---------------------------------------------------------------- embeddings


@lru_cache(maxsize=100_000)
def _slots(word: str) -> tuple[int, float, int]:
    digest = hashlib.blake2b(word.encode(), digest_size=8).digest()
    return int.from_bytes(digest[:4], "big"), 1.0 if digest[4] & 1 else -1.0, int.from_bytes(digest[4:], "big")


def sparse(text: str, dim: int) -> dict[int, float]:
    """Hashed bag of words of unit length, non-zero places only: shared words give cosine similarity."""
    vector: dict[int, float] = {}
    for word in WORD.findall(text.lower()):
        first, sign, second = _slots(word)
        vector[first % dim] = vector.get(first % dim, 0.0) + sign
        vector[second % dim] = vector.get(second % dim, 0.0) + 0.5
    length = math.sqrt(sum(x * x for x in vector.values()))
    if length == 0:
        return {0: 1.0}
    return {place: round(x / length, 6) for place, x in vector.items()}


@lru_cache(maxsize=50_000)
def embedding_json(text: str, dim: int, as_base64: bool) -> str:
    """One vector as it stands in the reply: a JSON list of floats, or a JSON string of base64 float32."""
    vector = sparse(text, dim)
    if as_base64:
        dense = array("f", bytes(4 * dim))
        for place, x in vector.items():
            dense[place] = x
        return f'"{base64.b64encode(dense.tobytes()).decode()}"'
    numbers = ["0.0"] * dim
    for place, x in vector.items():
        numbers[place] = repr(x)
    return "[" + ",".join(numbers) + "]"


def embeddings_body(texts: Sequence[str], dim: int, model: str, as_base64: bool) -> bytes:
    """The whole reply to an embedding request."""
    items = ",".join(
        f'{{"object":"embedding","index":{i},"embedding":{embedding_json(text, dim, as_base64)}}}'
        for i, text in enumerate(texts)
    )
    usage = '{"prompt_tokens":1,"total_tokens":1}'
    return f'{{"object":"list","model":{json.dumps(model)},"data":[{items}],"usage":{usage}}}'.encode()


# ---------------------------------------------------------------- extraction


def extract(text: str) -> dict[str, list[dict[str, Any]]]:
    """Entities and triples of a text that follows the convention above; other sentences are passed over."""
    found: dict[str, dict[str, Any]] = {}
    triples = []
    for sentence in SENTENCE_END.split(text):
        stripped = sentence.strip()
        if match := SENTENCE.match(stripped):
            triples.append(_triple(match, stripped, found))
    return {"entities": list(found.values()), "triples": triples}


def _triple(match: re.Match[str], sentence: str, found: dict[str, dict[str, Any]]) -> dict[str, Any]:
    subject, alias, negated, predicate, target, start, end, confidence = match.groups()
    subject, target = subject.strip(), target.strip()
    found.setdefault(subject, _entity(subject, f"{subject} as described: {sentence[:120]}"))
    if alias:
        found[subject]["aliases"].append(alias.strip())
    found.setdefault(target, _entity(target, f"{target} mentioned with {subject}"))
    return {
        "subject": subject,
        "predicate": predicate.strip().replace(" ", "_"),
        "object": target,
        "description": sentence,
        "negated": bool(negated),
        "confidence": float(confidence) if confidence else 1.0,
        "valid_from": start,
        "valid_to": end,
    }


def _entity(name: str, description: str) -> dict[str, Any]:
    return {"name": name, "type": "Organization", "description": description, "aliases": []}


# ---------------------------------------------------------------- what is asked, and the answer


def properties(body: Mapping[str, Any]) -> set[str]:
    """Top-level properties of the JSON schema that the reply shall follow."""
    wanted = (body.get("response_format") or {}).get("json_schema") or {}
    return set((wanted.get("schema") or {}).get("properties") or {})


def contents(body: Mapping[str, Any], role: str) -> list[str]:
    """The messages' contents of one role, in order."""
    return [str(m.get("content", "")) for m in body.get("messages", []) if m.get("role") == role]


def kind_of(body: Mapping[str, Any]) -> str:
    """What the caller wants, guessed from the reply's schema and from words in the prompt."""
    wanted, system, user = properties(body), " ".join(contents(body, "system")), " ".join(contents(body, "user"))
    if wanted & {"triples", "relations"} or "Knowledge Graph Extractor" in system:
        again = "already extracted" in user.lower() or bool(contents(body, "assistant"))
        return "glean" if again else "extraction"
    if "contradicted_ids" in wanted or "EXISTING FACTS" in user:
        return "contradiction"
    if "high_level_keywords" in wanted or "keyword extractor" in system:
        return "keywords"
    if "findings" in wanted or "summarising one community" in system:
        return "community"
    return "decompose" if "reply with exactly: NONE" in user else "synthesis"


def answer(kind: str, body: Mapping[str, Any], contradict: str = "none") -> str:
    """The reply's text."""
    user = contents(body, "user")
    if kind in ("extraction", "glean"):
        return _extraction(body, user[-1] if kind == "extraction" else "")
    if kind == "keywords":
        return _keywords(user[-1].split("User Query:")[-1])
    if kind == "contradiction":
        ids = re.findall(r"^- ID (\S+?):", user[-1], re.M) if contradict == "all" else []
        return json.dumps({"contradicted_ids": ids})
    if kind == "community":
        return _community(re.findall(r"^- (.+?) \(", user[-1], re.M))
    return "NONE" if kind == "decompose" else f"ANSWER prompt_chars={sum(len(u) for u in user)}"


def _extraction(body: Mapping[str, Any], prompt: str) -> str:
    found = extract(prompt.split(TEXT_MARK)[-1])
    relations = "relations" if "relations" in properties(body) else "triples"
    return json.dumps({"entities": found["entities"], relations: found["triples"]})


def _keywords(question: str) -> str:
    names = re.findall(r"(?:[A-Z][\w-]+)(?:\s[A-Z][\w-]+)*", question)
    words = [w for w in WORD.findall(question.lower()) if len(w) > 4]
    return json.dumps({"high_level_keywords": words[:4], "low_level_keywords": names[:6]})


def _community(names: Sequence[str]) -> str:
    return json.dumps(
        {
            "title": f"Cluster around {names[0] if names else 'x'}",
            "summary": "Summary of " + ", ".join(names[:5]),
            "findings": [{"summary": "f1", "explanation": "e1"}],
            "rating": 5.0,
        }
    )
