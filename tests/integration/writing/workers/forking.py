"""Runs each plan of a line in a process of its own, forked from this one so that the imports are paid once.

Reads a JSON list of plans a line, prints the exit codes of their processes as a JSON list a line; a process that was
killed has the negative number of the signal.

A plan: dsn, realm, seed; documents: [key, [lines of version 0, lines of version 1]]; versions: which to index, or null;
dates: when documents were written, by key, or null;
kill: [fail point, how often it is reached before], or null; seconds: how long to index in any order, or null;
forget: whether to delete and erase documents between, or null; complete: whether to call complete_pending;
bulk: whether to index in bulk, or null; delay: seconds that a call of the model takes, or null.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import sys
import time
import traceback
from contextlib import suppress
from typing import Any

from post_graph_rag import failpoints
from post_graph_rag.engine import GraphRAG
from post_graph_rag.errors import DocumentNotFound
from post_graph_rag.models.tokens import tokenizer_for
from tests.integration.writing.support import Place, document, facts_chat


def kill_at(point: str, times: int) -> None:
    """End this process by kill -9 when a fail point is reached for the `times`-th time."""
    left = times

    def hook(name: str) -> None:
        nonlocal left
        if name == point:
            left -= 1
            if left == 0:
                os.kill(os.getpid(), signal.SIGKILL)

    failpoints.hook = hook


async def work(plan: dict[str, Any]) -> None:
    place = Place(plan["dsn"], plan["realm"])
    rag = place.engine(facts_chat(delay=plan.get("delay", 0.0)))
    if plan.get("kill"):
        kill_at(*plan["kill"])
    if plan.get("complete"):
        await rag.complete_pending()
    elif plan.get("seconds"):
        await stir(rag, plan)
    else:
        numbers = zip(plan["documents"], plan["versions"], strict=True)
        dates = plan.get("dates") or {}
        await rag.index_documents(
            [document(key, *versions[number], observed_at=dates.get(key)) for (key, versions), number in numbers],
            bulk=plan.get("bulk", False),
        )
    await place.close()


async def stir(rag: GraphRAG, plan: dict[str, Any]) -> None:
    """Index and re-index overlapping documents, every other process in the opposite order."""
    chance, ends = random.Random(plan["seed"]), time.monotonic() + plan["seconds"]
    documents = plan["documents"][:: -1 if plan["seed"] % 2 else 1]
    while time.monotonic() < ends:
        first = chance.randrange(len(documents))
        some = documents[first : first + chance.randint(1, 6)]
        await rag.index_documents(
            [document(key, *chance.choice(versions)) for key, versions in some], reindex=chance.random() < 0.2
        )
        if plan.get("forget"):
            await forget(rag, chance, [key for key, _ in chance.sample(some, min(2, len(some)))])


async def forget(rag: GraphRAG, chance: random.Random, keys: list[str]) -> None:
    """Delete or erase documents that others may be writing, or have forgotten already."""
    with suppress(DocumentNotFound):
        await (rag.delete_documents(keys) if chance.random() < 0.5 else rag.erase_documents(keys))


def forked(plan: dict[str, Any]) -> int:
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        asyncio.run(work(plan))
        code = 0
    finally:
        if code:
            traceback.print_exc()
        os._exit(code)


def main() -> None:
    tokenizer_for(None).count("loaded before the fork")
    for line in sys.stdin:
        children = [forked(plan) for plan in json.loads(line)]
        codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        print(json.dumps(codes), flush=True)


if __name__ == "__main__":
    main()
