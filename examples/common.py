"""What the examples share: settings from the environment, else the local server and the offline models."""

from __future__ import annotations

from post_graph_rag import Settings
from post_graph_rag.embedded import find_server, unpack_newest
from post_graph_rag.errors import ServerUnavailable
from post_graph_rag.testing import fresh_realm_name


def settings(name: str) -> Settings:
    """Settings for a fresh realm whose name begins with `name`.

    POST_GRAPH_RAG_DSN names a database; OPENAI_BASE_URL / OPENAI_API_KEY with POST_GRAPH_RAG_MODEL and
    POST_GRAPH_RAG_EMBEDDING_MODEL name models.
    """
    asked = Settings(realm=fresh_realm_name(name), create=True)
    if asked.dsn is None:
        try:
            find_server(asked.server_dir, asked.home)
        except ServerUnavailable:
            unpack_newest(asked.home, print)
        asked = asked.model_copy(update={"embedded": True})
    if asked.model is None and asked.api_key is None and asked.base_url is None:
        asked = asked.model_copy(update={"offline": True})
    return asked
