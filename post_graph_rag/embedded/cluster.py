"""One data folder: made once, started, and asked for its DSN. Callers hold the folder's control lock.

Layout of a server's folder: `data` (the database) and `socket` belong to the server's user and are closed to all
others; `control`, `users`, `keep` and `server.log` to the user who calls.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from post_graph_rag.errors import ServerUnavailable

from .folders import private_folder
from .identity import Identity, run_program, spawn_options
from .programs import EXTENSIONS, ServerPrograms
from .running import Postmaster, alive, data_folder, ended, pid_file, postmaster

START_SECONDS = 60.0
ORPHAN_SECONDS = 10.0
DATABASE = "postgres"
PORT = 5432  # only names the socket file: the server listens on no network address
SOCKET_PATH_LIMIT = 103  # bytes; Linux takes 107, macOS 103
SHORT_PLACE, SHORT_PREFIX = Path("/tmp"), "post_graph_rag-"  # for the socket of a server whose own path is too long
NOT_DURABLE = ("fsync=off", "full_page_writes=off")
_SPAWN = '"$@" >&2 </dev/null & echo $!'


@dataclass(frozen=True)
class Cluster:
    """A data folder and the programs that serve it.

    folder: absolute, without links; exists.
    durable: writes survive a crash of the machine; False is for tests.
    """

    folder: Path
    programs: ServerPrograms
    identity: Identity
    durable: bool = True

    @property
    def log(self) -> Path:
        """What the server says."""
        return self.folder / "server.log"

    def create(self) -> None:
        """Make the database files, unless they are there; half of them never are."""
        if data_folder(self.folder).exists():
            return
        staged = self.folder / "data.new"
        shutil.rmtree(staged, ignore_errors=True)
        private_folder(staged, self.identity)
        run_program(self._initdb(staged), self.identity)
        staged.rename(data_folder(self.folder))

    def _initdb(self, target: Path) -> list[str | Path]:
        locale = "C" if sys.platform == "darwin" else "C.UTF-8"
        # trust lets in only who can enter the private socket folder: the server's own user, and root
        options = ["--username=postgres", "--auth-local=trust", "--auth-host=reject", "--encoding=UTF8"]
        options += [f"--locale={locale}", "--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--no-instructions"]
        return [self.programs.bindir / "initdb", "-D", target, *options, *([] if self.durable else ["--no-sync"])]

    def start(self) -> Postmaster:
        """Start the server and wait until it takes connections.

        Raises:
            ServerUnavailable: it did not come up; with the end of its log.
        """
        end = time.monotonic() + ORPHAN_SECONDS
        while True:
            self._clear_stale()
            position = self.log.stat().st_size if self.log.exists() else 0
            try:
                return self.wait_ready(self._spawn(), position)
            except ServerUnavailable as error:
                # sessions of a killed server notice within a moment and must be gone before the next may start
                if "still in use" not in str(error) or time.monotonic() > end:
                    raise
                time.sleep(0.1)

    def _clear_stale(self) -> None:
        """Remove what a killed server left when its number is some other process's by now.

        A number that is nobody's is left to PostgreSQL, whose own check covers more.
        """
        try:
            lines = pid_file(self.folder).read_text().splitlines()
            pid, socket_folder = int(lines[0]), Path(lines[4])
        except (OSError, ValueError, IndexError):
            return
        if alive(pid):
            pid_file(self.folder).unlink(missing_ok=True)
            (self.folder / "socket" / f".s.PGSQL.{PORT}.lock").unlink(missing_ok=True)
        if socket_folder.parent == SHORT_PLACE and socket_folder.name.startswith(SHORT_PREFIX):
            shutil.rmtree(socket_folder, ignore_errors=True)

    def _spawn(self) -> int:
        """Start the server as nobody's child, so that whoever ends it need not wait for us, and return its number."""
        self.log.touch(mode=0o600)
        descriptor = os.open(self.log, os.O_WRONLY | os.O_APPEND)
        try:
            done = subprocess.run(
                ["/bin/sh", "-c", _SPAWN, "sh", *self._command()],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=descriptor,
                start_new_session=True,
                check=True,
                **spawn_options(self.identity),
            )
        except (OSError, subprocess.SubprocessError) as error:
            raise ServerUnavailable(f"{self.programs.bindir / 'postgres'} cannot be started: {error}") from error
        finally:
            os.close(descriptor)
        return int(done.stdout)

    def _command(self) -> list[str]:
        settings = [f"port={PORT}", "listen_addresses=", f"unix_socket_directories={_quoted(self._socket_folder())}"]
        if self.programs.has_bm25:
            settings += ["shared_preload_libraries=pg_textsearch"]
        settings += [] if self.durable else NOT_DURABLE
        command = [str(self.programs.bindir / "postgres"), "-D", str(data_folder(self.folder))]
        return command + [part for setting in settings for part in ("-c", setting)]

    def _socket_folder(self) -> Path:
        folder = self.folder / "socket"
        name = os.fsencode(folder / f".s.PGSQL.{PORT}")
        if len(name) <= SOCKET_PATH_LIMIT and b"," not in name:  # a comma would separate two hosts in a DSN
            return private_folder(folder, self.identity)
        return private_folder(Path(tempfile.mkdtemp(prefix=SHORT_PREFIX, dir=SHORT_PLACE)), self.identity)

    def wait_ready(self, pid: int, position: int = 0) -> Postmaster:
        """Wait until server `pid` takes connections.

        Args:
            pid: its process, which may still be on its way up.
            position: where in the log its own messages begin, in bytes.

        Raises:
            ServerUnavailable: it ended, or takes more than a minute.
        """
        end = time.monotonic() + START_SECONDS
        while time.monotonic() < end:
            running = postmaster(self.folder)
            if running and running.ready:
                return running
            if ended(pid):
                raise ServerUnavailable(f"The server did not start; {self.log} ends: {self._log_since(position)}")
            time.sleep(0.005)
        raise ServerUnavailable(f"The server did not get ready within {START_SECONDS:.0f} s; see {self.log}")

    def _log_since(self, position: int) -> str:
        with self.log.open("rb") as file:
            file.seek(position)
            return file.read().decode(errors="replace").strip()[-800:]

    def prepare_extensions(self, running: Postmaster) -> None:
        """Create both extensions, and lift them to this server's version when an older one made the data.

        AGE is loaded in every session of this database, so that nobody, least of all a user without rights, has to
        load it first; not in other databases, where AGE 1.5 makes every DROP fail until its extension is created.

        Raises:
            ServerUnavailable: a newer version made the data, or the server broke off.
        """
        psql: list[str | Path] = [self.programs.bindir / "psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-d", dsn(running)]
        verbs = ("create extension if not exists {}", "alter extension {} update")
        statements = ["set client_min_messages = warning"]
        statements += [verb.format(name) for name in EXTENSIONS for verb in verbs]
        statements += [f"alter database {DATABASE} set session_preload_libraries = age"]
        try:
            run_program([*psql, *(part for statement in statements for part in ("-c", statement))], self.identity)
        except ServerUnavailable as error:
            raise ServerUnavailable(
                f"The data in {self.folder} does not fit the extensions of {self.programs.bindir}: {error}. "
                "Name the server that made it in POST_GRAPH_RAG_SERVER_DIR, or another folder in POST_GRAPH_RAG_HOME."
            ) from error


def dsn(running: Postmaster) -> str:
    """The address of a running server, good for asyncpg, psycopg and libpq's own programs; it holds no password."""
    return f"postgresql://postgres@/{DATABASE}?host={quote(running.socket_folder)}&port={PORT}"


def _quoted(path: Path) -> str:
    return '"' + str(path).replace('"', '""') + '"'
