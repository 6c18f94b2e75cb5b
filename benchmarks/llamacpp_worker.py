"""In the environment of llama.cpp (see `benchmarks.llamacpp`): reads and generates as many tokens as it is told."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import llama_cpp as cpp  # type: ignore[import-not-found]  # of another environment
import numpy as np

BATCH, SEQUENCES, COLUMNS = 512, 64, 256


def load(path: str, kind: str) -> tuple[Any, Any]:
    """Load the weights as they are, or in float32 from a file that is made once."""
    if kind == "f32":
        whole = Path(path).with_suffix(".f32.gguf")
        if not whole.exists():
            options = cpp.llama_model_quantize_default_params()
            options.ftype, options.allow_requantize = cpp.LLAMA_FTYPE_ALL_F32, True
            if cpp.llama_model_quantize(path.encode(), str(whole).encode(), options):
                raise RuntimeError("the weights could not be written in float32")
        path = str(whole)
    model = cpp.llama_model_load_from_file(path.encode(), cpp.llama_model_default_params())
    options = cpp.llama_context_default_params()
    options.n_ctx, options.n_batch, options.n_ubatch = SEQUENCES * COLUMNS, BATCH, BATCH
    options.n_seq_max, options.kv_unified = SEQUENCES, True
    options.n_threads = options.n_threads_batch = int(os.environ.get("OMP_NUM_THREADS", os.cpu_count() or 1))
    return model, cpp.llama_init_from_model(model, options)


def decode(context: Any, batch: Any, rows: list[tuple[int, int, int, bool]]) -> None:
    """One pass: token, position, sequence, and whether its probabilities are wanted."""
    batch.n_tokens = len(rows)
    for i, (token, position, sequence, wanted) in enumerate(rows):
        batch.token[i], batch.pos[i], batch.logits[i] = token, position, wanted
        batch.n_seq_id[i], batch.seq_id[i][0] = 1, sequence
    if cpp.llama_decode(context, batch):
        raise RuntimeError("llama.cpp could not decode")


def work(model: Any, context: Any, batch: Any, told: dict[str, int]) -> None:
    """Read so many tokens, contexts of one length; then generate so many, 64 sequences at a time."""
    size = cpp.llama_vocab_n_tokens(cpp.llama_model_get_vocab(model))
    memory, length = cpp.llama_get_memory(context), max(1, told["context"])
    left = told["read"]
    while left > 0:
        cpp.llama_memory_clear(memory, True)
        count = min(left, BATCH)
        decode(context, batch, [(5 + i % 97, i % length, i // length, False) for i in range(count)])
        left -= count
    cpp.llama_memory_clear(memory, True)
    tokens = [7] * SEQUENCES
    for step in range(-(-told["generated"] // SEQUENCES)):
        decode(context, batch, [(token, step, row, True) for row, token in enumerate(tokens)])
        logits = np.ctypeslib.as_array(cpp.llama_get_logits(context), (SEQUENCES, size))
        tokens = logits.argmax(-1).tolist()


def main(path: str, kind: str) -> None:
    """Answer each line with one of its own."""
    model, context = load(path, kind)
    batch = cpp.llama_batch_init(BATCH, 0, 1)
    for line in sys.stdin:
        told = json.loads(line)
        if told:
            work(model, context, batch, told)
        print("done", flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:3])
