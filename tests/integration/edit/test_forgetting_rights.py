"""Who may forget what."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from post_graph_rag.errors import RightMissing
from tests.integration.foreign.engines import ACME, ELM, documents, engine, fill
from tests.servers import with_user

MakeRole = Callable[[str], str]


async def test_who_may_write_a_realm_may_erase_but_not_clear_dead_rows(database: str, make_role: MakeRole) -> None:
    writer = make_role("pgr_test_forgetful_writer")
    await fill(database, ACME, ELM)
    async with engine(database) as owner:
        await owner.grant(writer, "write")
    async with engine(with_user(database, writer)) as rag:
        with pytest.raises(RightMissing, match="only the owner"):
            await rag.erase_document("Acme", vacuum=True)
        assert await documents(database) == 2
        await rag.erase_document("Acme")
        await rag.delete_document("Elm")
        await rag.purge_history(await rag.watermark())
    assert await documents(database) == 0


async def test_who_may_only_read_a_realm_forgets_nothing(database: str, make_role: MakeRole) -> None:
    reader = make_role("pgr_test_forgetful_reader")
    await fill(database, ACME)
    async with engine(database) as owner:
        await owner.grant(reader, "read")
    async with engine(with_user(database, reader)) as rag:
        for forget in (rag.delete_document, rag.erase_document, rag.erase_entity):
            with pytest.raises(RightMissing, match="realm grant --write"):
                await forget("Acme")
        with pytest.raises(RightMissing, match="realm grant --write"):
            await rag.purge_history("2030")
    assert await documents(database) == 1
