"""English words that serve grammar and ask: they say nothing of what a text is about."""

from __future__ import annotations

_WORDS = """
a about after all also an and any are as at be been before by can did do does for from had has have he her his how i in
into is it its many me much of on or our she so some such tell than that the their them then there these they this those
to was we were what when where which while who whom whose why will with would you your
"""
FUNCTION_WORDS = frozenset(_WORDS.split())
