"""The embedded server as its users see it: joined by many processes, started by the first, stopped by the last."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import TracebackType

from post_graph_rag.errors import Busy, ServerUnavailable

from . import running
from .cluster import Cluster, dsn
from .find import find_server
from .folders import reachable, refuse_foreign, shared_folder
from .identity import server_identity
from .programs import ServerPrograms


@dataclass(frozen=True)
class ServerStatus:
    """What is known of an embedded server.

    dsn, pid: None when it is not running. in_use: somebody has joined it. kept: it stays when nobody has.
    """

    running: bool
    folder: Path
    programs: ServerPrograms
    dsn: str | None = None
    pid: int | None = None
    in_use: bool = False
    kept: bool = False


class EmbeddedServer:
    """A local PostgreSQL with AGE and pgvector on a private folder, reached through a socket that lies in it.

    Any number of processes use one server at once: `acquire` joins it and starts it if need be, `release` leaves it
    and stops it if nobody else is there. A user that is killed counts as having left.

    Args:
        home: folder of data and caches. As root it must be a place that the server's user can reach.
        server_dir: a server's bin folder or the folder above; None looks for one (see `find_server`).
        keep_running: the server stays when its last user leaves.
        data: the server's folder; default `home/server-<major>`, one for each major version of PostgreSQL.
        durable: writes survive a crash of the machine; False is for tests.
    """

    def __init__(
        self,
        home: Path,
        server_dir: Path | None = None,
        keep_running: bool = False,
        data: Path | None = None,
        durable: bool = True,
    ) -> None:
        self.home = home.expanduser().absolute()
        self.server_dir = server_dir
        self.keep_running = keep_running
        self._data = data
        self._durable = durable
        self._joined: list[int] = []

    @cached_property
    def programs(self) -> ServerPrograms:
        """The server's programs, looked for once."""
        return find_server(self.server_dir, self.home)

    @property
    def folder(self) -> Path:
        """Where this server's database, socket and log (`server.log`) are."""
        return (self._data or self.home / f"server-{self.programs.major}").expanduser().resolve()

    @property
    def _cluster(self) -> Cluster:
        return Cluster(self.folder, self.programs, server_identity(), self._durable)

    # ------------------------------------------------------------ joining and leaving

    def acquire(self) -> str:
        """Join the server, start it if it is not running, and return its DSN.

        Raises:
            ServerUnavailable: no server was found, it does not start, or its data is another major version's.
        """
        with self._control():
            joined = running.join(self.folder)
            with ExitStack() as undone:
                undone.callback(self._leave, joined)
                address = self._ensure_running(self.keep_running)
                undone.pop_all()
        self._joined.append(joined)
        return address

    def release(self) -> None:
        """Leave the server; the last to leave stops it, unless it is to be kept. Without `acquire` it does nothing.

        Raises:
            ServerUnavailable: the server does not stop.
        """
        if not self._joined:
            return
        with self._control():
            self._leave(self._joined.pop())

    def start(self) -> str:
        """Start the server if it is not running, let it stay until `stop`, and return its DSN.

        Raises:
            ServerUnavailable: as for `acquire`.
        """
        with self._control():
            joined = running.join(self.folder)
            try:
                return self._ensure_running(keep=True)
            finally:
                self._leave(joined)

    def stop(self, force: bool = False) -> None:
        """Stop the server; what this object has joined is left.

        Args:
            force: also when others use it, whose sessions then break off.

        Raises:
            Busy: others use it.
            ServerUnavailable: it does not stop.
        """
        if not self.folder.exists():
            return
        with self._control():
            while self._joined:
                os.close(self._joined.pop())
            if running.in_use(self.folder) and not force:
                raise Busy("Other processes use this server: end them first, or stop it by force (--force).")
            self._stop()

    def status(self) -> ServerStatus:
        """Say whether the server runs, where, and whether it is used; changes nothing.

        Raises:
            ServerUnavailable: no server was found.
        """
        if not self.folder.exists():
            return ServerStatus(False, self.folder, self.programs)
        with self._control():
            now = running.postmaster(self.folder)
            if now is None:
                return ServerStatus(False, self.folder, self.programs)
            used, kept = running.in_use(self.folder), running.keep_mark(self.folder).exists()
        return ServerStatus(True, self.folder, self.programs, dsn(now), now.pid, used, kept)

    # ------------------------------------------------------------ under the control lock

    @contextmanager
    def _control(self) -> Iterator[None]:
        try:
            refuse_foreign(self.home)
            refuse_foreign(shared_folder(self.folder, server_identity()))
            with running.control(self.folder):
                yield
        except OSError as error:
            raise ServerUnavailable(
                f"The server's folder {self.folder} cannot be used: {error}. "
                "Name another in POST_GRAPH_RAG_HOME, or run as the user it belongs to."
            ) from error

    def _ensure_running(self, keep: bool) -> str:
        self._refuse_other_major()
        self._refuse_closed_folder()
        now = running.postmaster(self.folder)
        now = self._start() if now is None else self._cluster.wait_ready(now.pid)
        self._settle(now, keep)
        return dsn(now)

    def _start(self) -> running.Postmaster:
        for mark in (running.keep_mark(self.folder), running.settled_mark(self.folder)):
            mark.unlink(missing_ok=True)
        self._cluster.create()
        return self._cluster.start()

    def _settle(self, now: running.Postmaster, keep: bool) -> None:
        """Do what follows a start, unless it was done; who started it may have been killed in between."""
        settled = running.settled_mark(self.folder)
        if not settled.exists():
            self._cluster.prepare_extensions(now)
            if not keep:
                running.spawn_watcher(self.folder, now.pid)
            settled.touch(mode=0o600)
        if keep:
            running.keep_mark(self.folder).touch(mode=0o600)

    def _leave(self, joined: int) -> None:
        os.close(joined)
        if not running.in_use(self.folder) and not running.keep_mark(self.folder).exists():
            self._stop()

    def _stop(self) -> None:
        running.keep_mark(self.folder).unlink(missing_ok=True)
        if not running.stop_process(self.folder):
            raise ServerUnavailable(f"The server does not stop; see {self._cluster.log}")

    # ------------------------------------------------------------ refusals

    def _refuse_closed_folder(self) -> None:
        identity = server_identity()
        if not reachable(self.folder, identity):
            raise ServerUnavailable(
                f"{self.folder} lies in a folder that is closed to {identity.name}, as whom root runs the server: "
                "name an open folder in POST_GRAPH_RAG_HOME."
            )

    def _refuse_other_major(self) -> None:
        """Refuse data of another version, also when it lies beside: an empty database must not take its place."""
        own, mine = _major_of(self.folder), self.programs.major
        others = [] if self._data or own else [_major_of(found) for found in self.home.glob("server-*")]
        other = own if own not in (None, mine) else max((found for found in others if found), default=None)
        if other is not None:
            raise ServerUnavailable(
                f"The data in {self.folder if own else self.home} is PostgreSQL {other}'s and the server found in "
                f"{self.programs.bindir} is PostgreSQL {mine}: name a server of version {other} in "
                "POST_GRAPH_RAG_SERVER_DIR, or another folder in POST_GRAPH_RAG_HOME."
            )

    # ------------------------------------------------------------ for asyncio

    async def acquire_async(self) -> str:
        """`acquire` in a thread. When the wait is cancelled, the server is left again."""
        joining = asyncio.ensure_future(asyncio.to_thread(self.acquire))
        try:
            return await asyncio.shield(joining)
        except asyncio.CancelledError:
            await asyncio.wait([joining])
            await self.release_async()
            raise

    async def release_async(self) -> None:
        """`release` in a thread."""
        await asyncio.to_thread(self.release)

    async def __aenter__(self) -> str:
        return await self.acquire_async()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.release_async()


def _major_of(folder: Path) -> int | None:
    """The major version of the data in a server's folder; None when it holds none."""
    try:
        text = (running.data_folder(folder) / "PG_VERSION").read_text()
    except OSError:
        return None
    return int(match.group()) if (match := re.match(r"\d+", text)) else None
