"""What every command that opens a database has in common: its options, its settings, how it fails."""

from __future__ import annotations

import asyncio
import functools
import inspect
import sys
from collections.abc import Callable, Coroutine
from typing import Annotated, Any, get_type_hints

import typer
from rich.console import Console

from post_graph_rag.config import Settings
from post_graph_rag.errors import ConfigurationError, RAGError
from post_graph_rag.serve.terminal import shown

notes = Console(stderr=True, soft_wrap=True, highlight=False, markup=False)

Dsn = Annotated[str | None, typer.Option(help="Where the database is; else POST_GRAPH_RAG_DSN, else the embedded one.")]
RealmName = Annotated[str | None, typer.Option(help="The realm; else POST_GRAPH_RAG_REALM, else 'default'.")]
Space = Annotated[str | None, typer.Option(help="The space in the realm; else POST_GRAPH_RAG_SPACE, else 'default'.")]
Embedded = Annotated[bool, typer.Option("--embedded", help="Use the embedded server, whatever DSN is set.")]
Offline = Annotated[bool, typer.Option("--offline", help="Use the offline models, whatever model is set.")]
_SHARED = {"dsn": Dsn, "realm": RealmName, "space": Space, "embedded": Embedded, "offline": Offline}

Command = Callable[..., Coroutine[Any, Any, None]]


def connected(command: Command) -> Callable[..., None]:
    """Make a command of an async function whose first parameter is the Settings.

    The command has the function's other parameters and the shared options. An error of ours becomes one line on
    stderr and exit code 1.
    """

    @functools.wraps(command)
    def run(**given: Any) -> None:
        shared = {name: given.pop(name) for name in _SHARED}
        try:
            asyncio.run(command(_settings(**shared), **given))
        except RAGError as error:
            raise refusal(str(error)) from error

    _give_signature(run, command)
    return run


def refusal(message: str) -> typer.Exit:
    """Say in one line why it does not go on; raise what is returned."""
    notes.print(f"Error: {shown(' '.join(message.split()))}")
    return typer.Exit(1)


def confirm(question: str, yes: bool) -> None:
    """Ask on a terminal, and end the command for a no. Raises ConfigurationError where nobody can be asked."""
    if yes:
        return
    if not sys.stdin.isatty():
        raise ConfigurationError(f"nobody can be asked here: say --yes. {question}")
    typer.confirm(shown(question), abort=True)


def _give_signature(run: Callable[..., None], command: Command) -> None:
    hints = get_type_hints(command, include_extras=True)
    own = list(inspect.signature(command).parameters.values())[1:]
    parameters = [parameter.replace(annotation=hints[parameter.name]) for parameter in own]
    for name, annotation in _SHARED.items():
        default = False if name in ("embedded", "offline") else None
        kind = inspect.Parameter.KEYWORD_ONLY
        parameters.append(inspect.Parameter(name, kind, default=default, annotation=annotation))
    vars(run)["__signature__"] = inspect.Signature(parameters)
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    vars(run).pop("__wrapped__", None)


def _settings(dsn: str | None, realm: str | None, space: str | None, embedded: bool, offline: bool) -> Settings:
    given: dict[str, Any] = {"dsn": dsn or None, "realm": realm, "space": space}
    chosen = {name: value for name, value in given.items() if value is not None}
    if embedded:
        chosen |= {"embedded": True, "dsn": None}
    if offline:
        chosen["offline"] = True
    return Settings(**chosen)
