"""The statements of the write path as typed functions. All but the lookups run under the realm's write lock."""

from __future__ import annotations

from post_graph_rag.store.write.documents import (
    PutDocument,
    PutPassage,
    exchange_versions,
    find_documents,
    find_known_names,
    find_passages,
    mark_passages,
    put_documents,
    put_passages,
    settle_pending,
)
from post_graph_rag.store.write.indexes import (
    NAME,
    PASSAGE,
    RELATION,
    Findable,
    Posted,
    put_entity_vectors,
    put_passage_vectors,
    put_postings,
    put_relation_vectors,
    set_current,
)
from post_graph_rag.store.write.lock import (
    hold_unwritten,
    hold_writes,
    take_stamp,
)
from post_graph_rag.store.write.merges import (
    Claim,
    Member,
    live_merges,
    mentioning_passages,
    merge_component,
    put_canonical,
    put_merges,
    touched_claims,
)
from post_graph_rag.store.write.profiles import (
    apply_profiles,
    fetch_profiles,
    settle_names,
)
from post_graph_rag.store.write.relations import (
    Group,
    GroupChanges,
    Stated,
    apply_groups,
    fetch_groups,
)
from post_graph_rag.store.write.structure import (
    close_structure,
    put_entities,
    put_structure,
    reopen_structure,
    touched_entities,
)

__all__ = [
    "NAME",
    "PASSAGE",
    "RELATION",
    "Claim",
    "Findable",
    "Group",
    "GroupChanges",
    "Member",
    "Posted",
    "PutDocument",
    "PutPassage",
    "Stated",
    "apply_groups",
    "apply_profiles",
    "close_structure",
    "exchange_versions",
    "fetch_groups",
    "fetch_profiles",
    "find_documents",
    "find_known_names",
    "find_passages",
    "hold_unwritten",
    "hold_writes",
    "live_merges",
    "mark_passages",
    "mentioning_passages",
    "merge_component",
    "put_canonical",
    "put_documents",
    "put_entities",
    "put_entity_vectors",
    "put_merges",
    "put_passage_vectors",
    "put_passages",
    "put_postings",
    "put_relation_vectors",
    "put_structure",
    "reopen_structure",
    "set_current",
    "settle_names",
    "settle_pending",
    "take_stamp",
    "touched_claims",
    "touched_entities",
]
