"""A server from Debian's packages, unpacked into the cache so that it runs on any Linux: no root, nothing installed."""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from shlex import quote

from post_graph_rag.errors import ServerUnavailable

from .debian import PrivateApt
from .folders import publish, refuse_foreign, shared_folder
from .identity import server_identity

SUITES = ("forky", "trixie")
Choose = Callable[[PrivateApt], list[str]]

# not loaded by an unpacked server: compilers, maintainer scripts' helpers, locales, login modules
_NOT_LOADED = (
    *("libllvm", "libz3", "libperl", "libpam-modules", "libsemanage", "libsepol", "libdebconf", "libdb5", "libgdbm"),
    *("libtext-", "libjson-", "libio-", "libipc-", "libproc2", "libncurses", "libc-bin", "libc-l10n", "libc-gconv"),
    *("libaudit-common", "libsasl2-modules", "libsystemd-shared", "libmount", "libblkid", "libbsd", "libmd0"),
)
_NOT_UNPACKED = (
    *("./usr/share/doc", "./usr/share/man", "./usr/share/locale", "./usr/share/lintian", "./usr/share/perl5"),
    *("./usr/share/postgresql/*/man", "./usr/lib/postgresql/*/lib/bitcode", "./usr/lib/postgresql/*/lib/llvmjit*"),
    *("./usr/lib/*/gconv", "./usr/include", "./usr/share/zoneinfo"),
)
_PROGRAMS = ("usr/lib/postgresql/*/bin/*", "usr/sbin/*")


def unpack_server(home: Path, suite: str = "forky") -> Path:
    """Unpack the newest PostgreSQL of a Debian suite that has AGE and pgvector, unless the cache has it.

    Args:
        home: folder under which the cache lies.
        suite: Debian's name of a release: trixie has PostgreSQL 17, forky 18.

    Returns:
        The server's bin folder.

    Raises:
        ServerUnavailable: no apt, no mirror, or the suite cannot be used; says what to do.
    """
    refuse_foreign(home)
    root = unpack_packages(home / "cache" / f"debian-{suite}", suite, choose_server)
    return next(root.glob("usr/lib/postgresql/*/bin"))


def unpack_newest(home: Path, tell: Callable[[str], None], suites: Sequence[str] = SUITES) -> Path:
    """Unpack the server of the first suite that can be had.

    Args:
        home: folder under which the cache lies.
        tell: is told, in a sentence, why a suite was passed over.
        suites: Debian's names of releases, the best first.

    Returns:
        The server's bin folder.

    Raises:
        ServerUnavailable: none can be had; the last one's reason.
    """
    for suite in suites[:-1]:
        try:
            return unpack_server(home, suite)
        except ServerUnavailable as reason:
            tell(f"{reason} Trying an older release than {suite}.")
    return unpack_server(home, suites[-1])


def unpack_packages(folder: Path, suite: str, choose: Choose) -> Path:
    """Unpack packages with the libraries they need into `folder`, unless that was done before.

    Args:
        folder: where they go; it appears when all is there.
        suite: Debian's name of a release.
        choose: tells the packages to fetch, given an apt that knows the suite.

    Returns:
        The folder that stands for `/`.

    Raises:
        ServerUnavailable: the packages cannot be fetched or unpacked.
    """
    if not folder.exists():
        try:
            shared_folder(folder.parent, server_identity())
            with tempfile.TemporaryDirectory(dir=folder.parent, ignore_cleanup_errors=True) as staging:
                _unpack(Path(staging), folder, PrivateApt(Path(staging) / "apt", suite), choose)
        except OSError as error:
            raise ServerUnavailable(f"Packages cannot be unpacked to {folder}: {error}") from error
    return folder / "root"


def _unpack(staging: Path, final: Path, apt: PrivateApt, choose: Choose) -> None:
    ready = staging / "ready"
    root = ready / "root"
    root.mkdir(parents=True)
    apt.folder.mkdir()
    staging.chmod(0o755)  # apt reads through it as a user of its own
    apt.update()
    archives = apt.download(choose(apt))
    for archive in archives:
        _extract(archive, root)
    _bind_programs(root, final / "root")
    (ready / "packages.txt").write_text("".join(f"{archive.name}\n" for archive in archives))
    publish(ready, final)


def choose_server(apt: PrivateApt) -> list[str]:
    """The newest server that has both extensions (and the BM25 extension if there is one) and what it loads."""
    names = set(apt.names("postgresql-"))
    with_age = {int(found[1]) for name in names if (found := re.fullmatch(r"postgresql-(\d+)-age", name))}
    majors = {major for major in with_age if f"postgresql-{major}-pgvector" in names}
    if not majors:
        raise ServerUnavailable(f"Debian {apt.suite} has no PostgreSQL with AGE and pgvector: name another suite.")
    server = f"postgresql-{max(majors)}"
    wanted = [server, f"{server}-age", f"{server}-pgvector", *({f"{server}-pg-textsearch"} & names)]
    client = f"postgresql-client-{max(majors)}"
    return [name for name in apt.needed(wanted) if name in (*wanted, client) or loaded_library(name)]


def loaded_library(package: str) -> bool:
    """Whether a package holds libraries that an unpacked program may load."""
    return package == "zlib1g" or (package.startswith("lib") and not package.startswith(_NOT_LOADED))


def _extract(archive: Path, root: Path) -> None:
    content = subprocess.Popen(["dpkg-deb", "--fsys-tarfile", archive], stdout=subprocess.PIPE)
    skipped = [f"--exclude={pattern}" for pattern in _NOT_UNPACKED]
    flags = ["--no-same-owner", "--no-same-permissions", "--wildcards"]
    with content:
        done = subprocess.run(["tar", "-x", "-C", root, *flags, *skipped], stdin=content.stdout)
    if done.returncode or content.returncode:
        raise ServerUnavailable(f"{archive.name} cannot be unpacked")


def _bind_programs(root: Path, final: Path) -> None:
    """Let each program run with the libraries that came along, the C library included, whatever the machine's are."""
    library_folder = next(root.glob("usr/lib/*/libc.so.6")).parent
    loader = next(library_folder.glob("ld-linux-*.so.*"))

    def placed(path: Path) -> str:
        return quote(str(final / path.relative_to(root)))

    for program in [found for pattern in _PROGRAMS for found in root.glob(pattern)]:
        if program.read_bytes()[:4] != b"\x7fELF":
            continue
        real = program.with_name(program.name + ".bin")
        program.rename(real)
        command = f"{placed(loader)} --library-path {placed(library_folder)} {placed(real)}"
        program.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        program.chmod(0o755)
