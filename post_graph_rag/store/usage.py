"""The ledger: what calls of models took."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from post_graph_rag.records import UsageBy
from post_graph_rag.store.database import Database, Session
from post_graph_rag.store.realms import Realm
from post_graph_rag.store.rows import as_json


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a model. model: the one that answered; document, question: marks of what it was made for.

    failed: whether it came to nothing. at: seconds on this process's steady clock.
    """

    role: str
    model: str
    milliseconds: int
    prompt_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    document: bytes | None = None
    question: bytes | None = None
    failed: bool = False
    at: float = field(default_factory=time.monotonic)


def milliseconds_since(started: float) -> int:
    """What a call took that began at this moment of the steady clock."""
    return round((time.monotonic() - started) * 1000)


@dataclass(slots=True)
class Spent:
    """What some calls of one model took. of: the model, role, day or document they are counted under."""

    of: str | None
    model: str
    space: str | None = None
    calls: int = 0
    failed_calls: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    milliseconds: int = 0

    def add(self, call: Call) -> None:
        """Count one more."""
        self.calls += 1
        self.failed_calls += call.failed
        self.prompt_tokens += call.prompt_tokens
        self.output_tokens += call.output_tokens
        self.cached_tokens += call.cached_tokens
        self.milliseconds += call.milliseconds


async def put_calls(database: Database, realm: Realm, calls: Sequence[Call]) -> None:
    """Write lines of the ledger, without waiting for the disk."""
    async with database.single(realm.statements) as session:
        await session.run("put_calls", not database.inside_transaction, as_json([_line(call) for call in calls]))


async def spent_since(session: Session, since: str, by: UsageBy) -> list[Spent]:
    """What calls took since a moment, a timestamptz literal; of each model apart."""
    return [Spent(**dict(row)) for row in await session.rows("usage", since, by)]


async def usual_output(session: Session) -> float | None:
    """Tokens of a reply about a passage, on the average of the last ones; None where none is known."""
    row = await session.row("usual_calls")
    return float(row["output_tokens"]) if row["calls"] else None


def _line(call: Call) -> dict[str, Any]:
    line = asdict(call)
    return line | {"age": time.monotonic() - line.pop("at")}
