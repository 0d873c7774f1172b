"""The house rules that a machine can check: directions, sizes, where SQL may stand, no host names."""

from __future__ import annotations

import ast
import re
import statistics
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "post_graph_rag"
MODULES = sorted(PACKAGE.rglob("*.py"))

# From the top of the house down; every other module directly in the package is the ground floor.
ROOMS = (
    "serve",
    "testing",
    "engine",
    "opening",
    "messages",
    "knowledge",
    "communities",
    "retention",
    "edit",
    "ingest",
    "retrieve",
    "models",
    "store",
    "embedded",
)
GROUND = len(ROOMS)

WIDEST_LINE = 120
LONGEST_MODULE = 300
LONGEST_FUNCTION = 30
MEDIAN_FUNCTION = 12

Function = ast.FunctionDef | ast.AsyncFunctionDef


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def dotted(path: Path) -> str:
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    return name.removesuffix(".__init__")


def floor(module: str) -> int:
    """How far down a module lives: 0 is the top; the package's own face sees everything."""
    parts = module.split(".")
    if len(parts) == 1:
        return -1
    return ROOMS.index(parts[1]) if parts[1] in ROOMS else GROUND


def imported_modules(path: Path) -> Iterator[str]:
    """The modules of this package that `path` imports, wherever in the file."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from (_submodule(node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def _submodule(module: str, name: str) -> str:
    """`from package import name` names a module when there is one, else something inside the package."""
    return f"{module}.{name}" if module == PACKAGE.name else module


def functions_of(path: Path) -> list[Function]:
    return [node for node in ast.walk(tree_of(path)) if isinstance(node, Function)]


def size(function: Function) -> int:
    """Lines of a function's body without its docstring: what a reader must hold in mind."""
    first = function.body[1] if ast.get_docstring(function) and len(function.body) > 1 else function.body[0]
    return (function.end_lineno or first.lineno) - first.lineno + 1


def texts_of(path: Path) -> Iterator[ast.Constant]:
    """String constants that are not docstrings."""
    tree = tree_of(path)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | Function) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node


def tracked_files() -> list[Path]:
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False).stdout.decode()
    return [path for name in names.split("\0") if name and (path := ROOT / name).is_file()]


def test_imports_point_downwards_only() -> None:
    upwards = [
        f"{dotted(path)} imports {target}"
        for path in MODULES
        for target in imported_modules(path)
        if target.split(".")[0] == PACKAGE.name and floor(target) < floor(dotted(path))
    ]
    assert upwards == []


def test_no_module_is_too_long_to_read_at_once() -> None:
    lengths = {dotted(path): len(path.read_text(encoding="utf-8").splitlines()) for path in MODULES}
    assert {name: lines for name, lines in lengths.items() if lines > LONGEST_MODULE} == {}


def test_no_function_is_too_long_to_hold_in_mind() -> None:
    sizes = {f"{dotted(path)}:{f.name}": size(f) for path in MODULES for f in functions_of(path)}
    assert {name: lines for name, lines in sizes.items() if lines > LONGEST_FUNCTION} == {}


def test_functions_are_about_ten_lines() -> None:
    sizes = [size(function) for path in MODULES for function in functions_of(path)]
    assert statistics.median(sizes) <= MEDIAN_FUNCTION


# Statements about extensions and their loading are left out: the embedded server is brought up with them before there
# is a store.
SQL = re.compile(
    r"\b(select\s.+\sfrom\s|insert\s+into\s|update\s+\S+\s+set\s|delete\s+from\s|truncate\s|copy\s+\S+\s+from\s"
    r"|(create|drop|alter)\s+(table|schema|index|role|view)\b|(create|drop)\s+database\b)",
    re.IGNORECASE | re.DOTALL,
)


def test_sql_is_no_wider_than_code() -> None:
    wide = [
        f"{path.name}:{number}"
        for path in (PACKAGE / "store" / "sql").glob("*.sql")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if len(line) > WIDEST_LINE
    ]
    assert wide == []


def test_only_the_store_speaks_sql() -> None:
    speakers = [
        f"{dotted(path)}:{text.lineno}"
        for path in MODULES
        if floor(dotted(path)) != ROOMS.index("store")
        for text in texts_of(path)
        if SQL.search(str(text.value))
    ]
    assert speakers == []


def test_python_holds_no_sql_longer_than_a_line() -> None:
    long = [
        f"{dotted(path)}:{text.lineno}"
        for path in MODULES
        for text in texts_of(path)
        if SQL.search(str(text.value)) and text.end_lineno != text.lineno
    ]
    assert long == []


def test_public_functions_and_classes_say_what_they_are_for() -> None:
    silent = [
        f"{dotted(path)}:{node.lineno} {node.name}"
        for path in MODULES
        for node in tree_of(path).body
        if isinstance(node, Function | ast.ClassDef) and not node.name.startswith("_") and not ast.get_docstring(node)
    ]
    assert silent == []


URL = re.compile(r"\bhttps?://([^\s/:\"'<>)\]}`]+)")
# Hosts that exist nowhere or here only, those that papers and licences are cited by, and the model endpoint that the
# OpenAI SDK takes when none is named.
PLAIN_HOSTS = re.compile(
    r"(localhost|127\.0\.0\.1|0\.0\.0\.0|(.+\.)?example(\.(com|org|net))?|.+\.(invalid|test)|doi\.org|arxiv\.org"
    r"|www\.apache\.org|api\.openai\.com|[^.]*)$"
)


def test_no_file_names_a_host() -> None:
    named = [
        f"{path.relative_to(ROOT)}: {host}"
        for path in tracked_files()
        for host in URL.findall(path.read_text(encoding="utf-8", errors="replace"))
        if not PLAIN_HOSTS.match(host)
    ]
    assert named == []


BARE_HOST = re.compile(r"\b[a-z0-9-]+\.(org|com|io|net|dev|cloud)\b", re.IGNORECASE)
BUILD_FILES = ("Makefile", "pyproject.toml", "requirements/*", "docker/*", ".ci/*", ".github/**/*.yml", "tools/*.py")


@pytest.mark.parametrize("pattern", BUILD_FILES)
def test_build_files_name_packages_and_images_without_a_registry(pattern: str) -> None:
    files = [path for path in ROOT.glob(pattern) if path.is_file()]
    assert files
    assert [f"{path.name}: {m.group()}" for path in files for m in BARE_HOST.finditer(path.read_text())] == []
