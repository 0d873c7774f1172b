"""What models said is paid for once: whatever the order, whatever came before, and as long as it is kept."""

from __future__ import annotations

import signal

from post_graph_rag.engine import GraphRAG
from tests.integration.writing.conftest import Workers
from tests.integration.writing.support import Place, document, facts_chat, small_embedding

LINES = [f"Acme{n} Corp hired Cora{n} Doe." for n in range(100)]
DOCUMENTS = [document(f"d{n}", *LINES[n * 3 : n * 3 + 3]) for n in range(5)]


async def test_of_a_hundred_chunks_only_those_are_asked_about_that_were_left(place: Place, workers: Workers) -> None:
    await place.engine().index_document(document("first", "Zenith rose."))
    plan = {"dsn": place.dsn, "realm": place.realm, "documents": [("big", [LINES])], "versions": [0], "delay": 0.02}
    assert workers.run([{**plan, "kill": ("reply_kept", 50)}]) == [-signal.SIGKILL]
    [(told,)] = await place.rows("SELECT count(*) - 1 FROM {r}.reply")
    chat = facts_chat()
    await place.engine(chat).index_document(document("big", *LINES))
    assert 50 <= told < 100
    assert len(chat.calls) == 100 - told


async def test_in_another_order_and_after_other_documents_nothing_is_paid_again(place: Place) -> None:
    await place.engine().index_documents(DOCUMENTS)
    await place.engine().index_document(document("other", "Cora1 Doe also known as Cora Deer founded Birch Labs."))
    chat, embedding = facts_chat(), small_embedding()
    reports = await place.engine(chat, embedding).index_documents(DOCUMENTS[::-1], reindex=True)
    assert (chat.calls, embedding.texts) == ([], [])
    assert sum(report.replayed for report in reports) == 15


async def test_passages_that_did_not_change_cost_nothing_when_others_of_the_document_do(place: Place) -> None:
    await place.engine().index_documents(DOCUMENTS)
    chat = facts_chat()
    await place.engine(chat).index_document(document("d0", "Acme9 Corp sued Delta Inc.", *LINES[:3][::-1]))
    assert [request.inputs["text"] for request in chat.calls] == ["Acme9 Corp sued Delta Inc."]


# ---------------------------------------------------------------- how long it is kept


async def kept(place: Place) -> tuple[int, int]:
    [row] = await place.rows("SELECT (SELECT count(*) FROM {r}.reply), (SELECT count(*) FROM {r}.stored_vector)")
    return row[0], row[1]


async def aged(place: Place, days: int) -> GraphRAG:
    """An engine of a realm whose first document was indexed so many days ago, and its others now."""
    rag = place.engine(reply_store_days=30)
    await rag.index_document(DOCUMENTS[0])
    for table in ("reply", "stored_vector"):
        await place.rows(f"UPDATE {{r}}.{table} SET created_at = created_at - interval '{days} days'")
    await rag.index_documents(DOCUMENTS[1:])
    return rag


async def test_what_is_older_than_the_limit_is_pruned(place: Place) -> None:
    rag = await aged(place, days=31)
    assert (await rag.optimize()).pruned == 6
    assert await kept(place) == (12, 12)


async def test_what_is_younger_than_the_limit_stays(place: Place) -> None:
    rag = await aged(place, days=29)
    assert (await rag.optimize()).pruned == 0
    assert await kept(place) == (15, 15)


async def test_lines_of_the_ledger_have_a_limit_of_their_own(place: Place) -> None:
    rag = place.engine(ledger_days=100)
    await rag.index_document(DOCUMENTS[0])
    calls = sum(one.calls for one in await rag.usage())
    await place.rows("UPDATE {r}.ledger SET at = at - interval '99 days'")
    await rag.optimize()
    assert sum(one.calls for one in await rag.usage()) == calls
    await place.rows("UPDATE {r}.ledger SET at = at - interval '2 days'")
    await rag.optimize()
    assert (await rag.usage(), (await kept(place))[0] > 0) == ((), True)


async def test_the_oldest_beyond_the_limit_of_size_are_pruned_but_none_of_the_last_day(place: Place) -> None:
    await aged(place, days=2)
    rag = place.engine(reply_store_mb=0)
    assert (await rag.optimize()).pruned == 6
    assert await kept(place) == (12, 12)


async def test_what_fits_the_limit_of_size_stays(place: Place) -> None:
    await aged(place, days=2)
    rag = place.engine(reply_store_mb=1)
    assert (await rag.optimize()).pruned == 0
    assert await kept(place) == (15, 15)


async def test_of_what_does_not_fit_the_newest_stay(place: Place) -> None:
    await aged(place, days=2)
    # the newest of the three old replies takes two megabytes: neither it nor the older ones fit
    wide = "repeat(md5(random()::text) || md5(random()::text), 40000)"
    await place.rows("ALTER TABLE {r}.reply ALTER COLUMN text SET STORAGE EXTERNAL")
    await place.rows(f"""
        WITH oldest AS (SELECT key, row_number() OVER (ORDER BY created_at, key) AS n FROM {{r}}.reply)
        UPDATE {{r}}.reply r SET text = text || {wide}, created_at = created_at + interval '1 hour'
        FROM oldest o WHERE o.key = r.key AND o.n = 2""")
    rag = place.engine(reply_store_mb=1)
    await rag.optimize()
    assert (await kept(place))[0] == 12


async def test_a_long_call_prunes_at_its_end(place: Place) -> None:
    await aged(place, days=400)
    await place.engine().index_document(document("big", *(f"{line} Never again." for line in LINES)))
    [(oldest,)] = await place.rows("SELECT min(created_at) > now() - interval '1 day' FROM {r}.reply")
    assert oldest
