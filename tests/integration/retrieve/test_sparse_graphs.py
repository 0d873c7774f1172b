"""The walk's weight where passages state few relations: by what they state, not by how the realm came to hold it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from pydantic import SecretStr

from post_graph_rag import Document, GraphRAG, Models, QueryParam, Settings
from post_graph_rag.testing import ScriptedChat, ScriptedEmbedding, fresh_realm_name, plain_facts

FACTS = {"a": "Acme Corp acquired Birch Labs", "b": "Birch Labs hired Cora Doe", "c": "Cora Doe founded Dune Works"}
ASKED = "Whom did Birch Labs hire?"


def version(number: int) -> list[Document]:
    """Each fact in a document of its own, with words that differ from version to version."""
    return [Document(key=key, text=f"{fact}. Remark {number}.") for key, fact in FACTS.items()]


async def walked(dsn: str, versions: Sequence[int], param: QueryParam) -> list[tuple[str, float]]:
    """What a question finds, with its scores, in a realm that was given these versions one after the other."""
    models = Models(ScriptedChat(extract=plain_facts), ScriptedEmbedding(32))
    settings = Settings(dsn=SecretStr(dsn), realm=fresh_realm_name("sparse"), gleaning_passes=0, create=True)
    async with GraphRAG(settings, models=models) as rag:
        for number in versions:
            await rag.index_documents(version(number))
        found = await rag.query_data(ASKED, param)
        return [(hit.sources[0].document, round(hit.score, 6)) for hit in found.passages]


async def test_a_history_of_revisions_changes_no_score(database: str) -> None:
    fresh = await walked(database, [9], QueryParam())
    assert await walked(database, range(10), QueryParam()) == fresh


@pytest.mark.parametrize(("mode", "same"), [("mix", False), ("local", True)])
async def test_the_walk_counts_less_where_each_passage_states_one_relation_but_not_where_it_is_alone(
    database: str, mode: str, same: bool
) -> None:
    param = QueryParam.model_validate({"mode": mode})
    as_it_is = await walked(database, [0], param)
    fully = await walked(database, [0], param.model_copy(update={"weights": {"walk": 1.0}}))
    assert (as_it_is == fully) is same
