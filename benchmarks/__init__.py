"""Benchmarks: what the library costs, and how good its parts are. See README.md."""
