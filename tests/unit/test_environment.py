"""tools/environment.py: .venv is made once, made again when something changed, and mended from any half state."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "environment.py"


def load_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("environment", SCRIPT)
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


environment = load_script()


class Installer:
    """Stands in for venv and pip: makes a Python that runs, installs nothing, and counts; fails when told to."""

    def __init__(self, venv: Path) -> None:
        self.venv = venv
        self.made = 0
        self.locks: list[str] = []
        self.failing = False

    def __call__(self, command: Sequence[str]) -> None:
        if "venv" in command:
            self.made += 1
            self._make()
        elif self.failing:
            raise subprocess.CalledProcessError(1, command)
        elif "-r" in command:
            self.locks.append(Path(command[command.index("-r") + 1]).stem)

    def _make(self) -> None:
        (self.venv / "bin").mkdir()
        (self.venv / "bin" / "python").symlink_to(sys.executable)
        (self.venv / "pyvenv.cfg").write_text(f"command = python -m venv {self.venv}\n")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "requirements").mkdir()
    for name in ("requirements/run.txt", "requirements/dev.txt", "pyproject.toml"):
        (tmp_path / name).write_text(f"# {name}\n")
    return tmp_path


@pytest.fixture
def installer(folder: Path) -> Installer:
    return Installer(folder / ".venv")


def ensure(folder: Path, installer: Installer, kind: str = "run") -> None:
    environment.Environment(folder, installer).ensure(kind)


def test_a_second_call_installs_nothing(folder: Path, installer: Installer) -> None:
    ensure(folder, installer)
    ensure(folder, installer)
    assert (installer.made, installer.locks) == (1, ["run"])


def test_the_tests_environment_serves_the_quickstart_too(folder: Path, installer: Installer) -> None:
    ensure(folder, installer, "dev")
    ensure(folder, installer, "run")
    assert installer.locks == ["dev"]


def test_the_quickstarts_environment_is_built_upon_for_the_tests(folder: Path, installer: Installer) -> None:
    ensure(folder, installer, "run")
    ensure(folder, installer, "dev")
    assert (installer.made, installer.locks) == (1, ["run", "dev"])


@pytest.mark.parametrize("changed", ["requirements/run.txt", "pyproject.toml"])
def test_a_change_of_lock_or_project_file_installs_again(folder: Path, installer: Installer, changed: str) -> None:
    ensure(folder, installer)
    (folder / changed).write_text("# changed\n")
    ensure(folder, installer)
    assert (installer.made, installer.locks) == (1, ["run", "run"])


def test_an_install_that_broke_off_is_begun_afresh(folder: Path, installer: Installer) -> None:
    installer.failing = True
    with pytest.raises(subprocess.CalledProcessError):
        ensure(folder, installer)
    installer.failing = False
    ensure(folder, installer)
    assert (installer.made, installer.locks) == (2, ["run"])


def test_an_upgrade_that_broke_off_is_begun_afresh(folder: Path, installer: Installer) -> None:
    ensure(folder, installer)
    installer.failing = True
    with pytest.raises(subprocess.CalledProcessError):
        ensure(folder, installer, "dev")
    installer.failing = False
    ensure(folder, installer, "dev")
    assert installer.made == 2


def test_an_environment_whose_python_is_gone_is_made_again(folder: Path, installer: Installer) -> None:
    ensure(folder, installer)
    python = folder / ".venv" / "bin" / "python"
    python.unlink()
    python.symlink_to("/nowhere/python")
    ensure(folder, installer)
    assert installer.made == 2


def test_an_environment_that_was_moved_is_made_again(folder: Path, installer: Installer, tmp_path: Path) -> None:
    ensure(folder, installer)
    moved = folder.rename(tmp_path.with_name("moved"))
    there = Installer(moved / ".venv")
    ensure(moved, there)
    assert there.made == 1


def test_a_deleted_environment_is_made_again(folder: Path, installer: Installer) -> None:
    ensure(folder, installer)
    (folder / ".venv").rename(folder / "gone")
    ensure(folder, installer)
    assert installer.made == 2


def test_a_python_without_venv_is_told_which_package_it_lacks(
    folder: Path, installer: Installer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(environment.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(SystemExit, match="install the package python3-venv"):
        ensure(folder, installer)
    assert not (folder / ".venv").exists()
