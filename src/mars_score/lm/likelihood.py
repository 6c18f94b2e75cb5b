"""How probable the language model finds a text, token by token, after a context or after nothing.

A context is read once for all texts that follow it, and its keys and values are kept for the texts of the next call,
as far as memory goes. Contexts and texts go through the network one after another, without padding to a common
length. No other text can change a digit of a text's probabilities: packs have sizes at which the products of this
processor round a row the same way wherever it is, which is tried; where that fails, each text goes alone.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING

import torch

from mars_score.encoders.network import packs, side_by_side
from mars_score.lm.attention import Continuation, Prefill
from mars_score.progress import Progress, silent
from mars_score.storage.lru import LRUCache

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from torch import Tensor

    from mars_score.lm.attention import View
    from mars_score.lm.causal import LanguageModel

KEPT = 2_000_000
"""Tokens whose probabilities are remembered: some 70 MB."""
LARGEST = 512
"""Tokens of a pack; a longer text is alone."""
STEP, SMALL_STEP = 64, 16
"""Packs have a multiple of so many tokens; those that are smaller than one step, of so many."""
FEW = 256
"""So many tokens, padding included, are read text by text: to try how products round would cost more."""
HEAD_ROWS = 64
"""States that the output head takes at once: always as many, so that the arithmetic is always the same."""


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


@dataclass(frozen=True, slots=True)
class ReadContext:
    """A context as texts that follow it need it."""

    past: Tensor
    """(layers, 2, K, n, D): keys and values."""
    last: Tensor
    """(H,): the state of its last token, which predicts the first token of a text."""


class Likelihood:
    """Reads texts with a language model."""

    def __init__(
        self, model: LanguageModel, *, max_context: int = 1024, max_text: int = 1024, memory: int = 512 << 20
    ) -> None:
        """Bound how many tokens of a context and of a text are read; the tails of longer ones are cut.

        Contexts that are in use and contexts that are kept take up to so many bytes, half of them each.
        """
        self.model = model
        self.max_text = max(1, min(max_text, (model.max_positions - 1) // 2))
        self.max_context = max(0, min(max_context, model.max_positions - 1 - self.max_text))
        self.memory: LRUCache[bytes, Reading] = LRUCache(KEPT, lambda _, reading: 1 + len(reading.log_probs))
        """Several metrics ask for the same readings."""
        self.contexts: LRUCache[tuple[int, ...], ReadContext] = LRUCache(
            memory // 2, lambda ids, _: len(ids) * model.kv_bytes
        )
        """The next system has the same contexts."""

    def read(self, texts: Sequence[tuple[str, str]], progress: Progress = silent) -> list[Reading]:
        """Read (context, text) pairs; equal pairs once."""
        keys = {pair: _digest(*pair) for pair in texts}
        readings = {
            pair: cached for pair, key in keys.items() if (cached := self.memory.get(key)) is not None
        }
        contexts: dict[str, list[str]] = {}
        for context, text in keys:
            if (context, text) not in readings:
                contexts.setdefault(context, []).append(text)
        for chunk in self._chunks(contexts):
            for pair, reading in self._read(chunk):
                readings[pair] = reading
                self.memory.keep(keys[pair], reading)
                progress(len(readings), len(keys))
        return [readings[pair] for pair in texts]

    def _chunks(self, contexts: dict[str, list[str]]) -> Iterator[dict[tuple[int, ...], _Waiting]]:
        """What is read together: texts by the tokens of their contexts, as many contexts as memory holds."""
        chunk: dict[tuple[int, ...], _Waiting] = {}
        held = 0
        for context, texts in contexts.items():
            before = self.model.encode(context.strip())
            ids = (self.model.start, *before[: self.max_context])
            if chunk and (held + len(ids)) * self.model.kv_bytes > self.contexts.limit:
                yield chunk
                chunk, held = {}, 0
            held += len(ids)
            for text in texts:
                stripped = text.strip()
                after = self.model.encode(f" {stripped}" if before and stripped else stripped)
                cut = len(before) > self.max_context, len(after) > self.max_text
                chunk.setdefault(ids, []).append(((context, text), after[: self.max_text], *cut))
        if chunk:
            yield chunk

    def _read(self, chunk: dict[tuple[int, ...], _Waiting]) -> Iterator[tuple[tuple[str, str], Reading]]:
        """Read the contexts that are new, then all texts."""
        ready = {ids: cached for ids in chunk if (cached := self.contexts.get(ids)) is not None}
        new = [ids for ids in chunk if ids not in ready]
        together = self._together([len(ids) for ids in new])
        for pack, read in zip(
            together, side_by_side(lambda pack: self._prefill([new[i] for i in pack]), together), strict=True
        ):
            for i, read_context in zip(pack, read, strict=True):
                ready[new[i]] = read_context
                self.contexts.keep(new[i], read_context)
        waiting = [(ready[ids], *waiting_text) for ids, texts in chunk.items() for waiting_text in texts]
        together = self._together([len(text) for _, _, text, _, _ in waiting])
        work = side_by_side(
            lambda pack: self._log_probs([(waiting[i][0], waiting[i][2]) for i in pack]), together
        )
        for pack, log_probs in zip(together, work, strict=True):
            for i, token_log_probs in zip(pack, log_probs, strict=True):
                _, pair, _, context_cut, text_cut = waiting[i]
                yield pair, Reading(tuple(token_log_probs), context_cut=context_cut, text_cut=text_cut)

    def _together(self, lengths: Sequence[int]) -> list[list[int]]:
        """Indices of rows that go through the network in one pass."""
        if sum(map(_in_steps, lengths)) <= FEW or not self._packs:
            return [[index] for index in range(len(lengths))]
        share = -(-sum(lengths) // torch.get_num_threads())  # some for each thread
        return packs(lengths, _in_steps(min(share, LARGEST)))

    @cached_property
    def _packs(self) -> bool:
        """Whether a row comes out of all products the same to the last bit, wherever it is in a pack."""
        sizes = [*range(SMALL_STEP, STEP, SMALL_STEP), *range(STEP, LARGEST, STEP)]
        return self.model.device.type == "cpu" and self.model.rounds_alike(sizes, LARGEST, HEAD_ROWS)

    def _prefill(self, contexts: list[tuple[int, ...]]) -> list[ReadContext]:
        """Read contexts in one pass."""
        model, lengths = self.model, [len(ids) for ids in contexts]
        layers, heads, size = model.kv_shape
        like = model.head.weight
        stores = [like.new_empty(layers, 2, heads, length, size) for length in lengths]
        hidden = self._hidden(contexts, [0] * len(contexts), Prefill(lengths, stores))  # (T, H)
        ends = [end - 1 for end in accumulate(lengths)]
        return [ReadContext(store, hidden[end].clone()) for store, end in zip(stores, ends, strict=True)]

    def _log_probs(self, texts: list[tuple[ReadContext, list[int]]]) -> list[list[float]]:
        """Log-probability of each token of texts after their contexts, in one pass."""
        lengths = [len(ids) for _, ids in texts]
        if not any(lengths):
            return [[] for _ in texts]
        pasts = [context.past for context, _ in texts]
        rows = [ids for _, ids in texts]
        hidden = self._hidden(rows, [past.shape[3] for past in pasts], Continuation(pasts, lengths))  # (T, H)
        starts = list(accumulate(lengths, initial=0))
        # Each token is predicted by the state before it.
        states = torch.cat(
            [
                part
                for (context, ids), start in zip(texts, starts, strict=False)
                if ids
                for part in (context.last[None], hidden[start : start + len(ids) - 1])
            ]
        )  # (t, H)
        target = torch.tensor([token for ids in rows for token in ids], device=states.device)
        log_probs = self._chosen(states, target)
        return [log_probs[start : start + length] for start, length in zip(starts, lengths, strict=False)]

    def _hidden(self, rows: Sequence[Sequence[int]], firsts: Sequence[int], view: View) -> Tensor:
        """Pass rows that begin at these positions; then padding, whose tokens nothing attends to."""
        ids = [token for row in rows for token in row]
        positions = [first + i for row, first in zip(rows, firsts, strict=True) for i in range(len(row))]
        short = _in_steps(len(ids)) - len(ids)
        tokens = torch.tensor(ids + [self.model.start] * short, device=self.model.device)
        places = torch.tensor(positions + [0] * short, device=self.model.device)
        with torch.no_grad():
            return self.model.hidden(tokens, places, view, plain=True)

    def _chosen(self, states: Tensor, target: Tensor) -> list[float]:
        """The log-probability of each token (t,) after its state (t, H)."""
        log_probs: list[float] = []
        for start in range(0, len(states), HEAD_ROWS):
            chunk, tokens = states[start : start + HEAD_ROWS], target[start : start + HEAD_ROWS]
            padding = chunk[:1].expand(HEAD_ROWS - len(chunk), -1)
            with torch.no_grad():
                logits = self.model.logits(torch.cat([chunk, padding]), plain=True)[: len(chunk)]  # (n, V)
                log_probs += (logits.gather(1, tokens[:, None])[:, 0] - logits.logsumexp(-1)).tolist()
        return log_probs


_Waiting = list[tuple[tuple[str, str], list[int], bool, bool]]
"""Texts of one context: the pair, the text's tokens, and whether the context and the text were cut."""


def _in_steps(tokens: int) -> int:
    """The size of a pass for so many tokens; of a text that is longer than any pack, its own length."""
    if tokens > LARGEST:
        return tokens
    step = SMALL_STEP if tokens <= STEP else STEP
    return -(-tokens // step) * step


def _digest(context: str, text: str) -> bytes:
    """Stands for a pair in memory, whose texts would take more room than what was read."""
    lengths = f"{len(context)} "
    return hashlib.blake2b((lengths + context + text).encode(), digest_size=16).digest()
