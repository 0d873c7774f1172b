"""What a realm holds follows from its documents and from what people said last, by whatever way both came."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from post_graph_rag.engine import GraphRAG
from post_graph_rag.errors import EntityNotFound, InputError
from post_graph_rag.ingest.written import Written
from post_graph_rag.names import name_key
from post_graph_rag.retrieve.spaces import resolve_spaces
from post_graph_rag.store import write
from post_graph_rag.store.database import Session
from post_graph_rag.terms import term_counts
from tests.integration.writing.support import Place, differences, faults
from tests.integration.writing.test_histories import WORLD, versions

NAMES = st.sampled_from(["acme", "acme corp", "acme labs", "cedar", "cedar inc", "delta", "delta inc", "zenith"])
STEP = st.one_of(
    st.tuples(
        st.just("index"), st.lists(st.tuples(st.sampled_from(sorted(WORLD)), st.integers(0, 1)), min_size=1, max_size=3)
    ),
    st.tuples(st.just("merge"), NAMES, NAMES),
    st.tuples(st.just("split"), NAMES),
    st.tuples(st.just("rename"), NAMES, st.sampled_from([None, "Birch", "Acme", "Elm Works"])),
)
FIRST = ("index", [("a", 0), ("b", 0), ("d", 0), ("e", 0)])

PAIRS = """
    SELECT a.key, b.key FROM {r}.%s m JOIN {r}.entity a ON a.id = m.source JOIN {r}.entity b ON b.id = m.target
    WHERE upper_inf(m.recorded)"""
WORDS = {
    "merges": PAIRS % "merge" + " AND m.cause = 'user'",
    "apart": PAIRS % "apart",
    "given": """
        SELECT e.key, g.name FROM {r}.given_name g JOIN {r}.entity e ON e.id = g.entity WHERE upper_inf(g.recorded)""",
}


async def say(rag: GraphRAG, kind: str, *said: Any) -> None:
    """Take a step; what is refused is no step."""
    try:
        match kind:
            case "index":
                await rag.index_documents(versions(said[0]))  # type: ignore[arg-type]
            case "merge":
                await rag.merge_entities([said[0]], said[1])
            case "split":
                await rag.split_entity(said[0])
            case "rename":
                await rag.rename_entity(*said)
    except (EntityNotFound, InputError):
        assert kind != "index"


async def put_words(rag: GraphRAG, words: Mapping[str, Sequence[tuple[Any, ...]]]) -> None:
    """What people said last, written at once, whatever of it could have been said in this realm."""
    keys = sorted(
        {key for kind in ("merges", "apart") for pair in words[kind] for key in pair}
        | {key for key, _ in words["given"]}
    )

    async def change(session: Session, stamp: datetime) -> tuple[Written, None]:
        [space] = (await resolve_spaces(session, None, "default")).ids
        ids = await write.put_entities(session, [(space, key, 0) for key in keys])
        number = {key: ids[space, key, 0] for key in keys}
        for source, target in words["merges"]:
            await write.put_user_merges(session, [number[source]], number[target], stamp)
        for source, target in words["apart"]:
            await write.put_apart(session, number[source], number[target], stamp)
        posted: list[write.Posted] = []
        for key, name in words["given"]:
            rows = await write.put_given_name(session, number[key], name, name_key(name), stamp)
            posted += [write.Posted(write.NAME, row["space"], row["id"], term_counts(row["name"])) for row in rows]
        return Written(structure={}, told=frozenset(number.values()), posted=posted), None

    await (await rag._entities()).changing.make(change)


async def lead(place: Place, steps: Sequence[Any]) -> GraphRAG:
    rag = place.engine()
    for step in steps:
        await say(rag, *step)
    assert await faults(rag) == []
    return rag


@settings(
    max_examples=5,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
@example(
    steps=[
        ("split", "acme"),
        ("merge", "cedar inc", "zenith"),
        ("rename", "zenith", "Elm Works"),
        ("index", [("c", 0), ("e", 1)]),
        ("merge", "delta", "acme"),
        ("index", [("c", 1), ("b", 1), ("d", 1)]),
        ("split", "cedar inc"),
    ]
)
@given(steps=st.lists(STEP, min_size=3, max_size=9))
def test_a_realm_holds_what_documents_and_people_said_last_whatever_came_before(
    writing_dsn: str, steps: list[Any]
) -> None:
    async def check() -> None:
        history = [FIRST, *steps]
        last = sorted(dict(pair for kind, *said in history if kind == "index" for pair in said[0]).items())
        place, reference = Place(writing_dsn), Place(writing_dsn)
        await lead(place, history)
        rag = await lead(reference, [("index", last)])
        await put_words(rag, {kind: await place.rows(query) for kind, query in WORDS.items()})
        assert await faults(rag) == []
        assert differences(await place.content(), await reference.content()) == {}
        await place.close()
        await reference.close()

    asyncio.run(check())
