"""The files that machines elsewhere run: workflows, image, compose. They are read here, since none can run here."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
CI = ROOT / ".github" / "workflows" / "ci.yml"
PUBLISH = ROOT / ".github" / "workflows" / "publish.yml"
COMPOSE = ROOT / "docker" / "compose.yaml"


def jobs_of(path: Path) -> dict[str, Any]:
    return yaml.safe_load(path.read_text())["jobs"]


def commands_of(job: dict[str, Any]) -> list[str]:
    return [step["run"] for step in job["steps"] if "run" in step]


@pytest.mark.parametrize("path", [CI, PUBLISH, COMPOSE], ids=lambda path: path.name)
def test_every_file_is_a_yaml_mapping(path: Path) -> None:
    assert isinstance(yaml.safe_load(path.read_text()), dict)


def test_ci_tests_every_python_that_the_project_names() -> None:
    named = [f"3.{minor}" for minor in range(11, 20) if f'"Programming Language :: Python :: 3.{minor}"' in project()]
    assert jobs_of(CI)["docker"]["strategy"]["matrix"]["python-version"] == named


def test_ci_runs_the_tests_on_the_server_of_the_image() -> None:
    job = jobs_of(CI)["docker"]
    assert any("docker/compose.yaml up" in command for command in commands_of(job))
    step = next(step for step in job["steps"] if step.get("run", "").startswith("make test"))
    assert "POST_GRAPH_RAG_TEST_DSN" in step["env"]


def test_nothing_is_published_that_did_not_pass_the_same_tests() -> None:
    jobs = jobs_of(PUBLISH)
    assert jobs["tests"]["uses"] == "./.github/workflows/ci.yml"
    assert (jobs["build"]["needs"], jobs["publish"]["needs"]) == ("tests", "build")


def test_publishing_is_trusted_by_identity_and_attested() -> None:
    job = jobs_of(PUBLISH)["publish"]
    assert job["permissions"] == {"id-token": "write"}
    assert job["steps"][-1]["with"] == {"attestations": True}
    assert "secrets." not in PUBLISH.read_text()


def test_ci_run_calls_make_test_and_nothing_else() -> None:
    lines = [line for line in (ROOT / ".ci" / "run").read_text().splitlines() if line and not line.startswith("#")]
    assert lines == ['cd "$(dirname "$0")/.." && exec make test']


def test_the_image_serves_as_a_plain_user_and_says_whether_it_is_well() -> None:
    lines = (ROOT / "docker" / "Dockerfile").read_text().splitlines()
    assert "FROM debian:trixie-slim" in lines
    assert "USER postgres" in lines
    assert any(line.startswith("HEALTHCHECK") for line in lines)
    assert os.access(ROOT / "docker" / "entrypoint.sh", os.X_OK)


def test_compose_refuses_to_start_without_a_password_and_serves_this_machine_only() -> None:
    service = yaml.safe_load(COMPOSE.read_text())["services"]["database"]
    assert service["environment"]["POSTGRES_PASSWORD"].startswith("${POSTGRES_PASSWORD:?")
    assert [port.split(":")[0] for port in service["ports"]] == ["127.0.0.1"]


def project() -> str:
    return (ROOT / "pyproject.toml").read_text()
