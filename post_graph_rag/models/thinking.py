"""Reasoning that a model writes before its answer, in <think> blocks, is not part of the answer."""

from __future__ import annotations

import re

TAGS = ("<think>", "<thinking>", "<reasoning>")
OPENING = re.compile(r"\s*<(?:think|thinking|reasoning)>", re.IGNORECASE)
CLOSING = re.compile(r"</(?:think|thinking|reasoning)>\s*", re.IGNORECASE)
PAYLOAD = ("{", "[", "(", '"')


def strip_thinking(text: str) -> str:
    """The answer without the reasoning before it; empty when the reply broke off while reasoning.

    Some servers send only the closing tag, because their template put the opening one into the prompt.
    """
    while OPENING.match(text):
        closing = CLOSING.search(text)
        if closing is None:
            return ""
        text = text[closing.end() :]
    if text.lstrip().startswith(PAYLOAD):
        return text
    closing = CLOSING.search(text)
    return text[closing.end() :] if closing else text


class ThinkingFilter:
    """The same for a reply that comes in pieces: `feed` each, then `finish`.

    A lone closing tag is not seen here: to wait for one would be to show nothing before the end.
    """

    def __init__(self) -> None:
        self._held = ""
        self._passing = False

    def feed(self, piece: str) -> str:
        """What of the reply can be shown by now."""
        if self._passing:
            return piece
        self._held += piece
        return self._release() if self._decided() else ""

    def finish(self) -> str:
        """What is left when the reply has ended."""
        return "" if self._passing else self._release()

    def _decided(self) -> bool:
        start = self._held.lstrip()
        if OPENING.match(start):
            return bool(strip_thinking(start))
        return bool(start) and not any(tag.startswith(start.lower()) for tag in TAGS)

    def _release(self) -> str:
        self._passing = True
        return strip_thinking(self._held)
