"""Recorded replies of real models through the parser and the gates: what is kept, mended, dropped.

    .venv/bin/python -m benchmarks.replay [--data DIR]

A reply's well-formed items are found by patterns of their own, not by the parser. One counts as kept when it stands
behind the gates: an entity by its key, a relation by the keys of its ends and its predicate (where the gates made a
denial of the predicate, by its ends).
"""

from __future__ import annotations

import argparse
import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.recorded import DEFAULT_DATA, TRIPLES
from post_graph_rag.errors import ExtractionError
from post_graph_rag.ingest.gates import apply_gates
from post_graph_rag.kinds import type_key
from post_graph_rag.models.parsing import parse_extraction
from post_graph_rag.models.parsing.json_text import json_values
from post_graph_rag.names import name_key, predicate_key
from post_graph_rag.records import Extraction

GPT4O = Path("nano_graphrag_llm_cache") / "mock_cache.json"
GPT35 = Path("musique") / TRIPLES
ENTITY = re.compile(r'\("entity"<\|>"([^"\n]+)"<\|>"[^"\n]*"<\|>"[^\n]*"\)')
RELATION = re.compile(r'\("relationship"<\|>"([^"\n]+)"<\|>"([^"\n]+)"<\|>"[^\n]*"<\|>\d+\)')
# What the tuple format has no place for.
NO_PREDICATE = "related to"

Triple: TypeAlias = tuple[str, str, str]
Figures: TypeAlias = dict[str, Any]


@dataclass(slots=True)
class Tally:
    """What became of the replies of one model.

    entities, triples: well-formed ones; kept_…: of these, behind the gates. malformed: triples that are none.
    duplicates: entities of one passage with the same key and type. other_answers: replies to other questions (reports,
    plain answers), which the parser must refuse.
    """

    replies: int = 0
    other_answers: int = 0
    entities: int = 0
    kept_entities: int = 0
    triples: int = 0
    kept_triples: int = 0
    malformed: int = 0
    duplicates: int = 0
    repairs: Counter[str] = field(default_factory=Counter)
    gates: Counter[str] = field(default_factory=Counter)

    def read(self, reply: str, entities: Iterable[str], triples: Iterable[Triple]) -> None:
        """Send one reply through, and look for what it holds."""
        extraction, repairs = parse_extraction(reply)
        kept, gates = apply_gates(extraction)
        self.replies += 1
        self.repairs += repairs
        self.gates += gates
        self._count_entities(kept, set(map(name_key, entities)))
        self._count_triples(kept, list(triples))

    def figures(self) -> Figures:
        """The counts, and the shares that are kept."""
        return {
            **{name: value for name in self.__slots__ if not isinstance(value := getattr(self, name), Counter)},
            "entities_share": _share(self.kept_entities, self.entities),
            "triples_share": _share(self.kept_triples, self.triples),
            "repairs": dict(sorted(self.repairs.items())),
            "gates": dict(sorted(self.gates.items())),
        }

    def _count_entities(self, kept: Extraction, wanted: set[str]) -> None:
        names = {name_key(name) for entity in kept.entities for name in (entity.name, *entity.aliases)}
        self.entities += len(wanted)
        self.kept_entities += len(wanted & names)
        kinds = [(name_key(entity.name), type_key(entity.type)) for entity in kept.entities]
        self.duplicates += len(kinds) - len(set(kinds))

    def _count_triples(self, kept: Extraction, wanted: list[Triple]) -> None:
        stated = {_triple_key(item.subject, item.predicate, item.object) for item in kept.relations}
        denied = {(name_key(item.subject), name_key(item.object)) for item in kept.relations if item.negated}
        self.triples += len(wanted)
        self.kept_triples += sum(
            _triple_key(*triple) in stated or (name_key(triple[0]), name_key(triple[2])) in denied for triple in wanted
        )


def replayed(data: Path = DEFAULT_DATA) -> Figures:
    """Figures by model: "gpt4o" (187 replies in the tuple format and others) and "gpt35" (triples as JSON).

    data: the folder that holds nano_graphrag_llm_cache/ and musique/.
    Raises FileNotFoundError where it does not; any other exception is a fault of the parser or the gates.
    """
    return {"gpt4o": _gpt4o(data / GPT4O).figures(), "gpt35": _gpt35(data / GPT35).figures()}


def _gpt4o(path: Path) -> Tally:
    tally = Tally()
    for reply in (kept["return"] for kept in json.loads(path.read_text(encoding="utf-8")).values()):
        if "<|>" in reply:
            pairs = ((subject, NO_PREDICATE, target) for subject, target in RELATION.findall(reply))
            tally.read(reply, ENTITY.findall(reply), pairs)
        else:
            tally.replies += 1
            tally.other_answers += _refused(reply)
    return tally


def _refused(reply: str) -> bool:
    """Whether an answer to another question is refused as an extraction, and its JSON, if any, read all the same."""
    try:
        parse_extraction(reply)
    except ExtractionError:
        return "{" not in reply or bool(json_values(reply, Counter()))
    return False


def _gpt35(path: Path) -> Tally:
    tally = Tally()
    for line in path.read_text(encoding="utf-8").splitlines():
        found = json.loads(line)
        triples = list(_well_formed(found["triples"]))
        tally.malformed += len(found["triples"]) - len(triples)
        tally.read(json.dumps(found), found["entities"], triples)
    return tally


def _well_formed(triples: Iterable[list[Any]]) -> Iterator[Triple]:
    for triple in triples:
        if len(triple) == 3 and all(isinstance(part, str) and part.strip() for part in triple):
            yield triple[0], triple[1], triple[2]


def _triple_key(subject: str, predicate: str, target: str) -> Triple:
    return name_key(subject), predicate_key(predicate), name_key(target)


def _share(kept: int, all_: int) -> float:
    return round(kept / all_, 4) if all_ else 1.0


def main() -> None:
    """Print the figures, one JSON line per model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(os.environ.get("POST_GRAPH_RAG_DATA", DEFAULT_DATA)))
    for model, figures in replayed(parser.parse_args().data).items():
        print(json.dumps({"phase": f"replay-{model}", **figures}))


if __name__ == "__main__":
    main()
