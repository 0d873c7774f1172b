"""Servers and poolers for tests beyond the session's own; what cannot be had here is skipped with its reason."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import parse_qs, quote, unquote, urlsplit, urlunsplit

import psycopg
import pytest
from psycopg import sql

from post_graph_rag.config import default_home
from post_graph_rag.embedded import EmbeddedServer, running, unpack_newest, unpack_server
from post_graph_rag.embedded.debian import PrivateApt
from post_graph_rag.embedded.find import find_server
from post_graph_rag.embedded.folders import private_folder
from post_graph_rag.embedded.identity import server_identity, spawn_options
from post_graph_rag.embedded.unpack import SUITES, loaded_library, unpack_packages
from post_graph_rag.errors import ServerUnavailable

POOLER_PORT = 6432


@contextmanager
def open_folder() -> Iterator[Path]:
    """A temporary folder that the server's user can pass through, which pytest's own is not for root."""
    with tempfile.TemporaryDirectory(prefix="pgr-", dir="/tmp", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@contextmanager
def embedded_server(server_dir: Path | None = None) -> Iterator[str]:
    """A fresh server that does not outlive the block and need not survive a crash; gives its DSN."""
    with open_folder() as folder:
        server = EmbeddedServer(default_home(), server_dir, data=folder / "server", durable=False)
        dsn = server.acquire()
        try:
            yield dsn
        finally:
            server.release()


def any_server_dir() -> Path:
    """The bin folder of a server: one that is there, else one unpacked from the system's packages."""
    try:
        return find_server(None, default_home()).bindir
    except ServerUnavailable:
        return unpack_newest(default_home(), tell=warnings.warn)


def kill_server(folder: Path) -> None:
    """End the server in an embedded server's folder by kill -9 and wait until it is dead."""
    now = running.postmaster(folder)
    assert now is not None
    os.kill(now.pid, signal.SIGKILL)
    while running.postmaster(folder):
        time.sleep(0.005)


@contextmanager
def unpacked_server(suite: str) -> Iterator[str]:
    """A fresh server of a Debian suite (trixie: PostgreSQL 17, AGE 1.5; forky: 18, AGE 1.8); gives its DSN."""
    try:
        bindir = unpack_server(default_home(), suite)
    except ServerUnavailable as refused:
        pytest.skip(f"Debian {suite}'s server could not be unpacked: {refused}")
    with embedded_server(bindir) as dsn:
        yield dsn


@contextmanager
def fresh_database(server_dsn: str, name: str, template: str = "template1") -> Iterator[str]:
    """A database made from `template` and dropped after the block, with its sessions; gives its DSN."""
    create = sql.SQL("create database {} template {}").format(sql.Identifier(name), sql.Identifier(template))
    drop = sql.SQL("drop database if exists {} with (force)").format(sql.Identifier(name))
    with psycopg.connect(server_dsn, autocommit=True) as admin:
        admin.execute(create)
    try:
        yield with_database(server_dsn, name)
    finally:
        with psycopg.connect(server_dsn, autocommit=True) as admin:
            admin.execute(drop)


def with_database(dsn: str, name: str) -> str:
    """The DSN of another database of the same server."""
    return urlunsplit(urlsplit(dsn)._replace(path="/" + quote(name)))


def with_user(dsn: str, user: str, password: str | None = None) -> str:
    """The DSN for another role of the same database; without `password` it is taken to have the DSN's own."""
    parts = urlsplit(dsn)
    password = password or unquote(parts.password or "")
    secret = f":{quote(password, safe='')}" if password else ""
    place = parts.netloc.rpartition("@")[2]
    return urlunsplit(parts._replace(netloc=f"{quote(user, safe='')}{secret}@{place}"))


@contextmanager
def pgbouncer(dsn: str, prepared_statements: int = 0) -> Iterator[str]:
    """PgBouncer in transaction mode before `dsn`'s database; gives the pooler's DSN. Everyone becomes dsn's user.

    `prepared_statements` is how many of a client's it keeps; 0, its old default, keeps none.
    """
    program = _pgbouncer_program()
    identity = server_identity()
    with open_folder() as folder:
        own = private_folder(folder / "pooler", identity)
        config = folder / "pgbouncer.ini"
        config.write_text(_pgbouncer_config(dsn, own, prepared_statements))
        process = subprocess.Popen(
            [program, "-q", config], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **spawn_options(identity)
        )
        with process:
            try:
                _wait_until_it_listens(own / f".s.PGSQL.{POOLER_PORT}", process)
                yield f"postgresql://postgres@/pooled?host={quote(str(own))}&port={POOLER_PORT}"
            finally:
                process.send_signal(signal.SIGQUIT)  # SIGTERM waits for its clients


def _pgbouncer_program() -> Path:
    if program := shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin"):
        return Path(program)
    for suite in SUITES:
        folder = default_home() / "cache" / f"pgbouncer-{suite}"
        try:
            return unpack_packages(folder, suite, _choose_pgbouncer) / "usr/sbin/pgbouncer"
        except ServerUnavailable as refused:
            reason = refused
    pytest.skip(f"PgBouncer could not be unpacked: {reason}")


def _choose_pgbouncer(apt: PrivateApt) -> list[str]:
    return [name for name in apt.needed(["pgbouncer"]) if name == "pgbouncer" or loaded_library(name)]


def _pgbouncer_config(dsn: str, folder: Path, prepared_statements: int) -> str:
    parts = urlsplit(dsn)
    query = {key: values[0] for key, values in parse_qs(parts.query).items()}
    target = {
        "host": query.get("host") or parts.hostname or "127.0.0.1",
        "port": query.get("port") or str(parts.port or 5432),
        "dbname": unquote(parts.path.lstrip("/")) or "postgres",
        "user": unquote(parts.username or "postgres"),
    }
    if parts.password:
        target["password"] = unquote(parts.password)
    address = " ".join(f"{key}='{value}'" for key, value in target.items())
    return f"""[databases]
pooled = {address}
[pgbouncer]
listen_addr =
listen_port = {POOLER_PORT}
unix_socket_dir = {folder}
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_prepared_statements = {prepared_statements}
"""


def _wait_until_it_listens(address: Path, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + 10
    while not _listens(address):
        if process.poll() is not None or time.monotonic() > end:
            process.kill()
            said = process.stderr.read().decode(errors="replace") if process.stderr else ""
            raise ServerUnavailable(f"PgBouncer did not start: {said[-500:]}")
        time.sleep(0.01)


def _listens(address: Path) -> bool:
    """Whether a client is let in; the socket's file is there a moment before that."""
    with socket.socket(socket.AF_UNIX) as client:
        return client.connect_ex(str(address)) == 0
