"""A process that uses an embedded server: joins it, prints its DSN, leaves it when its input ends.

Arguments: home, the server's bin folder, and a user id to become first (0 to stay who it is).
"""

import os
import sys
from pathlib import Path

from post_graph_rag.embedded import EmbeddedServer


def become(user: int) -> None:
    """Give up root's rights for those of a plain user."""
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)


if __name__ == "__main__":
    home, server_dir, user = sys.argv[1:]
    if int(user):
        become(int(user))
    server = EmbeddedServer(Path(home), Path(server_dir), durable=False)
    print(server.acquire(), flush=True)
    sys.stdin.read()
    server.release()
    print("left", flush=True)
