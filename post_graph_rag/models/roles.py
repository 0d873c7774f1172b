"""Which model serves which role."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from post_graph_rag.config import Settings
from post_graph_rag.errors import ConfigurationError, ModelNotConfigured
from post_graph_rag.models.limits import LimitedChat, LimitedEmbedding
from post_graph_rag.models.offline.chat import OfflineChat
from post_graph_rag.models.offline.embedding import OfflineEmbedding
from post_graph_rag.models.protocols import ChatModel, EmbeddingModel, Role

ROLES: tuple[Role, ...] = get_args(Role)
OFFLINE_HINT = "or ask for the offline models (offline=True, POST_GRAPH_RAG_OFFLINE=1)"


class Models:
    """The models of an engine, each with a bound on calls under way.

    chat: one model for all roles, or a mapping from role to model; None for an engine that only searches.
    embedding: needed for all modes but bypass.
    concurrency: calls under way at once, for each role and for embedding.
    """

    def __init__(
        self,
        chat: ChatModel | Mapping[Role, ChatModel] | None = None,
        embedding: EmbeddingModel | None = None,
        *,
        concurrency: int = 8,
    ) -> None:
        by_role = chat if isinstance(chat, Mapping) else dict.fromkeys(ROLES, chat) if chat is not None else {}
        self._chat = {role: LimitedChat(model, concurrency) for role, model in by_role.items()}
        self._embedding = LimitedEmbedding(embedding, concurrency) if embedding is not None else None

    def chat(self, role: Role) -> ChatModel:
        """The model of a role. Raises ModelNotConfigured when there is none."""
        if role not in self._chat:
            raise ModelNotConfigured(
                f"No language model is configured for {role}: name one with POST_GRAPH_RAG_MODEL, {OFFLINE_HINT}."
            )
        return self._chat[role]

    @property
    def embedding(self) -> EmbeddingModel:
        """The embedding model. Raises ModelNotConfigured when there is none."""
        if self._embedding is None:
            raise ModelNotConfigured(
                f"No embedding model is configured: set POST_GRAPH_RAG_EMBEDDING_MODEL, {OFFLINE_HINT}."
            )
        return self._embedding

    @property
    def names(self) -> Mapping[str, str]:
        """The name of the model behind each role that has one, and behind "embedding"."""
        names = {str(role): model.name for role, model in self._chat.items()}
        return names if self._embedding is None else {**names, "embedding": self._embedding.name}

    async def close(self) -> None:
        """Close all of them; they can be used again."""
        for model in self._chat.values():
            await model.close()
        if self._embedding is not None:
            await self._embedding.close()


def models_from_settings(settings: Settings) -> Models:
    """The models that the settings name.

    offline=True gives the offline ones whatever else is set. Otherwise roles without a model of their own take
    `model`; without any language model, but with an embedding model, there is search and no answer; without an
    embedding model there is bypass and nothing else.

    Raises ModelNotConfigured when nothing is named, ConfigurationError when a key or an endpoint is given but the
    names of its models are not.
    """
    if settings.offline:
        return Models(OfflineChat(), OfflineEmbedding(), concurrency=settings.concurrency)
    names = _chat_names(settings)
    _check(settings, names)
    return _online(settings, names)


def _online(settings: Settings, names: Mapping[Role, str]) -> Models:
    # Imported here: the SDK takes half a second to load, and the offline models do without it.
    from post_graph_rag.models.endpoint import Endpoint
    from post_graph_rag.models.openai_chat import OpenAIChat
    from post_graph_rag.models.openai_embedding import OpenAIEmbedding
    from post_graph_rag.models.policy import RetryPolicy

    endpoint = Endpoint(settings.base_url, settings.api_key)
    policy = RetryPolicy(deadline=settings.deadline)
    made = {name: OpenAIChat(name, endpoint, policy) for name in set(names.values())}
    embedding = (
        OpenAIEmbedding(settings.embedding_model, endpoint, settings.embedding_dimensions, policy)
        if settings.embedding_model
        else None
    )
    return Models({role: made[name] for role, name in names.items()}, embedding, concurrency=settings.concurrency)


def _chat_names(settings: Settings) -> dict[Role, str]:
    own: dict[Role, str | None] = {
        "extraction": settings.extraction_model,
        "community": settings.auxiliary_model,
        "auxiliary": settings.auxiliary_model,
        "synthesis": settings.synthesis_model,
    }
    return {role: name for role, asked in own.items() if (name := asked or settings.model)}


def _check(settings: Settings, names: Mapping[Role, str]) -> None:
    reachable = settings.base_url is not None or settings.api_key is not None
    if not names and not settings.embedding_model:
        if not reachable:
            raise ModelNotConfigured
        raise ConfigurationError(
            f"There is a key or an endpoint, but no model is named: set POST_GRAPH_RAG_MODEL and "
            f"POST_GRAPH_RAG_EMBEDDING_MODEL, {OFFLINE_HINT}."
        )
    if not reachable:
        raise ConfigurationError(
            "Models are named, but no endpoint: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of your own."
        )
