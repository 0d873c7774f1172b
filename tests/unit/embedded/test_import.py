"""The room costs nothing to who only imports it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import post_graph_rag

# a bare package stands in for ours, whose front door imports what the engine needs
IMPORT_ALONE = """
import sys, types
package = types.ModuleType("post_graph_rag")
package.__path__ = [sys.argv[1]]
sys.modules["post_graph_rag"] = package
import post_graph_rag.embedded
print(sorted({"asyncpg", "psycopg", "pydantic"} & set(sys.modules)))
"""


def test_the_room_itself_loads_no_driver_and_no_settings() -> None:
    package = str(Path(post_graph_rag.__file__).parent)
    printed = subprocess.check_output([sys.executable, "-c", IMPORT_ALONE, package], text=True)
    assert printed.strip() == "[]"
