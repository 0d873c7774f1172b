"""Commands of ours as a person types them, quoted for the shell."""

from __future__ import annotations

import shlex

PROGRAM = "post-graph-rag"


def command(*words: str, realm: str | None = None) -> str:
    """The command line that runs `words`, for one realm if given; any name comes through the shell as it is.

    It names no database: the one who runs it gives the same `--dsn` or variable as before.
    """
    options = [] if realm is None else [f"--realm={realm}"]
    return shlex.join([PROGRAM, *words, *options])
