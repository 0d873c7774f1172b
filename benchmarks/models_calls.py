"""What extraction takes: calls and tokens per 1,000 characters of source, and tokens of a prompt beside its passage."""

from __future__ import annotations

import json
from argparse import Namespace

from benchmarks import stub_model
from benchmarks.corpus import documents
from benchmarks.goals import Line
from post_graph_rag import Document, Models, Settings
from post_graph_rag.models.answer_call import prompt_tokens
from post_graph_rag.models.extraction_call import QUOTING_SCHEMA, SCHEMA, extraction_request
from post_graph_rag.models.prompts import Prompts
from post_graph_rag.models.protocols import ChatRequest
from post_graph_rag.models.tokens import tokenizer_for
from post_graph_rag.models.vocabulary import extraction_instructions
from post_graph_rag.records import DocumentContext, Extraction
from post_graph_rag.testing import ScriptedChat, ScriptedEmbedding, throwaway_realm

FACTS = 400
"""Facts of the one document, about 40,000 characters."""


def overhead_lines(_options: Namespace, _server: str) -> list[Line]:
    """Tokens of an extraction call whose passage is empty: instructions, marks, what was found before."""
    return [_overhead(round, quoting=quoting) for quoting in (False, True) for round in (0, 1)]


def _overhead(round: int, *, quoting: bool) -> Line:
    told = extraction_instructions(Prompts(), None, quoting=quoting)
    shape = QUOTING_SCHEMA if quoting else SCHEMA
    request = extraction_request("", DocumentContext(), (), round, Extraction(), Prompts(), told, shape)
    tokens = prompt_tokens(request, tokenizer_for(None))
    return {"phase": f"overhead-round-{round}{'-quoting' if quoting else ''}", "tokens": tokens}


async def cost_lines(options: Namespace, dsn: str) -> list[Line]:
    """One long text of facts that are read without a model, with and without a gleaning pass."""
    text = next(documents(1, FACTS, options.entities))[1]
    return [await _cost(dsn, text, gleaning) for gleaning in (0, 1)]


async def _cost(dsn: str, text: str, gleaning: int) -> Line:
    said: list[str] = []

    def reply(request: ChatRequest) -> str:
        found = stub_model.extract(request.inputs["text"]) if request.round == 0 else {"entities": [], "triples": []}
        said.append(json.dumps({"entities": found["entities"], "relations": found["triples"]}))
        return said[-1]

    chat = ScriptedChat({"extraction": reply})
    settings = Settings(dsn=dsn, graph="none", gleaning_passes=gleaning)
    async with throwaway_realm(settings, models=Models(chat, ScriptedEmbedding())) as rag:
        report = await rag.index_document(Document(text=text, key="long"))
    tokens = tokenizer_for(None)
    asked, answered = (sum(prompt_tokens(one, tokens) for one in chat.calls), sum(map(tokens.count, said)))
    per = 1_000 / len(text)
    return {
        "phase": f"cost-gleaning-{gleaning}",
        "characters": len(text),
        "text_tokens": tokens.count(text),
        "passages": report.passages,
        "calls": len(chat.calls),
        "calls_per_1000": round(per * len(chat.calls), 3),
        "prompt_tokens_per_1000": round(per * asked, 1),
        "output_tokens_per_1000": round(per * answered, 1),
    }
