"""Commands for texts: index files, ask a question."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import Progress as Bar

from post_graph_rag.config import Settings
from post_graph_rag.errors import BudgetExceeded, ExtractionError, InputError
from post_graph_rag.records import (
    Document,
    DocumentReport,
    ExtractionSchema,
    PendingReport,
    Progress,
    ProgressCallback,
    QueryParam,
    Reference,
)
from post_graph_rag.retrieve.question import read_question
from post_graph_rag.serve.cli_usage import tell_estimate
from post_graph_rag.serve.connect import open_engine, unopened_engine
from post_graph_rag.serve.options import connected, notes
from post_graph_rag.serve.terminal import shown, shown_text

Paths = Annotated[
    list[Path] | None, typer.Argument(help="Text files; with none, what is pending in the realm is completed.")
]
Reindex = Annotated[bool, typer.Option("--reindex", help="Read unchanged files again too, as after a new model.")]
Bulk = Annotated[bool, typer.Option("--bulk", help="For a large load: vectors of entities and facts come at its end.")]
Estimated = Annotated[bool, typer.Option("--estimate", help="Say what it would take; no model is asked.")]
Schema = Annotated[
    Path | None, typer.Option(help="A JSON file of what is looked for: entity_types, predicates, strict.")
]
OpenGates = Annotated[list[str] | None, typer.Option("--open-gate", help="A gate that stops nothing; may be repeated.")]
Question = Annotated[str, typer.Argument(help="The question, in words.")]
Mode = Annotated[str, typer.Option(help="mix, local, naive, global, hybrid or bypass.")]
TopK = Annotated[int, typer.Option(help="How many passages, relations and entities are kept.")]
Context = Annotated[bool, typer.Option("--context", help="Print what was found, without an answer.")]
AsOf = Annotated[str | None, typer.Option(help="Facts as they held at some moment of this date, such as 2011.")]
Believed = Annotated[str | None, typer.Option(help="What the realm held at this moment: a mark, an instant or a date.")]
Superseded = Annotated[bool, typer.Option("--superseded", help="Also facts that were superseded.")]


@connected
async def index(
    settings: Settings,
    paths: Paths = None,
    reindex: Reindex = False,
    bulk: Bulk = False,
    estimate: Estimated = False,
    schema: Schema = None,
    open_gate: OpenGates = None,
) -> None:
    """Index text files into the realm; a file that is unchanged costs nothing.

    Exit code 1 when a file could not be indexed, also when an older version of it stays.
    """
    documents = [read_document(path) for path in paths or []]
    if (reindex or estimate) and not documents:
        raise InputError("--reindex and --estimate need files: name those to be read")
    own: dict[str, Any] = {"schema": schema and read_schema(schema), "open_gates": tuple(open_gate or ())}
    if estimate:
        async with unopened_engine(settings, **own) as rag:
            tell_estimate(await rag.estimate(documents, reindex=reindex))
        return
    async with open_engine(settings, **own) as rag:
        if not documents:
            _tell_pending(await rag.complete_pending())
            return
        try:
            with _progress() as progress:
                reports = await rag.index_documents(documents, reindex=reindex, progress=progress, bulk=bulk)
        except (ExtractionError, BudgetExceeded) as error:
            _tell(error.reports)
            raise
    _tell(reports)
    if any(report.status in ("failed", "kept") for report in reports):
        raise typer.Exit(1)


def read_document(path: Path) -> Document:
    """A file as a document whose key is the path as given. Raises InputError when it cannot be read as text."""
    return Document(text=_text(path, _bytes(path)), source=str(path))


def read_schema(path: Path) -> ExtractionSchema:
    """A file of JSON as a schema. Raises InputError when it is none."""
    try:
        found = json.loads(_text(path, _bytes(path)))
    except ValueError as error:
        raise InputError(f"{path} is no JSON: {error}") from error
    try:
        return ExtractionSchema.model_validate(found)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _bytes(path: Path) -> bytes:
    if path.is_dir():
        raise InputError(f"{path} cannot be read, it is a folder: name the files in it")
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error


def _text(path: Path, content: bytes) -> str:
    """The file's text; bytes that are no UTF-8 become lone surrogates, which indexing replaces and counts."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16", "replace")
    if b"\0" in content[:8192]:
        raise InputError(f"{path} is not a text file; only text can be indexed")
    return content.decode("utf-8-sig", "surrogateescape")


@contextmanager
def _progress() -> Iterator[ProgressCallback]:
    """A bar on a terminal; elsewhere nothing."""
    with Bar(console=notes, transient=True, disable=not notes.is_terminal) as bar:
        task = bar.add_task("indexing", total=None)

        def advance(step: Progress) -> None:
            bar.update(task, completed=step.done, total=step.total, description=step.stage)

        yield advance


def _tell(reports: Sequence[DocumentReport]) -> None:
    for report in reports:
        found = f"{report.passages} passages"
        if report.status != "unchanged":  # of such a file nothing was read, and zeros would look like what it holds
            found += f", {report.entities} entities, {report.relations} relations"
        pending = f", {report.pending} still without structure" if report.pending else ""
        typer.echo(f"{report.status:<10}{shown(report.key)}: {found}{pending}")
        for error in report.errors:
            notes.print(f"          {shown(error)}")


def _tell_pending(report: PendingReport) -> None:
    typer.echo(f"passages: {report.passages_completed} completed, {report.passages_left} left")
    typer.echo(f"vectors: {report.vectors_completed} completed, {report.vectors_left} left")
    for error in report.errors:
        notes.print(shown(error))


@connected
async def query(
    settings: Settings,
    question: Question,
    mode: Mode = "mix",
    top_k: TopK = 8,
    context: Context = False,
    as_of: AsOf = None,
    as_believed_at: Believed = None,
    superseded: Superseded = False,
) -> None:
    """Answer a question from the realm, with numbered sources."""
    time = {"as_of": as_of, "as_believed_at": as_believed_at, "include_superseded": superseded}
    param = QueryParam.model_validate({"mode": mode, "top_k": top_k, **time})
    read_question(question, param)  # What cannot be asked is refused before anything is opened.
    async with open_engine(settings) as rag:
        if context:
            typer.echo(shown_text((await rag.query_data(question, param=param)).context))
            return
        answer = await rag.query(question, param=param)
    typer.echo(shown_text(answer.text))
    for reference in answer.references:
        typer.echo(_line(reference))


def _line(reference: Reference) -> str:
    name = reference.title or reference.document
    place = f" ({reference.source})" if reference.source not in (None, name) else ""
    return shown(f"[{reference.number}] {name}{place}")
