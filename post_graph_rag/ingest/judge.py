"""Facts that may contradict one another, as a model judges them: it chooses among those it is offered, no others.

A verdict says only that two facts cannot hold at the same time. Which of them is current follows from their times, so
neither the order in which they came nor the order in which they are judged plays a part.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial

from post_graph_rag.errors import InputError
from post_graph_rag.ingest.again import tried_again
from post_graph_rag.ingest.resettle import resettle
from post_graph_rag.ingest.verdicts import Judge, Question
from post_graph_rag.records import JudgeReport
from post_graph_rag.store import write
from post_graph_rag.store.database import Database
from post_graph_rag.store.realms import Realm
from post_graph_rag.store.write import Unjudged, Verdict

BATCH = 32
MOST_RIVALS = 20
"""Facts that are offered beside one fact."""


class Judging:
    """One call of judge_contradictions: what came into belief since the last one that left nothing undone.

    What fails is left to the next: all is looked at again then, but what has its verdict is not asked about.
    """

    def __init__(self, database: Database, realm: Realm, judge: Judge) -> None:
        self._database = database
        self._realm = realm
        self._judge = judge
        self._counts: Counter[str] = Counter()

    async def run(self) -> JudgeReport:
        """Judge batch by batch; one about which nothing was said ends it, since the model cannot be had.

        Raises InputError inside a transaction of the caller's, DatabaseError.
        """
        if self._database.inside_transaction:
            raise InputError("no model is asked between writes of your transaction: commit it, then judge")
        unjudged = await self._unjudged()
        for start in range(0, len(unjudged.facts), BATCH):
            if not await self._batch(unjudged.facts[start : start + BATCH]):
                break
        if not self._judge.errors:
            await tried_again(self._database, partial(self._note, unjudged))
        return JudgeReport(errors=tuple(self._judge.errors), **self._counts, **self._judge.counts)

    async def _unjudged(self) -> Unjudged:
        async with self._database.transaction(self._realm.statements, read_only=True) as session:
            return await write.unjudged_facts(session)

    async def _note(self, unjudged: Unjudged) -> None:
        async with self._database.transaction(self._realm.statements) as session:
            await write.note_judged(session, unjudged.stamp)

    async def _batch(self, facts: Sequence[int]) -> bool:
        """Ask about these facts and write what is said of them; False when there was no answer at all."""
        questions = await self._questions(facts)
        self._counts["asked"] += len(questions)
        verdicts = await self._judge.verdicts(questions) if questions else []
        if verdicts:
            await tried_again(self._database, partial(self._put, verdicts))
        return bool(verdicts) or not questions

    async def _questions(self, facts: Sequence[int]) -> list[Question]:
        async with self._database.transaction(
            self._realm.statements, read_only=True, isolation="repeatable_read"
        ) as session:
            rivals = _asked_once(await write.rival_facts(session, facts, MOST_RIVALS))
            concerned = {fact for one, others in rivals.items() for fact in (one, *others)}
            shown = await write.shown_facts(session, concerned) if concerned else {}
        return [
            Question((one, shown[one]), tuple((other, shown[other]) for other in others))
            for one, others in rivals.items()
        ]

    async def _put(self, verdicts: Sequence[Verdict]) -> None:
        async with self._database.transaction(self._realm.statements) as session:
            stamp = await write.take_stamp(session)
            new = await write.put_verdicts(session, verdicts, stamp)
            exclusive = [(one, other) for one, other, excludes in new if excludes]
            if exclusive:
                renewed = {fact for pair in exclusive for fact in pair}
                await resettle(session, stamp, self._realm.info.graph_name, renewed=renewed)
        self._counts["verdicts"] += len(new)
        self._counts["exclusive"] += len(exclusive)


def _asked_once(pairs: Iterable[tuple[int, int]]) -> dict[int, list[int]]:
    """The rivals of each fact; a pair about which one of the two is asked already is left out for the other."""
    rivals: dict[int, list[int]] = {}
    seen: set[frozenset[int]] = set()
    for fact, rival in pairs:
        if (pair := frozenset((fact, rival))) not in seen:
            seen.add(pair)
            rivals.setdefault(fact, []).append(rival)
    return rivals
