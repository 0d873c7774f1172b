# `make quickstart` and `make test` need Python 3.11 or newer and nothing else set up.

# .venv's own Python when it runs, else the newest one that the offline models have wheels for, else any that will do.
# Each is run, since a name on PATH may be a stub that fails.
CANDIDATES := .venv/bin/python python3.13 python3.12 python3.11 python3 python3.14
SUITABLE := import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 14))
ifndef PYTHON
PYTHON := $(shell for python in $(CANDIDATES); do "$$python" -c '$(SUITABLE)' 2>/dev/null && echo "$$python" && break; done)
endif
VENV_PYTHON := .venv/bin/python
# Two at a time, each with a server of its own; the tests of one file one after the other.
PYTEST := $(VENV_PYTHON) -m pytest -n 2 --dist loadfile
COMPILE = build/uv/bin/uv pip compile pyproject.toml --extra embedded --extra local --universal --python-version 3.11 \
	--generate-hashes --no-annotate --no-emit-index-url --custom-compile-command 'make lock' --quiet

.DEFAULT_GOAL := help
.PHONY: help quickstart test test-all lint types bench-speed bench-time bench-scale bench-models bench-quality build lock clean environment-run environment-dev

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 14

quickstart: environment-run ## index three documents and answer a question, on a server and models of its own
	@$(VENV_PYTHON) examples/01_quickstart.py

test: lint types ## lint, types and all tests but the extended ones
	$(PYTEST) -m "not extended" --durations=10

test-all: lint types ## the same with long runs and other servers
	$(PYTEST) --durations=20

lint: environment-dev ## style and formatting
	$(VENV_PYTHON) -m ruff check
	$(VENV_PYTHON) -m ruff format --check

types: environment-dev ## static types
	$(VENV_PYTHON) -m mypy

bench-speed: environment-dev ## speed side by side with the peer, one JSON line per phase
	$(VENV_PYTHON) -m benchmarks.speed

bench-time: environment-dev ## what other times, deleting and a busy subject cost, one JSON line per phase
	$(VENV_PYTHON) -m benchmarks.time

bench-scale: environment-dev ## questions to a large realm beside their bare statements, and loading it, one JSON line per phase
	$(VENV_PYTHON) -m benchmarks.scale

bench-models: environment-dev ## what model calls cost and how limits are borne, one JSON line per phase
	$(VENV_PYTHON) -m benchmarks.models

bench-quality: environment-dev ## how much of what answers a question is found, by each channel and by all of them
	$(VENV_PYTHON) -m benchmarks.quality

build: environment-dev ## source archive and wheel in dist/
	$(VENV_PYTHON) -m build --no-isolation

lock: environment-dev ## requirements/*.txt anew from pyproject.toml
	$(VENV_PYTHON) -m pip install --quiet --upgrade --target build/uv uv
	$(COMPILE) $(UPGRADE) --group dev --output-file requirements/dev.txt
	$(COMPILE) --group install --constraint requirements/dev.txt --output-file requirements/run.txt

clean: ## remove all that the other targets made in this folder
	rm -rf .venv dist build .mypy_cache .ruff_cache .pytest_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

environment-run environment-dev: environment-%:
	@test -n "$(PYTHON)" || { echo "No Python 3.11 to 3.14 found: install one, or name it with PYTHON=..." >&2; exit 1; }
	@"$(PYTHON)" tools/environment.py $*
