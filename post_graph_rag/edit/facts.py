"""What people say of facts: rules of supersession, and a word on one fact against what follows from its evidence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime
from typing import TypeAlias

from post_graph_rag.clean import clean_text
from post_graph_rag.errors import InputError, RelationNotFound
from post_graph_rag.folding import shorten
from post_graph_rag.ingest.again import tried_again
from post_graph_rag.ingest.resettle import resettle
from post_graph_rag.moments import Moment
from post_graph_rag.names import MAX_KEY, predicate_key
from post_graph_rag.periods import Override
from post_graph_rag.records import PredicateRule
from post_graph_rag.store import write
from post_graph_rag.store.database import Database
from post_graph_rag.store.realms import Realm

_Rule: TypeAlias = tuple[str, str, str]


async def set_rules(database: Database, realm: Realm, rules: Sequence[PredicateRule]) -> None:
    """Put these rules in the place of those the realm has, and settle all facts that they concern."""
    wanted = {_stored(rule) for rule in rules}
    await _put_rules(database, realm, lambda live: wanted)


async def add_rules(database: Database, realm: Realm, rules: Sequence[PredicateRule]) -> None:
    """Put these in the place of rules about the same predicates; nothing is written where none changes."""
    added = {_stored(rule) for rule in rules}
    predicates = {predicate for predicate, _, _ in added}

    def beside(live: set[_Rule]) -> set[_Rule]:
        return {rule for rule in live if rule[0] not in predicates} | added

    async with database.transaction(realm.statements, read_only=True) as session:
        live = set(await write.live_rules(session))
    if beside(live) != live:
        await _put_rules(database, realm, beside)


async def _put_rules(database: Database, realm: Realm, wanted: Callable[[set[_Rule]], set[_Rule]]) -> None:
    async def put() -> None:
        async with database.transaction(realm.statements) as session:
            stamp = await write.take_stamp(session)
            rules = wanted(set(await write.live_rules(session)))
            if changed := await write.put_rules(session, rules, stamp):
                relations = await write.relations_with(session, changed)
                await resettle(session, stamp, realm.info.graph_name, renewed=relations)

    await tried_again(database, put)


def _stored(rule: PredicateRule) -> _Rule:
    key = predicate_key(clean_text(rule.predicate)[0])
    if not key.strip():
        raise InputError(f"a rule has the predicate {rule.predicate!r}: name one, as in 'chief executive of'")
    return key, rule.per, shorten(clean_text(rule.exclusive or key)[0], MAX_KEY)


async def get_rules(database: Database, realm: Realm) -> tuple[PredicateRule, ...]:
    """The realm's rules."""
    async with database.transaction(realm.statements, read_only=True) as session:
        rules = await write.live_rules(session)
    return tuple(
        PredicateRule.model_validate(
            {"predicate": predicate, "per": per, "exclusive": None if exclusive == predicate else exclusive}
        )
        for predicate, per, exclusive in rules
    )


async def close_relation(
    database: Database, realm: Realm, relation: int, at: str | date | datetime | None, reason: str
) -> None:
    """Note that a fact ended with this date, or never held. Raises RelationNotFound, ImpossibleDate."""
    end = None if at is None else Moment.parse(at).end
    await _say(database, realm, relation, Override("close", end, clean_text(reason)[0]))


async def reopen_relation(database: Database, realm: Realm, relation: int, reason: str) -> None:
    """Note that nothing ended a fact but what its sources state themselves. Raises RelationNotFound."""
    await _say(database, realm, relation, Override("reopen", None, clean_text(reason)[0]))


async def _say(database: Database, realm: Realm, relation: int, word: Override) -> None:
    async def put() -> None:
        async with database.transaction(realm.statements) as session:
            stamp = await write.take_stamp(session)
            if not await write.put_override(session, relation, word, stamp):
                raise RelationNotFound(f"there is no fact with the id {relation} in this realm: look it up first")
            await resettle(session, stamp, realm.info.graph_name, [relation])

    await tried_again(database, put)
