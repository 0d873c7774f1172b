"""Commands for realms: create, list, drop, stats, grant, rebuild-graph, optimize, reembed, purge."""

from __future__ import annotations

from typing import Annotated

import typer

from post_graph_rag.config import Settings
from post_graph_rag.edit.purge import purge_history
from post_graph_rag.errors import ConfigurationError
from post_graph_rag.serve.connect import named, open_database, open_engine, open_existing, unopened_engine
from post_graph_rag.serve.options import confirm, connected
from post_graph_rag.serve.terminal import shown
from post_graph_rag.store.grants import grant_realm
from post_graph_rag.store.projection import rebuild_graph as rebuild_realm_graph
from post_graph_rag.store.pruning import Keeping
from post_graph_rag.store.realms import drop_realm, list_realms
from post_graph_rag.store.repairs import command
from post_graph_rag.store.stats import realm_stats
from post_graph_rag.store.upkeep import keep_up

realm_app = typer.Typer(help="Realms: hard walls, each with its own tables and graph.", no_args_is_help=True)

Name = Annotated[str | None, typer.Argument(help="The realm; else --realm.")]
Role = Annotated[str, typer.Argument(help="A role of the server; it must be there.")]
Read = Annotated[bool, typer.Option("--read", help="It may read the realm.")]
Write = Annotated[bool, typer.Option("--write", help="It may read and write the realm.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]
Before = Annotated[str, typer.Option(help="The date, instant or mark from when on history is kept.")]

Model = Annotated[str | None, typer.Option(help="The embedding model; else the one that is set.")]
Dimensions = Annotated[int | None, typer.Option(min=1, help="Numbers a vector; else the model's own.")]
QueryPrefix = Annotated[str | None, typer.Option(help="What the model wants before a question.")]
PassagePrefix = Annotated[str | None, typer.Option(help="What the model wants before a passage.")]
Again = Annotated[bool, typer.Option("--again", help="Also when the realm is of this model already.")]
Restart = Annotated[bool, typer.Option("--restart", help="Give up what was begun for another model.")]


@realm_app.command()
@connected
async def create(settings: Settings, name: Name = None) -> None:
    """Create a realm for the embedding model that the settings name; one that is there stays as it is."""
    async with open_engine(named(settings, name), create=True) as rag:
        realm = (await rag.realm_stats()).realm
        typer.echo(f"{shown(realm.name)}: {shown(realm.embedding_model)}, {realm.dimensions} dimensions")


@realm_app.command("list")
@connected
async def list_all(settings: Settings) -> None:
    """List the realms of the database."""
    async with open_database(settings) as database:
        for realm in await list_realms(database):
            graph = "graph" if realm.graph_name else "no graph"
            typer.echo(f"{shown(realm.name)}: {shown(realm.embedding_model)}, {realm.dimensions} dimensions, {graph}")


@realm_app.command()
@connected
async def drop(settings: Settings, name: Name = None, yes: Yes = False) -> None:
    """Remove a realm with all that is in it; a terminal is asked first, anything else must say --yes."""
    realm = named(settings, name).realm
    confirm(f"Remove realm {realm!r} and everything in it?", yes)
    async with open_database(settings) as database:
        await drop_realm(database, realm)
    typer.echo(f"{shown(realm)} is removed")


@realm_app.command()
@connected
async def stats(settings: Settings, name: Name = None) -> None:
    """Count what is current in a realm and what still waits for a model."""
    async with open_existing(settings, name) as (database, realm):
        counted = await realm_stats(database, realm)
    typer.echo(f"realm            {shown(realm.info.name)}")
    typer.echo(f"embedding        {realm.info.embedding_model}, {realm.info.dimensions} dimensions")
    for field, value in counted.model_dump(exclude={"realm"}).items():
        typer.echo(f"{field.replace('_', ' '):<17}{value}")


@realm_app.command()
@connected
async def grant(settings: Settings, role: Role, read: Read = False, write: Write = False) -> None:
    """Let a role of the server read a realm, or read and write it."""
    if read == write:
        raise ConfigurationError("say either --read or --write")
    async with open_existing(settings) as (database, realm):
        await grant_realm(database, realm, role, "write" if write else "read")
    typer.echo(f"{shown(role)} may {'read and write' if write else 'read'} {shown(realm.info.name)}")


@realm_app.command("rebuild-graph")
@connected
async def rebuild_graph(settings: Settings, name: Name = None) -> None:
    """Draw the Apache AGE graph anew from the record."""
    async with open_existing(settings, name) as (database, realm):
        if realm.info.graph_name is None:
            raise ConfigurationError(f"realm {realm.info.name!r} keeps no graph")
        await rebuild_realm_graph(database, realm)
    typer.echo(f"the graph of {shown(realm.info.name)} is drawn anew")


@realm_app.command()
@connected
async def optimize(settings: Settings, name: Name = None) -> None:
    """Put derived rows right, build the vector indexes that pay, refresh the planner's statistics."""
    async with open_existing(settings, name) as (database, realm):
        report = await keep_up(
            database, realm, Keeping(settings.reply_store_days, settings.reply_store_mb, settings.ledger_days)
        )
    if report.pruned:
        typer.echo(f"{report.pruned} stored replies and vectors pruned")
    if report.busy:
        typer.echo(f"{report.tidied} rows put right; another process is building the indexes already")
        return
    typer.echo(f"{report.tidied} rows put right, {report.analyzed} tables analyzed")
    for table in report.indexed:
        typer.echo(f"index built: {table}")
    if report.merged:
        typer.echo(f"{report.merged} vectors put into an index")


@realm_app.command()
@connected
async def reembed(
    settings: Settings,
    name: Name = None,
    model: Model = None,
    dimensions: Dimensions = None,
    query_prefix: QueryPrefix = None,
    passage_prefix: PassagePrefix = None,
    again: Again = False,
    restart: Restart = False,
) -> None:
    """Move a realm to the embedding model that is set, or to another; the old vectors answer until all are made."""
    prefixes = {"query_prefix": query_prefix, "passage_prefix": passage_prefix}
    async with unopened_engine(named(settings, name)) as rag:
        report = await rag.reembed(model, dimensions, **prefixes, again=again, restart=restart)
    realm = report.realm
    typer.echo(f"{shown(realm.name)}: {shown(realm.embedding_model)}, {realm.dimensions} dimensions")
    typer.echo(f"{report.embedded} vectors made, {report.kept} kept of a run that broke off")
    for table in report.indexed:
        typer.echo(f"index built: {table}")
    if not report.dropped:
        typer.echo(
            f"the old vectors are still being read; {command('realm', 'optimize', realm=realm.name)} removes them"
        )


@realm_app.command()
@connected
async def purge(settings: Settings, before: Before, name: Name = None, yes: Yes = False) -> None:
    """Keep no history of before a moment; a terminal is asked first, anything else must say --yes."""
    realm_name = named(settings, name).realm
    confirm(f"Forget what realm {realm_name!r} believed before {before}?", yes)
    async with open_existing(settings, name) as (database, realm):
        report = await purge_history(database, realm, before)
    typer.echo(f"history is kept from {report.before} on; {report.rows} rows of before are gone, and with them:")
    for field in ("documents", "passages", "entities", "relations", "replies"):
        typer.echo(f"{field:<17}{getattr(report, field)}")
