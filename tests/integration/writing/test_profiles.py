"""What entities are called and said to be, and that hubs stay small."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence

from post_graph_rag.errors import EmbeddingError
from post_graph_rag.models.protocols import EmbeddingKind, Vectors
from post_graph_rag.profiles import DESCRIPTION_LIMIT
from post_graph_rag.records import ExtractedEntity, ExtractedRelation, Extraction
from post_graph_rag.testing import ScriptedChat, ScriptedEmbedding, fresh_realm_name
from tests.integration.writing.support import DIMENSIONS, Place, differences, document, faults, small_embedding

PROFILE = """
    SELECT p.name, p.type, p.description, p.pending FROM {r}.entity_profile p
    JOIN {r}.entity e ON e.id = p.entity WHERE e.key = $1 AND e.current"""
VECTOR = "SELECT v.embedding::text FROM {r}.entity_vector_1 v JOIN {r}.entity e ON e.id = v.id WHERE e.key = $1"


def telling(**said: Extraction) -> ScriptedChat:
    """A model that says of a text what is written under its first word."""
    return ScriptedChat(extract=lambda text: said[text.split()[0]])


FULL = Extraction(entities=(ExtractedEntity(name="Acme Corp", type="company", description="Acme makes kilns."),))
BARE = Extraction(entities=(ExtractedEntity(name="Acme Corp"),))
ENDS_ONLY = Extraction(relations=(ExtractedRelation(subject="acme corp.", predicate="hired", object="Cora Doe"),))


async def test_a_bare_mention_changes_neither_description_nor_vector(place: Place) -> None:
    embedding = small_embedding()
    rag = place.engine(telling(full=FULL, bare=BARE, ends=ENDS_ONLY), embedding)
    await rag.index_document(document("a", "full of it"))
    profile, vector = await place.rows(PROFILE, "acme corp"), await place.rows(VECTOR, "acme corp")
    assert profile == [("Acme Corp", "company", "Acme makes kilns.", False)]
    embedding.texts.clear()
    await rag.index_document(document("b", "bare mention"))
    await rag.index_document(document("c", "ends of a relation"))
    assert await place.rows(VECTOR, "acme corp") == vector
    assert [text for text in embedding.texts if text.startswith("Acme Corp:")] == []
    assert [row[2:] for row in await place.rows(PROFILE, "acme corp")] == [("Acme makes kilns.", False)]


async def test_a_description_goes_with_its_source(place: Place) -> None:
    rag = place.engine(telling(full=FULL, bare=BARE))
    await rag.index_documents([document("a", "full of it"), document("b", "bare mention")])
    await rag.index_document(document("a", "bare too"))
    assert await place.rows(PROFILE, "acme corp") == [("Acme Corp", "", "", False)]
    assert await faults(rag) == []


async def test_an_entity_nothing_mentions_is_dormant_until_it_is_mentioned_again(place: Place) -> None:
    rag = place.engine(telling(full=FULL, none=Extraction(), bare=BARE))
    await rag.index_document(document("a", "full of it"))
    await rag.index_document(document("a", "none at all"))
    assert (await place.content())["entities"] == frozenset()
    assert await faults(rag) == []
    await rag.index_document(document("b", "bare mention"))
    assert {row[1] for row in (await place.content())["entities"]} == {"acme corp"}
    assert await faults(rag) == []


def hub(number: int) -> Extraction:
    place = f"Place {number % 40}"
    said = f"Acme was seen at place {number % 40}, " + "where it stayed for a while. " * (number % 9)
    return Extraction(
        entities=(
            ExtractedEntity(name=f"Acme{' Corp.' if number % 3 else ' Corporation'}", type="company", description=said),
        ),
        relations=(ExtractedRelation(subject="Acme Corp", predicate="seen at", object=place, description=said),),
    )


async def test_a_hub_keeps_a_bounded_profile_whatever_the_order(place: Place) -> None:
    def told(text: str) -> Extraction:
        return hub(int(text.split()[1]))

    documents = [document(f"d{n}", f"sighting {n}") for n in range(300)]
    rag = place.engine(ScriptedChat(extract=told))
    await rag.index_documents(documents)
    [(_, _, description, pending)] = await place.rows(PROFILE, "acme corp")
    assert len(description) <= DESCRIPTION_LIMIT
    assert not pending
    other = Place(place.dsn, fresh_realm_name())
    shuffled = random.Random(5).sample(documents, len(documents))
    for start in range(0, 300, 50):
        await other.engine(ScriptedChat(extract=told)).index_documents(shuffled[start : start + 50])
    await other.close()
    assert differences(await place.content(), await other.content()) == {}
    assert await faults(rag) == []


async def test_the_last_of_two_thousand_mentions_of_one_entity_costs_what_the_first_did(place: Place) -> None:
    def told(text: str) -> Extraction:
        said = f"Acme was seen in {text}, and " + "nobody knows why. " * (len(text) % 7)
        return Extraction(entities=(ExtractedEntity(name="Acme", type="company", description=said),))

    rag = place.engine(ScriptedChat(extract=told), optimize=False)
    seconds = []
    for start in range(0, 2000, 50):
        begun = time.perf_counter()
        await rag.index_document(document(f"d{start}", *(f"sighting {start + n}" for n in range(50))))
        seconds.append(time.perf_counter() - begun)
    [(_, _, description, _)] = await place.rows(PROFILE, "acme")
    assert len(description) <= DESCRIPTION_LIMIT
    # The quickest of each, since other work on the machine only ever slows one down.
    assert min(seconds[-8:]) < 2 * min(seconds[1:9])


async def test_equal_descriptions_do_not_crowd_out_others(place: Place) -> None:
    def told(text: str) -> Extraction:
        said = "Acme is a maker of kilns and ovens." if text.endswith("common") else "Acme went to court."
        return Extraction(entities=(ExtractedEntity(name="Acme", type="company", description=said),))

    rag = place.engine(ScriptedChat(extract=told))
    await rag.index_documents([document(f"d{n}", f"{n} common") for n in range(60)])
    await rag.index_document(document("e", "1 rare"))
    [(_, _, description, _)] = await place.rows(PROFILE, "acme")
    assert description == "Acme is a maker of kilns and ovens. Acme went to court."


async def test_the_most_said_type_is_taken(place: Place) -> None:
    def told(text: str) -> Extraction:
        kind, number = text.split()
        return Extraction(entities=(ExtractedEntity(name="Acme", type=kind, description=f"Said {number}."),))

    rag = place.engine(ScriptedChat(extract=told))
    await rag.index_documents([document(str(n), f"{'business' if n == 0 else 'company'} {n}") for n in range(3)])
    assert [row[1] for row in await place.rows(PROFILE, "acme")] == ["company"]


class RefusesHiring(ScriptedEmbedding):
    """Notes each text about hiring that it is asked for, and refuses it while `refuses` is set."""

    def __init__(self) -> None:
        super().__init__(DIMENSIONS)
        self.refuses = True
        self.asked: set[str] = set()

    async def embed(self, texts: Sequence[str], kind: EmbeddingKind = "passage") -> Vectors:
        about = {text for text in texts if "hired" in text}
        self.asked |= about
        if about and self.refuses:
            raise EmbeddingError("not this text")
        return await super().embed(texts, kind)


async def test_a_relations_vector_is_made_of_the_same_words_now_and_later(place: Place) -> None:
    """The name that the fullest passage gives is not the one that the entity has."""
    named = Extraction(entities=(ExtractedEntity(name="Acme Corporation", description="A firm."),))
    fullest = Extraction(
        entities=(ExtractedEntity(name="Acme Corp.", description="Acme Corp. makes kilns of iron."),),
        relations=(ExtractedRelation(subject="Acme Corp.", predicate="hired", object="Cora Doe"),),
    )
    embedding = RefusesHiring()
    rag = place.engine(telling(named=named, fullest=fullest), embedding)
    await rag.index_document(document("a", "named in it"))
    await rag.index_document(document("b", "fullest of it"))
    embedding.refuses = False
    assert (await rag.complete_pending()).vectors_completed == 1
    assert embedding.asked == {"Acme Corporation hired Cora Doe"}
