"""How probable the language model finds a text, token by token, after a context or after nothing.

A context is read once for all texts that follow it. Each text then goes through the network by itself: its
tokens fill a batch of their own, and no other text can change a digit of its probabilities.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

import torch

from mars_score.lm.attention import Continuation, Prefill
from mars_score.progress import Progress, silent
from mars_score.storage.lru import LRUCache

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from mars_score.lm.causal import LanguageModel

KEPT = 2_000_000
"""Tokens whose probabilities are remembered: some 70 MB."""


@dataclass(frozen=True, slots=True)
class Reading:
    """What the model made of a text."""

    log_probs: tuple[float, ...]
    """Natural logarithms, one for each of the text's tokens; none for an empty text."""
    context_cut: bool = False
    text_cut: bool = False

    @property
    def mean(self) -> float:
        """Mean log-probability of a token."""
        return sum(self.log_probs) / len(self.log_probs)


class Likelihood:
    """Reads texts with a language model."""

    def __init__(self, model: LanguageModel, *, max_context: int = 1024, max_text: int = 1024) -> None:
        """Bound how many tokens of a context and of a text are read; the tails of longer ones are cut."""
        self.model = model
        self.max_text = max(1, min(max_text, (model.max_positions - 1) // 2))
        self.max_context = max(0, min(max_context, model.max_positions - 1 - self.max_text))
        self.memory: LRUCache[bytes, Reading] = LRUCache(KEPT, lambda _, reading: 1 + len(reading.log_probs))
        """Several metrics ask for the same readings."""

    def read(self, texts: Sequence[tuple[str, str]], progress: Progress = silent) -> list[Reading]:
        """Read (context, text) pairs; equal pairs once."""
        keys = {pair: _digest(*pair) for pair in texts}
        found = {pair: known for pair, key in keys.items() if (known := self.memory.get(key)) is not None}
        contexts: dict[str, list[str]] = {}
        for context, text in keys:
            if (context, text) not in found:
                contexts.setdefault(context, []).append(text)
        with torch.no_grad():
            for context, group in contexts.items():
                for text, reading in zip(group, self._after(context, group), strict=True):
                    found[context, text] = reading
                    self.memory.keep(keys[context, text], reading)
                progress(len(found), len(keys))
        return [found[pair] for pair in texts]

    def _after(self, context: str, texts: list[str]) -> list[Reading]:
        """Read texts that share a context."""
        model = self.model
        before = model.encode(context.strip())
        ids = [model.start, *before[: self.max_context]]
        tokens = [model.encode(f" {text}" if before and text else text) for text in map(str.strip, texts)]
        layers, heads, size = model.kv_shape
        weight = model.head.weight
        store = torch.empty(layers, 2, 1, heads, len(ids), size, dtype=weight.dtype, device=model.device)
        places = torch.arange(len(ids), device=model.device)
        hidden = model.hidden(
            torch.tensor(ids, device=model.device), places, Prefill([len(ids)], store)
        )  # (len(ids), H)
        return [
            Reading(
                tuple(self._log_probs(store[:, :, 0], hidden[-1:], text[: self.max_text])),
                context_cut=len(before) > self.max_context,
                text_cut=len(text) > self.max_text,
            )
            for text in tokens
        ]

    def _log_probs(self, past: Tensor, before: Tensor, ids: list[int]) -> list[float]:
        """Log-probability of each token of a text after keys and values `past` and the state `before` (1, H)."""
        if not ids:
            return []
        target = torch.tensor(ids, device=self.model.device)
        positions = torch.arange(past.shape[3], past.shape[3] + len(ids), device=self.model.device)
        states = torch.cat([before, self.model.hidden(target, positions, Continuation(past))[:-1]])  # (n, H)
        logits = self.model.logits(states)  # (n, V)
        log_probs: list[float] = (logits.gather(1, target[:, None])[:, 0] - logits.logsumexp(-1)).tolist()
        return log_probs


def _digest(context: str, text: str) -> bytes:
    """Stands for a pair in memory, whose texts would take more room than what was read."""
    lengths = f"{len(context)} "
    return hashlib.blake2b((lengths + context + text).encode(), digest_size=16).digest()
