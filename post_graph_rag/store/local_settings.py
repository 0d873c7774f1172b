"""What is set for the length of our transactions, and put back where the transaction is a caller's."""

from __future__ import annotations

from functools import cache
from typing import Any

_OURS = (
    ("search_path", "$1"),
    # What `jit` would do. The driver sets that one for a session when it meets a new type, and would take ours for it.
    ("jit_above_cost", "'-1'"),
    ("hnsw.iterative_scan", "'relaxed_order'"),
    ("hnsw.ef_search", "'100'"),
    ("DateStyle", "'ISO, YMD'"),
    ("TimeZone", "'UTC'"),
    # Our statements are written for one plan, by indexes, whatever their values: planning them anew costs as much as
    # running them, and a plan made for tables that are small today must not outlive their growth.
    ("plan_cache_mode", "'force_generic_plan'"),
    ("enable_seqscan", "'off'"),
)
TOUCHED = (
    *(name for name, _ in _OURS),
    "lock_timeout",
    "statement_timeout",
    "synchronous_commit",
    "max_parallel_maintenance_workers",
    "maintenance_work_mem",
)
"""Every setting that one of our statements makes."""

_SET = "SELECT " + ", ".join(f"pg_catalog.set_config('{name}', {value}, true)" for name, value in _OURS)
_SCRIPT = _SET.replace("$1", "E'{search_path}'")
_READ = "SELECT " + ", ".join(f"pg_catalog.current_setting('{name}', true)" for name in TOUCHED)
_PUT_BACK = "SELECT " + ", ".join(f"pg_catalog.set_config('{name}', ${n}, true)" for n, name in enumerate(TOUCHED, 1))


async def set_ours(connection: Any, search_path: str) -> None:
    """Make our settings in the transaction that is open."""
    await connection.execute(_SET, search_path)


@cache
def script(search_path: str) -> str:
    """The same as text without parameters, so that it travels in one message with the BEGIN before it."""
    return _SCRIPT.replace("{search_path}", search_path.replace("\\", "\\\\").replace("'", "''"))


async def read_all(connection: Any) -> list[str | None]:
    """The settings as they are, None for one that has its default."""
    row = await connection.fetchrow(_READ)
    # An extension's setting reads as empty when it was set, and given back, before the extension was loaded.
    return [value or None if "." in name else value for name, value in zip(TOUCHED, row, strict=True)]


async def put_back(connection: Any, before: list[str | None]) -> None:
    """Make the settings as they were."""
    await connection.execute(_PUT_BACK, *before)
