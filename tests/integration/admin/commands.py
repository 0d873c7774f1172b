"""The command line run inside the test's process, on the test's database."""

from __future__ import annotations

import asyncio
import shlex

from typer.testing import CliRunner, Result

from post_graph_rag.serve.cli import app


async def run(database: str, *words: str, **variables: str) -> Result:
    """Run `post-graph-rag WORDS`; a thread of its own, since a command starts an event loop."""
    variables = {"POST_GRAPH_RAG_DSN": database, **variables}
    return await asyncio.to_thread(CliRunner().invoke, app, list(words), env=variables)


async def run_line(database: str, line: str) -> Result:
    """Run a command line as a shell would."""
    program, *words = shlex.split(line)
    assert program == "post-graph-rag"
    return await run(database, *words)
