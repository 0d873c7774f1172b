"""A model server whose chat and embeddings can each be told to fail."""

from __future__ import annotations

from typing import Any

from aiohttp import web

from tests.faults import Answer, FaultServer, chat_reply, embeddings

NOTHING = '{"entities": [], "relations": []}'


class ModelServer(FaultServer):
    """Answers well unless `chat` or `embedding` says otherwise. Embeddings are three numbers wide."""

    def __init__(self) -> None:
        super().__init__()
        self.chat: Answer | None = None
        self.embedding: Answer | None = None

    async def handle(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        if request.path.endswith("/embeddings"):
            self.answers = [self.embedding or Answer(embeddings(*[(1.0, 2.0, 3.0) for _ in body["input"]]))]
        else:
            self.answers = [self.chat or Answer(chat_reply(NOTHING))]
        return await super().handle(request)


def settings_for(server: ModelServer, **more: Any) -> dict[str, Any]:
    """Settings of an engine that asks this server."""
    names = {"model": "chat", "embedding_model": "vectors", "embedding_dimensions": 3, "deadline": 3.0}
    return {"base_url": server.base_url, "api_key": "sk-hostile-0123456789", **names, **more}
