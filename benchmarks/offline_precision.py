"""How often is the offline extractor right? Draws triples by a fixed seed and counts the verdicts given by hand.

The sample: PASSAGES passages of the HotpotQA corpus drawn by SEED, all their triples pooled, TRIPLES of them drawn
by the same seed. The verdicts lie in data/offline_triples_hotpotqa.jsonl; "right" means that the passage states the
triple, arguments, direction and negation included. A triple that the extractor finds now but nobody has judged is
counted as unjudged, never as right.

    python benchmarks/offline_precision.py CORPUS.jsonl [--show]
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import Counter
from pathlib import Path
from typing import Any

from post_graph_rag.models.offline.extractor import extract_offline

SEED = 20250117
PASSAGES = 100
TRIPLES = 50
VERDICTS = Path(__file__).parent / "data" / "offline_triples_hotpotqa.jsonl"

Triple = tuple[int, str, str, str]


def main() -> None:
    arguments = _arguments()
    passages = draw_passages(arguments.corpus)
    started = time.perf_counter()
    triples = [triple for passage in passages for triple in triples_of(passage)]
    seconds = time.perf_counter() - started
    sample = random.Random(SEED).sample(triples, TRIPLES)
    verdicts = read_verdicts()
    if arguments.show:
        show(sample, {passage["id"]: passage["text"] for passage in passages}, verdicts)
    print(json.dumps(summary(sample, verdicts) | {"triples_per_passage": len(triples) / PASSAGES, "seconds": seconds}))


def draw_passages(corpus: Path) -> list[dict[str, Any]]:
    """The passages of the sample, in the order they were drawn."""
    rows = [json.loads(line) for line in corpus.read_text(encoding="utf-8").splitlines()]
    return random.Random(SEED).sample(rows, PASSAGES)


def triples_of(passage: dict[str, Any]) -> list[Triple]:
    """All triples of one passage; a negated predicate begins with "not "."""
    found = extract_offline(passage["text"], passage["title"]).relations
    return [(passage["id"], r.subject, "not " * r.negated + r.predicate, r.object) for r in found]


def read_verdicts() -> dict[Triple, str]:
    """The verdicts given by hand: "right" or "wrong"."""
    rows = [json.loads(line) for line in VERDICTS.read_text(encoding="utf-8").splitlines()] if VERDICTS.exists() else []
    return {(row["passage"], row["s"], row["p"], row["o"]): row["verdict"] for row in rows}


def summary(sample: list[Triple], verdicts: dict[Triple, str]) -> dict[str, float]:
    """Counts of the sample, and the precision over what has been judged."""
    counts = Counter(verdicts.get(triple, "unjudged") for triple in sample)
    judged = counts["right"] + counts["wrong"]
    return {
        "right": counts["right"],
        "wrong": counts["wrong"],
        "unjudged": counts["unjudged"],
        "precision": counts["right"] / judged if judged else 0.0,
    }


def show(sample: list[Triple], texts: dict[int, str], verdicts: dict[Triple, str]) -> None:
    """Print each triple under its passage, to be judged."""
    for number, triple in enumerate(sample):
        print(f"{texts[triple[0]]}\n  {number} [{verdicts.get(triple, 'unjudged')}] {' | '.join(map(str, triple))}\n")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("corpus", type=Path)
    parser.add_argument("--show", action="store_true", help="print the sample with its passages")
    return parser.parse_args()


if __name__ == "__main__":
    main()
