"""What models took, and what they would take."""

from __future__ import annotations

from typing import Annotated, cast

import typer

from post_graph_rag.config import Settings
from post_graph_rag.records import Estimate, Usage, UsageBy
from post_graph_rag.serve.connect import looking_engine
from post_graph_rag.serve.options import connected
from post_graph_rag.serve.terminal import shown

Since = Annotated[str | None, typer.Option(help="Count from this date or moment on: 2026-05, 2026-05-07T12:00.")]
By = Annotated[str, typer.Option(help="model, role, day or document.")]


@connected
async def usage(settings: Settings, since: Since = None, by: By = "model") -> None:
    """Show what calls of models took, and what that cost where POST_GRAPH_RAG_PRICES says what models cost."""
    async with looking_engine(settings) as rag:
        found = await rag.usage(since, cast(UsageBy, by))
    for one in found:
        typer.echo(_line(one))
    if not found:
        typer.echo("no calls")


def tell_estimate(estimate: Estimate) -> None:
    """Print what indexing would take."""
    typer.echo(f"documents         {estimate.documents}, {estimate.unchanged_documents} of them unchanged")
    if estimate.refused:
        typer.echo(f"refused           {estimate.refused} that cannot be indexed")
    typer.echo(f"passages          {estimate.passages}, {estimate.unchanged_passages} of them unchanged")
    typer.echo(f"calls             {estimate.calls} at most, {estimate.replayed} more are stored already")
    typer.echo(f"tokens            {estimate.prompt_tokens} in, {estimate.output_tokens} out")
    typer.echo(f"embedding tokens  {estimate.embedding_tokens}")
    known = estimate.cost is not None
    typer.echo(f"cost              {estimate.cost:.4f}" if known else "cost              not known: set prices")
    typer.echo(f"({estimate.basis})")


def _line(usage: Usage) -> str:
    cost = "" if usage.cost is None else f", cost {usage.cost:.4f}"
    unpriced = (
        f", {usage.unpriced_calls} calls without a price" if usage.cost is not None and usage.unpriced_calls else ""
    )
    cached = f" ({usage.cached_tokens} cached)" if usage.cached_tokens else ""
    tokens = f"{usage.prompt_tokens}{cached} tokens in, {usage.output_tokens} out"
    seconds = f"{usage.milliseconds / 1000:.1f} s"
    failed = f" ({usage.failed_calls} failed)" if usage.failed_calls else ""
    return f"{shown(usage.of or 'of no document')}: {usage.calls} calls{failed}, {tokens}, {seconds}{cost}{unpriced}"
