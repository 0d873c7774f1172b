"""The models at OpenAI-compatible endpoints that the settings name: each role has its own."""

from __future__ import annotations

from pydantic import SecretStr

from post_graph_rag.config import Settings
from post_graph_rag.models.endpoint import KEY_SETTING, URL_SETTING, Endpoint
from post_graph_rag.models.failover import FailoverChat
from post_graph_rag.models.openai_chat import OpenAIChat
from post_graph_rag.models.openai_embedding import OpenAIEmbedding
from post_graph_rag.models.policy import RetryPolicy
from post_graph_rag.models.protocols import ChatModel
from post_graph_rag.models.windows import Generation
from post_graph_rag.role_settings import RoleName

# The general settings have a second variable, the one that OpenAI's own clients read.
_ALSO = {"POST_GRAPH_RAG_BASE_URL": URL_SETTING, "POST_GRAPH_RAG_API_KEY": KEY_SETTING}


class OnlineModels:
    """Makes them. Roles that name the same endpoint and key share its connections, and nothing else."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._policy = RetryPolicy(attempts=settings.attempts, deadline=settings.deadline)
        self._endpoints: dict[tuple[str | None, SecretStr | None, str, str], Endpoint] = {}

    def chat(self, role: RoleName, model: str) -> ChatModel:
        """The role's model, with its fallbacks behind it. Raises ConfigurationError for a URL or key that is none."""
        held = self._settings.role(role)
        asked = Generation(held.temperature, held.max_tokens, held.context_window)
        names = dict.fromkeys((model, *held.fallbacks))
        chain = [OpenAIChat(name, self._endpoint(role), self._policy, asked) for name in names]
        return chain[0] if len(chain) == 1 else FailoverChat(chain, self._policy.deadline)

    def embedding(self, model: str) -> OpenAIEmbedding:
        """The embedding model, which no other stands in for. Raises ConfigurationError likewise."""
        return OpenAIEmbedding(model, self._endpoint("embedding"), self._settings.embedding_dimensions, self._policy)

    def _endpoint(self, role: RoleName) -> Endpoint:
        held = self._settings.role(role)
        url, key = (self._settings.source(role, field) for field in ("base_url", "api_key"))
        place = (held.base_url, held.api_key, _ALSO.get(url, url), _ALSO.get(key, key))
        if place not in self._endpoints:
            self._endpoints[place] = Endpoint(*place[:2], url_setting=place[2], key_setting=place[3])
        return self._endpoints[place]
