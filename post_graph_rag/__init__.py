"""Graph RAG that lives in PostgreSQL."""

__version__ = "2.0.0a1"
