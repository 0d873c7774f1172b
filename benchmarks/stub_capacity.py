"""How many documents a second stub and client alone allow: the ceiling of every ingest figure on this machine.

    python -m benchmarks.stub_capacity [--docs 200] [--concurrency 8]

Each way of calling is run over the bench corpus without any library in between; a document is one extraction call, one
gleaning call and 29 embedding inputs. One JSON line each: documents/s, CPU milliseconds a document of client and stub.
"""

from __future__ import annotations

import argparse
import asyncio
import base64
import json
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import islice
from typing import Any

import aiohttp
import numpy as np
from openai import AsyncOpenAI
from pydantic_core import from_json, to_json

from benchmarks.corpus import documents
from benchmarks.stub_client import control, running_stub
from benchmarks.stub_model import TEXT_MARK, extract

Job = Callable[[], Awaitable[Any]]
EMBEDDING_BATCHES = (30, 128, 256)
SCHEMA = {"type": "object", "properties": {"entities": {"type": "array"}, "relations": {"type": "array"}}}
FORMAT = {"type": "json_schema", "json_schema": {"name": "extraction", "schema": SCHEMA}}
JSON = {"content-type": "application/json"}
INSTRUCTIONS = "Find the entities and the dated relations between them. " * 40


def messages(text: str, gleaning: bool) -> list[dict[str, str]]:
    """A prompt of the size that extraction prompts have."""
    found = [{"role": "assistant", "content": json.dumps(extract(text))}] if gleaning else []
    prompt = [{"role": "system", "content": INSTRUCTIONS}, {"role": "user", "content": f"{TEXT_MARK}\n{text}"}]
    again = [{"role": "user", "content": "What was missed?"}] if gleaning else []
    return prompt + found + again


def inputs(text: str) -> list[str]:
    """What is embedded of a document: the passage, its entities, its facts."""
    found = extract(text)
    entities = [f"{e['name']}: {e['description']}" for e in found["entities"]]
    return [text, *entities, *(t["description"] for t in found["triples"])]


def batches(texts: Sequence[str], size: int) -> Iterator[list[str]]:
    """Cut into lists of at most `size`."""
    rest = iter(texts)
    while batch := list(islice(rest, size)):
        yield batch


class Sdk:
    """Calls through the OpenAI SDK; `raw` skips its pydantic models."""

    def __init__(self, url: str, raw: bool) -> None:
        self.client, self.raw = AsyncOpenAI(base_url=url + "/v1", api_key="x", max_retries=0), raw

    async def chat(self, prompt: list[dict[str, str]]) -> None:
        chats: Any = self.client.chat.completions
        if not self.raw:
            await chats.create(model="stub", messages=prompt, response_format=FORMAT)
            return
        reply = await chats.with_raw_response.create(model="stub", messages=prompt, response_format=FORMAT)
        from_json(from_json(reply.content)["choices"][0]["message"]["content"])

    async def embed(self, texts: list[str], encoding: str) -> None:
        if not self.raw:
            extra: Any = {} if encoding == "base64" else {"encoding_format": "float"}
            await self.client.embeddings.create(model="stub", input=texts, **extra)
            return
        create: Any = self.client.embeddings.with_raw_response.create
        reply = await create(model="stub", input=texts, encoding_format=encoding)
        vectors(from_json(reply.content), encoding)

    async def close(self) -> None:
        await self.client.close()


class SdkPost:
    """Calls through the OpenAI SDK's own `post`, which leaves out its typed walk over the request."""

    def __init__(self, url: str) -> None:
        self.client = AsyncOpenAI(base_url=url + "/v1", api_key="x", max_retries=0)

    async def post(self, path: str, body: dict[str, Any]) -> Any:
        return await self.client.post(path, cast_to=object, body=body)

    async def chat(self, prompt: list[dict[str, str]]) -> None:
        body = {"model": "stub", "messages": prompt, "response_format": FORMAT}
        from_json((await self.post("/chat/completions", body))["choices"][0]["message"]["content"])

    async def embed(self, texts: list[str], encoding: str) -> None:
        body = {"model": "stub", "input": texts, "encoding_format": encoding}
        vectors(await self.post("/embeddings", body), encoding)

    async def close(self) -> None:
        await self.client.close()


class Plain:
    """Calls through aiohttp alone: what is left when nothing stands between the library and HTTP."""

    def __init__(self, url: str) -> None:
        self.client, self.url = aiohttp.ClientSession(), url + "/v1"

    async def post(self, path: str, body: dict[str, Any]) -> Any:
        async with self.client.post(self.url + path, data=to_json(body), headers=JSON) as reply:
            return from_json(await reply.read())

    async def chat(self, prompt: list[dict[str, str]]) -> None:
        body = {"model": "stub", "messages": prompt, "response_format": FORMAT}
        from_json((await self.post("/chat/completions", body))["choices"][0]["message"]["content"])

    async def embed(self, texts: list[str], encoding: str) -> None:
        body = {"model": "stub", "input": texts, "encoding_format": encoding}
        vectors(await self.post("/embeddings", body), encoding)

    async def close(self) -> None:
        await self.client.close()


def vectors(reply: Any, encoding: str) -> np.ndarray[Any, Any]:
    """The reply's vectors as one float32 array."""
    found = [item["embedding"] for item in reply["data"]]
    if encoding == "float":
        return np.array(found, dtype=np.float32)
    return np.frombuffer(b"".join(map(base64.b64decode, found)), dtype="<f4").reshape(len(found), -1)


async def bounded(jobs: Sequence[Job], concurrency: int) -> None:
    """Run the jobs, at most `concurrency` at once."""
    gate = asyncio.Semaphore(concurrency)

    async def one(job: Job) -> None:
        async with gate:
            await job()

    await asyncio.gather(*map(one, jobs))


async def measure(phase: str, url: str, docs: int, jobs: Sequence[Job], concurrency: int) -> None:
    """Run the jobs and print one line."""
    await bounded(jobs[:4], concurrency)
    control(url, "/reset", {})
    cpu, start = time.process_time(), time.perf_counter()
    await bounded(jobs, concurrency)
    seconds, cpu = time.perf_counter() - start, time.process_time() - cpu
    line = {"phase": phase, "requests": len(jobs), "docs_per_s": round(docs / seconds, 1)}
    line["client_cpu_ms_per_doc"] = round(1000 * cpu / docs, 2)
    line["stub_cpu_ms_per_doc"] = round(1000 * control(url, "/stats")["cpu_seconds"] / docs, 2)
    print(json.dumps(line), flush=True)


async def run(url: str, docs: int, concurrency: int) -> None:
    """Every way of calling in turn."""
    texts = [text for _, text in documents(docs, 10, 800)]
    prompts = [messages(text, gleaning) for text in texts for gleaning in (False, True)]
    to_embed = [piece for text in texts for piece in inputs(text)]
    for name, client in (
        ("sdk", Sdk(url, raw=False)),
        ("sdk_raw", Sdk(url, raw=True)),
        ("sdk_post", SdkPost(url)),
        ("aiohttp", Plain(url)),
    ):
        jobs: list[Job] = [lambda p=p, c=client: c.chat(p) for p in prompts]  # type: ignore[misc]
        await measure(f"chat:{name}", url, docs, jobs, concurrency)
        for encoding in ("float", "base64"):
            for size in EMBEDDING_BATCHES:
                cut = list(batches(to_embed, size))
                jobs = [lambda b=b, c=client, e=encoding: c.embed(b, e) for b in cut]  # type: ignore[misc]
                await measure(f"embed:{name}:{encoding}:{size}", url, docs, jobs, concurrency)
        await client.close()


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="documents/s that stub and client alone allow")
    parser.add_argument("--docs", type=int, default=200)
    parser.add_argument("--concurrency", type=int, default=8)
    options = parser.parse_args()
    with running_stub() as url:
        asyncio.run(run(url, options.docs, options.concurrency))


if __name__ == "__main__":
    main()
