"""Names of schemas and graphs: made from a realm's name, validated, quoted. Nothing else is ever spliced into SQL."""

from __future__ import annotations

import hashlib
import re

from post_graph_rag.errors import InputError

CATALOG = "post_graph_rag"
_PLAIN = re.compile(r"[a-z_][a-z0-9_]{0,62}\Z")
_NOT_SLUG = re.compile(r"[^a-z0-9]+")


def quoted(identifier: str) -> str:
    """The identifier in double quotes; InputError for anything but lower-case letters, digits and underscores."""
    if not _PLAIN.match(identifier):
        raise InputError(f"{identifier[:80]!r} is no identifier this library makes")
    return f'"{identifier}"'


def quoted_name(role: str) -> str:
    """A role's name as SQL wants it; roles are the user's, so any name but an empty one or one with NUL is taken."""
    size = len(role.encode("utf-8", "replace"))
    if not 1 <= size <= 63 or "\0" in role or role.encode("utf-8", "replace").decode() != role:
        raise InputError("a role's name has 1 to 63 bytes, no NUL and no half of a surrogate pair")
    return '"' + role.replace('"', '""') + '"'


def schema_name(realm: str) -> str:
    """A schema for a realm: prefix, readable slug, and a hash that keeps equal slugs apart (at most 41 characters)."""
    slug = _NOT_SLUG.sub("_", realm.lower()).strip("_")[:24]
    digest = hashlib.blake2b(realm.encode("utf-8", "surrogatepass"), digest_size=5).hexdigest()
    return f"pgr_{slug}_{digest}" if slug else f"pgr_{digest}"


def graph_name(schema: str) -> str:
    """The Apache AGE graph, itself a schema, that goes with a realm's record schema."""
    return f"{schema}_graph"
