"""The algorithm of section 2.2 and Appendix B as plainly as it can be written: the engine must agree with it.

One template at a time, no cache, the whole text through the network for every question, and the planning
gradient by autograd instead of the closed form.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F

from mars_score.infilling.decoder.state import END

if TYPE_CHECKING:
    from mars_score.config import InfillingConfig
    from mars_score.infilling.decoder.state import Job
    from mars_score.lm.causal import Vocabulary


class Sequential:
    """Row by row."""

    def __init__(self, model: Any, vocabulary: Vocabulary, config: InfillingConfig) -> None:
        self.model = model.eval().requires_grad_(False)
        self.vocabulary, self.config = vocabulary, config
        self.output = model.get_output_embeddings().weight
        self.embeddings = model.get_input_embeddings().weight

    def hidden(self, ids: list[int]) -> torch.Tensor:
        """Last hidden states of a whole text."""
        states: torch.Tensor = self.model.base_model(torch.tensor([ids]), use_cache=False).last_hidden_state[
            0
        ]
        return states

    def nll(self, ids: list[int], count: int) -> float:
        """Negative log-likelihood of the last `count` tokens."""
        return -float(self.log_ps(ids, count).sum())

    def log_ps(self, ids: list[int], count: int) -> torch.Tensor:
        """(count,) the log-probability of each of the last tokens."""
        states = self.hidden([max(0, i) for i in ids])[-count - 1 : -1]
        log_p = F.log_softmax(states @ self.output.T, -1)
        wanted = [
            row[self.vocabulary.closing].logsumexp(0) if i == END else row[i]
            for row, i in zip(log_p, ids[-count:], strict=True)
        ]
        return torch.stack(wanted)

    def fill(self, job: Job) -> tuple[tuple[int, ...], ...]:
        """Fill the blanks from left to right."""
        fills: list[tuple[int, ...]] = []
        text: list[int] = []
        for number, block in enumerate(job.blocks):
            if not block.blank:
                text += block.ids
                continue
            later = [b.ids for b in job.blocks[number + 1 :] if not b.blank]
            following = job.blocks[number + 1].ids if number + 1 < len(job.blocks) else (END,)
            if self.config.horizon:
                goal = later[0][: self.config.horizon] if later else ()
            else:
                goal = tuple(dict.fromkeys(i for ids in later for i in ids))
            limit = len(block.ids) + self.config.sigma
            modes = [False]
            if self.config.planner != "off" and goal:
                modes = [False, True] if self.config.compare_unplanned else [True]
            guesses: list[list[int]] = []
            for planned in modes:
                fill: list[int] = []
                for _ in range(limit):
                    grows = block.inside_word and not fill
                    fill.append(self.next_token(job.context, text + fill, goal if planned else (), grows))
                guesses += [fill[:n] for n in range(1, limit + 1) if fill[:n] not in guesses]
            fill = self.judge(job.context, text, guesses, following)
            fills.append(tuple(fill))
            text += fill
        return tuple(fills)

    def next_token(
        self, context: tuple[int, ...], text: list[int], goal: tuple[int, ...], grows: bool
    ) -> int:
        """Plan, then take the best token that may be written."""
        h = self.hidden([*context, *text])[-1]
        z = self.output @ h
        allowed = self.vocabulary.writable.clone()
        if grows:
            allowed &= ~self.vocabulary.opens_word
        if self.config.no_repeat and text:
            allowed[text[-1]] = False
            for a, b in pairwise(text):
                if a == text[-1]:
                    allowed[b] = False
        z = z.masked_fill(~allowed, float("-inf"))
        if not goal:
            return int(z.argmax())
        size = self.config.shortlist or len(z)
        ids = z.topk(min(size, len(z))).indices.tolist()
        ids += [i for i in dict.fromkeys(goal) if i not in ids and allowed[i]]
        ids = [i for i in ids if allowed[i]]
        rows = self.output[ids]
        planned = h.clone()
        for _ in range(self.config.steps):
            with torch.enable_grad():
                x = planned.clone().requires_grad_(True)
                reward = self.reward(F.log_softmax(rows @ x / self.config.xi, -1), ids, goal)
                (gradient,) = torch.autograd.grad(reward, x)
            planned = planned + self.config.eta * h.norm() * F.normalize(gradient, dim=0)
        best: int = ids[int((rows @ planned).argmax())]
        return best

    def reward(self, log_p: torch.Tensor, ids: list[int], goal: tuple[int, ...]) -> torch.Tensor:
        """Eq. 5 for one step, with weights that decay along the goal."""
        total = log_p.sum() * 0
        for place, word in enumerate(goal):
            weight = self.config.decay**place
            if self.config.reward == "probability":
                total = total + (weight * log_p[ids.index(word)] if word in ids else 0)
            else:
                similarity = F.cosine_similarity(self.embeddings[ids], self.embeddings[word][None])
                total = total + weight * (log_p.exp() * (1 + similarity) / 2).sum().log()
        return total

    def judge(
        self, context: tuple[int, ...], text: list[int], guesses: list[list[int]], following: tuple[int, ...]
    ) -> list[int]:
        """The guess whose text, with the next block behind it, is most probable."""
        window = list(following[: self.config.judge_window] if self.config.judge_window else following)

        def mean(guess: list[int], width: int) -> float:
            ids = [*text, *guess, *window[:width]]
            return self.nll([*context, *ids], len(ids)) / len(ids)

        if self.config.judge_keep and len(window) > 1:
            kept = sorted(guesses, key=lambda guess: mean(guess, 1))[: self.config.judge_keep]
            guesses = [guess for guess in guesses if guess in kept]
        return min(guesses, key=lambda guess: mean(guess, len(window)))
