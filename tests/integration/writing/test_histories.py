"""What a realm holds follows from the documents it holds, by whatever way they came."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from post_graph_rag.records import Extraction
from post_graph_rag.testing import ScriptedChat, plain_facts
from tests.integration.writing.support import Place, differences, document, faults

# Aliases learned early and late, claimed twice and withdrawn; dates that overlap, lie apart or are missing; denials.
WORLD = {
    "a": ("Acme hired Cora Doe since 2001.", "Acme hired Cora Doe from 1990 until 1992.\nAcme sued Delta."),
    "b": ("Acme Corporation also known as Acme bought Cedar Inc.", "Acme Corporation bought Cedar Inc since 2010."),
    "c": ("Acme Labs also known as Cedar sold Delta Inc until 2010.", "Zenith also known as Acme sold Delta Inc."),
    "d": ("Acme Corp. never hired Cora Doe.\nAcme hired Cora Doe.", "Cedar hired Cora Doe."),
    "e": ("Delta Inc also known as Delta sued Cedar.", "Delta also known as Delta Inc sued Cedar until 1999."),
    "f": ("Delta Group also known as Delta hired Cora Doe from 1999 until 2003.", "Acme bought Acme Corp."),
}
STEPS = st.lists(
    st.lists(st.tuples(st.sampled_from(sorted(WORLD)), st.integers(0, 1)), min_size=1, max_size=3),
    min_size=2,
    max_size=6,
)


def versions(step: list[tuple[str, int]]) -> list[object]:
    return [document(key, *WORLD[key][number].splitlines()) for key, number in step]


def of_mixed_kinds(text: str) -> Extraction:
    """Plain facts whose entities are of now one kind, now another, now none, as text and name have it."""
    found = plain_facts(text)
    kinds = ("", "person", "company", "city")
    typed = [
        entity.model_copy(update={"type": kinds[zlib.crc32(f"{text}{entity.name}".encode()) % len(kinds)]})
        for entity in found.entities
    ]
    return found.model_copy(update={"entities": tuple(typed)})


async def lead_here(
    dsn: str, steps: list[list[tuple[str, int]]], read: Callable[[str], Extraction] = plain_facts
) -> Place:
    place = Place(dsn)
    rag = place.engine(ScriptedChat(extract=read))
    for step in steps:
        await rag.index_documents(versions(step))  # type: ignore[arg-type]
    assert await faults(rag) == []
    await place.close()
    return place


@settings(max_examples=6, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(steps=STEPS)
def test_a_realm_holds_what_its_documents_say_whatever_came_before(
    writing_dsn: str, steps: list[list[tuple[str, int]]]
) -> None:
    async def check() -> None:
        last = sorted(dict(pair for step in steps for pair in step).items())
        place, reference = await lead_here(writing_dsn, steps), await lead_here(writing_dsn, [last])
        assert differences(await place.content(), await reference.content()) == {}

    asyncio.run(check())


@settings(max_examples=6, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
@given(steps=STEPS)
def test_namesakes_are_told_apart_the_same_whatever_came_before(
    writing_dsn: str, steps: list[list[tuple[str, int]]]
) -> None:
    async def check() -> None:
        last = sorted(dict(pair for step in steps for pair in step).items())
        place = await lead_here(writing_dsn, steps, of_mixed_kinds)
        reference = await lead_here(writing_dsn, [last], of_mixed_kinds)
        assert differences(await place.content(), await reference.content()) == {}

    asyncio.run(check())
