"""The quickstart: from nothing to an answered question, as a person runs it."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import get_args

import pytest

from post_graph_rag.records import Channel
from tests.acceptance.places import DATA, QUICKSTART, ROOT, run
from tests.offline import needs_offline_models
from tests.servers import open_folder

pytestmark = needs_offline_models


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    """A fresh place for the embedded server's data, as on a machine that never ran it."""
    with open_folder() as folder:
        yield folder / "home"


@pytest.fixture(scope="module")
def printed(home: Path) -> str:
    """What the first run prints."""
    ran = run([sys.executable, QUICKSTART], ROOT, {"POST_GRAPH_RAG_HOME": str(home)})
    assert ran.returncode == 0, ran.stdout
    return ran.stdout


@pytest.fixture
def endpoint() -> Iterator[str]:
    """An OpenAI-compatible endpoint on this machine; gives its base URL."""
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "benchmarks.stub_server", "--port", str(port), "--dim", "64"]
    with subprocess.Popen(command, cwd=ROOT) as stub:
        try:
            wait_for(port)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            stub.terminate()


def wait_for(port: int, seconds: float = 20.0) -> None:
    """Return when something listens on the port."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.1)
    pytest.fail(f"nothing listened on port {port} within {seconds} s")


def test_it_says_that_it_runs_on_the_offline_models(printed: str) -> None:
    assert "offline" in printed.lower()


def test_its_three_documents_are_named_as_they_are_indexed(printed: str) -> None:
    documents = [path.stem for path in DATA.iterdir() if path.suffix in (".md", ".txt")]
    assert len(documents) == 3
    assert [name for name in documents if name not in printed] == []


def test_the_answer_cites_numbered_sources_of_more_than_one_document(printed: str) -> None:
    answer = re.search(r"^Answer .*$", printed, re.MULTILINE)
    assert answer
    cited = set(re.findall(r"\[(\d+)\]", answer.group()))
    sources = dict(re.findall(r"^\s*\[(\d+)\]\s*(.+)$", printed, re.MULTILINE))
    assert cited == set(sources)
    assert len(set(sources.values())) >= 2


def test_the_facts_come_with_dates_and_channels(printed: str) -> None:
    facts = [line for line in printed.partition("Facts used:")[2].splitlines() if line.strip()]
    assert facts
    assert [fact for fact in facts if not any(channel in fact for channel in get_args(Channel))] == []
    assert [fact for fact in facts if re.search(r"\b(19|20)\d\d\b", fact)] != []


def test_the_readme_shows_what_it_prints_but_for_the_ranks(printed: str) -> None:
    shown = re.search(r"^```text\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S)
    assert shown is not None
    assert without_ranks(printed) == without_ranks(shown[1])


def without_ranks(printed: str) -> tuple[str, list[str]]:
    """The answer and its sources, and the facts in the order of their names."""
    answer, _, facts = printed[printed.index("Question:") :].partition("Facts used:\n")
    return answer, sorted(line.partition(" (")[0] for line in facts.splitlines())


def test_it_runs_again_on_what_it_left(printed: str, home: Path) -> None:
    again = run([sys.executable, QUICKSTART], ROOT, {"POST_GRAPH_RAG_HOME": str(home)})
    assert again.returncode == 0, again.stdout
    assert re.search(r"^Answer .*\[\d+\]", again.stdout, re.MULTILINE), again.stdout


def test_it_runs_on_the_models_that_are_configured(home: Path, endpoint: str) -> None:
    settings = {
        "POST_GRAPH_RAG_HOME": str(home),
        "POST_GRAPH_RAG_MODEL": "stub-chat",
        "POST_GRAPH_RAG_EMBEDDING_MODEL": "stub-embedding",
        "OPENAI_BASE_URL": endpoint,
        "OPENAI_API_KEY": "sk-stub",
    }
    ran = run([sys.executable, QUICKSTART], ROOT, settings)
    assert ran.returncode == 0, ran.stdout
    assert "Answer (stub-chat)" in ran.stdout
    assert "offline" not in ran.stdout


def test_a_key_without_a_model_name_is_refused_in_words(home: Path) -> None:
    secret = "sk-not-to-be-shown"
    ran = run([sys.executable, QUICKSTART], ROOT, {"POST_GRAPH_RAG_HOME": str(home), "OPENAI_API_KEY": secret})
    assert ran.returncode != 0
    assert "POST_GRAPH_RAG_MODEL" in ran.stdout
    assert secret not in ran.stdout
