"""Equal passages are read one after the other, and the later hears what the first was told."""

from __future__ import annotations

import asyncio

from post_graph_rag.ingest.underway import Underway
from post_graph_rag.models.replies import Kept

KEY, REPLY = b"passage", Kept("said", "model")


async def test_the_second_reader_finds_what_the_first_was_told() -> None:
    underway = Underway()
    underway.expect(KEY)
    underway.expect(KEY)
    async with underway.turn(KEY) as told:
        told[b"round"] = REPLY
    async with underway.turn(KEY) as told:
        assert told == {b"round": REPLY}


async def test_nothing_is_remembered_when_no_other_reader_is_expected() -> None:
    underway = Underway()
    underway.expect(KEY)
    async with underway.turn(KEY) as told:
        told[b"round"] = REPLY
    async with underway.turn(KEY) as told:
        assert told == {}


async def test_a_reader_that_is_cancelled_lets_the_next_read() -> None:
    underway = Underway()
    underway.expect(KEY)
    underway.expect(KEY)
    entered = asyncio.Event()

    async def stuck() -> None:
        async with underway.turn(KEY):
            entered.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(stuck())
    await entered.wait()
    task.cancel()
    await asyncio.wait([task])
    async with underway.turn(KEY) as told:
        assert told == {}


async def test_different_passages_are_read_at_the_same_time() -> None:
    underway = Underway()
    async with underway.turn(b"one"), asyncio.timeout(1), underway.turn(b"other") as told:
        assert told == {}
