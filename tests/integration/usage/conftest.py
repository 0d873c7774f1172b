"""The places of the tests of writing."""

from tests.integration.writing.conftest import place, workers, writing_dsn

__all__ = ["place", "workers", "writing_dsn"]
