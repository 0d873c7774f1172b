"""Whether an embedding model and a realm go together; a realm never mixes two models."""

from __future__ import annotations

from post_graph_rag.errors import ConfigurationError, EmbeddingError, WidthMismatch
from post_graph_rag.models.protocols import EmbeddingModel
from post_graph_rag.records import RealmInfo


async def width_of(model: EmbeddingModel) -> int:
    """The model's width, asked of the model itself by one probe where it is not known."""
    if model.dimensions is not None:
        return model.dimensions
    return int((await model.embed(["width"], "passage")).shape[1])


def check_prefixes(realm: RealmInfo, query: str | None, passage: str | None) -> None:
    """Raise ConfigurationError unless the prefixes that are said (None: nothing is) are those of the realm."""
    for setting, said, held in (
        ("embedding_query_prefix", query, realm.query_prefix),
        ("embedding_passage_prefix", passage, realm.passage_prefix),
    ):
        if said not in (None, held):
            raise ConfigurationError(
                f"{setting} is {said!r}, realm {realm.name!r} was made with {held!r}: leave the setting out, or change "
                "the realm with `post-graph-rag realm reembed`"
            )


def check_fit(realm: RealmInfo, model: EmbeddingModel) -> None:
    """Raise WidthMismatch or EmbeddingError unless the realm's vectors are of this model."""
    if model.dimensions not in (None, realm.dimensions):
        raise WidthMismatch(
            f"the embedding model {model.name} gives {model.dimensions} dimensions, realm {realm.name!r} holds "
            f"{realm.dimensions} of {realm.embedding_model}: use that model, or another realm, or "
            "`post-graph-rag realm reembed`"
        )
    if model.name != realm.embedding_model:
        raise EmbeddingError(
            f"realm {realm.name!r} holds vectors of {realm.embedding_model}, not of {model.name}: use that model, "
            "or another realm, or `post-graph-rag realm reembed`"
        )
