"""Which documents and predicates a question asks for, as the store takes it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping

from pydantic import JsonValue

from post_graph_rag.clean import clean_json, clean_key, clean_text, key_digest
from post_graph_rag.names import predicate_key
from post_graph_rag.records import Metadatum, QueryParam


def asked_within(param: QueryParam) -> str | None:
    """What the filters mean, as JSON, written as the record holds keys, metadata and predicates; None for none.

    Documents are named by the digests of their keys. What can name no document passes none, and is not taken for no
    filter.
    """
    asked: dict[str, JsonValue] = {}
    _put(asked, "documents", param.documents, lambda key: key_digest(clean_key(key) or "").hex())
    _put(asked, "sources", param.sources, lambda source: clean_text(source)[0])
    _put(asked, "predicates", param.predicates, predicate_key)
    if param.metadata:
        asked["metadata"] = _permitted(param.metadata)
    return json.dumps(asked, ensure_ascii=False) if asked else None


def _put(asked: dict[str, JsonValue], name: str, given: Iterable[str] | None, written: Callable[[str], str]) -> None:
    if given is not None:
        asked[name] = [written(one) for one in given]


def _permitted(metadata: Mapping[str, Metadatum | tuple[Metadatum, ...]]) -> JsonValue:
    """For each key the values that pass."""
    return clean_json({key: list(one) if isinstance(one, tuple) else [one] for key, one in metadata.items()})[0]
