"""What is said where a key, a name or an id means nothing, or several things."""

from __future__ import annotations

from collections.abc import Iterable

from post_graph_rag.errors import DocumentNotFound, EntityNotFound, InputError


def no_document(space: str, *keys: str) -> DocumentNotFound:
    """The space holds none of these documents."""
    named = ", ".join(repr(key) for key in keys)
    return DocumentNotFound(
        f"space {space!r} holds no document {named}: list_documents, or `post-graph-rag documents list`, names those "
        "it holds"
    )


def no_entity(space: str, ref: int | str) -> EntityNotFound:
    """No entity has this id in the realm, or this name in the space."""
    where = "this realm" if isinstance(ref, int) else f"space {space!r}"
    return EntityNotFound(f"there is no entity {ref!r} in {where}: list_entities names those that are there")


def ambiguous(ref: int | str, found: Iterable[tuple[int, str]]) -> InputError:
    """The name may mean any of these (id, name)."""
    several = ", ".join(f"{id} ({name})" for id, name in found)
    return InputError(f"{ref!r} may mean several entities, {several}: give an id")
