"""How much of what answers a question is found, by each channel alone and by all of them together.

    python -m benchmarks.quality [--data DIR] [--set NAME] [--queries FILE] [--json]

Through `query_data` of the public API and a real database, with recorded vectors and triples. One line a channel; then
what is wanted and whether it is met. A set is a folder of DIR with corpus.jsonl and queries.jsonl; "peer" is the
corpus that the published peer is measured on, asked for single facts; "all" is musique, hotpotqa and peer.
"""

from __future__ import annotations

import argparse
import asyncio
import os
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from pydantic import SecretStr

from benchmarks.goals import Line
from benchmarks.quality_facts import fact_documents, fact_lines, fact_models, fact_sample
from benchmarks.quality_score import MIX, goals, recall_line, table
from benchmarks.quality_sets import SETS, RecallSet, recall_set
from benchmarks.recorded import DEFAULT_DATA
from benchmarks.server import bench_server, database_dsn, fresh_database
from benchmarks.stub_client import ROOT
from benchmarks.workload import emit
from post_graph_rag import Document, GraphRAG, QueryParam, Settings
from post_graph_rag.models.roles import Models
from post_graph_rag.records import PassageHit

DATABASE = "bench_quality"
PEER = "peer"
CHANNELS = ("passage_vector", "passage_text", "walk", "evidence")
# Deep enough that what one channel ranks among its first ten is there whatever the others found.
DEEP = QueryParam(top_k=150, max_total_tokens=1_000_000)
SHALLOW = QueryParam(top_k=10, max_total_tokens=1_000_000)


@asynccontextmanager
async def indexed(dsn: str, realm: str, documents: Sequence[Document], models: Models) -> AsyncIterator[GraphRAG]:
    """An engine on a realm that holds these documents; one that is there already is taken as it is."""
    settings = Settings(dsn=SecretStr(dsn), realm=realm, create=True, graph="none", gleaning_passes=0)
    async with GraphRAG(settings, models=models) as rag:
        await rag.index_documents(documents)
        yield rag


async def recall_lines(rag: GraphRAG, asked: RecallSet) -> list[Line]:
    """A line for each channel that ranks passages, and one for the mix."""
    ranked: dict[str, list[list[str]]] = defaultdict(list)
    for question in asked.questions:
        deep = await rag.query_data(question.text, DEEP)
        for channel in CHANNELS:
            ranked[channel].append(by_channel(deep.passages, channel))
        ranked[MIX].append(keys((await rag.query_data(question.text, SHALLOW)).passages))
    gold = [question.gold for question in asked.questions]
    return [recall_line(asked.name, channel, found, gold) for channel, found in ranked.items()]


def by_channel(hits: Iterable[PassageHit], channel: str) -> list[str]:
    """Documents in the order of one channel."""
    places = [(place.rank, hit) for hit in hits for place in hit.channels if place.channel == channel]
    return keys(hit for _, hit in sorted(places, key=lambda placed: placed[0]))


def keys(hits: Iterable[PassageHit]) -> list[str]:
    """The documents that passages stand in, each once."""
    return list(dict.fromkeys(hit.sources[0].document for hit in hits))


async def measured(dsn: str, name: str, given: argparse.Namespace) -> list[Line]:
    """All lines of one set."""
    if name == PEER:
        async with indexed(dsn, name, fact_documents(), fact_models()) as rag:
            return await fact_lines(rag, fact_sample())
    asked = recall_set(name, given.data, given.cache, given.queries)
    async with indexed(dsn, name, asked.documents, asked.models) as rag:
        return await recall_lines(rag, asked)


def shown(lines: Sequence[Line], as_json: bool) -> None:
    """Print the figures, then the goals."""
    wanted = list(goals(lines))
    if as_json:
        for line in (*lines, *wanted):
            emit(**line)
    else:
        print("\n".join([*table(lines), "", *map(_goal, wanted)]))


def _goal(line: Mapping[str, object]) -> str:
    return f"{'met   ' if line['met'] else 'MISSED'} {line['goal']}: {line['value']} ({line['wanted']})"


def options() -> argparse.Namespace:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("POST_GRAPH_RAG_DATA", DEFAULT_DATA)))
    parser.add_argument("--set", default="all", help="musique, hotpotqa, peer, all, or another folder of the data")
    parser.add_argument("--queries", type=Path, help="other questions about the set's passages, as queries.jsonl")
    parser.add_argument("--json", action="store_true", help="a JSON line for each figure instead of a table")
    parser.add_argument("--cache", type=Path, default=ROOT / "benchmarks" / "cache", help="where made vectors are kept")
    parser.add_argument("--dsn", help=f"a server of your own; database {DATABASE} is used there")
    parser.add_argument("--reuse", action="store_true", help="take the database of the last run as it is")
    return parser.parse_args()


async def run(dsn: str, given: argparse.Namespace) -> None:
    """Measure the sets that are asked for."""
    sets = (*SETS, PEER) if given.set == "all" else (given.set,)
    shown([line for name in sets for line in await measured(dsn, name, given)], given.json)


def main() -> None:
    """Measure on an embedded server, or on the one of --dsn."""
    given = options()
    with bench_server(given.dsn) as server:
        own = (database_dsn if given.reuse else fresh_database)(server, DATABASE)
        asyncio.run(run(own, given))


if __name__ == "__main__":
    main()
