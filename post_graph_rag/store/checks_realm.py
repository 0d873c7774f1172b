"""What doctor asks one realm: who may use it, whether its derived tables follow from the record, what is pending."""

from __future__ import annotations

import json

from post_graph_rag.records import Finding, RealmInfo
from post_graph_rag.store import reembed
from post_graph_rag.store.database import Session
from post_graph_rag.store.optimize import tables_to_index, vector_tables
from post_graph_rag.store.realms import Realm, vector_type
from post_graph_rag.store.repairs import command
from post_graph_rag.store.tail import long_tails, may_wait

LARGE_INDEX = 8_388_608  # bytes; a smaller one is no burden
TOO_LONG = 2  # times as many vectors as may wait; one more than may goes with the next call that indexes


async def check_rights(session: Session, realm: Realm) -> list[Finding]:
    """Whether this role, and each that was granted the realm, can do all it should."""
    rows = await session.rows("table_rights", realm.info.schema_name, realm.info.graph_name)
    if not rows:
        lost = "its tables are gone: restore them from a backup, or drop what is left"
        return [_finding(realm, "rights", False, lost, command("realm", "drop", "--yes", realm=realm.info.name))]
    return [_right(realm, row["role"], row["writes"], row["unreadable"], row["unwritable"]) for row in rows]


def _right(realm: Realm, role: str, writes: bool, unreadable: int, unwritable: int) -> Finding:
    access = "--write" if writes else "--read"
    lacking = max(unreadable, unwritable if writes else 0)
    if lacking:
        repair = command("realm", "grant", access, f"--realm={realm.info.name}", "--", role)
        return _finding(realm, "rights", False, f"role {role!r} lacks rights on {lacking} tables", repair)
    return _finding(realm, "rights", True, f"role {role!r} {'reads and writes' if writes else 'reads only'}")


async def check_vectors(session: Session, realm: Realm) -> list[Finding]:
    """Whether the vector tables are there, of the realm's width, filled, and indexed where they are large."""
    rows = await session.rows("vector_tables", realm.info.schema_name, list(vector_tables(realm).values()))
    found = {row["name"]: (row["type"], row["width"]) for row in rows}
    wanted = (vector_type(realm.info.dimensions), realm.info.dimensions)
    wrong = [name for name in vector_tables(realm).values() if found.get(name) != wanted]
    if wrong:
        detail = f"missing or not {wanted[0]}({wanted[1]}): {', '.join(wrong)}; restore them from a backup"
        return [_finding(realm, "vectors", False, detail)]
    return [await _filled(session, realm), await _indexed(session, realm)]


async def _filled(session: Session, realm: Realm) -> Finding:
    bare = await session.value("passages_without_vector")
    if bare:
        again = f"{command('index', '--reindex', realm=realm.info.name)} FILE…"
        return _finding(realm, "vectors", False, f"{bare} passages have none: run {again} for their documents")
    return _finding(realm, "vectors", True, f"{realm.info.dimensions} dimensions, every passage has one")


async def _indexed(session: Session, realm: Realm) -> Finding:
    repair = command("realm", "optimize", realm=realm.info.name)
    if tables := await tables_to_index(session, realm):
        return _finding(realm, "vector indexes", False, f"missing or broken: {', '.join(tables)}", repair)
    if waiting := sum((await long_tails(session, TOO_LONG * may_wait(realm))).values()):
        detail = f"{waiting} vectors are in none yet and compared one by one with every question"
        return _finding(realm, "vector indexes", False, detail, repair)
    return _finding(realm, "vector indexes", True, "there where a table is large")


async def check_derived(session: Session, realm: Realm) -> list[Finding]:
    """Whether vectors, words and flags are what follows from the record."""
    rows = [row for row in await session.rows("stray_rows") if row["number"]]
    if rows:
        detail = "; ".join(f"{row['number']} {row['what']}" for row in rows)
        repair = command("realm", "optimize", realm=realm.info.name)
        return [_finding(realm, "derived rows", False, detail, repair)]
    return [_finding(realm, "derived rows", True, "vectors, words and flags agree with the record")]


async def check_pending(session: Session, realm: Realm) -> list[Finding]:
    """What still waits for a model."""
    row = await session.row("pending_counts")
    if row["passages"] or row["vectors"]:
        detail = f"{row['passages']} passages wait for their structure, {row['vectors']} vectors are missing"
        return [_finding(realm, "pending", False, detail, command("index", realm=realm.info.name))]
    return [_finding(realm, "pending", True, "nothing")]


async def check_reembedding(session: Session, realm: Realm) -> list[Finding]:
    """Whether vectors of another model lie there unfinished."""
    begun = await reembed.begun(session, realm)
    if begun is None:
        return []
    detail = (
        f"{begun.made} vectors of {begun.info.embedding_model} ({begun.info.dimensions} dimensions) wait for the rest "
        "by a run that goes on or broke off; until all are made the old ones answer"
    )
    return [_finding(realm, "reembedding", False, detail, _gone_on_with(realm, begun.info))]


def _gone_on_with(realm: Realm, target: RealmInfo) -> str:
    options = [f"--model={target.embedding_model}", f"--dimensions={target.dimensions}"]
    options += [f"--query-prefix={target.query_prefix}", f"--passage-prefix={target.passage_prefix}"]
    same = target.model_copy(update={"generation": realm.info.generation}) == realm.info
    return command("realm", "reembed", *options, *(["--again"] if same else []), realm=realm.info.name)


async def check_indexes(session: Session, realm: Realm) -> list[Finding]:
    """Large indexes that no query has used: told, never a fault."""
    rows = await session.rows("unused_indexes", realm.info.schema_name, LARGE_INDEX)
    listed = ", ".join(f"{row['name']} ({row['bytes'] // 1_048_576} MB)" for row in rows)
    return [_finding(realm, "unused indexes", True, listed or "none of more than 8 MB")]


async def check_graph(session: Session, realm: Realm) -> list[Finding]:
    """Whether the graph holds exactly what the record says is current, label by label, in the same words."""
    labels = {row["label"]: row["id"] for row in await session.rows("label_ids", realm.info.graph_name)}
    repair = command("realm", "rebuild-graph", realm=realm.info.name)
    if not labels:
        return [_finding(realm, "graph", False, "it is gone", repair)]
    rows = await session.rows("graph_agreement", json.dumps(labels))
    wrong = [row for row in rows if row["missing"] or row["surplus"]]
    if wrong:
        parts = (f"{row['label']} lacks {row['missing']} and has {row['surplus']} too many" for row in wrong)
        return [_finding(realm, "graph", False, "; ".join(parts), repair)]
    total = sum(row["found"] for row in rows)
    return [_finding(realm, "graph", True, f"{total} vertices and edges agree with the record")]


def _finding(realm: Realm, check: str, ok: bool, detail: str, repair: str | None = None) -> Finding:
    return Finding(check=f"{realm.info.name}: {check}", ok=ok, detail=detail, repair=repair)
