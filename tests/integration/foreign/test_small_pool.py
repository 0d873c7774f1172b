"""More work at once than there are connections: it waits its turn, and none waits for ever."""

from __future__ import annotations

import asyncio

from tests.integration.foreign.engines import ACME, QUESTION, documents, engine, fill


async def test_fifty_questions_and_twenty_writers_share_two_connections(database: str) -> None:
    await fill(database, ACME)
    async with engine(database, pool_size=2) as rag:
        answers, reports, rows = await asyncio.wait_for(
            asyncio.gather(
                asyncio.gather(*(rag.query(QUESTION) for _ in range(50))),
                asyncio.gather(*(rag.index_text(f"Elm{n} Works hired Dora{n} Lind.", key=f"{n}") for n in range(20))),
                asyncio.gather(*(rag.cypher("MATCH (n) RETURN count(n)") for _ in range(5))),
            ),
            timeout=60,
        )
    assert all(answer.references for answer in answers)
    assert {report.status for report in reports} == {"new"}
    assert len(rows) == 5
    assert await documents(database) == 21
