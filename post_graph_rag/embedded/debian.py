"""Debian packages for one purpose, without root and without touching the system's own apt.

A private folder plays an empty machine: apt resolves, downloads and checks signatures there with the mirror that the
system's own apt is set to.
"""

from __future__ import annotations

import os
import pwd
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from post_graph_rag.errors import ServerUnavailable

KEYRINGS = ("debian-archive-keyring.gpg", "debian-archive-keyring.pgp")
KEYRING_FOLDER = Path("/usr/share/keyrings")
_INDEX_QUERY = ("Identifier: Packages", "Origin: Debian", "Label: Debian", "Component: main")
_NO_DEBIAN = (
    "No Debian mirror is known to apt here: run `apt-get update` as root once and try again, or install the wheel "
    "(the extra `embedded`), or name a server's folder in POST_GRAPH_RAG_SERVER_DIR."
)


@dataclass(frozen=True)
class PrivateApt:
    """An apt of our own in `folder`, for one suite of Debian."""

    folder: Path
    suite: str

    def update(self) -> None:
        """Fetch the suite's list of packages.

        Raises:
            ServerUnavailable: there is no apt, no mirror, no keyring, or the mirror's list cannot be used.
        """
        mirror = _mirror()
        for name in ("lists/partial", "archives/partial", "none", "debs"):
            (self.folder / name).mkdir(parents=True)
        (self.folder / "status").touch()
        (self.folder / "sources").write_text(f"deb [signed-by={_keyring()}] {mirror} {self.suite} main\n")
        (self.folder / "conf").write_text(_configuration(self.folder))
        try:
            self._apt("apt-get", "update", "-qq", "--error-on=any")
        except ServerUnavailable as error:
            raise ServerUnavailable(_advice(self.suite, str(error))) from error

    def names(self, prefix: str) -> list[str]:
        """The packages whose name begins with `prefix`."""
        return self._apt("apt-cache", "pkgnames", prefix).split()

    def needed(self, packages: Sequence[str]) -> list[str]:
        """The packages themselves and all that they depend on, by apt's own solver."""
        plan = self._apt("apt-get", "install", "-qq", "-y", "--no-install-recommends", "--print-uris", *packages)
        return sorted({line.split()[1].split("_")[0] for line in plan.splitlines() if line.startswith("'")})

    def download(self, packages: Sequence[str]) -> list[Path]:
        """Download package files; apt checks their signatures and hashes."""
        self._apt("apt-get", "download", "-qq", *packages)
        return sorted((self.folder / "debs").glob("*.deb"))

    def _apt(self, *command: str) -> str:
        return run(command, self.folder / "debs", dict(os.environ, APT_CONFIG=str(self.folder / "conf"), LC_ALL="C"))


def run(command: Sequence[str], folder: Path | None = None, environment: dict[str, str] | None = None) -> str:
    """Run a program of the packaging tools and return what it printed.

    Raises:
        ServerUnavailable: it is not there, or failed; with the end of what it said.
    """
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, cwd=folder, env=environment
        )
    except OSError as error:
        raise ServerUnavailable(f"{command[0]} cannot be run ({error}). {_NO_DEBIAN}") from error
    if done.returncode:
        raise ServerUnavailable(f"{' '.join(command[:2])} failed: {done.stderr.strip()[-500:]}")
    return done.stdout


def _mirror() -> str:
    found = run(("apt-get", "indextargets", "--format", "$(REPO_URI)", *_INDEX_QUERY)).split()
    if not found:
        raise ServerUnavailable(_NO_DEBIAN)
    return found[0]


def _keyring() -> Path:
    for name in KEYRINGS:
        if (KEYRING_FOLDER / name).exists():
            return KEYRING_FOLDER / name
    raise ServerUnavailable("Debian's keys are missing: install the package debian-archive-keyring and try again.")


def _advice(suite: str, said: str) -> str:
    if "expired" in said or "not valid" in said:
        return f"The mirror's list of Debian {suite} is past its date, and apt refuses it: try later or another suite."
    return f"Debian {suite} cannot be read from the system's mirror: {said}"


def _configuration(folder: Path) -> str:
    user = pwd.getpwuid(os.geteuid()).pw_name
    return f"""Dir::Etc::sourcelist "{folder}/sources";
Dir::Etc::sourceparts "{folder}/none";
Dir::Etc::preferences "{folder}/none/p";
Dir::Etc::preferencesparts "{folder}/none";
Dir::State "{folder}";
Dir::State::lists "{folder}/lists";
Dir::State::status "{folder}/status";
Dir::Cache "{folder}";
Dir::Cache::archives "{folder}/archives";
Dir::Cache::pkgcache "pkgcache.bin";
Dir::Cache::srcpkgcache "srcpkgcache.bin";
Acquire::GzipIndexes "true";
Acquire::Languages "none";
Acquire::Retries "3";
APT::Sandbox::User "{user}";
APT::Install-Recommends "false";
"""
