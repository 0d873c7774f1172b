"""How much of the realm a document carries, and its part of the graph."""

from __future__ import annotations

import pytest

from benchmarks.sqlcount import counting
from post_graph_rag.errors import DocumentNotFound, InputError, SpaceNotFound
from post_graph_rag.records import PredicateRule
from tests.integration.writing.support import Place, document

SHARED = "Acme Corp acquired Birch Labs."


async def test_a_document_carries_what_its_passages_say(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", SHARED, "Acme Corp hired Dora Lind."))
    first = await rag.watermark()
    await rag.index_document(document("a", SHARED, "Acme Corp hired Cora Doe.", "Elm Works sued Acme Corp."))
    found = await rag.document_stats("a")
    assert (found.key, found.space, found.passages, found.pending) == ("a", "default", 3, 0)
    assert found.tokens == sum(one.tokens for one in (await rag.get_document("a")).passages)
    assert (found.entities, found.own_entities, found.relations, found.own_relations) == (4, 4, 3, 3)
    assert (found.versions, found.first_recorded, found.last_recorded) == (2, first, await rag.watermark())


async def test_what_others_say_too_is_not_a_documents_own(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents(
        [
            document("a", SHARED, "Acme Corp hired Dora Lind."),
            document("b", SHARED),
            document("c", "Acme Corp also acquired Elm Works."),
        ]
    )
    found = {one.key: one for one in await rag.documents_stats()}
    assert {key: (one.entities, one.own_entities, one.relations, one.own_relations) for key, one in found.items()} == {
        "a": (3, 1, 2, 1),
        "b": (2, 0, 1, 0),
        "c": (2, 1, 1, 1),
    }


async def test_of_a_merged_entity_only_one_is_counted(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents(
        [
            document("a", "Acme hired Dora.", "Acme Corp hired Dora."),
            document("b", "Acme also known as Acme Corp sued Elm."),
        ]
    )
    found = await rag.document_stats("a")
    assert (found.entities, found.own_entities, found.relations, found.own_relations) == (2, 1, 1, 1)


async def test_documents_come_in_the_order_of_their_keys_or_as_they_were_indexed(place: Place) -> None:
    rag = place.engine()
    for key in "bca":
        await rag.index_document(document(key, SHARED))
    assert [one.key for one in await rag.documents_stats(["a", "b", "a"])] == ["a", "b", "a"]
    assert [one.key for one in await rag.documents_stats()] == ["b", "c", "a"]


async def test_a_document_without_facts_carries_none(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", "nothing to see"))
    found = await rag.document_stats("a")
    assert (found.passages, found.entities, found.relations) == (1, 0, 0)
    graph = await rag.document_graph("a")
    assert (graph.entities, graph.relations, graph.truncated) == ((), (), False)


async def test_documents_that_are_not_held_are_refused_by_name(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document(key, SHARED) for key in "ab"])
    await rag.delete_document("b")
    with pytest.raises(DocumentNotFound, match="'b', 'c'"):
        await rag.documents_stats(["a", "b", "c"])
    with pytest.raises(DocumentNotFound, match="'b'"):
        await rag.document_graph("b")
    with pytest.raises(SpaceNotFound):
        await rag.document_stats("a", "nowhere")


async def test_a_documents_graph_holds_its_entities_and_relations_most_connected_first(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", SHARED, "Acme Corp hired Dora Lind.", "Acme Corp also hired Dora Lind."))
    await rag.index_document(document("b", "Acme Corp sued Elm Works."))
    graph = await rag.document_graph("a")
    assert [(one.name, one.degree, one.passages) for one in graph.entities] == [
        ("Acme Corp", 3, 3),
        ("Dora Lind", 2, 2),
        ("Birch Labs", 1, 1),
    ]
    named = {one.id: one.name for one in graph.entities}
    assert {(named[one.subject], one.predicate, named[one.object]) for one in graph.relations} == {
        ("Acme Corp", "acquired", "Birch Labs"),
        ("Acme Corp", "hired", "Dora Lind"),
        ("Acme Corp", "also_hired", "Dora Lind"),
    }
    assert not graph.truncated


async def test_a_graph_that_was_cut_says_so(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", SHARED, "Acme Corp hired Dora Lind.", "Acme Corp sued Elm Works."))
    graphs = [await rag.document_graph("a", limit=limit) for limit in (1, 3, 4)]
    told = [(len(graph.entities), len(graph.relations), graph.truncated) for graph in graphs]
    assert told == [(1, 0, True), (3, 2, True), (4, 3, False)]


async def test_a_graph_that_leaves_out_relations_alone_says_so(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", *(f"Acme Corp {verb} Birch Labs." for verb in ("sued", "hired", "bought"))))
    graph = await rag.document_graph("a", limit=2)
    assert (len(graph.entities), len(graph.relations), graph.truncated) == (2, 2, True)


async def test_a_superseded_fact_that_a_document_states_is_drawn_as_such(place: Place) -> None:
    rag = place.engine(create=True)
    await rag.initialize()
    await rag.set_rules([PredicateRule(predicate="led", per="object")])
    await rag.index_document(document("a", "Ada led Acme.", observed_at="2001"))
    await rag.index_document(document("b", "Bob led Acme.", observed_at="2010"))
    assert [[one.current for one in (await rag.document_graph(key)).relations] for key in "ab"] == [[False], [True]]


async def test_a_graph_without_a_usable_size_is_refused(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", SHARED))
    for limit in (0, 10_001):
        with pytest.raises(InputError, match="limit"):
            await rag.document_graph("a", limit=limit)


async def test_each_call_sends_two_statements_whatever_there_is_to_tell(place: Place) -> None:
    rag = place.engine()

    async def sent() -> list[int]:
        [(relation,)] = await place.rows("SELECT min(id) FROM {r}.relation")
        calls = (
            lambda: rag.list_documents(deleted=True),
            lambda: rag.get_document("a"),
            lambda: rag.list_entities(dormant=True),
            lambda: rag.get_relation(relation),
            lambda: rag.document_stats("a"),
            lambda: rag.documents_stats(),
            lambda: rag.document_graph("a"),
            lambda: rag.get_entity("Acme Corp"),
        )
        counts = []
        for call in calls:
            with counting() as count:
                await call()
            counts.append(count.statements)
        return counts

    await rag.index_document(document("a", SHARED))
    few = await sent()
    await rag.index_documents(
        [document(key, *(f"Acme Corp hired Dora{n} since {1990 + n}." for n in range(20))) for key in "abcdef"]
    )
    assert await sent() == few == [2, 2, 2, 1, 2, 2, 2, 3]
