"""Many writers at once, in tasks, processes and event loops: the same as one after the other."""

from __future__ import annotations

import asyncio
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import asyncpg
import pytest

from post_graph_rag.errors import ExtractionError
from post_graph_rag.models.protocols import ChatRequest
from post_graph_rag.records import Extraction, Progress
from post_graph_rag.testing import ScriptedChat, fresh_realm_name, plain_facts
from tests.integration.writing.conftest import Workers
from tests.integration.writing.support import Content, Place, differences, document, facts_chat, faults, small_embedding

FACT = "Acme Corp acquired Birch Labs."
WEIGHT = """
    SELECT count(DISTINCT e.passage), count(*) FROM {r}.relation r JOIN {r}.relation_evidence e ON e.relation = r.id
    AND upper_inf(e.recorded) JOIN {r}.entity a ON a.id = r.subject WHERE a.key = 'acme corp'"""
DOCUMENTS = [
    (
        f"d{n}",
        [
            [FACT, f"Acme Corp hired Person{n % 7} since {2000 + n % 5}.", f"Town{n % 3} hosted Fair{n}."],
            [f"Acme Corporation also known as Acme{n % 5} sold Part{n % 9}.", f"Acme{n % 5} sued Town{n % 3}."],
            [f"Town{n % 3} never hosted Fair{n}.", f"Person{n % 7} founded Part{n % 9} from 2001 until 2003."],
        ],
    )
    for n in range(24)
]


async def alone(place: Place, other: Place) -> Content:
    """What one writer makes of the documents that `place` holds now."""
    held = sorted((row[1], row[-1]) for row in (await place.content())["documents"])
    await other.engine().index_documents([document(key, *lines) for key, lines in held])
    await other.close()
    return await other.content()


async def test_documents_indexed_at_once_by_tasks_lose_no_weight(place: Place) -> None:
    rag = place.engine(ScriptedChat(extract=plain_facts, delay=0.01))
    await asyncio.gather(*(rag.index_document(document(f"d{n}", f"{FACT} Note {n}.")) for n in range(24)))
    assert await place.rows(WEIGHT) == [(24, 24)]
    found = await place.content()
    assert len(found["relations"]) == 1
    assert differences(found, await alone(place, Place(place.dsn))) == {}
    assert await faults(rag) == []


async def test_one_call_and_many_calls_make_the_same(place: Place) -> None:
    documents = [document(key, *versions[0], *versions[1]) for key, versions in DOCUMENTS]
    rag = place.engine()
    await rag.index_documents(documents)
    other = Place(place.dsn)
    engine = other.engine()
    await asyncio.gather(*(engine.index_document(item) for item in reversed(documents)))
    await other.close()
    assert differences(await place.content(), await other.content()) == {}
    assert await faults(rag) == []


async def test_one_document_indexed_by_many_tasks_is_there_once(place: Place) -> None:
    rag = place.engine()
    reports = await asyncio.gather(*(rag.index_document(document("a", FACT)) for _ in range(8)))
    assert {report.status for report in reports} <= {"new", "changed", "unchanged"}
    found = await place.content()
    assert (len(found["documents"]), len(found["passages"]), len(found["relations"])) == (1, 1, 1)
    assert await faults(rag) == []


async def test_a_slow_passage_holds_up_only_its_own_document(place: Place) -> None:
    go = asyncio.Event()

    async def say(request: ChatRequest) -> Extraction:
        text = request.inputs["text"]
        if "slow" in text:
            await go.wait()
        return plain_facts(text)

    published: list[str] = []

    def tell(step: Progress) -> None:
        if step.stage == "published":
            published.append(step.document)
            if len(published) == 5:
                go.set()

    rag = place.engine(ScriptedChat({"extraction": say}))
    documents = [document("slow", f"{FACT} slow"), *(document(f"d{n}", f"{FACT} {n}.") for n in range(5))]
    await asyncio.wait_for(rag.index_documents(documents, progress=tell), 30)
    assert published[-1] == "slow"


async def test_no_more_model_calls_are_under_way_than_the_models_allow(place: Place) -> None:
    chat, embedding = facts_chat(delay=0.01), small_embedding(delay=0.01)
    rag = place.engine(chat, embedding)
    await rag.index_document(document("a", *(f"{FACT} {n}." for n in range(40))))
    assert chat.most_under_way == 8
    assert embedding.behaviour.most_under_way <= 8


async def test_a_document_changed_between_look_up_and_write_is_looked_up_again(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT, metadata={"n": 1}))
    changed = asyncio.Event()
    told = asyncio.Event()

    async def hold(_: object) -> None:
        told.set()
        await changed.wait()

    slow = asyncio.create_task(rag.index_document(document("a", FACT, metadata={"n": 2}), progress=hold))
    await told.wait()
    await place.engine().index_document(document("a", "Cedar Inc hired Cora Doe."))
    changed.set()
    report = await slow
    assert report.status == "changed"
    [row] = (await place.content())["documents"]
    assert (row[4], row[-1]) == ('{"n": 2}', (FACT,))
    assert await place.relations() == {("acme corp", "acquired", "birch labs")}
    assert await faults(rag) == []


async def test_a_passage_let_go_while_it_is_completed_says_nothing(place: Place) -> None:
    await place.engine().index_document(document("z", "Cedar Inc hired Cora Doe."))
    with pytest.raises(ExtractionError):
        await place.engine(ScriptedChat({"extraction": "no"})).index_document(document("a", FACT))
    asked, go = asyncio.Event(), asyncio.Event()

    async def slowly(request: object) -> object:
        asked.set()
        await go.wait()
        return plain_facts(FACT)

    completing = asyncio.create_task(place.engine(ScriptedChat({"extraction": slowly})).complete_pending())  # type: ignore[dict-item]
    await asked.wait()
    rag = place.engine()
    await rag.index_document(document("a", "Cedar Inc hired Cora Doe."))
    go.set()
    await completing
    assert await place.relations() == {("cedar inc", "hired", "cora doe")}
    assert await faults(rag) == []
    report = await rag.index_document(document("a", FACT))
    assert (report.pending, report.model_calls) == (0, 0)
    assert ("acme corp", "acquired", "birch labs") in await place.relations()


async def test_a_passage_completed_by_two_at_once_says_everything_once(place: Place) -> None:
    with pytest.raises(ExtractionError):
        await place.engine(ScriptedChat({"extraction": "no"})).index_document(document("a", FACT))
    engines = [place.engine(ScriptedChat(extract=plain_facts, name=name, delay=0.05)) for name in ("one", "two")]
    await asyncio.gather(*(rag.complete_pending() for rag in engines))
    assert await place.rows(WEIGHT) == [(1, 1)]
    assert await faults(engines[0]) == []


async def test_tenants_on_one_database_do_not_mix(place: Place) -> None:
    chat, embedding = facts_chat(), small_embedding()
    places = [Place(place.dsn, fresh_realm_name(f"tenant{n}")) for n in range(4)]
    await asyncio.gather(
        *(
            each.engine(chat, embedding).index_documents(
                [document(f"k{m}", f"Tenant{n} owns Thing{m}.") for m in range(6)]
            )
            for n, each in enumerate(places)
        )
    )
    for n, each in enumerate(places):
        assert {subject for subject, _, _ in await each.relations()} == {f"tenant{n}"}
        await each.close()


async def test_spaces_written_at_once_through_one_engine_do_not_mix(place: Place) -> None:
    rag = place.engine()
    await asyncio.gather(
        *(
            rag.index_documents([document(f"k{m}", f"Tenant{n} owns Thing{m}.", space=f"s{n}") for m in range(4)])
            for n in range(4)
        )
    )
    found = {(row[0], row[1]) for row in (await place.content())["relations"]}
    assert found == {(f"s{n}", f"tenant{n}") for n in range(4)}
    assert await faults(rag) == []


def test_an_engine_serves_one_event_loop_after_the_other(writing_dsn: str) -> None:
    place = Place(writing_dsn)
    rag = place.engine()
    for n in range(3):
        asyncio.run(rag.index_document(document(f"d{n}", f"{FACT} Note {n}.")))
    assert asyncio.run(place.rows(WEIGHT)) == [(3, 3)]
    assert asyncio.run(faults(rag)) == []
    asyncio.run(place.close())


# ---------------------------------------------------------------- processes


DEADLOCKS = "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"


async def deadlocks(dsn: str) -> int:
    """How many the server counts for this database, or its log tells of."""
    connection = await asyncpg.connect(dsn)
    counted: int = await connection.fetchval(
        "SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()"
    )
    await connection.close()
    log = Path(parse_qs(urlsplit(dsn).query).get("host", ["/nowhere"])[0]).parent / "server.log"
    told = log.read_text(errors="replace").count("deadlock detected") if log.exists() else 0
    return max(counted, told)


WELL = {"codes": [0] * 8, "deadlocks": 0, "differ": {}, "faults": []}


async def outcome(place: Place, workers: Workers, seconds: float) -> dict[str, object]:
    """What eight processes that write the same documents come to."""
    plan = {"dsn": place.dsn, "realm": place.realm, "documents": DOCUMENTS, "seconds": seconds}
    before = await deadlocks(place.dsn)
    codes = await asyncio.to_thread(workers.run, [{**plan, "seed": seed} for seed in range(8)])
    met = await deadlocks(place.dsn) - before
    await place.engine().complete_pending()
    differ = differences(await place.content(), await alone(place, Place(place.dsn)))
    return {"codes": codes, "deadlocks": met, "differ": differ, "faults": await faults(place.engine())}


async def test_eight_processes_in_opposite_orders_make_what_one_writer_makes(place: Place, workers: Workers) -> None:
    assert await outcome(place, workers, seconds=10) == WELL


@pytest.mark.extended
@pytest.mark.timeout(300)
async def test_eight_processes_for_a_minute_make_what_one_writer_makes(place: Place, workers: Workers) -> None:
    assert await outcome(place, workers, seconds=60) == WELL
