"""The checksums of all migrations that were ever committed: `python -m tests.migration_checksums` adds new ones.

A migration that is listed is never changed again; whoever has applied it could not be brought up to date.
"""

from __future__ import annotations

import hashlib
import sys

from post_graph_rag.store.migrations import migrations_folder

LIST = "CHECKSUMS"


def recorded() -> dict[str, str]:
    """What the list says, by file."""
    lines = (migrations_folder() / LIST).read_text(encoding="utf-8").splitlines()
    return {name: checksum for checksum, name in (line.split(maxsplit=1) for line in lines)}


def actual() -> dict[str, str]:
    """What the files are."""
    folder = migrations_folder()
    return {
        f"{path.parent.name}/{path.name}": hashlib.sha256(path.read_text(encoding="utf-8").encode()).hexdigest()
        for path in sorted(folder.glob("*/*.sql"))
    }


def main() -> None:
    """Add new files to the list; refuse when a listed one has changed or is gone, unless told `--unreleased`."""
    files = actual()
    changed = [name for name, checksum in recorded().items() if files.get(name) != checksum]
    if changed and "--unreleased" not in sys.argv:
        raise SystemExit(f"changed or gone: {', '.join(changed)}; write a new migration instead")
    text = "".join(f"{checksum}  {name}\n" for name, checksum in files.items())
    (migrations_folder() / LIST).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
