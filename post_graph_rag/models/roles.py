"""Which model serves which role."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, get_args

from post_graph_rag.config import Settings
from post_graph_rag.errors import ConfigurationError, InputError, ModelNotConfigured
from post_graph_rag.models.limits import LimitedChat, LimitedEmbedding
from post_graph_rag.models.offline.chat import OfflineChat
from post_graph_rag.models.offline.embedding import OfflineEmbedding
from post_graph_rag.models.protocols import ChatModel, EmbeddingModel, Role
from post_graph_rag.role_settings import RoleName, variable

CONCURRENCY = 8
ROLES: tuple[Role, ...] = get_args(Role)
OFFLINE_HINT = "or ask for the offline models (offline=True, POST_GRAPH_RAG_OFFLINE=1)"
OWN_HINT = "where Models(…) are given, no setting adds to them: give"


class Models:
    """The models of an engine, each with a bound on calls under way.

    chat: one model for all roles, or a mapping from role to model; None for an engine that only searches.
    embedding: needed for all modes but bypass.
    concurrency: calls under way at once, the same for each role and for embedding, or by role; 8 where none is said.
    Raises InputError for what is no model, for a role that there is not, and for a concurrency that lets no call begin.
    """

    def __init__(
        self,
        chat: ChatModel | Mapping[Role, ChatModel] | None = None,
        embedding: EmbeddingModel | None = None,
        *,
        concurrency: int | Mapping[RoleName, int] = CONCURRENCY,
    ) -> None:
        def most(role: RoleName) -> int:
            return concurrency if isinstance(concurrency, int) else concurrency.get(role, CONCURRENCY)

        by_role = chat if isinstance(chat, Mapping) else dict.fromkeys(ROLES, chat) if chat is not None else {}
        _check_models(by_role, embedding)
        _check_concurrency(concurrency)
        self._chat = {role: LimitedChat(model, most(role)) for role, model in by_role.items()}
        self._embedding = LimitedEmbedding(embedding, most("embedding")) if embedding is not None else None

    def around(
        self, chat: Callable[[ChatModel], ChatModel], embedding: Callable[[EmbeddingModel], EmbeddingModel]
    ) -> Models:
        """The same models as these two make them, under the same bounds on calls under way."""
        made = Models()
        made._chat = {role: model.around(chat) for role, model in self._chat.items()}
        made._embedding = self._embedding.around(embedding) if self._embedding is not None else None
        return made

    def chat(self, role: Role) -> ChatModel:
        """The model of a role. Raises ModelNotConfigured when there is none."""
        if role not in self._chat:
            raise ModelNotConfigured(
                f"No language model is configured for {role}: name one with POST_GRAPH_RAG_MODEL, {OFFLINE_HINT}; "
                f"{OWN_HINT} chat=…."
            )
        return self._chat[role]

    @property
    def embedding(self) -> EmbeddingModel:
        """The embedding model. Raises ModelNotConfigured when there is none."""
        if self._embedding is None:
            raise ModelNotConfigured(
                f"No embedding model is configured: set POST_GRAPH_RAG_EMBEDDING_MODEL, {OFFLINE_HINT}; "
                f"{OWN_HINT} embedding=…."
            )
        return self._embedding

    @property
    def names(self) -> Mapping[str, str]:
        """The name of the model behind each role that has one, and behind "embedding"."""
        names = {str(role): model.name for role, model in self._chat.items()}
        return names if self._embedding is None else {**names, "embedding": self._embedding.name}

    def with_embedding(self, model: EmbeddingModel) -> Models:
        """The same language models, and another embedding model with the bound that a role has of itself."""
        other = Models(embedding=model)
        other._chat = self._chat
        return other

    async def close(self) -> None:
        """Close all of them; they can be used again."""
        for model in self._chat.values():
            await model.close()
        if self._embedding is not None:
            await self._embedding.close()


def _check_models(chat: Mapping[Role, object], embedding: object) -> None:
    _check_names(chat, ROLES)
    if not all(hasattr(model, "chat") for model in chat.values()):
        raise InputError(
            "a language model is an object with name, chat, stream and close; Settings(model=…) takes names"
        )
    if embedding is not None and not all(hasattr(embedding, part) for part in ("name", "dimensions", "embed")):
        raise InputError(
            "an embedding model is an object with name, dimensions, embed and close; Settings(embedding_model=…) takes "
            "names"
        )


def _check_concurrency(given: object) -> None:
    bounds = given if isinstance(given, Mapping) else {"extraction": given}
    _check_names(bounds, get_args(RoleName))
    if any(not isinstance(most, int) or most < 1 for most in bounds.values()):
        raise InputError("concurrency must be a whole number from 1 on, or one for each role")


def _check_names(given: Mapping[Any, object], roles: Sequence[str]) -> None:
    if unknown := [role for role in given if role not in roles]:
        raise InputError(f"there is no role {unknown[0]!r}; there are {', '.join(roles)}")


def models_from_settings(settings: Settings) -> Models:
    """The models that the settings name.

    offline=True gives the offline ones whatever else is set. Otherwise each role takes what it has of its own, and the
    general settings for the rest; without any language model, but with an embedding model, there is search and no
    answer; without an embedding model there is bypass and nothing else.

    Raises ModelNotConfigured when nothing is named, ConfigurationError when a key or an endpoint is given but the
    names of its models are not.
    """
    if settings.offline:
        return Models(OfflineChat(), OfflineEmbedding(), concurrency=_concurrency(settings))
    names = {role: name for role in get_args(RoleName) if (name := settings.role(role).model)}
    _check(settings, names)
    return _online(settings, names)


def _online(settings: Settings, names: Mapping[RoleName, str]) -> Models:
    # Imported here: the SDK takes half a second to load, and the offline models do without it.
    from post_graph_rag.models.online import OnlineModels

    online = OnlineModels(settings)
    chat = {role: online.chat(role, names[role]) for role in ROLES if role in names}
    embedding = online.embedding(names["embedding"]) if "embedding" in names else None
    return Models(chat, embedding, concurrency=_concurrency(settings))


def _concurrency(settings: Settings) -> dict[RoleName, int]:
    return {role: settings.role(role).concurrency for role in get_args(RoleName)}


def _check(settings: Settings, names: Mapping[RoleName, str]) -> None:
    if not names:
        if not settings.says_of_models:
            raise ModelNotConfigured(
                "No model is configured: set POST_GRAPH_RAG_MODEL and POST_GRAPH_RAG_EMBEDDING_MODEL, give Models(…) "
                f"of your own, {OFFLINE_HINT}."
            )
        raise ConfigurationError(
            f"There is a key or an endpoint, but no model is named: set POST_GRAPH_RAG_MODEL and "
            f"POST_GRAPH_RAG_EMBEDDING_MODEL, {OFFLINE_HINT}."
        )
    for role in names:
        held = settings.role(role)
        if held.base_url is None and held.api_key is None:
            raise ConfigurationError(
                f"A model is named for {role}, but no endpoint: set OPENAI_API_KEY, or OPENAI_BASE_URL for a server of "
                f"your own, or {variable(f'{role}_base_url')} for this role alone."
            )
