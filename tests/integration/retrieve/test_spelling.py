"""Words of any script and any marks are found in passages, and names in a question however they are spelt there."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

import asyncpg
import pytest

from post_graph_rag.records import QueryData, QueryParam
from post_graph_rag.retrieve.pipeline import Reader, retrieve
from post_graph_rag.store.database import Database
from post_graph_rag.store.identifiers import quoted
from post_graph_rag.store.realms import Realm
from tests.integration.retrieve.conftest import filled, reader_of, reading
from tests.integration.retrieve.filling import Filler

TEXTS = {
    "snake": "The job calls parse_config_file before it starts.",
    "camel": "A new class, HttpRetryPolicy, was added.",
    "dotted": "It lives in numpy.linalg.solver since then.",
    "hyphen": "A state-of-the-art furnace was built.",
    "uuid": "Ticket 9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d was closed.",
    "version": "Release v2.14.3 mends the leak.",
    "mail": "Write to ada.vidal@example.org for access.",
    "path": "Logs go to /var/log/kestrel/today.txt every night.",
    "quote": 'He said "nevermore" and left.',
    "door": "A carved door was sold.",
    "thai": "เขาอาศัยอยู่ในกรุงเทพมหานคร",
    "arabic": "يقع المتحف في وسط المدينة القديمة",
    "russian": "Старый мост стоит на левом берегу.",
    "hindi": "यह पुस्तकालय बहुत पुराना है",
    "chinese": "图书馆在河的北岸",
    "korean": "도서관은 강의 북쪽에 있다",
}
NAMES = (
    "John Smith", "John Carver", "Jane Smith", "Microsoft", "Microsoft Azure", "Niger", "Omsk", "Anna",
    "Москва", "Иванов", "القاهرة", "Λάρισα", "Petersburg", "The Who",
)  # fmt: skip
ONLY_NAMES = QueryParam(mode="local", weights={"entity_vector": 0, "walk": 0}, top_k=20)
ONLY_WORDS = QueryParam(weights={"passage_vector": 0, "walk": 0, "evidence": 0})


def fill(world: Filler) -> None:
    for key, text in TEXTS.items():
        world.document(key, text)
    for name in NAMES:
        world.document(f"of {name}", f"Here is told of {name}.", mentions=[name])
    world.document("far", "Kept elsewhere.", mentions=["Orbitron"], space="other")


@pytest.fixture(scope="module")
def made_dsn(server_dsn: str, template_database: str) -> Iterator[str]:
    with filled(server_dsn, template_database, fill) as dsn:
        yield dsn


@pytest.fixture
async def made(made_dsn: str) -> AsyncIterator[Reader]:
    async with reading(made_dsn) as opened:
        yield opened


def named(data: QueryData) -> list[str]:
    """Entities that were found by their names, best first."""
    ranks = [
        (place.rank, hit.name) for hit in data.entities for place in hit.channels if place.channel == "entity_name"
    ]
    return [name for _, name in sorted(ranks)]


def worded(data: QueryData) -> list[str]:
    """Documents of which a passage was found by its words, best first."""
    places = [(place.rank, hit) for hit in data.passages for place in hit.channels if place.channel == "passage_text"]
    return [hit.sources[0].document for _, hit in sorted(places, key=lambda found: found[0])]


@pytest.mark.parametrize(
    ("asked", "document"),
    [
        ("what does parse_config_file do?", "snake"),
        ("the config file is parsed where?", "snake"),
        ("HttpRetryPolicy", "camel"),
        ("a policy of retry", "camel"),
        ("numpy.linalg.solver", "dotted"),
        ("linalg?", "dotted"),
        ("is it state-of-the-art?", "hyphen"),
        ("id=9B1DEB4D-3B7D-4BAD-9BDD-2B0D7B3DCB6D", "uuid"),
        ("v2.14.3", "version"),
        ("ada.vidal@example.org", "mail"),
        ("see /var/log/kestrel/today.txt", "path"),
        ("“nevermore”", "quote"),
        ("กรุงเทพอยู่ที่ไหน", "thai"),
        ("اين المتحف؟", "arabic"),
        ("где стоит мост?", "russian"),
        ("पुस्तकालय कहाँ है", "hindi"),
        ("哪里有图书馆？", "chinese"),
        ("도서관이 어디에 있어요?", "korean"),
    ],
)
async def test_words_of_any_kind_find_their_passage_first(made: Reader, asked: str, document: str) -> None:
    assert worded(await retrieve(made, asked, ONLY_WORDS))[:1] == [document]


@pytest.mark.parametrize("asked", ["& | ! : * ( \" ' \\ nevermore", "never\x00 nevermore", "nevermore " + "x" * 10_000])
async def test_marks_and_length_do_not_hide_a_word(made: Reader, asked: str) -> None:
    assert worded(await retrieve(made, asked, ONLY_WORDS)) == ["quote"]


async def test_a_question_of_words_of_grammar_only_is_answered_from_the_other_channels(made: Reader) -> None:
    data = await retrieve(made, "what is this about?")
    assert any(place.channel == "passage_vector" for hit in data.passages for place in hit.channels)


async def test_words_of_grammar_do_not_find_names(made: Reader) -> None:
    assert named(await retrieve(made, "who told of Omsk?", ONLY_NAMES)) == ["Omsk"]


@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("Who is Jonh Smith?", "John Smith"),
        ("who is jonh smith", "John Smith"),
        ("what does Microsft own?", "Microsoft"),
        ("what does mircosoft own?", "Microsoft"),
        ("Microsofft Azure regions", "Microsoft Azure"),
        ("Is it Microsoft's?", "Microsoft"),
        ("the Microsoft-owned firm", "Microsoft"),
        ("where is Petersburgh?", "Petersburg"),
        ("О чём пишут из Москвы?", "Москва"),
        ("что было с Ивановым?", "Иванов"),
        ("πού είναι η Λάρισσα;", "Λάρισα"),
        ("اين القاهره؟", "القاهرة"),
        ("songs by The Who", "The Who"),
    ],
)
async def test_a_name_is_found_first_however_it_is_spelt(made: Reader, asked: str, name: str) -> None:
    assert named(await retrieve(made, asked, ONLY_NAMES))[:1] == [name]


async def test_a_name_spelt_as_it_is_comes_before_one_that_is_misspelt(made: Reader) -> None:
    assert named(await retrieve(made, "Did Microsft go to Omsk?", ONLY_NAMES))[:2] == ["Omsk", "Microsoft"]


async def test_a_misspelt_name_comes_before_names_that_share_a_word(made: Reader) -> None:
    assert named(await retrieve(made, "Jonh Smith", ONLY_NAMES)) == ["John Smith", "Jane Smith"]


@pytest.mark.parametrize("asked", ["Who is Anne?", "in Omks", "the Tiger of it", "Jonh?"])
async def test_short_names_and_first_letters_are_taken_as_they_are_written(made: Reader, asked: str) -> None:
    assert named(await retrieve(made, asked, ONLY_NAMES)) == []


async def test_a_word_that_passages_hold_is_not_taken_for_a_misspelt_name(made: Reader) -> None:
    assert named(await retrieve(made, "who carved it?", ONLY_NAMES)) == []


async def test_misspelt_names_of_other_spaces_stay_there(made: Reader) -> None:
    elsewhere = ONLY_NAMES.model_copy(update={"space": "other"})
    assert named(await retrieve(made, "Orbitorn", ONLY_NAMES)) == []
    assert named(await retrieve(made, "Orbitorn", elsewhere)) == ["Orbitron"]


async def test_a_misspelt_name_is_found_at_another_time_too(made: Reader) -> None:
    then = ONLY_NAMES.model_copy(update={"as_of": "2020"})
    assert named(await retrieve(made, "Who is Jonh Smith?", then))[:1] == ["John Smith"]


async def crowd(dsn: str, realm: Realm, names: int) -> None:
    """Names of two words, of which the second is shared by two hundred each."""
    connection = await asyncpg.connect(dsn)
    await connection.execute(f"SET search_path = {quoted(realm.info.schema_name)}")
    await connection.execute(
        f"""
        CREATE TEMP TABLE made AS
        SELECT 1000 + n AS id, translate(left(md5(n::text), 8), '0123456789', 'ghijklmnop') AS one,
               'brook' || translate((n % {names // 200})::text, '0123456789', 'ghijklmnop') AS other
        FROM generate_series(1, {names}) n;
        INSERT INTO entity (id, space, key, canonical, current) OVERRIDING SYSTEM VALUE
        SELECT id, 1, one || ' ' || other || id, id, true FROM made;
        INSERT INTO entity_name (id, entity, name, key, alias, recorded) OVERRIDING SYSTEM VALUE
        SELECT id, id, one || ' ' || other, one || ' ' || other, false, tstzrange(now(), null) FROM made;
        INSERT INTO posting (kind, space, term, id, frequency, length, current)
        SELECT 2, 1, unnest(ARRAY[one, other]), id, 1, 2, true FROM made;
        ANALYZE
        """
    )
    await connection.close()


async def test_a_misspelt_name_is_found_in_a_crowd_that_shares_one_of_its_words(
    store: Database, realm: Realm, filler: Filler, database: str
) -> None:
    filler.document("one", "Here is told of somebody.", mentions=["Octavian Brookgh"])
    await filler.flush(database)
    await crowd(database, realm, 20_000)
    found = await retrieve(reader_of(store, realm), "who met Octavain Brookgh?", ONLY_NAMES)
    assert named(found)[:1] == ["Octavian Brookgh"]
