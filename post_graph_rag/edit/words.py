"""Merges, splits and names that people give, as rows of the record, and what may follow from each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from post_graph_rag.errors import InputError
from post_graph_rag.ingest.written import Written
from post_graph_rag.names import name_key
from post_graph_rag.store import write
from post_graph_rag.store.database import Session
from post_graph_rag.store.write import Member, Named, Posted
from post_graph_rag.terms import term_counts

Members = Mapping[int, Member]


@dataclass(frozen=True, slots=True)
class Said:
    """Of which entity something was said, and which others it concerns."""

    entity: int
    others: tuple[int, ...] = ()


async def merge(session: Session, stamp: datetime, named: Sequence[Named]) -> tuple[Written, Said]:
    """Merge all but the last of these into that one. Raises InputError for what cannot be merged."""
    *sources, target = named
    members = {member.id: member for member in await write.merge_component(session, {one.id for one in named})}
    for source in sources:
        _check(source, target, members)
    new = {source.id for source in sources if members[source.id].cause != "user"}
    await write.put_user_merges(session, new, target.id, stamp)
    return Written(structure={}, told=frozenset(members)), Said(target.id, tuple(sorted(new)))


def _check(source: Named, target: Named, members: Members) -> None:
    if source.id == target.id:
        raise InputError(f"{_shown(source)} cannot be merged into itself")
    if source.space != target.space:
        raise InputError(
            f"{_shown(source)} is in space {source.space_name!r}, {_shown(target)} in {target.space_name!r}: "
            "only entities of one space can be merged"
        )
    if (next_ := _next_to(source.id, target.id, members)) is not None:
        raise InputError(f"{_shown(source)} stands for {_shown(target)} already: split entity {next_} first")
    if members[source.id].cause == "user" and members[source.id].target != target.id:
        raise InputError(
            f"{_shown(source)} was merged into entity {members[source.id].target}: split it first, or merge that one"
        )


def _next_to(source: int, target: int, members: Members) -> int | None:
    """The entity on the target's way that is merged into the source; None where the way does not lead there."""
    while (onward := members[target].target) is not None:
        if onward == source:
            return target
        target = onward
    return None


async def split(session: Session, stamp: datetime, named: Sequence[Named]) -> tuple[Written, Said]:
    """End the merge of this one entity. Raises InputError when there is none."""
    [source] = named
    members = await write.merge_component(session, [source.id])
    ended = await write.end_merge(session, source.id, stamp)
    if ended is None:
        raise InputError(f"{_shown(source)} is merged into nothing: there is nothing to undo")
    target, cause = ended
    if cause != "user":
        await write.put_apart(session, source.id, target, stamp)
    return Written(structure={}, told=frozenset(member.id for member in members)), Said(source.id, (target,))


async def rename(session: Session, stamp: datetime, named: Sequence[Named], name: str | None) -> tuple[Written, Said]:
    """Give a name to what this entity stands for; None: what texts call it."""
    entity = named[0].canonical
    rows = await write.put_given_name(session, entity, name, name_key(name or ""), stamp)
    written = Written(
        structure={},
        told=frozenset((entity,)),
        posted=[Posted(write.NAME, row["space"], row["id"], term_counts(row["name"])) for row in rows if row["live"]],
        names_gone=frozenset(row["id"] for row in rows if not row["live"]),
    )
    return written, Said(entity)


def _shown(entity: Named) -> str:
    return f"{entity.name!r} (entity {entity.id})"
