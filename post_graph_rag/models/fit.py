"""Whether an embedding model and a realm go together; a realm never mixes two models."""

from __future__ import annotations

from post_graph_rag.errors import EmbeddingError, WidthMismatch
from post_graph_rag.models.protocols import EmbeddingModel
from post_graph_rag.records import RealmInfo


async def width_of(model: EmbeddingModel) -> int:
    """The model's width, asked of the model itself by one probe where it is not known."""
    if model.dimensions is not None:
        return model.dimensions
    return int((await model.embed(["width"], "passage")).shape[1])


def check_fit(realm: RealmInfo, model: EmbeddingModel) -> None:
    """Raise WidthMismatch or EmbeddingError unless the realm's vectors are of this model."""
    if model.dimensions not in (None, realm.dimensions):
        raise WidthMismatch(
            f"the embedding model {model.name} gives {model.dimensions} dimensions, realm {realm.name!r} holds "
            f"{realm.dimensions} of {realm.embedding_model}: use that model, or another realm"
        )
    if model.name != realm.embedding_model:
        raise EmbeddingError(
            f"realm {realm.name!r} holds vectors of {realm.embedding_model}, not of {model.name}: use that model, "
            "or another realm"
        )
