"""The algorithm as one would first write it: one template at a time, one token at a time.

The library's model and cache as they come; every length of every fill is judged by a forward pass of its
own. Planning is the closed form, or, as in PPLM, a gradient through the cache by autograd. The fills are
the engine's, so the two can be timed against each other.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F
from transformers import AutoModelForCausalLM, DynamicCache

from mars_score.infilling.decoder.state import END
from mars_score.infilling.planning import Goals, Tables, plan, shortlist
from mars_score.models.tokenizer import quiet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor

    from mars_score.config import InfillingConfig
    from mars_score.infilling.decoder.state import Job, TokenBlock
    from mars_score.lm.causal import Vocabulary

Fill = tuple[int, ...]


class RowByRow:
    """Fills one template after the other."""

    def __init__(self, folder: str, vocabulary: Vocabulary, config: InfillingConfig) -> None:
        """Load the model with the library's defaults."""
        with quiet():
            model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
        self.model: Any = model.eval().requires_grad_(requires_grad=False)
        self.vocabulary, self.config = vocabulary, config
        self.head = self.model.get_output_embeddings()
        self.tables = Tables(self.head.weight, self.model.get_input_embeddings().weight)
        self.vectors = F.normalize(self.tables.embeddings, dim=-1)  # (V, H)

    def run(self, jobs: Sequence[Job]) -> list[tuple[Fill, ...]]:
        """Fill each template."""
        with torch.no_grad():
            return [self._fill(job) for job in jobs]

    def _fill(self, job: Job) -> tuple[Fill, ...]:
        """Fill the blanks from left to right."""
        self.cache = DynamicCache(config=self.model.config)
        hidden = self._read(job.context)[-1]  # (H,)
        text: list[int] = []
        nll, fills = 0.0, []
        for number, block in enumerate(job.blocks):
            if block.blank:
                later = [after.ids for after in job.blocks[number + 1 :] if not after.blank]
                following = job.blocks[number + 1].ids if number + 1 < len(job.blocks) else (END,)
                guesses = self._guesses(hidden, block, text, later, job.context)
                ids = self._judge(hidden, guesses, nll, len(text), following)
                fills.append(ids)
            else:
                ids = block.ids
            states = self._read(ids)
            nll += sum(self._nll(torch.cat([hidden[None], states[:-1]]), ids))
            hidden = states[-1]
            text += ids
        return tuple(fills)

    def _read(self, ids: Sequence[int]) -> Tensor:
        """Hidden states (n, H) of tokens that follow what the cache holds."""
        states: Tensor = self.model.base_model(
            input_ids=torch.tensor([ids]), past_key_values=self.cache, use_cache=True
        ).last_hidden_state[0]
        return states

    def _nll(self, states: Tensor, ids: Sequence[int]) -> list[float]:
        """Negative log-likelihood of each id under its state."""
        logits = self.head(states)  # (n, V)
        total = logits.logsumexp(-1)  # (n,)
        closing = self.vocabulary.closing
        wanted = [
            row[closing].logsumexp(0) if i == END else row[i] for row, i in zip(logits, ids, strict=True)
        ]
        losses: list[float] = (total - torch.stack(wanted)).tolist()
        return losses

    def _guesses(
        self, hidden: Tensor, block: TokenBlock, text: list[int], later: list[Fill], context: Fill
    ) -> list[Fill]:
        """Grow the plain and the planned fill; every length of both is a guess."""
        goal: Fill = ()
        if later:
            goal = later[0][: self.config.horizon] if self.config.horizon else tuple(
                dict.fromkeys(i for ids in later for i in ids)
            )  # fmt: skip
        modes = [False]
        if goal and self.config.planner != "off":
            modes = [False, True] if self.config.compare_unplanned else [True]
        before = self.cache.get_seq_length()
        guesses: dict[Fill, None] = {}
        for planned in modes:
            fill: Fill = ()
            state = hidden
            for _ in range(len(block.ids) + self.config.sigma):
                last = ([context[-1], *text, *fill])[-1]
                fill += (self._choose(state, [*text, *fill], last, block, fill, goal if planned else ()),)
                guesses.setdefault(fill)
                state = self._read(fill[-1:])[-1]
            self.cache.crop(before - self.cache.get_seq_length())
        return list(guesses)

    def _choose(
        self, hidden: Tensor, text: list[int], last: int, block: TokenBlock, fill: Fill, goal: Fill
    ) -> int:
        """Plan, then take the best token that may be written."""
        logits = self.head(hidden)[None]  # (1, V)
        logits.masked_fill_(~self.vocabulary.writable, float("-inf"))
        if block.inside_word and not fill:
            logits.masked_fill_(self.vocabulary.opens_word, float("-inf"))
        if self.config.no_repeat and text:
            logits[:, [text[-1], *(b for a, b in pairwise(text) if a == text[-1])]] = float("-inf")
        if not goal:
            return int(logits.argmax())
        if self.config.planner == "kv":
            planned = self._plan_through_cache(last, goal)  # (V,)
            return int(planned.masked_fill(logits[0].isneginf(), float("-inf")).argmax())
        weights = self.config.decay ** torch.arange(len(goal))
        goals = Goals(torch.tensor([goal]), weights[None])
        ids, scores = shortlist(logits, torch.tensor([0]), goals, self.config.shortlist)
        best = plan(hidden[None], ids, scores, goals, self.tables, self.config).argmax()
        return int(ids[0, best])

    def _plan_through_cache(self, last: int, goal: Fill) -> Tensor:
        """Move all keys and values of the past along the gradient, then read the last token again: (V,)."""
        past = [(layer.keys[:, :, :-1], layer.values[:, :, :-1]) for layer in self.cache.layers]
        changes = [[torch.zeros_like(tensor) for tensor in layer] for layer in past]
        norms = [torch.cat([tensor.flatten() for tensor in layer]).norm() for layer in past]
        weights = self.config.decay ** torch.arange(len(goal))
        similarity = (1 + self.vectors[list(goal)] @ self.vectors.T) / 2  # (F, V)
        for _ in range(self.config.steps):
            moved = [[change.requires_grad_(requires_grad=True) for change in layer] for layer in changes]
            with torch.enable_grad():
                logits = self._reread(last, past, moved) / self.config.xi
                reward = (weights * (similarity @ logits.softmax(-1)).log()).sum()
                gradients = torch.autograd.grad(reward, [change for layer in moved for change in layer])
            pairs = list(zip(gradients[::2], gradients[1::2], strict=True))
            changes = [
                [
                    change.detach() + self.config.eta * norm * gradient / _length(pair)
                    for change, gradient in zip(layer, pair, strict=True)
                ]
                for layer, norm, pair in zip(moved, norms, pairs, strict=True)
            ]
        return self._reread(last, past, changes)

    def _reread(self, last: int, past: list[tuple[Tensor, Tensor]], changes: list[list[Tensor]]) -> Tensor:
        """Logits (V,) after the last token when the past is moved."""
        cache = DynamicCache(config=self.model.config)
        for number, ((keys, values), (more_keys, more_values)) in enumerate(zip(past, changes, strict=True)):
            cache.update(keys + more_keys, values + more_values, number)
        states = self.model.base_model(
            input_ids=torch.tensor([[last]]), past_key_values=cache, use_cache=True
        ).last_hidden_state[0, -1]
        logits: Tensor = self.head(states)
        return logits

    def _judge(self, hidden: Tensor, guesses: list[Fill], nll: float, length: int, following: Fill) -> Fill:
        """Read every guess with the beginning of the next block behind it; the best mean NLL is kept."""
        window = following[: self.config.judge_window] if self.config.judge_window else following
        before = self.cache.get_seq_length()
        losses: dict[Fill, list[float]] = {}
        for guess in guesses:
            ids = (*guess, *window)
            states = self._read([max(0, i) for i in ids])
            losses[guess] = self._nll(torch.cat([hidden[None], states[:-1]]), ids)
            self.cache.crop(before - self.cache.get_seq_length())

        def mean(guess: Fill, width: int) -> float:
            count = len(guess) + width
            return (nll + sum(losses[guess][:count])) / (length + count)

        if self.config.judge_keep and len(window) > 1:
            kept = sorted(guesses, key=lambda guess: mean(guess, 1))[: self.config.judge_keep]
            guesses = [guess for guess in guesses if guess in kept]
        return min(guesses, key=lambda guess: mean(guess, len(window)))


def _length(tensors: Sequence[Tensor]) -> Tensor:
    """The joint norm of some tensors."""
    return torch.cat([t.flatten() for t in tensors]).norm().clamp_min(1e-12)
