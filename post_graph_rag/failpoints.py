"""Named points at which a test may stop the process. `reach` does nothing unless a test has set `hook`."""

from __future__ import annotations

from collections.abc import Callable

# Before and after each model call and each commit of the write path, in the order in which a document meets them.
POINTS = (
    "before_embedding",
    "after_embedding",
    "vectors_kept",
    "before_extraction",
    "after_extraction",
    "reply_kept",
    "before_commit",
    "after_commit",
    "before_vectors_commit",
    "after_vectors_commit",
    "before_completion_commit",
    "after_completion_commit",
)
# And where a realm that is embedded anew may be left.
REEMBEDDING_POINTS = ("vectors_made", "before_swap", "after_swap")

hook: Callable[[str], None] | None = None


def reach(name: str) -> None:
    """Tell the hook, if there is one, that `name` was reached."""
    if hook is not None:
        hook(name)
