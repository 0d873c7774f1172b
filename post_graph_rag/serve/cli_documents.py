"""Commands for documents: list, show, delete, erase."""

from __future__ import annotations

from typing import Annotated

import typer

from post_graph_rag.config import Settings
from post_graph_rag.records import DeleteReport, DocumentDetail, DocumentInfo, EraseReport
from post_graph_rag.serve.connect import looking_engine
from post_graph_rag.serve.options import confirm, connected
from post_graph_rag.serve.terminal import shown, shown_text

documents_app = typer.Typer(help="Documents of a space.", no_args_is_help=True)

Key = Annotated[str, typer.Argument(help="The document's key: of a file, the path it was indexed by.")]
Limit = Annotated[int, typer.Option(help="How many at most, 1 to 1,000.")]
After = Annotated[str | None, typer.Option(help="Where to go on, as the page before said.")]
Deleted = Annotated[bool, typer.Option("--deleted", help="Those that were deleted too.")]
Text = Annotated[bool, typer.Option("--text", help="Print the text of the passages too.")]
Keys = Annotated[list[str], typer.Argument(help="The documents' keys: of files, the paths they were indexed by.")]
Vacuum = Annotated[bool, typer.Option("--vacuum", help="Clear dead rows from the realm's tables too.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


@documents_app.command("list")
@connected
async def list_all(settings: Settings, limit: Limit = 100, after: After = None, deleted: Deleted = False) -> None:
    """List the documents of the space, those indexed first in front."""
    async with looking_engine(settings) as rag:
        page = await rag.list_documents(limit=limit, after=after, deleted=deleted)
    for document in page.documents:
        typer.echo(_line(document))
    if page.after is not None:
        typer.echo(f"there are more: --after {page.after}")


@documents_app.command()
@connected
async def show(settings: Settings, key: Key, text: Text = False) -> None:
    """Show a document: its versions and passages, and how much of the graph rests on it."""
    async with looking_engine(settings) as rag:
        found = await rag.get_document(key)
        counted = None if found.document.deleted_at else await rag.document_stats(key)
    _tell(found)
    if counted is not None:
        typer.echo(f"entities   {counted.entities}, {counted.own_entities} of them in no other document")
        typer.echo(f"relations  {counted.relations}, {counted.own_relations} of them in no other document")
    for passage in found.passages if text else ():
        typer.echo(f"\n[{passage.ordinal}] characters {passage.start} to {passage.end}\n{shown_text(passage.text)}")


@documents_app.command()
@connected
async def delete(settings: Settings, keys: Keys, yes: Yes = False) -> None:
    """Let documents hold no more; what was believed before stays. A terminal is asked first, others must say --yes."""
    confirm(f"Delete {_named(keys)} from space {settings.space!r}?", yes)
    async with looking_engine(settings) as rag:
        report = await rag.delete_documents(keys)
    typer.echo(
        f"deleted at {report.at}: {report.passages} passages, {report.entities} entities and {report.relations} "
        "relations hold no more"
    )
    _tell_pending(report)


@documents_app.command()
@connected
async def erase(settings: Settings, keys: Keys, vacuum: Vacuum = False, yes: Yes = False) -> None:
    """Take documents away with their history and all that rests on nothing else; asks as `delete` does."""
    confirm(f"Erase {_named(keys)} from space {settings.space!r}, with all that was ever known from there?", yes)
    async with looking_engine(settings) as rag:
        report = await rag.erase_documents(keys, vacuum=vacuum)
    typer.echo(
        f"erased at {report.at}: {report.passages} passages, {report.entities} entities, {report.relations} relations "
        f"and {report.replies} replies are no more"
    )
    if not vacuum:
        typer.echo("dead rows stay in the tables until they are cleared: --vacuum, see docs/deletion.md")
    _tell_pending(report)


def _named(keys: list[str]) -> str:
    return ", ".join(repr(key) for key in keys)


def _tell_pending(report: DeleteReport | EraseReport) -> None:
    if report.pending_vectors:
        typer.echo(f"{report.pending_vectors} vectors are still to be made: the next indexing that needs them does it")
    for error in report.errors:
        typer.echo(shown(error))


def _line(document: DocumentInfo) -> str:
    pending = f", {document.pending} still without structure" if document.pending else ""
    deleted = f", deleted at {document.deleted_at}" if document.deleted_at else ""
    return f"{shown(document.key)}: {document.passages} passages{pending}{deleted}"


def _tell(found: DocumentDetail) -> None:
    document = found.document
    typer.echo(_line(document))
    for name, value in (("title", document.title), ("source", document.source), ("date", document.observed_at)):
        if value is not None:
            typer.echo(f"{name:<11}{shown(value)}")
    for version in found.versions:
        until = f"until {version.recorded_to}" if version.recorded_to else "and is held now"
        typer.echo(f"version    came {version.recorded_from} {until}: {version.passages} passages")
