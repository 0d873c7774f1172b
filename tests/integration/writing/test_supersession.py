"""Facts that exclude one another: the later one is current, whatever came first, and each closing names its cause."""

from __future__ import annotations

import random
import string
import uuid
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from post_graph_rag.engine import GraphRAG
from post_graph_rag.errors import ImpossibleDate, InputError, RelationNotFound
from post_graph_rag.records import Document, PredicateRule
from tests.integration.writing.conftest import Workers
from tests.integration.writing.support import Place, document, faults

ONE_CHIEF = PredicateRule(predicate="led", per="object")
TERMS = [
    PredicateRule(predicate="befriended", per="pair", exclusive="terms"),
    PredicateRule(predicate="fought", per="pair", exclusive="terms"),
]
OPEN = """
    SELECT a.key, r.predicate, b.key, r.negated, p.valid::text, p.dated, p.retracted, r.current,
           p.closed_by ->> 'cause', ARRAY(SELECT concat_ws(' ', x.key, k.negated, k.predicate, y.key)
                 FROM jsonb_array_elements(coalesce(p.closed_by -> 'relations', '[]')) AS c(id)
                 JOIN {r}.relation k ON k.id = c.id::bigint JOIN {r}.entity x ON x.id = k.subject
                 JOIN {r}.entity y ON y.id = k.object ORDER BY 1)
    FROM {r}.relation_period p JOIN {r}.relation r ON r.id = p.relation JOIN {r}.entity a ON a.id = r.subject
    JOIN {r}.entity b ON b.id = r.object JOIN {r}.space s ON s.id = r.space
    WHERE upper_inf(p.recorded) AND s.name = $1 ORDER BY 1, 2, 3, 4, p.valid"""


def written(key: str, year: int | None, *lines: str) -> Document:
    return document(key, *lines, observed_at=None if year is None else str(year))


def span(start: int | None, end: int | None) -> str:
    lower = f'["{start}-01-01 00:00:00+00"' if start else "("
    return f'{lower},"{end}-01-01 00:00:00+00")' if end else f"{lower},)"


async def opened(place: Place, space: str = "default") -> list[tuple[Any, ...]]:
    """The periods that are open in belief, by content, with what they are of."""
    return await place.rows(OPEN, space)


async def periods(place: Place) -> list[tuple[str, str, str | None]]:
    """Subject, span and cause of the closing of each period that is open in belief."""
    return [(row[0], row[4], row[8]) for row in await opened(place)]


async def current(place: Place) -> set[str]:
    return {" ".join(row[:3]) for row in await opened(place) if row[8] is None}


async def ruled(place: Place, *rules: PredicateRule) -> GraphRAG:
    rag = place.engine(create=True)
    await rag.initialize()
    await rag.set_rules(list(rules))
    return rag


CHIEFS = [
    written("a", 2001, "Ada led Acme."),
    written("b", 2010, "Bob led Acme."),
    written("c", 2020, "Cyd led Acme."),
]
THREE = [
    ("ada", span(None, 2010), "superseded"),
    ("bob", span(2010, 2020), "superseded"),
    ("cyd", span(2020, None), None),
]


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 2, 0)])
async def test_the_later_chief_is_current_whatever_came_first(place: Place, order: Sequence[int]) -> None:
    rag = await ruled(place, ONE_CHIEF)
    for n in order:
        await rag.index_document(CHIEFS[n])
    assert await periods(place) == THREE
    assert await faults(rag) == []


async def test_a_rule_that_is_given_late_settles_what_is_there(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents(CHIEFS)
    assert await current(place) == {"ada led acme", "bob led acme", "cyd led acme"}
    await rag.set_rules([ONE_CHIEF])
    assert await periods(place) == THREE
    await rag.set_rules([])
    assert await current(place) == {"ada led acme", "bob led acme", "cyd led acme"}
    assert await faults(rag) == []


async def test_rules_are_read_back(place: Place) -> None:
    rag = await ruled(place, ONE_CHIEF, *TERMS)
    assert set(await rag.rules()) == {
        PredicateRule(predicate="led", per="object"),
        PredicateRule(predicate="befriended", per="pair", exclusive="terms"),
        PredicateRule(predicate="fought", per="pair", exclusive="terms"),
    }


async def test_a_rule_may_be_any_text_that_has_words(place: Place) -> None:
    rag = await ruled(place, PredicateRule(predicate="led\x00", per="pair", exclusive="'; DROP TABLE {record} $$ \x00"))
    [rule] = await rag.rules()
    assert rule.exclusive == "'; DROP TABLE {record} $$ \ufffd"
    with pytest.raises(InputError, match="predicate"):
        await rag.set_rules([PredicateRule(predicate=" ", per="pair")])


async def test_predicates_share_a_group_however_long_its_name_is(place: Place) -> None:
    name = "".join(random.Random(1).choices(string.ascii_letters, k=5000))
    sold, hired = (PredicateRule(predicate=verb, per="object", exclusive=name) for verb in ("sold", "hired"))
    rag = await ruled(place, sold, hired)
    await rag.index_documents([written("a", 2001, "Ada sold Acme."), written("b", 2002, "Bob hired Acme.")])
    assert await place.relations() == {("bob", "hired", "acme")}


async def test_each_closing_names_what_took_the_place(place: Place) -> None:
    rag = await ruled(place, ONE_CHIEF)
    await rag.index_documents(CHIEFS[:2])
    assert [row[9] for row in await opened(place)] == [["bob f led acme"], []]


async def test_other_companies_keep_their_chiefs(place: Place) -> None:
    rag = await ruled(place, ONE_CHIEF)
    await rag.index_documents([*CHIEFS, written("d", 2005, "Dan led Birch.")])
    assert await current(place) == {"cyd led acme", "dan led birch"}


async def test_one_who_moves_lives_in_the_last_place_only(place: Place) -> None:
    rag = await ruled(place, PredicateRule(predicate="inhabits", per="subject"))
    await rag.index_documents([written("a", 2001, "Ada inhabits Rome."), written("b", 2009, "Ada inhabits Oslo.")])
    assert await current(place) == {"ada inhabits oslo"}


async def test_friend_enemy_friend_leaves_one_current_fact(place: Place) -> None:
    rag = await ruled(place, *TERMS)
    await rag.index_documents(
        [
            written("a", 2001, "Ada befriended Bob."),
            written("b", 2005, "Ada fought Bob."),
            written("c", 2009, "Ada befriended Bob again."),
        ]
    )
    assert await current(place) == {"ada befriended bob"}
    assert [(row[1], row[4], row[8]) for row in await opened(place)] == [
        ("befriended", span(None, 2005), "superseded"),
        ("befriended", span(2009, None), None),
        ("fought", span(2005, 2009), "superseded"),
    ]


async def test_a_fact_that_is_repeated_does_not_close_itself(place: Place) -> None:
    rag = await ruled(place, ONE_CHIEF)
    await rag.index_documents(
        [written(key, year, f"Ada led Acme. Note {year}.") for key, year in zip("abc", (2001, 2005, 2009), strict=True)]
    )
    assert await current(place) == {"ada led acme"}


async def test_a_denial_is_a_fact_of_its_own_and_closes_what_it_denies(place: Place) -> None:
    rag = place.engine()
    await rag.index_documents([written("a", 2001, "Ada led Acme."), written("b", 2005, "Ada never led Acme.")])
    assert [(row[3], row[4], row[8]) for row in await opened(place)] == [
        (False, span(None, 2005), "denied"),
        (True, span(2005, None), None),
    ]


async def test_a_source_without_a_date_closes_nothing(place: Place) -> None:
    rag = await ruled(place, ONE_CHIEF)
    await rag.index_documents([CHIEFS[0], written("x", None, "Bob led Acme.")])
    assert await current(place) == {"ada led acme", "bob led acme"}


async def test_an_old_source_indexed_late_does_not_beat_the_newer_fact(place: Place) -> None:
    rag = await ruled(place, ONE_CHIEF)
    await rag.index_documents(CHIEFS[1:])
    await rag.index_document(written("archive", 2024, "Ada led Acme from 2001 until 2003."))
    assert ("ada", span(2001, 2004), "superseded") in await periods(place)
    assert ("cyd", span(2020, None), None) in await periods(place)


async def test_when_the_source_that_superseded_is_gone_the_old_fact_is_open_again(place: Place) -> None:
    rag = await ruled(place, ONE_CHIEF)
    await rag.index_documents(CHIEFS)
    await rag.index_document(written("c", 2020, "Nothing at all."))
    assert await periods(place) == [("ada", span(None, 2010), "superseded"), ("bob", span(2010, None), None)]
    assert await faults(rag) == []


# ---------------------------------------------------------------- people's words


async def ids(place: Place) -> dict[str, int]:
    rows = await place.rows("SELECT a.key, r.id FROM {r}.relation r JOIN {r}.entity a ON a.id = r.subject")
    return dict(rows)


async def test_a_fact_is_closed_by_a_word_and_reopened_by_another(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(written("a", 2001, "Ada led Acme."))
    ada = (await ids(place))["ada"]
    await rag.close_relation(ada, at="2004", reason="she left")
    assert await periods(place) == [("ada", span(None, 2005), "override")]
    await rag.index_document(written("b", 2009, "Ada led Acme for long."))
    assert await current(place) == set()
    await rag.reopen_relation(ada)
    assert await current(place) == {"ada led acme"}
    assert await faults(rag) == []


async def test_a_fact_that_never_held_is_retracted(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(written("a", 2001, "Ada led Acme."))
    await rag.close_relation((await ids(place))["ada"], reason="a hoax")
    assert [(row[6], row[7]) for row in await opened(place)] == [(True, False)]


async def test_a_reopened_fact_stays_open_beside_the_one_that_had_closed_it(place: Place) -> None:
    rag = await ruled(place, ONE_CHIEF)
    await rag.index_documents(CHIEFS[:2])
    await rag.reopen_relation((await ids(place))["ada"])
    assert await current(place) == {"ada led acme", "bob led acme"}


async def test_a_word_on_a_fact_that_is_not_there_is_refused(place: Place) -> None:
    rag = place.engine()
    await rag.index_document(written("a", 2001, "Ada led Acme."))
    with pytest.raises(RelationNotFound):
        await rag.close_relation(99999)
    with pytest.raises(RelationNotFound):
        await rag.reopen_relation(1 << 70)
    with pytest.raises(ImpossibleDate):
        await rag.close_relation((await ids(place))["ada"], at="2001-13")


# ---------------------------------------------------------------- order and processes

PEOPLE, COMPANIES = ("Ada", "Bob", "Cyd"), ("Acme", "Birch")
LINES = st.builds(
    lambda who, what, where, when: f"{who} {what} {where}{when}.",
    st.sampled_from(PEOPLE),
    st.sampled_from(("led", "never led", "befriended", "fought")),
    st.sampled_from(COMPANIES),
    st.sampled_from(("", "", " since 2003", " from 2002 until 2006", " until 2004")),
)
DOCUMENTS = st.lists(
    st.tuples(st.none() | st.integers(2001, 2008), st.lists(LINES, min_size=1, max_size=3, unique=True)),
    min_size=2,
    max_size=6,
)
RULES = (ONE_CHIEF, *TERMS)


async def opened_by(place: Place, rag: GraphRAG, calls: Sequence[Sequence[Document]]) -> list[tuple[Any, ...]]:
    """What is open in a space of its own once these calls have indexed into it; to make a realm takes far longer."""
    space = f"space {uuid.uuid4()}"
    for documents in calls:
        await rag.index_documents([one.model_copy(update={"space": space}) for one in documents])
    return await opened(place, space)


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(DOCUMENTS, st.randoms(use_true_random=False))
async def test_any_order_of_arrival_leaves_the_same_open_periods(
    place: Place, said: list[tuple[int | None, list[str]]], chance: random.Random
) -> None:
    documents = [written(f"d{n}", year, *lines) for n, (year, lines) in enumerate(said)]
    mixed = [[item] for item in chance.sample(documents, len(documents))]
    async with await ruled(place, *RULES) as rag:
        assert await opened_by(place, rag, mixed) == await opened_by(place, rag, [documents])


async def test_processes_that_write_about_one_subject_leave_what_one_writer_leaves(
    place: Place, workers: Workers
) -> None:
    rag = await ruled(place, *RULES)
    chance = random.Random(7)
    texts = [
        (f"d{n}", [[f"{chance.choice(PEOPLE)} {chance.choice(('led', 'fought', 'never led'))} Acme in part {n}."]])
        for n in range(40)
    ]
    dates = {key: str(2000 + chance.randrange(12)) for key, _ in texts}
    plans = [
        {
            "dsn": place.dsn, "realm": place.realm, "seed": n, "documents": texts[n::4], "dates": dates,
            "versions": [0] * len(texts[n::4]),
        }
        for n in range(4)
    ]  # fmt: skip
    assert workers.run(plans) == [0, 0, 0, 0]
    alone = [document(key, *lines, observed_at=dates[key]) for key, [lines] in texts]
    assert await opened(place) == await opened_by(place, rag, [alone])
    assert await faults(rag) == []
