"""Named SQL from store/sql/*.sql, rendered once for a realm.

A file holds statements headed by `-- name: …`. Placeholders in braces are identifiers, types or numbers of ours, never
data, or the name of another piece of SQL, which several statements share. A piece may have a simpler version for
questions that are put to all documents, whose name ends in `_anywhere`; a statement that is asked for by such a name is
made of these where there are any. What a question does not ask it need not pay for.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources

ANYWHERE = "_anywhere"
_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


@cache
def sources() -> Mapping[str, str]:
    """All statements by name, with their placeholders still in them."""
    found: dict[str, str] = {}
    for file in sorted(resources.files("post_graph_rag.store").joinpath("sql").iterdir(), key=lambda f: f.name):
        if file.name.endswith(".sql"):
            parts = _NAME.split(file.read_text(encoding="utf-8"))
            found.update(zip(parts[1::2], (body.strip().rstrip(";") for body in parts[2::2]), strict=True))
    return found


def render(text: str, names: Mapping[str, str]) -> str:
    """The text with each `{placeholder}` replaced; KeyError for one that has no value."""
    return _PLACEHOLDER.sub(lambda match: names[match[1]], text)


class Statements:
    """The statements of one realm (or of the catalog), rendered when first asked for.

    search_path: where operators and types of the extensions are found while these statements run.
    """

    def __init__(self, names: Mapping[str, str], search_path: str = "public, ag_catalog") -> None:
        self.search_path = search_path
        self._names = names
        self._rendered: dict[str, str] = {}

    def __getitem__(self, name: str) -> str:
        text = self._rendered.get(name)
        if text is None:
            text = self._rendered[name] = self._render(name)
        return text

    def _render(self, name: str) -> str:
        usual = name.removesuffix(ANYWHERE)
        text = sources().get(name, sources()[usual])
        return _PLACEHOLDER.sub(lambda match: self._part(match[1], name[len(usual) :]), text)

    def _part(self, name: str, version: str) -> str:
        return self._names[name] if name in self._names else self[name + version]
