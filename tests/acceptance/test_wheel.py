"""The wheel: what is in it, and that it runs the quickstart's code far from the checkout."""

from __future__ import annotations

import re
import shutil
import sys
import sysconfig
import venv
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

import pytest

from post_graph_rag import __version__
from tests.acceptance.places import DATA, QUICKSTART, ROOT, run
from tests.offline import needs_offline_models


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built wheel."""
    folder = tmp_path_factory.mktemp("wheel")
    built = run([sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder], ROOT)
    assert built.returncode == 0, built.stdout
    return next(folder.glob("*.whl"))


@pytest.fixture(scope="session")
def names(wheel: Path) -> set[str]:
    """The paths inside the wheel."""
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


@pytest.fixture(scope="session")
def metadata(wheel: Path) -> Message:
    """What the wheel says of itself."""
    with zipfile.ZipFile(wheel) as archive:
        name = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return Parser().parsestr(archive.read(name).decode())


@pytest.fixture
def elsewhere(open_home: Path) -> Path:
    """A copy of the quickstart and its documents outside the checkout."""
    folder = open_home / "elsewhere"
    shutil.copytree(DATA, folder / "data")
    shutil.copy(QUICKSTART, folder)
    return folder


def files_below(folder: Path, pattern: str) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob(pattern) if path.is_file()}


def test_the_wheel_says_that_it_is_typed(names: set[str]) -> None:
    assert "post_graph_rag/py.typed" in names


def test_every_migration_is_in_the_wheel(names: set[str]) -> None:
    migrations = files_below(ROOT / "migrations", "*")
    assert migrations
    assert {name.removeprefix("post_graph_rag/migrations/") for name in names if "/migrations/" in name} == migrations


@pytest.mark.parametrize("pattern", ["*.py", "*.sql", "*.md"])
def test_every_module_statement_and_prompt_is_in_the_wheel(names: set[str], pattern: str) -> None:
    wanted = {f"post_graph_rag/{name}" for name in files_below(ROOT / "post_graph_rag", pattern)}
    assert wanted
    assert wanted - names == set()


def test_nothing_but_the_library_is_in_the_wheel(names: set[str]) -> None:
    assert {name.split("/")[0].removesuffix(".dist-info") for name in names} == {
        "post_graph_rag",
        f"post_graph_rag-{__version__}",
    }
    assert [name for name in names if "test_" in name or name.endswith(".pyc")] == []


def test_the_licence_goes_with_the_wheel(names: set[str], metadata: Message) -> None:
    assert metadata["License-Expression"] == "Apache-2.0"
    assert f"post_graph_rag-{__version__}.dist-info/licenses/LICENSE" in names


def test_the_version_is_said_alike_in_the_wheel_and_in_the_library(metadata: Message) -> None:
    assert metadata["Version"] == __version__


def test_the_core_stays_light(metadata: Message) -> None:
    core = {line.split(";")[0] for line in metadata.get_all("Requires-Dist") or () if "extra ==" not in line}
    heavy = ("spacy", "wordllama", "pgserver", "igraph", "leidenalg", "torch")
    assert [line for line in core if line.startswith(heavy)] == []


@needs_offline_models
def test_the_wheel_runs_the_quickstart_beside_dependencies_that_are_there(
    wheel: Path, elsewhere: Path, open_home: Path, tmp_path: Path
) -> None:
    """The quick variant: the wheel alone is installed, its dependencies are borrowed from this environment."""
    python = bare_environment(tmp_path / "env")
    borrow_packages(python)
    installed = run(
        [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps", "--no-index", wheel],
        tmp_path,
    )
    assert installed.returncode == 0, installed.stdout
    assert_runs_the_quickstart(python, elsewhere, open_home)


@needs_offline_models
@pytest.mark.extended
def test_the_wheel_with_its_extras_runs_the_quickstart_in_an_empty_environment(
    wheel: Path, elsewhere: Path, open_home: Path, tmp_path: Path
) -> None:
    python = bare_environment(tmp_path / "env")
    installed = run(
        [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", f"{wheel}[embedded,local]"], tmp_path
    )
    assert installed.returncode == 0, installed.stdout
    assert_runs_the_quickstart(python, elsewhere, open_home)


def bare_environment(folder: Path) -> Path:
    """An environment without any package, not even pip; gives its Python."""
    venv.create(folder, symlinks=True)
    return folder / "bin" / "python"


def borrow_packages(python: Path) -> None:
    """Let an environment see this one's packages; the checkout's own .pth file is not read from there."""
    theirs = next((python.parents[1] / "lib").glob("python*/site-packages"))
    (theirs / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")


def assert_runs_the_quickstart(python: Path, elsewhere: Path, home: Path) -> None:
    where = run([python, "-c", "import post_graph_rag; print(post_graph_rag.__file__)"], elsewhere)
    assert Path(where.stdout.strip()).is_relative_to(python.parents[1]), where.stdout
    ran = run([python, QUICKSTART.name], elsewhere, {"POST_GRAPH_RAG_HOME": str(home / "home")})
    assert ran.returncode == 0, ran.stdout
    assert re.search(r"^Answer .*\[\d+\]", ran.stdout, re.MULTILINE), ran.stdout
