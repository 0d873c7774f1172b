"""Commands for entities: show."""

from __future__ import annotations

from typing import Annotated

import typer

from post_graph_rag.config import Settings
from post_graph_rag.errors import InputError
from post_graph_rag.records import EntityDetail
from post_graph_rag.serve.connect import looking_engine
from post_graph_rag.serve.options import connected
from post_graph_rag.serve.terminal import shown

entity_app = typer.Typer(help="Entities of a space.", no_args_is_help=True)

Name = Annotated[str, typer.Argument(help="A name or alias of the entity.")]
Id = Annotated[bool, typer.Option("--id", help="The name is an id.")]


@entity_app.command()
@connected
async def show(settings: Settings, name: Name, by_id: Id = False) -> None:
    """Show an entity: what it is called, what is merged into it, and how much is known of it."""
    if by_id and not (name.isascii() and name.isdigit()):
        raise InputError(f"{name!r} is no id: give the number, or leave --id out")
    async with looking_engine(settings) as rag:
        _tell(await rag.get_entity(int(name) if by_id else name))


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
    return "a person" if cause == "user" else "an alias"
