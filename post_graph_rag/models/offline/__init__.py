"""Models that need no endpoint: for trying the library, for tests, for machines without a network."""
