"""A local PostgreSQL with AGE and pgvector: found or unpacked, started and stopped."""
