"""Which spaces a question sees."""

from __future__ import annotations

from collections.abc import Sequence

from post_graph_rag.clean import EVERY_SPACE, clean_space
from post_graph_rag.errors import InputError, SpaceNotFound
from post_graph_rag.store.database import Session
from post_graph_rag.store.search import Scope, find_scope
from post_graph_rag.store.when import NOW, When


async def resolve_spaces(
    session: Session, space: str | tuple[str, ...] | None, default: str, when: When = NOW
) -> Scope:
    """The spaces a question names, or the engine's own.

    space: one, several, or "*" for all; None for `default`. when: the time that is asked for.
    A realm in which nothing was ever indexed has no spaces, and the default finds nothing there.
    Raises SpaceNotFound for any other space that does not exist, InputError for what cannot name one, HistoryPurged
    for a time of which nothing is kept.
    """
    names = _names(space, default)
    scope = await find_scope(session, names, when)
    missing = set(names or ()) - set(scope.spaces.values())
    if missing and not (space is None and scope.nothing):
        named = ", ".join(repr(name) for name in sorted(missing))
        raise SpaceNotFound(f"there is no space {named} in this realm: index into it first, or name another")
    return scope


def _names(space: str | tuple[str, ...] | None, default: str) -> Sequence[str] | None:
    asked = default if space is None else space
    names = (asked,) if isinstance(asked, str) else asked
    if not names:
        raise InputError(f"no space is named: name one or several, or {EVERY_SPACE!r} for all")
    return None if EVERY_SPACE in names else [clean_space(name) for name in names]
