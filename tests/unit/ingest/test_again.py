"""A transaction that met another is tried again, but neither for ever nor inside a caller's."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from post_graph_rag.errors import Conflict
from post_graph_rag.ingest.again import TRIES, tried_again


class Transaction:
    def __init__(self, conflicts: int) -> None:
        self.conflicts = conflicts
        self.begun = 0

    async def __call__(self) -> str:
        self.begun += 1
        if self.begun <= self.conflicts:
            raise Conflict()
        return "done"


def database(inside: bool = False) -> SimpleNamespace:
    return SimpleNamespace(inside_transaction=inside)


async def test_a_conflict_is_tried_again() -> None:
    assert await tried_again(database(), Transaction(TRIES - 1)) == "done"  # type: ignore[arg-type]


@pytest.mark.parametrize(("inside", "begun"), [(False, TRIES), (True, 1)])
async def test_a_conflict_that_stays_is_raised(inside: bool, begun: int) -> None:
    transaction = Transaction(9)
    with pytest.raises(Conflict):
        await tried_again(database(inside), transaction)  # type: ignore[arg-type]
    assert transaction.begun == begun
