"""The offline language model: grammar instead of a model for extraction, quotation instead of one for answers."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator

from post_graph_rag.errors import LLMError
from post_graph_rag.models.offline.answer import extractive_answer
from post_graph_rag.models.protocols import ChatReply, ChatRequest
from post_graph_rag.records import Extraction

NO_MODEL = (
    "No language model is configured, so nothing can be said without sources. Name one with POST_GRAPH_RAG_MODEL."
)
PIECE = re.compile(r"\S+\s*|\s+")


class OfflineChat:
    """Serves the roles extraction and synthesis without any model behind it; English only.

    It reads the pieces of a request (`inputs`), not its prompt, so replaced prompts change nothing.
    """

    @property
    def name(self) -> str:
        return "offline-grammar"

    async def chat(self, request: ChatRequest) -> ChatReply:
        """Answer by rule. Raises LLMError for a role that takes a model."""
        if request.role == "extraction":
            text = (await self._extraction(request)).model_dump_json()
        elif request.role == "synthesis":
            text = await asyncio.to_thread(_answer, request)
        else:
            raise LLMError(
                f"The offline models cannot serve the role {request.role}: name one with POST_GRAPH_RAG_MODEL."
            )
        return ChatReply(text=text, model=self.name)

    async def stream(self, request: ChatRequest) -> AsyncIterator[str]:
        """The same, word by word."""
        for piece in PIECE.findall((await self.chat(request)).text):
            yield piece

    async def close(self) -> None:
        """Nothing is held open."""

    async def _extraction(self, request: ChatRequest) -> Extraction:
        if request.round > 0:  # the rules find all they can at once
            return Extraction()
        # Imported here: the parser takes a second to load, and answers do not need it.
        from post_graph_rag.models.offline.extractor import extract_offline

        names = tuple(json.loads(request.inputs.get("known_names") or "[]"))
        return await asyncio.to_thread(
            extract_offline, request.inputs["text"], request.inputs.get("title") or None, names
        )


def _answer(request: ChatRequest) -> str:
    if "context" not in request.inputs:
        return NO_MODEL
    return extractive_answer(request.inputs["question"], request.inputs["context"])
