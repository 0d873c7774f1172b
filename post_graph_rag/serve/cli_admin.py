"""Commands that look after a database: migrate, doctor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from post_graph_rag.config import Settings
from post_graph_rag.errors import SchemaError
from post_graph_rag.records import Finding
from post_graph_rag.serve.connect import open_database, unopened_engine
from post_graph_rag.serve.options import connected
from post_graph_rag.serve.terminal import shown
from post_graph_rag.store.upgrade import Upgrade, migrate_all, migrate_one, missing_migrations

Check = Annotated[bool, typer.Option("--check", help="Only list what is missing; exit code 1 if anything is.")]
All = Annotated[bool, typer.Option("--all", help="Every realm of the database, each in a transaction of its own.")]


@connected
async def migrate(settings: Settings, check: Check = False, every: All = False) -> None:
    """Bring the catalog and the realm up to date, or every realm; after a break-off simply run it again."""
    async with open_database(settings) as database:
        if check:
            states = await missing_migrations(database)
            states = [state for state in states if every or state.realm in (None, settings.realm)]
        else:
            states = await (migrate_all(database) if every else migrate_one(database, settings.realm))
    for state in states:
        _tell(state, "missing" if check else "applied")
    _fail_for(states, check)


def _tell(state: Upgrade, what: str) -> None:
    scope = "catalog" if state.realm is None else f"realm {state.realm!r}"
    names = ", ".join(f"{migration.number:04} {migration.name}" for migration in state.migrations)
    typer.echo(f"{scope}: {f'{what}: {names}' if names else state.problem or 'up to date'}")


def _fail_for(states: Sequence[Upgrade], check: bool) -> None:
    if any(state.problem for state in states):
        raise SchemaError("some could not be migrated, see above; the others are done")
    if check and any(state.migrations for state in states):
        raise typer.Exit(1)


@connected
async def doctor(settings: Settings, every: All = False) -> None:
    """Look at server, rights, realm and models, and name the command that mends what is wrong."""
    async with unopened_engine(settings) as rag:
        findings = await rag.doctor(every)
    for finding in findings:
        _show(finding)
    if not all(finding.ok for finding in findings):
        raise typer.Exit(1)


def _show(finding: Finding) -> None:
    typer.echo(f"{'ok' if finding.ok else 'FAULT':<6}{finding.check}: {shown(finding.detail)}")
    if finding.repair is not None:
        typer.echo(f"      mend it with: {finding.repair}")
