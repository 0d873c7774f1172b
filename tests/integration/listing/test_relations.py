"""A relation is shown with its whole history."""

from __future__ import annotations

import pytest

from post_graph_rag.engine import GraphRAG
from post_graph_rag.errors import RelationNotFound
from post_graph_rag.records import PredicateRule, RelationDetail
from tests.integration.writing.support import Place, document

FACT = "Acme Corp hired Dora Lind since 2001."


async def relation(rag: GraphRAG, place: Place, subject: str = "acme corp") -> RelationDetail:
    [(id,)] = await place.rows(
        "SELECT r.id FROM {r}.relation r JOIN {r}.entity e ON e.id = subject WHERE e.key = $1 AND predicate != 'sued'",
        subject,
    )
    return await rag.get_relation(id)


async def test_a_relation_shows_its_ends_its_words_and_what_states_it(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT, observed_at="2003-04"))
    mark = await rag.watermark()
    found = await relation(rag, place)
    assert (found.subject, found.predicate, found.object, found.negated) == ("Acme Corp", "hired", "Dora Lind", False)
    assert (found.fact, found.current, found.weight, found.space) == (FACT, True, 1, "default")
    assert found.subject_id == (await rag.get_entity("Acme Corp")).entity.id
    [said] = found.evidence
    assert (said.documents, said.stated_from, said.stated_to) == (("a",), "2001", None)
    assert (said.observed_from, said.observed_to, said.recorded_from) == ("2003-04", "2003-04", mark)
    [period] = found.periods
    assert (period.start, period.end, period.dated) == ("2001", None, True)
    assert (period.recorded_from, period.recorded_to, period.closed_by) == (mark, None, None)


async def test_what_was_held_before_is_shown_with_what_is_held_now(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    first = await rag.watermark()
    await rag.index_document(document("b", "Acme Corp hired Dora Lind from 1999 until 2001-06."))
    second = await rag.watermark()
    found = await relation(rag, place)
    assert [(one.start, one.recorded_from, one.recorded_to) for one in found.periods] == [
        ("2001", first, second),
        ("1999", second, None),
    ]
    assert (found.weight, len(found.evidence)) == (2, 2)


async def test_a_superseded_relation_names_what_closed_it(place: Place) -> None:
    rag = place.engine(create=True)
    await rag.initialize()
    await rag.set_rules([PredicateRule(predicate="led", per="object")])
    await rag.index_document(document("a", "Ada led Acme.", observed_at="2001"))
    await rag.index_document(document("b", "Bob led Acme.", observed_at="2010"))
    ada, bob = await relation(rag, place, "ada"), await relation(rag, place, "bob")
    closing = ada.periods[-1].closed_by
    assert closing is not None
    assert (ada.current, closing.cause, closing.relations) == (False, "superseded", (bob.id,))
    assert bob.current


async def test_peoples_words_on_a_relation_are_shown(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    id = (await relation(rag, place)).id
    await rag.close_relation(id, at="2005", reason="she left")
    closed = await rag.watermark()
    await rag.reopen_relation(id, reason="she came back")
    words = (await relation(rag, place)).overrides
    assert [(one.action, one.at, one.reason) for one in words] == [
        ("close", "2005", "she left"),
        ("reopen", None, "she came back"),
    ]
    assert (words[0].recorded_from, words[0].recorded_to) == (closed, words[1].recorded_from)
    assert words[1].recorded_to is None


async def test_a_word_said_before_a_merge_is_shown_after_it(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([document("a", FACT), document("b", "Elm Works sued Acme Corp.")])
    await rag.close_relation((await relation(rag, place)).id, reason="no")
    await rag.merge_entities(["Acme Corp"], "Elm Works")
    found = await relation(rag, place, "elm works")
    assert (found.object, [one.reason for one in found.overrides]) == ("Dora Lind", ["no"])


async def test_a_withdrawn_relation_is_shown_without_evidence(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    id = (await relation(rag, place)).id
    await rag.delete_document("a")
    found = await rag.get_relation(id)
    assert (found.current, found.weight, found.evidence) == (False, 0, ())
    assert found.periods[0].recorded_to == await rag.watermark()


async def test_a_relation_that_there_is_not_is_refused(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(document("a", FACT))
    for id in (0, -1, 10**6, 10**30):
        with pytest.raises(RelationNotFound):
            await rag.get_relation(id)
