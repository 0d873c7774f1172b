"""What all tests share: one server for the session, a fresh database for a test, an environment without settings."""

from __future__ import annotations

import os
import subprocess
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import unquote, urlsplit

import psycopg
import pytest
from psycopg import sql

from post_graph_rag.embedded import EmbeddedServer
from tests.servers import any_server_dir, embedded_server, fresh_database, open_folder

# read before the fixture below clears them
TEST_DSN = os.environ.get("POST_GRAPH_RAG_TEST_DSN")
SERVER_DIR = os.environ.get("POST_GRAPH_RAG_SERVER_DIR")
CLEARED = ("OPENAI_", "POST_GRAPH_RAG_")


@pytest.fixture(autouse=True)
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting of the person who runs the tests reaches them, least of all a key."""
    for name in list(os.environ):
        if name.startswith(CLEARED):
            monkeypatch.delenv(name)


@pytest.fixture
def open_home() -> Iterator[Path]:
    """A folder for an embedded server's data and caches that the server's user can pass through."""
    with open_folder() as folder:
        yield folder


@pytest.fixture(scope="session")
def server_dir() -> Path:
    """The bin folder of the server that the tests run."""
    return Path(SERVER_DIR) if SERVER_DIR else any_server_dir()


@pytest.fixture(scope="session")
def made_data(server_dir: Path) -> Iterator[Path]:
    """A home whose server's data is made but not running, to be copied: making it takes a second."""
    with open_folder() as folder:
        server = EmbeddedServer(folder, server_dir, durable=False)
        server.acquire()
        server.release()
        (server.folder / "server.log").unlink()
        yield folder


@pytest.fixture
def ready_home(open_home: Path, made_data: Path) -> Path:
    """A home of the test's own in which the server needs only be started."""
    subprocess.run(["cp", "-a", f"{made_data}/.", open_home], check=True)
    return open_home


@pytest.fixture(scope="session")
def server_dsn(request: pytest.FixtureRequest) -> Iterator[str]:
    """A server for the whole session: the one in POST_GRAPH_RAG_TEST_DSN, else an embedded one that ends with it."""
    if TEST_DSN:
        yield TEST_DSN
        return
    with embedded_server(request.getfixturevalue("server_dir")) as dsn:
        yield dsn


@pytest.fixture(scope="session")
def template_database(server_dsn: str) -> Iterator[str]:
    """Name of a database with both extensions, from which the tests' databases are copied."""
    name = f"pgr_template_{uuid.uuid4().hex[:12]}"
    with fresh_database(server_dsn, name) as dsn:
        with psycopg.connect(dsn, autocommit=True) as connection:
            connection.execute("create extension if not exists vector")
            connection.execute("create extension if not exists age")
        yield name


@pytest.fixture
def database(server_dsn: str, template_database: str) -> Iterator[str]:
    """DSN of an empty database of the test's own, with both extensions, dropped after the test."""
    with fresh_database(server_dsn, f"pgr_{uuid.uuid4().hex[:12]}", template_database) as dsn:
        yield dsn


@pytest.fixture
def admin(database: str) -> Iterator[psycopg.Connection]:
    """A superuser's own connection to the test's database."""
    with psycopg.connect(database, autocommit=True) as connection:
        yield connection


@pytest.fixture
def make_role(admin: psycopg.Connection, database: str) -> Iterator[Callable[[str], str]]:
    """Makes roles that may log in as the test's own does; they go with all they own and were granted afterwards."""
    made: list[str] = []
    password = sql.Literal(unquote(urlsplit(database).password or "none is asked for"))

    def make(name: str) -> str:
        admin.execute(sql.SQL("DROP ROLE IF EXISTS {}").format(sql.Identifier(name)))
        admin.execute(sql.SQL("CREATE ROLE {} LOGIN PASSWORD {}").format(sql.Identifier(name), password))
        made.append(name)
        return name

    yield make
    for name in made:
        # reassigned first: Apache AGE does not let a label's table go with its owner
        text = "REASSIGN OWNED BY {0} TO CURRENT_USER; DROP OWNED BY {0}; DROP ROLE {0}"
        admin.execute(sql.SQL(text).format(sql.Identifier(name)))
