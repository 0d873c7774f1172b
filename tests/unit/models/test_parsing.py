"""Whatever an extractor model writes is read, and what was mended or dropped is counted."""

from __future__ import annotations

import json
import time
from collections import Counter
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from post_graph_rag.errors import ExtractionError
from post_graph_rag.models.parsing import parse_extraction
from post_graph_rag.records import ExtractedEntity, ExtractedRelation, Extraction

ADA = {"name": "Ada", "type": "Person", "description": "A mathematician.", "aliases": ["Countess"]}
ENGINE = {"name": "Engine", "type": "Machine", "description": "", "aliases": []}
WROTE = {
    "subject": "Ada",
    "predicate": "wrote_about",
    "object": "Engine",
    "description": "Ada wrote about the Engine.",
    "negated": False,
    "confidence": 0.9,
    "valid_from": "1843",
    "valid_to": None,
}
REPLY = {"entities": [ADA, ENGINE], "relations": [WROTE]}
EXPECTED = Extraction(
    entities=(
        ExtractedEntity(name="Ada", type="Person", description="A mathematician.", aliases=("Countess",)),
        ExtractedEntity(name="Engine", type="Machine"),
    ),
    relations=(
        ExtractedRelation(
            subject="Ada",
            predicate="wrote_about",
            object="Engine",
            description="Ada wrote about the Engine.",
            confidence=0.9,
            valid_from="1843",
        ),
    ),
)


def read(reply: object) -> Extraction:
    return parse_extraction(reply if isinstance(reply, str) else json.dumps(reply))[0]


def repairs(reply: object) -> Counter[str]:
    return parse_extraction(reply if isinstance(reply, str) else json.dumps(reply))[1]


def names(extraction: Extraction) -> list[str]:
    return [entity.name for entity in extraction.entities]


def triples(extraction: Extraction) -> list[tuple[str, str, str]]:
    return [(r.subject, r.predicate, r.object) for r in extraction.relations]


def with_relation(**changes: object) -> ExtractedRelation:
    return read({**REPLY, "relations": [{**WROTE, **changes}]}).relations[0]


# ---------------------------------------------------------------- wrapping


def test_the_asked_shape_is_read_without_a_repair() -> None:
    assert parse_extraction(json.dumps(REPLY)) == (EXPECTED, Counter())


@pytest.mark.parametrize("key", ["triples", "relationships", "Relations", "edges"])
def test_relations_are_found_under_their_usual_names(key: str) -> None:
    assert read({"entities": [ADA, ENGINE], key: [WROTE]}) == EXPECTED


def test_fenced_json_is_read() -> None:
    reply = f"```json\n{json.dumps(REPLY)}\n```"
    assert parse_extraction(reply) == (EXPECTED, Counter(fenced=1))


def test_prose_around_json_is_left_out() -> None:
    reply = f"Sure [as asked], here it is:\n{json.dumps(REPLY)}\nLet me know {{if}} more is needed."
    assert read(reply) == EXPECTED
    assert repairs(reply)["prose"] == 1


def test_reasoning_before_the_answer_is_left_out() -> None:
    reply = '<think>Maybe {"entities": [{"name": "Wrong"}]}?</think>\n' + json.dumps(REPLY)
    assert parse_extraction(reply) == (EXPECTED, Counter(thinking=1))


def test_reasoning_with_only_a_closing_tag_is_left_out() -> None:
    reply = 'Maybe {"entities": [{"name": "Wrong"}]}?</think>' + json.dumps(REPLY)
    assert read(reply) == EXPECTED


def test_a_closing_tag_inside_the_json_is_data() -> None:
    assert names(read({"entities": [{"name": "a </think> b"}]})) == ["a </think> b"]


def test_entities_and_relations_in_two_blocks_are_put_together() -> None:
    reply = (
        f"```json\n{json.dumps({'entities': [ADA, ENGINE]})}\n```\n```json\n{json.dumps({'relations': [WROTE]})}\n```"
    )
    assert read(reply) == EXPECTED


def test_an_answer_inside_a_wrapper_is_read() -> None:
    assert read({"result": {"extraction": REPLY}}) == EXPECTED


def test_a_bare_list_of_items_is_read() -> None:
    assert read([ADA, ENGINE, WROTE]) == EXPECTED


def test_one_item_per_line_is_read() -> None:
    assert read("\n".join(json.dumps(item) for item in (ADA, ENGINE, WROTE))) == EXPECTED


# ---------------------------------------------------------------- broken off, broken inside


def test_what_is_whole_in_a_reply_that_breaks_off_is_kept() -> None:
    whole = json.dumps({"entities": [ADA, ENGINE], "relations": [WROTE, {**WROTE, "object": "Loom"}]})
    broken = whole[: whole.rindex("Loom")]
    assert read(broken) == EXPECTED
    assert repairs(broken)["truncated"] == 1


def test_a_relation_that_breaks_off_before_its_negation_is_not_turned_into_its_opposite() -> None:
    broken = json.dumps({"relations": [{**WROTE, "negated": True}]})
    broken = broken[: broken.index('"negated"')]
    with pytest.raises(ExtractionError):
        parse_extraction(broken)


def test_names_and_lists_that_are_whole_survive_a_break() -> None:
    assert names(read('{"entities": ["Ada", "Engine", "Lo')) == ["Ada", "Engine"]
    assert triples(read('{"relations": [["Ada", "wrote", "Notes"], ["Ada", "kn')) == [("Ada", "wrote", "Notes")]


@given(st.integers(0, 400))
def test_every_beginning_of_a_reply_yields_a_part_of_it_or_the_typed_error(length: int) -> None:
    text = json.dumps(REPLY)[:length]
    try:
        part = read(text)
    except ExtractionError:
        return
    assert set(part.relations) <= set(EXPECTED.relations)
    assert set(part.entities) <= set(EXPECTED.entities)


def test_a_comma_forgotten_in_the_middle_costs_that_item_only() -> None:
    reply = '{"entities": [{"name": "A"}, {"name": "B" "type": "x"}, {"name": "C"}], "relations": []}'
    assert names(read(reply)) == ["A", "C"]


def test_trailing_commas_do_not_cost_an_item() -> None:
    assert names(read('{"entities": [{"name": "A",}, {"name": "B", "type": "x",},], "relations": [],}')) == ["A", "B"]
    assert names(read('{"entities": [{"name": "A"}, {"name": "B"},], "relations": [["A", "p", "B"],],}')) == ["A", "B"]


def test_raw_line_breaks_in_text_are_read() -> None:
    assert read('{"entities": [{"name": "A", "description": "one\ntwo"}]}').entities[0].description == "one two"


def test_backslashes_that_escape_nothing_are_text() -> None:
    reply = r'{"entities": [{"name": "\alpha", "description": "isn\'t"}]}'
    assert read(reply).entities[0].name == r"\alpha"
    assert repairs(reply)["escapes"] == 1


# ---------------------------------------------------------------- nothing, and nothing usable


def test_a_comma_in_text_stays() -> None:
    reply = r'{"entities": [{"name": "a,]", "description": "said \"one,}\""},]}'
    assert [(found.name, found.description) for found in read(reply).entities] == [("a,]", 'said "one,}"')]
    assert repairs(reply)["commas"] == 1


@pytest.mark.parametrize(
    "reply", ["{}", "[]", '{"entities": [], "relations": []}', "In [part one]: []", "<|COMPLETE|>"]
)
def test_an_answer_that_there_is_nothing_is_an_empty_extraction(reply: str) -> None:
    assert read(reply) == Extraction()


@pytest.mark.parametrize(
    "reply",
    [
        "",
        "   \n",
        "I cannot help with that.",
        '{"error": "overloaded"}',
        '{"title": "A report", "findings": [{"summary": "s", "explanation": "e"}]}',
        "<think>I should list the entities",
        "[[[[[[" * 20_000,
        '{"a":' * 20_000,
        "[1, 2, 3]",
        "{'entities': [{'name': 'A'}], 'relations': []}",
    ],
)
def test_a_reply_that_holds_no_answer_is_a_typed_error(reply: str) -> None:
    with pytest.raises(ExtractionError):
        parse_extraction(reply)


def test_the_error_does_not_quote_the_reply() -> None:
    with pytest.raises(ExtractionError) as raised:
        parse_extraction("the key is sk-12345")
    assert "sk-12345" not in str(raised.value)


# ---------------------------------------------------------------- items in other shapes


def test_entities_given_as_names_only_are_read() -> None:
    assert read({"entities": ["Ada", "Engine"]}).entities == (
        ExtractedEntity(name="Ada"),
        ExtractedEntity(name="Engine"),
    )


@pytest.mark.parametrize("entities", [{"Ada": "Person"}, {"Ada": {"type": "Person"}}, {"Person": ["Ada"]}])
def test_entities_given_as_a_mapping_are_read(entities: object) -> None:
    assert read({"entities": entities}).entities == (ExtractedEntity(name="Ada", type="Person"),)


def test_triples_given_as_lists_are_read_and_their_ends_become_entities() -> None:
    reply = {"triples": [["Ada", "wrote", "Notes"]]}
    assert triples(read(reply)) == [("Ada", "wrote", "Notes")]
    assert names(read(reply)) == ["Ada", "Notes"]
    assert repairs(reply) == Counter(endpoint=2)


@pytest.mark.parametrize("triple", [["a", "b"], ["a", "b", "c", "d"], [], "a b c", 7])
def test_triples_of_another_shape_are_dropped_and_counted(triple: object) -> None:
    reply = {"triples": [["Ada", "wrote", "Notes"], triple]}
    assert triples(read(reply)) == [("Ada", "wrote", "Notes")]
    assert repairs(reply)["triple_shape"] == 1


def test_an_end_that_is_an_alias_does_not_become_an_entity() -> None:
    assert names(read({**REPLY, "relations": [{**WROTE, "subject": "countess"}]})) == ["Ada", "Engine"]


def test_an_end_given_as_an_object_is_its_name() -> None:
    assert with_relation(subject={"name": "Ada", "type": "Person"}).subject == "Ada"


def test_source_and_target_are_subject_and_object() -> None:
    reply = {"edges": [{"source": "Ada", "target": "Notes", "relation": "wrote"}]}
    assert triples(read(reply)) == [("Ada", "wrote", "Notes")]


def test_a_pair_that_only_a_sentence_describes_is_kept() -> None:
    reply = {"relationships": [{"source": "Ada", "target": "Notes", "description": "Ada wrote the notes."}]}
    assert triples(read(reply)) == [("Ada", "related to", "Notes")]
    assert repairs(reply)["no_predicate"] == 1


def test_a_pair_without_predicate_and_description_is_dropped() -> None:
    assert read({"relations": [{"subject": "Ada", "object": "Notes"}]}) == Extraction()


# ---------------------------------------------------------------- fields


def test_unknown_fields_are_left_out_and_counted() -> None:
    reply = {"entities": [{**ADA, "importance": 3}, ENGINE], "relations": [WROTE]}
    assert parse_extraction(json.dumps(reply)) == (EXPECTED, Counter(unknown_field=1))


@pytest.mark.parametrize("name", [None, "", "  ", "null", "None", "N/A", [], True])
def test_things_without_a_name_are_dropped_and_counted(name: object) -> None:
    reply = {"entities": [{"name": name}, ADA, ENGINE], "relations": [{**WROTE, "object": name}, WROTE]}
    assert read(reply) == EXPECTED
    assert repairs(reply)["null_name"] == 2


def test_a_number_is_a_name() -> None:
    assert names(read({"entities": [{"name": 1984}, {"name": 747.0}]})) == ["1984", "747"]


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("0.8", 0.8),
        ("80%", 0.8),
        (80, 0.8),
        (8, 0.8),
        ("high", 0.9),
        (None, 1.0),
        ("sure", 1.0),
        (True, 1.0),
        (-1, 1.0),
    ],
)
def test_confidence_is_brought_between_0_and_1(given: object, meant: float) -> None:
    assert with_relation(confidence=given).confidence == pytest.approx(meant)


def test_confidence_that_is_no_number_is_counted() -> None:
    assert repairs(json.dumps(REPLY).replace("0.9", "NaN"))["confidence"] == 1


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (1843, "1843"),
        (1843.0, "1843"),
        ("1843-05", "1843-05"),
        ("null", None),
        ("unknown", None),
        ({}, None),
        ("", None),
    ],
)
def test_dates_are_text(given: object, meant: str | None) -> None:
    assert with_relation(valid_from=given).valid_from == meant


@pytest.mark.parametrize(("given", "meant"), [("true", True), ("False", False), (1, True), (0, False), (None, False)])
def test_negation_is_read_from_text_and_numbers(given: object, meant: bool) -> None:
    assert with_relation(negated=given).negated is meant


def test_one_alias_given_as_text_is_a_list_of_one() -> None:
    assert read({"entities": [{"name": "Ada", "aliases": "Countess"}]}).entities[0].aliases == ("Countess",)


def test_nul_and_lone_surrogates_become_the_replacement_character() -> None:
    assert names(read('{"entities": [{"name": "a\\u0000b\\ud800c"}]}')) == ["a\ufffdb\ufffdc"]


# ---------------------------------------------------------------- doubles


def test_the_same_entity_twice_is_one_with_both_descriptions() -> None:
    reply = {"entities": [ADA, {**ADA, "name": "ADA", "description": "A countess.", "aliases": ["Lady L."]}]}
    assert read(reply).entities == (
        ExtractedEntity(
            name="Ada", type="Person", description="A mathematician. A countess.", aliases=("Countess", "Lady L.")
        ),
    )
    assert repairs(reply) == Counter(duplicate=1)


def test_an_entity_without_type_joins_the_one_that_has_it() -> None:
    assert names(read({"entities": ["Ada", ADA]})) == ["Ada"]


def test_entities_of_one_name_and_two_types_stay_two() -> None:
    kinds = [e.type for e in read({"entities": [["Jordan", "Person"], ["Jordan", "Country"]]}).entities]
    assert kinds == ["Person", "Country"]


def test_the_same_relation_twice_is_one_with_the_higher_confidence() -> None:
    reply = {**REPLY, "relations": [{**WROTE, "confidence": 0.2}, WROTE]}
    assert read(reply) == EXPECTED


def test_a_denial_and_other_dates_are_relations_of_their_own() -> None:
    reply = {"relations": [WROTE, {**WROTE, "negated": True}, {**WROTE, "valid_from": "1850"}]}
    assert len(read(reply).relations) == 3


# ---------------------------------------------------------------- tuple format

TUPLES = (
    '("entity"<|>"Ada"<|>"person"<|>"A mathematician.")##\n'
    '("entity"<|>"Notes"<|>"book"<|>"Notes (of 1843).")##\n'
    '("relationship"<|>"Ada"<|>"Notes"<|>"Ada wrote the notes."<|>9)##\n<|COMPLETE|>'
)
FROM_TUPLES = Extraction(
    entities=(
        ExtractedEntity(name="Ada", type="person", description="A mathematician."),
        ExtractedEntity(name="Notes", type="book", description="Notes (of 1843)."),
    ),
    relations=(
        ExtractedRelation(subject="Ada", predicate="related to", object="Notes", description="Ada wrote the notes."),
    ),
)


@pytest.mark.parametrize(
    "reply",
    [
        TUPLES,
        f"```\n{TUPLES}\n```",
        TUPLES.replace('"', "“"),
        TUPLES.replace('("', '1. ("'),
        TUPLES.replace("<|>9", "|>9"),
        TUPLES.replace('"relationship"', '"relation"'),
        TUPLES.replace("<|>", "<|#|>"),
        "**Entities:**\n" + TUPLES.replace("##", ""),
    ],
)
def test_the_tuple_format_is_read_in_all_its_spellings(reply: str) -> None:
    assert read(reply) == FROM_TUPLES


def test_json_that_quotes_the_tuple_format_is_json() -> None:
    assert names(read({"entities": [{"name": "Ada", "description": '("entity"<|>"X"<|>"y"<|>"z")'}]})) == ["Ada"]


def test_a_tuple_that_breaks_off_is_left_out() -> None:
    broken = TUPLES[: TUPLES.index("<|>9")]
    assert read(broken) == FROM_TUPLES.model_copy(update={"relations": ()})
    assert repairs(broken)["truncated"] == 1


# ---------------------------------------------------------------- anything at all

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=10), inner, max_size=5),
    max_leaves=20,
)
KEYS = ["entities", "relations", "triples", "name", "type", "aliases", "subject", "predicate", "object", "confidence"]
shaped_values = st.recursive(
    json_values,
    lambda inner: st.dictionaries(st.sampled_from([*KEYS, "negated", "valid_from", "source"]), inner, max_size=6),
    max_leaves=30,
)


@given(st.text(alphabet=st.characters(codec=None), max_size=300))
def test_any_text_gives_an_extraction_or_the_typed_error(text: str) -> None:
    try:
        extraction, counted = parse_extraction(text)
    except ExtractionError:
        return
    assert isinstance(extraction, Extraction)
    assert all(count > 0 for count in counted.values())


@given(shaped_values, st.integers(0, 200), st.text(max_size=5))
def test_any_json_with_a_piece_torn_out_gives_an_extraction_or_the_typed_error(
    value: object, where: int, put: str
) -> None:
    text = json.dumps(value)
    for reply in (text, text[:where], text[:where] + put + text[where + 3 :]):
        try:
            extraction, _ = parse_extraction(reply)
        except ExtractionError:
            continue
        assert all(entity.name.strip() for entity in extraction.entities)


tuple_pieces = st.sampled_from(
    ['("entity"', '("relationship"', "<|>", "|>", "##", ")", "\n", '"A"', "<|COMPLETE|>", "x", "(", "“", "9"]
)


@given(st.lists(tuple_pieces, max_size=40).map("".join))
def test_any_heap_of_tuple_pieces_gives_an_extraction_or_the_typed_error(reply: str) -> None:
    try:
        extraction, _ = parse_extraction(reply)
    except ExtractionError:
        return
    assert all(entity.name.strip() for entity in extraction.entities)


GOOD_REPLIES = (json.dumps(REPLY), json.dumps(REPLY, indent=1), f"Here:\n```json\n{json.dumps(REPLY)}\n```", TUPLES)
PIECES = st.sampled_from(
    [*'{}[],:"\\', "null", "```", "<think>", "</think>", "NaN", "-1e999", "\x00", "\ud800", "<|>", "##"]
)


@st.composite
def mutated_replies(draw: st.DrawFn) -> str:
    """A good reply with a few pieces cut out, put in, said twice or moved."""
    reply = draw(st.sampled_from(GOOD_REPLIES))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(reply)))
        end = draw(st.integers(start, min(len(reply), start + 40)))
        put = draw(PIECES | st.sampled_from(["", reply[start:end] * 2, reply[end : end + 30]]))
        reply = reply[:start] + put + reply[end:]
    return reply


@given(mutated_replies())
def test_a_good_reply_that_was_damaged_gives_what_can_be_stored_or_the_typed_error(reply: str) -> None:
    try:
        extraction, counted = parse_extraction(reply)
    except ExtractionError:
        return
    ends = {end for relation in extraction.relations for end in (relation.subject, relation.object)}
    told = {name for entity in extraction.entities for name in (entity.name, *entity.aliases)}
    assert {end.casefold() for end in ends} <= {name.casefold() for name in told}
    assert all(name.strip() and name.isprintable() for name in told if name.isascii())
    assert all(0 <= relation.confidence <= 1 for relation in extraction.relations)
    assert all(count > 0 for count in counted.values())


@pytest.mark.parametrize(
    "piece",
    [
        "{",
        "[",
        '{"a":',
        '{"a" 1}',
        '{"name":"A",',
        '[{"',
        '"',
        "\\",
        '\\"',
        "{}",
        "<think>",
        "<think></think>",
        "</think>",
        "```json\n",
        '("entity"<|>',
        "entity<|>",
        "##",
        ")",
        " ",
        '{"name":"A","description":"b"}',
        '{"name":"A"} {"name":"A","type":"t"}',
    ],
)
def test_the_time_a_reply_takes_does_not_grow_faster_than_the_reply(piece: str) -> None:
    started = time.process_time()
    for opening in ("", '{"entities":[', '("entity"<|>"A"'):
        with suppress(ExtractionError):
            parse_extraction(opening + piece * (100_000 // len(piece)))
    assert time.process_time() - started < 3


def test_many_names_with_and_without_a_type_are_joined_in_little_time() -> None:
    found = [{"name": f"A{i}", **kind} for i in range(20_000) for kind in ({}, {"type": "t"})]
    started = time.process_time()
    assert len(read({"entities": found}).entities) == 20_000
    assert time.process_time() - started < 5
