"""What fails after the last commit is told beside the reports and in the log."""

from __future__ import annotations

import logging

import pytest

from post_graph_rag.errors import DatabaseError
from post_graph_rag.ingest.afterwards import Afterwards
from post_graph_rag.records import DocumentReport

REPORTS = [DocumentReport(key=key, space="default", status="new", errors=("before",)) for key in "ab"]


def failed() -> Afterwards:
    after = Afterwards()
    with after.step("optimize"):
        raise DatabaseError("lost")
    return after


def test_without_trouble_the_reports_stay_as_they_are() -> None:
    after = Afterwards()
    with after.step("optimize"):
        pass
    assert after.told(REPORTS) == REPORTS


def test_an_error_is_told_once_in_the_first_report() -> None:
    told = failed().told(REPORTS)
    assert [report.errors for report in told] == [("before", "optimize: DatabaseError: lost"), ("before",)]


def test_an_error_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    failed()
    assert caplog.record_tuples == [
        ("post_graph_rag", logging.WARNING, "documents are indexed, but not: optimize: DatabaseError: lost")
    ]


def test_what_is_no_error_of_ours_is_raised() -> None:
    with pytest.raises(KeyError), Afterwards().step("optimize"):
        raise KeyError


def test_without_documents_there_is_nobody_to_tell() -> None:
    assert failed().told([]) == []
