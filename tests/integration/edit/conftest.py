"""The places of the tests of writing."""

from tests.integration.writing.conftest import place, writing_dsn

__all__ = ["place", "writing_dsn"]
