"""The command line `post-graph-rag`: puts the commands together."""

from __future__ import annotations

import typer

from post_graph_rag.serve.cli_admin import doctor, migrate
from post_graph_rag.serve.cli_changes import changes
from post_graph_rag.serve.cli_db import db_app
from post_graph_rag.serve.cli_documents import documents_app
from post_graph_rag.serve.cli_entity import entity_app
from post_graph_rag.serve.cli_eval import evaluate
from post_graph_rag.serve.cli_realm import realm_app
from post_graph_rag.serve.cli_text import index, query
from post_graph_rag.serve.cli_usage import usage

app = typer.Typer(
    help="Graph RAG that lives in PostgreSQL. Settings come from options, then POST_GRAPH_RAG_* variables.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.command()(index)
app.command()(query)
app.command("eval")(evaluate)
app.command()(changes)
app.command()(usage)
app.command()(migrate)
app.command()(doctor)
app.add_typer(documents_app, name="documents")
app.add_typer(entity_app, name="entity")
app.add_typer(realm_app, name="realm")
app.add_typer(db_app, name="db")
