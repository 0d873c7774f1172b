"""What calls took, from the ledger and from what could not be written there, with what that cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, date, datetime, timedelta

from post_graph_rag.errors import InputError
from post_graph_rag.models.call_log import CallLog
from post_graph_rag.moments import Moment
from post_graph_rag.prices import Price, cost_of, price_of
from post_graph_rag.records import Usage, UsageBy
from post_graph_rag.store.database import Database
from post_graph_rag.store.realms import Realm
from post_graph_rag.store.usage import Spent, spent_since

KINDS = ("model", "role", "day", "document")
_FIRST = 0
"""No call was made before 1970."""
_START = datetime(1970, 1, 1, tzinfo=UTC)


async def usage_since(
    database: Database,
    realm: Realm,
    log: CallLog,
    since: str | date | datetime | None,
    by: UsageBy,
    prices: Mapping[str, Price],
) -> tuple[Usage, ...]:
    """What calls took; see GraphRAG.usage. Raises InputError for another `by`, ImpossibleDate."""
    if by not in KINDS:
        raise InputError(f"usage is counted by {', '.join(KINDS)}, not by {str(by)[:50]!r}")
    start = _FIRST if since is None else max(Moment.parse(since).start, _FIRST)
    await log.flush()
    async with database.transaction(realm.statements, read_only=True) as session:
        written = await spent_since(session, Moment(start, start + 1).span_text()[0], by)
    unwritten = list(log.unwritten(_START + timedelta(microseconds=start), by))
    return priced(written, unwritten, prices)


def priced(written: Iterable[Spent], unwritten: Iterable[Spent], prices: Mapping[str, Price]) -> tuple[Usage, ...]:
    """Joined under what they are counted under, in its order; what is of none comes last."""
    found: dict[tuple[str | None, str | None], Usage] = {}
    for spent, lacking in (*((one, 0) for one in written), *((one, one.calls) for one in unwritten)):
        key = (spent.of, spent.space)
        found[key] = _joined(found.get(key) or Usage(of=spent.of, space=spent.space), spent, lacking, prices)
    order = sorted(found, key=lambda key: (key[0] is None, key[0] or "", key[1] or ""))
    return tuple(found[key] for key in order)


def _joined(usage: Usage, spent: Spent, lacking: int, prices: Mapping[str, Price]) -> Usage:
    price = price_of(prices, spent.model)
    cost = usage.cost
    if price is not None:
        cost = (cost or 0.0) + cost_of(price, spent.prompt_tokens, spent.output_tokens, spent.cached_tokens)
    return Usage(
        of=usage.of,
        space=usage.space,
        calls=usage.calls + spent.calls,
        failed_calls=usage.failed_calls + spent.failed_calls,
        prompt_tokens=usage.prompt_tokens + spent.prompt_tokens,
        output_tokens=usage.output_tokens + spent.output_tokens,
        cached_tokens=usage.cached_tokens + spent.cached_tokens,
        milliseconds=usage.milliseconds + spent.milliseconds,
        cost=cost,
        unpriced_calls=usage.unpriced_calls + (spent.calls if price is None else 0),
        unwritten_calls=usage.unwritten_calls + lacking,
    )
