"""A realm moves to another embedding model while it answers and is written; what breaks off is gone on with."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import asyncpg
import psycopg
import pytest

from post_graph_rag import failpoints
from post_graph_rag.engine import GraphRAG
from post_graph_rag.errors import (
    Busy,
    ConfigurationError,
    EmbeddingError,
    InputError,
    RightMissing,
    WidthMismatch,
)
from post_graph_rag.ingest import reembed as ingest_reembed
from post_graph_rag.models.embedder import BATCH
from post_graph_rag.models.protocols import EmbeddingKind, Vectors
from post_graph_rag.models.roles import Models
from post_graph_rag.records import QueryParam
from post_graph_rag.store import realms
from post_graph_rag.testing import ScriptedEmbedding
from tests.integration.admin.commands import run
from tests.integration.writing.support import DIMENSIONS, Place, document, facts_chat, faults, small_embedding
from tests.servers import fresh_database

LINES = ("Acme hired Cora Doe.", "Acme sued Delta Inc.", "Delta Inc hired Eve Fox.")
GONE = ("Zed Works hired Yara Quill.",)
QUESTIONS = ("Acme hired whom?", "Acme sued whom?")
ONLY_VECTORS = QueryParam(mode="naive", top_k=2)


class Stopped(Exception):
    """A run that ends where a test wants it to."""


class NewModel(ScriptedEmbedding):
    """Does `meanwhile` once, before it answers for the first time."""

    def __init__(self, dimensions: int = 48, name: str = "new-embedding", **options: Any) -> None:
        super().__init__(dimensions, name=name, **options)
        self.meanwhile: Callable[[], Awaitable[Any]] | None = None

    async def embed(self, texts: Sequence[str], kind: EmbeddingKind = "passage") -> Vectors:
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            await meanwhile()
        return await super().embed(texts, kind)


@pytest.fixture(scope="module")
def shared_dsn(server_dsn: str, template_database: str) -> Iterator[str]:
    """A database in which each test has a realm of its own."""
    with fresh_database(server_dsn, f"pgr_{uuid.uuid4().hex[:12]}", template_database) as dsn:
        yield dsn


@pytest.fixture
async def place(shared_dsn: str) -> AsyncIterator[Place]:
    """A realm with two documents, of which one is to go."""
    async with filled(shared_dsn) as made:
        yield made


@pytest.fixture
async def place_of_its_own(database: str) -> AsyncIterator[Place]:
    """The same in a database of the test's own, for roles that go with it."""
    async with filled(database) as made:
        yield made


@asynccontextmanager
async def filled(dsn: str) -> AsyncIterator[Place]:
    made = Place(dsn, graph="none")
    await made.engine().index_documents([document("a", *LINES), document("gone", *GONE)])
    try:
        yield made
    finally:
        failpoints.hook = None
        await made.close()


async def vector_counts(place: Place, generation: int) -> dict[str, int]:
    kinds = ("passage", "entity", "relation")
    return {kind: (await place.rows(f"SELECT count(*) FROM {{r}}.{kind}_vector_{generation}"))[0][0] for kind in kinds}


async def tables(place: Place) -> set[str]:
    rows = await place.rows(
        "SELECT relname FROM pg_class WHERE relkind = 'r' AND relname ~ '_(vector|made)_|generation_' "
        "AND relnamespace = '{r}'::regnamespace".replace('"', "")
    )
    return {row[0] for row in rows}


async def excerpts(rag: GraphRAG, question: str) -> list[str]:
    return [hit.text for hit in (await rag.query_data(question, ONLY_VECTORS)).passages]


def stop_at(point: str, times: int = 1) -> None:
    left = times

    def hook(name: str) -> None:
        nonlocal left
        left -= name == point
        if left == 0:
            left = -1
            raise Stopped

    failpoints.hook = hook


async def test_every_vector_is_of_the_new_model_and_the_old_tables_are_gone(place: Place) -> None:
    before = await vector_counts(place, 1)
    report = await place.engine().reembed(NewModel())
    assert (report.realm.embedding_model, report.realm.dimensions, report.realm.generation) == ("new-embedding", 48, 2)
    assert report.embedded == sum(before.values())
    assert await vector_counts(place, 2) == before
    assert await tables(place) == {"passage_vector_2", "entity_vector_2", "relation_vector_2"}


async def test_questions_are_answered_the_same_before_during_and_after(place: Place) -> None:
    rag, reader, model = place.engine(), place.engine(), NewModel()
    before = [(await excerpts(reader, question))[0] for question in QUESTIONS]
    during: list[str] = []

    async def ask() -> None:
        during.extend([(await excerpts(reader, question))[0] for question in QUESTIONS])

    model.meanwhile = ask
    await rag.reembed(model)
    assert before == during == [(await excerpts(rag, question))[0] for question in QUESTIONS] == list(LINES[:2])


async def test_the_engine_that_moved_the_realm_goes_on_indexing_and_asking(place: Place) -> None:
    rag = place.engine()
    await rag.reembed(NewModel())
    await rag.index_documents([document("b", "Golf Inc hired Hal Ito.")])
    assert (await excerpts(rag, "Whom did Golf Inc hire?"))[0] == "Golf Inc hired Hal Ito."
    assert await faults(rag) == []


async def test_what_is_indexed_deleted_and_erased_meanwhile_is_so_afterwards(place: Place) -> None:
    rag, writer, model = place.engine(), place.engine(), NewModel()

    async def write() -> None:
        await writer.index_documents([document("b", "Golf Inc hired Hal Ito.", "Golf Inc sued Acme.")])
        await writer.erase_document("gone")
        await writer.delete_document("a")

    model.meanwhile = write
    await rag.reembed(model)
    found = await excerpts(rag, "Golf Inc hired Acme Delta")
    assert sorted(found) == ["Golf Inc hired Hal Ito.", "Golf Inc sued Acme."]
    assert await faults(rag) == []


async def test_nothing_of_an_erased_document_is_in_the_tables_that_are_being_built(place: Place) -> None:
    rag, writer, other = place.engine(), place.engine(), NewModel()
    stop_at("before_swap")
    with pytest.raises(Stopped):
        await rag.reembed(other)
    failpoints.hook = None
    made = await vector_counts(place, 2)
    await writer.erase_document("gone")
    assert await vector_counts(place, 2) == await vector_counts(place, 1)
    assert (await vector_counts(place, 2))["passage"] == made["passage"] - 1
    await place.engine().reembed(NewModel())
    rows = await place.rows("SELECT count(*) FROM {r}.passage_vector_2 v JOIN {r}.passage p USING (id)")
    assert rows == [(len(LINES),)]


async def test_an_entity_that_gets_other_words_meanwhile_has_the_vector_of_these(place: Place) -> None:
    rag, writer, model = place.engine(), place.engine(), NewModel()
    stop_at("before_swap")
    with pytest.raises(Stopped):
        await rag.reembed(NewModel())
    failpoints.hook = None
    await writer.index_documents([document("b", "Acme hired Ida Jones in the north of the country.")])
    report = await rag.reembed(model)
    assert report.kept
    assert any(text.startswith("Acme: ") for text in model.texts)
    stale = """SELECT count(*) FROM {r}.entity_profile p JOIN {r}.entity e ON e.id = p.entity
        WHERE e.current AND p.pending"""
    assert await place.rows(stale) == [(0,)]


@pytest.mark.parametrize("point", failpoints.REEMBEDDING_POINTS)
async def test_a_run_that_breaks_off_is_gone_on_with_and_pays_only_for_what_is_left(place: Place, point: str) -> None:
    first, second = NewModel(), NewModel()
    total = sum((await vector_counts(place, 1)).values())
    stop_at(point)
    with pytest.raises(Stopped):
        await place.engine().reembed(first)
    failpoints.hook = None
    left = total - sum((await vector_counts(place, 2)).values())
    report = await place.engine().reembed(second)
    assert (len(second.texts), report.embedded) == (left, left)
    assert (await vector_counts(place, 2))["passage"] == len(LINES) + len(GONE)


async def test_doctor_names_a_run_that_broke_off_and_how_to_go_on(place: Place) -> None:
    stop_at("vectors_made")
    with pytest.raises(Stopped):
        await place.engine().reembed(NewModel(), passage_prefix="passage: ")
    failpoints.hook = None
    made = sum((await vector_counts(place, 2)).values())
    [told] = [finding for finding in await place.engine().doctor() if not finding.ok]
    assert told.detail.startswith(f"{made} vectors of new-embedding (48 dimensions) wait for the rest")
    name = place.engine().settings.realm
    assert told.repair == (
        "post-graph-rag realm reembed --model=new-embedding --dimensions=48 --query-prefix= "
        f"'--passage-prefix=passage: ' --realm={name}"
    )


async def test_doctor_is_content_when_a_run_came_to_its_end(place: Place) -> None:
    await place.engine().reembed(NewModel())
    assert [finding for finding in await place.engine().doctor() if not finding.ok] == []


KILLED = """
import asyncio, os, signal, sys
from post_graph_rag import failpoints
from tests.integration.admin.test_reembed import NewModel
from tests.integration.admin.commands import run
from tests.integration.admin.commands import run
from tests.integration.writing.support import Place

failpoints.hook = lambda name: os.kill(os.getpid(), signal.SIGKILL) if name == "vectors_made" else None
asyncio.run(Place(sys.argv[1], sys.argv[2], graph="none").engine().reembed(NewModel()))
"""


async def test_a_process_that_is_killed_has_paid_for_what_it_wrote(place: Place) -> None:
    before = await vector_counts(place, 1)
    words = [sys.executable, "-c", KILLED, place.dsn, place.realm]
    process = await asyncio.to_thread(subprocess.run, words, check=False)
    assert process.returncode == -signal.SIGKILL
    assert await vector_counts(place, 2) == {"passage": before["passage"], "entity": 0, "relation": 0}
    model = NewModel()
    await place.engine().reembed(model)
    assert len(model.texts) == before["entity"] + before["relation"]
    assert await vector_counts(place, 2) == before


@pytest.mark.parametrize(("dimensions", "kind"), [(2000, "vector"), (2001, "halfvec")])
async def test_the_type_of_the_new_vectors_follows_their_width(place: Place, dimensions: int, kind: str) -> None:
    rag = place.engine()
    await rag.reembed(NewModel(dimensions))
    found = await place.rows("SELECT pg_typeof(embedding)::text FROM {r}.passage_vector_2 LIMIT 1")
    assert found == [(kind,)]
    await rag.index_documents([document("b", "Golf Inc hired Hal Ito.")])
    assert (await excerpts(rag, "Whom did Golf Inc hire?"))[0] == "Golf Inc hired Hal Ito."


async def test_a_width_that_no_index_holds_is_refused_before_anything_is_asked_for(place: Place) -> None:
    model = NewModel(4001)
    with pytest.raises(InputError, match="4001"):
        await place.engine().reembed(model)
    assert model.texts == []


async def test_an_open_engine_of_the_same_model_goes_on_by_itself(place: Place) -> None:
    reader = place.engine()
    before = await excerpts(reader, QUESTIONS[0])
    await place.engine().reembed(again=True)
    assert await excerpts(reader, QUESTIONS[0]) == before
    assert (await reader.realm_stats()).realm.generation == 2


async def test_an_open_engine_of_the_old_model_is_refused_by_name_and_not_answered_from_old_vectors(
    place: Place,
) -> None:
    reader, slim = place.engine(), place.engine(embedding=ScriptedEmbedding(DIMENSIONS, name="other"))
    await excerpts(reader, QUESTIONS[0])
    await place.engine().reembed(NewModel(DIMENSIONS))
    with pytest.raises(EmbeddingError, match="new-embedding, not of scripted-embedding"):
        await excerpts(reader, QUESTIONS[0])
    with pytest.raises(EmbeddingError, match="not of other"):
        await slim.index_documents([document("b", "Golf Inc hired Hal Ito.")])


async def test_another_width_of_the_same_model_is_refused_too(place: Place) -> None:
    reader = place.engine()
    await excerpts(reader, QUESTIONS[0])
    await place.engine().reembed(ScriptedEmbedding(64))
    with pytest.raises(WidthMismatch, match=r"gives 32 dimensions, realm .* holds 64"):
        await excerpts(reader, QUESTIONS[0])


async def test_what_is_written_across_the_swap_is_written_whole_or_refused(place: Place) -> None:
    rag, model = place.engine(), NewModel()
    held: list[asyncio.Task[Any]] = []

    async def write() -> None:
        slow = document("b", "Golf Inc hired Hal Ito.")
        held.append(asyncio.create_task(writer.index_documents([slow])))

    writer_chat = facts_chat(delay=0.5)
    writer = place.engine(writer_chat)
    model.meanwhile = write
    await rag.reembed(model)
    with pytest.raises(WidthMismatch, match="holds 48 of new-embedding"):
        await held[0]
    assert await faults(rag) == []
    again = place.engine(writer_chat, NewModel())
    await again.index_documents([document("b", "Golf Inc hired Hal Ito.")])
    assert len(writer_chat.calls_for("extraction")) == 1


async def test_another_model_does_not_take_over_what_was_begun_unless_told_to(place: Place) -> None:
    stop_at("vectors_made")
    with pytest.raises(Stopped):
        await place.engine().reembed(NewModel())
    failpoints.hook = None
    third = NewModel(24, "third")
    with pytest.raises(ConfigurationError, match=r"vectors of new-embedding \(48 dimensions.*restart=True"):
        await place.engine().reembed(third)
    report = await place.engine().reembed(third, restart=True)
    assert (report.realm.embedding_model, report.kept) == ("third", 0)


async def test_a_realm_that_is_what_is_asked_for_is_left_alone(place: Place) -> None:
    rag = place.engine()
    assert (await rag.reembed()).embedded == 0
    assert (await rag.realm_stats()).realm.generation == 1


async def test_a_text_that_the_new_model_refuses_leaves_the_old_one_answering(place: Place) -> None:
    reader = place.engine()
    before = await excerpts(reader, QUESTIONS[0])
    with pytest.raises(EmbeddingError, match="as told"):
        await place.engine().reembed(NewModel(fail=99))
    assert await excerpts(reader, QUESTIONS[0]) == before


Round = Callable[[Any, Any], Awaitable[None]]


def round_and_write(writer: GraphRAG, slow: NewModel | None = None) -> Round:
    """A round after which somebody has just written, whenever the swap is tried; slow: a model that then takes long."""
    real = ingest_reembed.Reembedding._round
    rounds = 0

    async def run(self: Any, new: Any) -> None:
        nonlocal rounds
        rounds += 1
        if slow is not None:
            slow.behaviour.delay = 0.0
        await real(self, new)
        await writer.index_documents([document(f"more {rounds}", f"Firm {rounds} hired Hal Ito.")])
        if slow is not None:
            slow.behaviour.delay = 1.0

    return run


async def test_writers_wait_for_a_last_request_when_they_leave_no_pause(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest_reembed.Reembedding, "_round", round_and_write(place.engine()))
    rag = place.engine()
    await rag.reembed(NewModel())
    assert len((await rag.list_documents()).documents) == 2 + 1 + ingest_reembed.UNHURRIED + 1
    assert await faults(rag) == []


async def test_who_writes_faster_than_the_model_embeds_is_told_so(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ingest_reembed, "ROUNDS", 3)
    monkeypatch.setattr(ingest_reembed, "PATIENCE", 0.05)
    writer, model = place.engine(), NewModel()
    monkeypatch.setattr(ingest_reembed.Reembedding, "_round", round_and_write(writer, model))
    with pytest.raises(Busy, match="faster"):
        await place.engine().reembed(model)
    [told] = await faults(writer)
    assert "vectors of new-embedding (48 dimensions) wait for the rest" in told


async def test_old_tables_that_are_being_read_stay_until_the_next_optimize(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(realms, "DDL_TIMEOUT", "200ms")
    rag = place.engine()
    reader = await asyncpg.connect(place.dsn)
    schema = (await rag.realm_stats()).realm.schema_name
    transaction = reader.transaction()
    await transaction.start()
    await reader.execute(f"SELECT count(*) FROM {schema}.passage_vector_1")
    report = await rag.reembed(NewModel())
    assert not report.dropped
    assert await reader.fetchval(f"SELECT count(*) FROM {schema}.passage_vector_1") == len(LINES) + len(GONE)
    await transaction.rollback()
    await reader.close()
    await rag.optimize()
    assert await tables(place) == {"passage_vector_2", "entity_vector_2", "relation_vector_2"}


async def test_who_was_granted_the_realm_may_use_its_new_vectors(
    place_of_its_own: Place, admin: psycopg.Connection, make_role: Callable[[str], str]
) -> None:
    rag = place_of_its_own.engine()
    for access in ("read", "write"):
        await rag.grant(make_role(f"reembed_{access}"), access)  # type: ignore[arg-type]
    await rag.reembed(NewModel())
    schema = (await rag.realm_stats()).realm.schema_name
    ask = "SELECT has_table_privilege(%s, %s, %s)"
    table = f"{schema}.entity_vector_2"
    may = [
        admin.execute(ask, (f"reembed_{role}", table, right)).fetchone()
        for role, right in (("read", "SELECT"), ("read", "INSERT"), ("write", "INSERT"), ("write", "DELETE"))
    ]
    assert may == [(True,), (False,), (True,), (True,)]


def on_connection(place: Place, connection: Any) -> GraphRAG:
    settings = place.engine().settings.model_copy(update={"dsn": None})
    return GraphRAG(settings, connection=connection, models=Models(facts_chat(), small_embedding()))


async def test_only_the_owner_may_move_a_realm(place_of_its_own: Place, make_role: Callable[[str], str]) -> None:
    role = make_role("reembed_writer")
    await place_of_its_own.engine().grant(role, "write")
    connection = await asyncpg.connect(place_of_its_own.dsn)
    await connection.execute(f"SET ROLE {role}")
    try:
        lent = on_connection(place_of_its_own, connection)
        with pytest.raises(RightMissing, match="only the owner"):
            await lent.reembed(NewModel())
    finally:
        await connection.close()


async def test_who_was_granted_the_realm_sees_what_is_unfinished_and_lacks_no_right(
    place_of_its_own: Place, make_role: Callable[[str], str]
) -> None:
    role = make_role("reembed_onlooker")
    await place_of_its_own.engine().grant(role, "read")
    stop_at("vectors_made")
    with pytest.raises(Stopped):
        await place_of_its_own.engine().reembed(NewModel())
    failpoints.hook = None
    connection = await asyncpg.connect(place_of_its_own.dsn)
    await connection.execute(f"SET ROLE {role}")
    try:
        told = [
            finding.check for finding in await on_connection(place_of_its_own, connection).doctor() if not finding.ok
        ]
    finally:
        await connection.close()
    assert told == [f"{place_of_its_own.engine().settings.realm}: reembedding"]


async def test_a_callers_connection_will_do_but_not_their_transaction(place: Place) -> None:
    connection = await asyncpg.connect(place.dsn)
    lent = on_connection(place, connection)
    try:
        async with connection.transaction():
            with pytest.raises(InputError, match="transaction of yours"):
                await lent.reembed(NewModel())
        assert (await lent.reembed(NewModel())).realm.generation == 2
    finally:
        await connection.close()


async def test_prefixes_are_part_of_what_a_realm_is_made_with(shared_dsn: str) -> None:
    place, model = Place(shared_dsn, graph="none"), ScriptedEmbedding(DIMENSIONS)
    said = {"embedding_query_prefix": "query: ", "embedding_passage_prefix": "passage: "}
    rag = place.engine(embedding=model, **said)
    await rag.index_documents([document("a", *LINES)])
    assert {text[:9] for text in model.texts} == {"passage: "}
    model.texts.clear()
    await place.engine(embedding=model).query_data(QUESTIONS[0])
    assert {text[:7] for text in model.texts} == {"query: "}
    with pytest.raises(ConfigurationError, match=r"embedding_passage_prefix is 'other: ', realm .* with 'passage: '"):
        await place.engine(embedding_passage_prefix="other: ").index_documents([document("b", *LINES)])
    await place.close()


async def test_new_prefixes_are_had_by_reembedding_and_other_engines_go_on(place: Place) -> None:
    model, reader_model = ScriptedEmbedding(DIMENSIONS), ScriptedEmbedding(DIMENSIONS)
    rag, reader = place.engine(embedding=model), place.engine(embedding=reader_model)
    await excerpts(reader, QUESTIONS[0])
    report = await rag.reembed(query_prefix="query: ", passage_prefix="passage: ")
    assert report.realm.passage_prefix == "passage: "
    assert {text[:9] for text in model.texts} == {"passage: "}
    reader_model.texts.clear()
    await excerpts(reader, QUESTIONS[0])
    assert reader_model.texts[-1] == f"query: {QUESTIONS[0]}"


async def test_what_is_put_before_questions_alone_costs_no_vector(place: Place) -> None:
    model = ScriptedEmbedding(DIMENSIONS)
    report = await place.engine(embedding=model).reembed(query_prefix="query: ")
    assert (model.texts, report.realm.generation, report.realm.query_prefix) == ([], 1, "query: ")


async def test_many_vectors_get_their_index_before_they_answer(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("post_graph_rag.store.optimize.THRESHOLD", 1)
    report = await place.engine().reembed(NewModel())
    assert report.indexed == ("passage_vector_2", "entity_vector_2", "relation_vector_2")


async def test_texts_are_asked_for_in_full_batches(shared_dsn: str) -> None:
    place = Place(shared_dsn, graph="none")
    lines = [f"Line number {n} is one of many." for n in range(BATCH + 1)]
    await place.engine().index_documents([document("many", *lines)])
    model = NewModel()
    await place.engine().reembed(model)
    assert model.requests == 2
    await place.close()


async def test_the_command_moves_a_realm_to_the_model_that_is_set(place: Place) -> None:
    made = await run(place.dsn, "realm", "reembed", place.realm, "--passage-prefix", "passage: ")
    assert made.exit_code == 0
    total = sum((await vector_counts(place, 2)).values())
    assert made.stdout.splitlines()[1] == f"{total} vectors made, 0 kept of a run that broke off"
    realm = (await place.engine().realm_stats()).realm
    assert (realm.dimensions, realm.passage_prefix) == (256, "passage: ")


async def test_the_command_says_why_a_model_cannot_be_had(place: Place) -> None:
    refused = await run(place.dsn, "realm", "reembed", place.realm, "--model", "bge", POST_GRAPH_RAG_OFFLINE="1")
    assert refused.exit_code != 0
    assert "offline" in refused.output
