"""The command that asks questions whose answers are known, and tells how much is found."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated

import typer

from post_graph_rag.config import Settings
from post_graph_rag.errors import InputError
from post_graph_rag.records import EvalQuestion, EvalReport, QueryParam
from post_graph_rag.serve.connect import open_engine
from post_graph_rag.serve.options import connected, notes
from post_graph_rag.serve.terminal import shown

Questions = Annotated[Path, typer.Argument(help='One JSON object a line: {"question", "documents", "answers"}.')]
Modes = Annotated[list[str], typer.Option("--mode", help="A mode to try; say it again for several.")]
TopK = Annotated[int, typer.Option(help="How many passages, relations and entities are kept, at least 10.")]
Answers = Annotated[bool, typer.Option("--answers", help="Have the questions answered too, a model call each.")]
Concurrency = Annotated[int, typer.Option(help="Questions under way at once.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print a JSON object a mode, with the result of each question.")]
_MODES = ["mix", "local", "naive"]
_SHOWN_ERRORS = 3


@connected
async def evaluate(
    settings: Settings,
    questions: Questions,
    modes: Modes = _MODES,
    top_k: TopK = 10,
    answers: Answers = False,
    concurrency: Concurrency = 8,
    as_json: AsJson = False,
) -> None:
    """Ask questions whose answers are known, and tell how much is found in each mode.

    Exit code 1 when a question failed.
    """
    asked = read_questions(questions)
    params = [QueryParam.model_validate({"mode": mode, "top_k": top_k}) for mode in dict.fromkeys(modes)]
    reports = []
    async with open_engine(settings) as rag:
        # A realm that is not there is said once, not for each question.
        await rag.watermark()
        for param in params:
            report = await rag.evaluate(asked, param, answers=answers, concurrency=concurrency)
            typer.echo(report.model_dump_json() if as_json else _told(report))
            _tell_errors(report)
            reports.append(report)
    _tell_never_found(reports)
    if any(report.failed for report in reports):
        raise typer.Exit(1)


def read_questions(path: Path) -> list[EvalQuestion]:
    """The questions of a file, a JSON object a line. Raises InputError, which names the line that cannot be used."""
    try:
        # Not splitlines: JSON may hold other ends of lines within a text.
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read as text: {error}") from error
    questions = [_question(path, number, line) for number, line in enumerate(lines, 1) if line.strip()]
    if not questions:
        raise InputError(f"{path} holds no question: write one JSON object a line")
    return questions


def _question(path: Path, number: int, line: str) -> EvalQuestion:
    try:
        return EvalQuestion.model_validate(json.loads(line))
    except (json.JSONDecodeError, RecursionError) as error:
        raise InputError(f"{path}, line {number} is no JSON: write one object a line") from error
    except InputError as error:
        raise InputError(f"{path}, line {number}: {error}") from error


def _told(report: EvalReport) -> str:
    parts = [f"{report.mode:<7}{report.questions} questions in {report.seconds:.1f} s"]
    if report.recall:
        parts += [_by_depth("recall", report.recall), _by_depth("all found", report.complete)]
    if report.exact is not None and report.contained is not None:
        parts.append(f"answers {report.exact:.3f} exact, {report.contained:.3f} contained")
    return " | ".join(parts)


def _by_depth(name: str, shares: Mapping[int, float]) -> str:
    return f"{name} {', '.join(f'@{k} {share:.3f}' for k, share in shares.items())}"


def _tell_errors(report: EvalReport) -> None:
    failed = [result for result in report.results if result.error is not None]
    for result in failed[:_SHOWN_ERRORS]:
        notes.print(shown(f"{report.mode}: {result.question}: {result.error}"))
    if len(failed) > _SHOWN_ERRORS:
        notes.print(f"{report.mode}: {len(failed) - _SHOWN_ERRORS} more failed")


def _tell_never_found(reports: Sequence[EvalReport]) -> None:
    """Name documents that no mode found: a key that is misspelt looks like one that is hard to find."""
    results = [result for report in reports for result in report.results if result.error is None]
    named = dict.fromkeys(name for result in results for name in result.ranks)
    found = {name for result in results for name, rank in result.ranks.items() if rank is not None}
    missed = [name for name in named if name not in found]
    if missed:
        more = f" and {len(missed) - _SHOWN_ERRORS} more" if len(missed) > _SHOWN_ERRORS else ""
        names = ", ".join(missed[:_SHOWN_ERRORS])
        notes.print(shown(f"never found: {names}{more}; `post-graph-rag documents list` shows how documents are named"))
