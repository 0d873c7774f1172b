"""Named points at which a test may stop the process. `reach` does nothing unless a test has set `hook`."""

from __future__ import annotations

from collections.abc import Callable

hook: Callable[[str], None] | None = None


def reach(name: str) -> None:
    """Tell the hook, if there is one, that `name` was reached."""
    if hook is not None:
        hook(name)
