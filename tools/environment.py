"""Make .venv hold what a Makefile target needs; cost nothing when it already does.

Usage: python tools/environment.py run|dev

`run` is the library with its extras, `dev` adds the tools of lint, types, tests and builds. Only the standard
library is used: this runs before anything is installed, under the Python that .venv is to have.
"""

from __future__ import annotations

import fcntl
import hashlib
import importlib.util
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

Run = Callable[[Sequence[str]], None]
# The interpreter that runs this may itself lie in the .venv that is to be replaced.
BASE_PYTHON: str = getattr(sys, "_base_executable", sys.executable)
VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"
# A finished install of the key is good for all the kinds named.
COVERS = {"run": ("run",), "dev": ("dev", "run")}
NO_VENV = (
    f"Python {VERSION} here cannot make virtual environments: on Debian and Ubuntu install the package python3-venv."
)


class Environment:
    """The .venv of one checkout; `run` carries out a command and raises CalledProcessError when it fails."""

    def __init__(self, folder: Path, run: Run) -> None:
        self.folder = folder
        self.venv = folder / ".venv"
        self.python = self.venv / "bin" / "python"
        self.unfinished = self.venv / ".unfinished"
        self._run = run

    def ensure(self, kind: str) -> None:
        """Install `kind` unless it stands; several processes may ask at once."""
        if self.is_ready(kind):
            return
        with self._lock():
            if not self.is_ready(kind):
                self._make(kind)

    def is_ready(self, kind: str) -> bool:
        stamp = self._stamp(kind)
        return stamp.exists() and stamp.read_text() == self._wanted(kind) and self._answers("import sys")

    def _make(self, kind: str) -> None:
        print(f"Installing into {self.venv} (once; about half a minute)", flush=True)
        if not self._is_sound():
            self._start_afresh()
        self.unfinished.touch()
        self._install(kind)
        for covered in COVERS[kind]:
            self._stamp(covered).write_text(self._wanted(covered))
        self.unfinished.unlink()

    def _install(self, kind: str) -> None:
        pip = [str(self.python), "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps"]
        # Compiling all that is there takes longer than compiling, when it is first imported, what is used.
        self._run([*pip, "--no-compile", "--require-hashes", "-r", str(self._lockfile(kind))])
        self._run([*pip, "--no-build-isolation", "--editable", str(self.folder)])

    def _is_sound(self) -> bool:
        """Whether .venv can be built upon: finished, made for this folder and Python, and with a pip that runs."""
        settings = self.venv / "pyvenv.cfg"
        if self.unfinished.exists() or not settings.exists() or str(self.venv) not in settings.read_text():
            return False
        return self._answers(f"import sys, pip; sys.exit('%d.%d' % sys.version_info[:2] != '{VERSION}')")

    def _start_afresh(self) -> None:
        if importlib.util.find_spec("ensurepip") is None:
            raise SystemExit(NO_VENV)
        if self.venv.exists():
            shutil.rmtree(self.venv)
        self.venv.mkdir()
        self.unfinished.touch()
        self._run([BASE_PYTHON, "-m", "venv", str(self.venv)])

    def _answers(self, code: str) -> bool:
        command = [str(self.python), "-c", code]
        try:
            return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
        except OSError:
            return False

    def _stamp(self, kind: str) -> Path:
        return self.venv / f".installed-{kind}"

    def _lockfile(self, kind: str) -> Path:
        return self.folder / "requirements" / f"{kind}.txt"

    def _wanted(self, kind: str) -> str:
        """What a finished install would say: another lock, project file, folder or Python makes it another text."""
        files = (self._lockfile(kind), self.folder / "pyproject.toml")
        digest = hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()
        return f"{digest} Python {VERSION} {self.folder}\n"

    @contextmanager
    def _lock(self) -> Iterator[None]:
        with (self.folder / "pyproject.toml").open() as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def run(command: Sequence[str]) -> None:
    subprocess.run(command, check=True)


def main() -> None:
    if len(sys.argv) != 2 or sys.argv[1] not in COVERS:
        raise SystemExit(__doc__)
    try:
        Environment(Path(__file__).resolve().parents[1], run).ensure(sys.argv[1])
    except subprocess.CalledProcessError as error:
        raise SystemExit("The installation failed, see above; run the same command again to go on.") from error


if __name__ == "__main__":
    main()
