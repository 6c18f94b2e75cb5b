"""How probable a text is after its context, asked of the language model as plainly as possible."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def plain_reader(folder: Path, start: int) -> Callable[[str, str], tuple[float, int]]:
    """A function from context and text to the mean log-probability of the text's tokens, and their number."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)

    @cache
    def read(context: str, text: str) -> tuple[float, int]:
        before = tokenizer(context).input_ids
        after = tokenizer(f" {text}" if before else text).input_ids
        ids = torch.tensor([[start, *before, *after]])
        with torch.inference_mode():
            logs = model(ids).logits[0, :-1].log_softmax(-1)
        return float(logs[torch.arange(len(ids[0]) - 1), ids[0, 1:]][len(before) :].mean()), len(after)

    return read
