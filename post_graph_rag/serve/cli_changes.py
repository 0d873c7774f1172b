"""The command that follows what changes: changes."""

from __future__ import annotations

from typing import Annotated, cast

import typer

from post_graph_rag.config import Settings
from post_graph_rag.records import Change, ChangeKind
from post_graph_rag.serve.connect import looking_engine
from post_graph_rag.serve.options import connected
from post_graph_rag.serve.terminal import shown

Since = Annotated[str | None, typer.Option(help="The mark to go on from; else from the start of what is kept.")]
Kinds = Annotated[str | None, typer.Option(help="document, entity, relation, or several with commas; else all.")]
Limit = Annotated[int, typer.Option(help="How many changes at most, 1 to 10,000.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object: items, mark, more, watermark.")]


@connected
async def changes(
    settings: Settings, since: Since = None, kinds: Kinds = None, limit: Limit = 1000, as_json: Json = False
) -> None:
    """List what changed in the realm after a mark, in the order of commits; the last line is the mark to go on from."""
    named = None if kinds is None else [cast(ChangeKind, kind.strip()) for kind in kinds.split(",")]
    async with looking_engine(settings) as rag:
        page = await rag.changes_since(since, named, limit)
    if as_json:
        typer.echo(page.model_dump_json())
        return
    for change in page.items:
        typer.echo(_line(change))
    typer.echo(f"mark {page.mark}{' (there is more)' if page.more else ''}")


def _line(change: Change) -> str:
    into = f", {change.other}" if change.other is not None else ""
    closed = "".join(f", {closing.cause} by {list(closing.relations) or 'a person'}" for closing in change.closed_by)
    return f"{change.at} {change.kind} {change.id} {change.change}{into}{closed}: {shown(change.text)}"
