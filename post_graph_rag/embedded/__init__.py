"""A local PostgreSQL with AGE and pgvector: found or unpacked, started and stopped."""

from .find import find_server
from .programs import ServerPrograms
from .server import EmbeddedServer, ServerStatus
from .unpack import unpack_newest, unpack_server

__all__ = ["EmbeddedServer", "ServerPrograms", "ServerStatus", "find_server", "unpack_newest", "unpack_server"]
