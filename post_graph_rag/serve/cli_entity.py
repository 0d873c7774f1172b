"""Commands for entities: show, merge, split, rename."""

from __future__ import annotations

from typing import Annotated

import typer

from post_graph_rag.config import Settings
from post_graph_rag.errors import InputError
from post_graph_rag.records import EntityDetail, EntityEdit
from post_graph_rag.serve.connect import looking_engine, open_engine
from post_graph_rag.serve.options import connected
from post_graph_rag.serve.terminal import shown

entity_app = typer.Typer(help="Entities of a space.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="A name or alias of the entity.")]
Names = Annotated[list[str], typer.Argument(help="Names of the entities that are one with it.")]
Into = Annotated[str, typer.Option(help="The name of the entity that stands for them from now on.")]
NewName = Annotated[str | None, typer.Argument(help="What it is called from now on.")]
Texts = Annotated[bool, typer.Option("--as-in-texts", help="Call it what texts call it again.")]
Id = Annotated[bool, typer.Option("--id", help="The name is an id; names are ids.")]


@entity_app.command()
@connected
async def show(settings: Settings, name: Name, by_id: Id = False) -> None:
    """Show an entity: what it is called, what is merged into it, and how much is known of it."""
    async with looking_engine(settings) as rag:
        _tell(await rag.get_entity(_meant(name, by_id)))


@entity_app.command()
@connected
async def merge(settings: Settings, names: Names, into: Into, by_id: Id = False) -> None:
    """Say that entities are one with another; `entity split` takes it back."""
    async with open_engine(settings) as rag:
        edit = await rag.merge_entities([_meant(name, by_id) for name in names], _meant(into, by_id))
    already = "" if edit.others else " already"
    _tell_edit(edit, f"{len(edit.others) or len(names)} merged into {edit.id} {shown(edit.name)}{already}")


@entity_app.command()
@connected
async def split(settings: Settings, name: Name, by_id: Id = False) -> None:
    """Undo the merge of one entity; one that followed from an alias is not made again."""
    async with open_engine(settings) as rag:
        edit = await rag.split_entity(_meant(name, by_id))
    _tell_edit(edit, f"{edit.id} {shown(edit.name)} is taken out of {edit.others[0]}")


@entity_app.command()
@connected
async def rename(
    settings: Settings, name: Name, new_name: NewName = None, as_in_texts: Texts = False, by_id: Id = False
) -> None:
    """Give an entity a name, whatever texts call it."""
    if (new_name is None) != as_in_texts:
        raise InputError("say either the new name or --as-in-texts")
    async with open_engine(settings) as rag:
        edit = await rag.rename_entity(_meant(name, by_id), new_name)
    _tell_edit(edit, f"{edit.id} is called {shown(edit.name)}")


def _meant(name: str, by_id: bool) -> int | str:
    if by_id and not (name.isascii() and name.isdigit()):
        raise InputError(f"{name!r} is no id: give the number, or leave --id out")
    return int(name) if by_id else name


def _tell_edit(edit: EntityEdit, what: str) -> None:
    typer.echo(what)
    if edit.pending_vectors:
        typer.echo(f"{edit.pending_vectors} vectors could not be made yet: {shown('; '.join(edit.errors))}")


def _tell(found: EntityDetail) -> None:
    entity = found.entity
    dormant = ", dormant: no passage mentions it" if entity.dormant else ""
    typer.echo(f"{entity.id} {shown(entity.name)}{f' ({shown(entity.type)})' if entity.type else ''}{dormant}")
    if entity.description:
        typer.echo(shown(entity.description))
    for label, names in (("names", found.names), ("aliases", found.aliases)):
        if names:
            typer.echo(f"{label:<11}{', '.join(shown(name) for name in names)}")
    for merged in found.merged:
        typer.echo(f"merged     {merged.id} {shown(merged.name)} since {merged.recorded_from}, by {_why(merged.cause)}")
    typer.echo(f"relations  {found.relations}")
    typer.echo(f"passages   {found.weight}")


def _why(cause: str) -> str:
    return {"user": "a person", "alias": "an alias", "sense": "the same name"}.get(cause, "likeness")
