"""A small model behind an OpenAI-compatible server on loopback: `python live_server.py MODEL.gguf` prints its address.

Needs xllamacpp; ends when its input ends.
"""

from __future__ import annotations

import sys

import xllamacpp


def main(path: str) -> None:
    params = xllamacpp.CommonParams()
    params.model.path = path
    params.n_ctx = 8192
    params.n_parallel = 1
    params.warmup = False
    params.cpuparams.n_threads = 2
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1])
