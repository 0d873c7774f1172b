"""What models said, kept in the realm before it is used, so that nothing is paid for twice; and the ledger of calls."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from post_graph_rag.clean import clean_text, text_hash
from post_graph_rag.models.protocols import ChatModel, ChatReply, Vectors, parameters_of
from post_graph_rag.models.together import Together
from post_graph_rag.store.database import Database
from post_graph_rag.store.realms import Realm
from post_graph_rag.store.rows import as_json, as_vectors
from post_graph_rag.store.usage import Call, put_calls, usual_output


def content_key(*parts: Any) -> bytes:
    """A key for a reply: everything that shapes it, as JSON values or bytes."""
    text = json.dumps(parts, sort_keys=True, default=lambda value: value.hex())
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def asked_model(chat: ChatModel) -> Any:
    """The part of a reply's key that says which model is asked: its name, and what is set for every reply of it."""
    parameters = parameters_of(chat)
    return [chat.name, dict(parameters)] if parameters else chat.name


def vector_key(model: str, dimensions: int, text: str) -> bytes:
    """The key of the stored vector of a text that is searched for, with the prefix that it is embedded with."""
    return content_key(model, dimensions, "passage", text)


@dataclass(frozen=True, slots=True)
class Kept:
    """A stored reply."""

    text: str
    model: str


@dataclass(frozen=True, slots=True)
class About:
    """What a reply is about: which passage (hash of its text), and which known names the model was shown.

    document: mark of the document that was being read.
    """

    role: str
    passage: bytes | None = None
    names: Sequence[str] = ()
    document: bytes | None = None


class ReplyStore:
    """Replies, vectors and the ledger of one realm."""

    def __init__(self, database: Database, realm: Realm) -> None:
        self._database = database
        self._realm = realm
        self._replies = Together(self._put)

    async def find(self, keys: Sequence[bytes]) -> dict[bytes, Kept]:
        """Stored replies among the keys."""
        if not keys:
            return {}
        async with self._database.single(self._realm.statements) as session:
            rows = await session.rows("find_replies", list(keys))
        return {row["key"]: Kept(row["text"], row["model"]) for row in rows}

    async def keep(self, key: bytes, reply: ChatReply, about: About, milliseconds: int) -> None:
        """Store a reply and its line in the ledger; a later one for the same key takes its place."""
        await self._replies.put(
            {
                "key": key,
                "role": about.role,
                "model": clean_text(reply.model)[0],
                "passage": about.passage,
                "names": [clean_text(name)[0] for name in about.names],
                "text": clean_text(reply.text)[0],
                "prompt_tokens": reply.prompt_tokens,
                "output_tokens": reply.output_tokens,
                "cached_tokens": reply.cached_tokens,
                "milliseconds": milliseconds,
                "document": about.document,
            }
        )

    async def _put(self, replies: Sequence[Mapping[str, Any]]) -> None:
        rows = as_json([{"n": n, **reply} for n, reply in enumerate(replies)])
        async with self._database.single(self._realm.statements) as session:
            await session.run("put_replies", not self._database.inside_transaction, rows)

    async def find_vectors(self, keys: Sequence[bytes]) -> dict[bytes, Vectors]:
        """Stored vectors among the keys, each of shape (dimensions,)."""
        if not keys:
            return {}
        async with self._database.single(self._realm.statements) as session:
            rows = await session.rows("find_vectors", list(keys))
        return {row["key"]: np.asarray(row["embedding"], dtype=np.float32) for row in rows}

    async def keep_vectors(self, keys: Mapping[bytes, str], vectors: Vectors, call: Call) -> None:
        """Store vectors of shape (len(keys), dimensions), with key and text of each, and a ledger line."""
        lazy = not self._database.inside_transaction
        sources = [text_hash(text) for text in keys.values()]
        taken = call.model, call.prompt_tokens, call.milliseconds
        async with self._database.single(self._realm.statements) as session:
            await session.run("put_vectors", lazy, list(keys), sources, as_vectors(vectors), *taken)

    async def note(self, calls: Sequence[Call]) -> None:
        """Lines in the ledger for calls of which nothing is stored here."""
        await put_calls(self._database, self._realm, calls)

    async def usual_output(self) -> float | None:
        """Tokens of a reply about a passage on the average, as the ledger has it; None where it has none."""
        async with self._database.transaction(self._realm.statements, read_only=True) as session:
            return await usual_output(session)
