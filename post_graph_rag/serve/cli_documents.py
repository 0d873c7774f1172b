"""Commands for documents: list, show."""

from __future__ import annotations

from typing import Annotated

import typer

from post_graph_rag.config import Settings
from post_graph_rag.records import DocumentDetail, DocumentInfo
from post_graph_rag.serve.connect import looking_engine
from post_graph_rag.serve.options import connected
from post_graph_rag.serve.terminal import shown, shown_text

documents_app = typer.Typer(help="Documents of a space.", no_args_is_help=True)

Key = Annotated[str, typer.Argument(help="The document's key: of a file, the path it was indexed by.")]
Limit = Annotated[int, typer.Option(help="How many at most, 1 to 1,000.")]
After = Annotated[str | None, typer.Option(help="Where to go on, as the page before said.")]
Deleted = Annotated[bool, typer.Option("--deleted", help="Those that were deleted too.")]
Text = Annotated[bool, typer.Option("--text", help="Print the text of the passages too.")]


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
