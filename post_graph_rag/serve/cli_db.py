"""Commands for the embedded server: install, start, stop, status, dsn."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from post_graph_rag.config import Settings
from post_graph_rag.embedded import EmbeddedServer, find_server, unpack_newest, unpack_server
from post_graph_rag.errors import RAGError, ServerUnavailable
from post_graph_rag.serve.options import notes, refusal

db_app = typer.Typer(help="A local PostgreSQL with Apache AGE and pgvector.", no_args_is_help=True)

Suite = Annotated[str | None, typer.Option(help="Unpack this Debian release's server, whatever else is there.")]
Force = Annotated[bool, typer.Option("--force", help="Stop it although others use it; their sessions break off.")]


@db_app.command()
def install(suite: Suite = None) -> None:
    """Unpack a server from the system's own packages, unless one is there; needs no root."""
    with _refusals():
        settings = Settings()
        bindir = unpack_server(settings.home, suite) if suite else _found_or_unpacked(settings)
    typer.echo(bindir)


def _found_or_unpacked(settings: Settings) -> Path:
    try:
        found = find_server(settings.server_dir, settings.home)
    except ServerUnavailable:
        return unpack_newest(settings.home, tell=notes.print)
    notes.print(f"A server is there already (PostgreSQL {found.major}, from the {found.origin}); nothing is unpacked.")
    return found.bindir


@db_app.command()
def start() -> None:
    """Start the server, let it run until `db stop`, and print its DSN."""
    with _refusals():
        typer.echo(_server().start())


@db_app.command()
def stop(force: Force = False) -> None:
    """Stop the server; refuses while others use it."""
    with _refusals():
        _server().stop(force)


@db_app.command()
def status() -> None:
    """Say which server is used, where its data is, and whether it runs."""
    with _refusals():
        now = _server().status()
    typer.echo(f"server   PostgreSQL {now.programs.major}, from the {now.programs.origin}: {now.programs.bindir}")
    typer.echo(f"folder   {now.folder}")
    if not now.running:
        typer.echo("state    stopped")
        return
    use = "in use" if now.in_use else "not in use"
    typer.echo(f"state    running, {use}, {'until `db stop`' if now.kept else 'until its last user leaves'}")
    typer.echo(f"process  {now.pid}")
    typer.echo(f"dsn      {now.dsn}")


@db_app.command()
def dsn() -> None:
    """Print the running server's DSN."""
    with _refusals():
        now = _server().status()
        if now.dsn is None:
            raise ServerUnavailable("The server does not run: start it with `post-graph-rag db start`.")
    typer.echo(now.dsn)


def _server() -> EmbeddedServer:
    settings = Settings()
    return EmbeddedServer(settings.home, settings.server_dir, settings.keep_running)


@contextmanager
def _refusals() -> Iterator[None]:
    """Show a refusal as one sentence, without a traceback."""
    try:
        yield
    except RAGError as error:
        raise refusal(str(error)) from error
