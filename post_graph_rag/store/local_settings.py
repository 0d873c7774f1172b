"""What is set for the length of our transactions, and put back where the transaction is a caller's."""

from __future__ import annotations

from typing import Any

_OURS = (
    ("search_path", "$1"),
    ("jit", "'off'"),
    ("hnsw.iterative_scan", "'relaxed_order'"),
    ("hnsw.ef_search", "'100'"),
    ("DateStyle", "'ISO, YMD'"),
    ("TimeZone", "'UTC'"),
)
TOUCHED = (
    *(name for name, _ in _OURS),
    "plan_cache_mode",
    "enable_seqscan",
    "lock_timeout",
    "statement_timeout",
    "synchronous_commit",
    "max_parallel_maintenance_workers",
    "maintenance_work_mem",
)
"""Every setting that one of our statements makes."""

_SET = "SELECT " + ", ".join(f"pg_catalog.set_config('{name}', {value}, true)" for name, value in _OURS)
_READ = "SELECT " + ", ".join(f"pg_catalog.current_setting('{name}', true)" for name in TOUCHED)
_PUT_BACK = "SELECT " + ", ".join(f"pg_catalog.set_config('{name}', ${n}, true)" for n, name in enumerate(TOUCHED, 1))


async def set_ours(connection: Any, search_path: str) -> None:
    """Make our settings in the transaction that is open."""
    await connection.execute(_SET, search_path)


async def read_all(connection: Any) -> list[str | None]:
    """The settings as they are, None for one that does not exist yet."""
    return list(await connection.fetchrow(_READ))


async def put_back(connection: Any, before: list[str | None]) -> None:
    """Make the settings as they were."""
    await connection.execute(_PUT_BACK, *before)
