"""The search of `mars_score.infilling.search` as plainly as it can be written: the engine must agree with it.

One template at a time, no cache and no tree: the whole text goes through the network for every question. Only the
rules of `seams`, which have tests of their own, and the planning of `Sequential` are shared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
import torch.nn.functional as F

from mars_score.infilling.decoder.search_state import (
    BEGUN,
    GAP,
    MARGIN,
    POOR,
    REVISED,
    SEAM_TOKENS,
    SLACK,
    SPARE,
    WIDTH,
)
from mars_score.infilling.decoder.state import END, FoundTexts
from mars_score.infilling.seams import SeamRules

from .sequential import Sequential

if TYPE_CHECKING:
    from collections.abc import Callable

    from mars_score.config import InfillingConfig
    from mars_score.infilling.decoder.state import Job
    from mars_score.lm.causal import Vocabulary

Fill = tuple[int, ...]
Weights = tuple[float, ...]
Ids = list[int]


@dataclass(frozen=True)
class Text:
    """A text up to the end of a block, or a guess at the next fill behind it."""

    ids: Fill
    fills: tuple[Fill, ...]
    score: float
    """log p of all that is counted, and the rewards."""


def best(
    items: list[Any],
    score: Callable[[Any], float],
    count: int,
    margin: float = 0.0,
    gap: float = float("inf"),
) -> list[Any]:
    """The best few, and up to as many again that are not much worse than the last of them; none far below the best."""
    order = sorted(items, key=score, reverse=True)
    order = [
        item for place, item in enumerate(order) if place < SPARE or score(item) >= score(order[0]) - gap
    ]
    near = [item for item in order[count : 2 * count] if score(item) >= score(order[count - 1]) - margin]
    return order[:count] + (near if margin else [])


def masked_fills(job: Job) -> tuple[Fill, ...]:
    """The fills that make the human reference."""
    return tuple(block.ids for block in job.blocks if block.blank)


class SequentialSearch:
    """Template by template."""

    def __init__(self, model: Any, vocabulary: Vocabulary, config: InfillingConfig) -> None:
        self.plain = Sequential(model, vocabulary, config)
        self.vocabulary, self.config = vocabulary, config
        self.rules = SeamRules(vocabulary)
        self.known: dict[tuple[Fill, Fill, Fill], list[float]] = {}

    def log_p(self, job: Job, before: Fill, ids: Fill, weights: Weights = ()) -> float:
        """log p of tokens after a text, weighted; asked for often, so each answer is remembered."""
        key = (job.context, before, ids)
        if ids and key not in self.known:
            self.known[key] = self.plain.log_ps([*job.context, *before, *ids], len(ids)).tolist()
        weights = weights or (1.0,) * len(ids)
        return sum(weight * log_p for weight, log_p in zip(weights, self.known.get(key, []), strict=True))

    def weights(self, job: Job, fills: list[Fill], start: int, end: int) -> Weights:
        """What each token of some blocks counts: the first of a block after a blank more than others."""
        weights: list[float] = []
        for number in range(start, end):
            block = job.blocks[number]
            size = len(self.joined(job, fills, number, number + 1))
            after_blank = number > 0 and not block.blank
            weights += [
                1 + self.config.seam_weight * (after_blank and place < SEAM_TOKENS) for place in range(size)
            ]
        return tuple(weights)

    def fill(self, job: Job) -> FoundTexts:
        """The texts found, the best first, and how many of them are not much worse than the human reference."""
        first = job.blocks[0]
        texts = [Text(() if first.blank else first.ids, (), 0.0)]
        blanks = [number for number, block in enumerate(job.blocks) if block.blank]
        for number in blanks:
            after = job.blocks[number + 1].ids if number + 1 < len(job.blocks) else (END,)
            weights = self.weights(job, [], number + 1, number + 2) if after != (END,) else (self.end,)
            texts = self.step(job, number, texts, after, weights, revising=False)
            if number != blanks[-1]:
                texts = [text for text in texts if text.score >= texts[0].score - GAP]
        good = sum(text.score >= self.reference - POOR for text in texts)
        found = [text.fills for text in texts]
        if self.config.revise:
            revised = self.revise(job, blanks, texts[0])
            good += revised not in found
            found.insert(0, revised)
        return FoundTexts(tuple(dict.fromkeys(found)), good)

    def revise(self, job: Job, blanks: list[int], text: Text) -> tuple[Fill, ...]:
        """Try each blank but the last again, with the text to its right fixed."""
        fills, score = list(text.fills), text.score
        for place, number in enumerate(blanks[:-1]):
            before = self.joined(job, fills, 0, number)
            after = self.joined(job, fills, number + 1, len(job.blocks)) + (
                (END,) if job.blocks[-1].blank else ()
            )
            if len(after) > REVISED:
                continue
            left = self.value(job, fills, number)
            right = sum(self.reward(job, other, fills[i]) for i, other in enumerate(blanks) if i > place)
            start = Text(before, (), left)
            weights = self.weights(job, fills, number + 1, len(job.blocks)) + (
                (self.end,) if job.blocks[-1].blank else ()
            )
            new = self.step(job, number, [start], after, weights, revising=True)[0]
            changed = [*fills[:place], new.fills[-1], *fills[place + 1 :]]
            masked = list(masked_fills(job))
            if new.score + right > score + 2e-4 and changed not in (fills, masked):
                fills, score = changed, new.score + right
        return tuple(fills)

    def joined(self, job: Job, fills: list[Fill], start: int, end: int) -> Fill:
        """The tokens of some blocks with their fills."""
        ids: Ids = []
        for number in range(start, end):
            block = job.blocks[number]
            ids += fills[sum(one.blank for one in job.blocks[:number])] if block.blank else block.ids
        return tuple(ids)

    def value(self, job: Job, fills: list[Fill], end: int) -> float:
        """The score of a text up to a block; a block before the first blank does not count."""
        start = 0 if job.blocks[0].blank else 1
        before = self.joined(job, fills, 0, start)
        blanks = [number for number in range(end) if job.blocks[number].blank]
        rewards = sum(self.reward(job, number, fill) for number, fill in zip(blanks, fills, strict=False))
        text, weights = self.joined(job, fills, start, end), self.weights(job, fills, start, end)
        return self.log_p(job, before, text, weights) + rewards

    def reward(self, job: Job, number: int, fill: Fill) -> float:
        """What the length of a fill is worth."""
        masked = job.blocks[number].ids
        words = sum(token in job.informative for token in set(fill))
        return self.config.token_reward * min(len(fill), len(masked)) + self.config.context_reward * words

    @property
    def end(self) -> float:
        """What the end of a text counts, right after a blank."""
        return 1 + self.config.seam_weight

    def step(
        self, job: Job, number: int, texts: list[Text], after: Fill, weights: Weights, *, revising: bool
    ) -> list[Text]:
        """Fill one blank of each text, and judge the guesses by what comes after it, each token as it counts."""
        strands = max(2, self.config.strands // 2) if revising else self.config.strands
        guesses = self.guesses(job, number, texts, after, weights[0], strands)
        reference = [(text, fill) for text, fill in guesses if (*text.fills, fill) == masked_fills(job)]
        guesses = [guess for guess in guesses if guess not in reference]
        accepted = [guess for guess in guesses if self.accepts(job, number, *guess)] or guesses

        def judged(width: int) -> Callable[[tuple[Text, Fill]], float]:
            known: dict[tuple[Fill, Fill], float] = {}

            def score(guess: tuple[Text, Fill]) -> float:
                text, fill = guess
                if (text.ids, fill) not in known:
                    counts = (*(1.0 for _ in fill), *weights[:width])
                    log_p = self.log_p(job, text.ids, (*fill, *after[:width]), counts)
                    known[text.ids, fill] = text.score + log_p + self.reward(job, number, fill)
                return known[text.ids, fill]

            return score

        kept = best(accepted, judged(1), strands, MARGIN, GAP)
        last = number + 2 >= len(job.blocks) or not any(block.blank for block in job.blocks[number + 1 :])
        read = len(after) - 1 if last or after[-1] == END or revising else len(after)
        window = self.config.judge_window
        if window and read > window:
            beams = max(1, self.config.beams // 2) if revising else self.config.beams
            kept = best(kept, judged(window + 1), beams, MARGIN, GAP)
        whole = judged(len(after))
        self.reference = max(map(whole, reference), default=float("-inf"))
        distinct: dict[Fill, tuple[Text, Fill]] = {}
        for text, fill in sorted(kept, key=whole, reverse=True):
            distinct.setdefault((*text.ids, *fill), (text, fill))
        return [
            Text(
                (*text.ids, *fill, *(i for i in after if i != END)), (*text.fills, fill), whole((text, fill))
            )
            for text, fill in best(
                list(distinct.values()),
                whole,
                1 if revising else len(distinct) if last else self.config.beams,
            )
        ]

    def guesses(
        self, job: Job, number: int, texts: list[Text], after: Fill, weight: float, strands: int
    ) -> list[tuple[Text, Fill]]:
        """Every length of every strand, behind the text that it goes on from."""
        block = job.blocks[number]
        later = [one.ids for one in job.blocks[number + 1 :] if not one.blank]
        goal: Fill = ()
        if later and self.config.planner != "off":
            goal = later[0][: self.config.horizon] if self.config.horizon else tuple(
                dict.fromkeys(i for ids in later for i in ids)
            )  # fmt: skip
        both = self.config.compare_unplanned
        living: dict[tuple[int, Fill, Fill], None] = {}  # text, fill, and the words that its policy plans for
        for words in [(), goal] if goal and both else [goal]:
            count = (
                min(self.config.proposals, max(1, self.config.strands // 3))
                if words
                else self.config.proposals
            )
            offers = [
                (index, token, text.score + self.log_p(job, text.ids, (token,)))
                for index, text in enumerate(texts)
                for token in self.next_tokens(job, number, text.ids, (), words)[:count]
            ]
            width = max(1, strands // 3) if words and both else BEGUN * strands
            for index, token, _ in best(offers, lambda offer: offer[2], width):
                living.setdefault((index, (token,), words))
        found: dict[tuple[int, Fill], float] = {}  # what each guess is worth before anything follows
        worth: dict[tuple[int, Fill], float] = {}  # with the first token after it, where the seams are sound
        follows: dict[tuple[int, Fill], float] = {}  # and what that token is worth
        # The masked words themselves are guesses, and so are the first of them.
        masked = [
            (index, block.ids[:end]) for end in range(1, len(block.ids) + 1) for index in range(len(texts))
        ]
        length = 0
        while living:
            length += 1
            written = [(index, fill) for index, fill, _ in living]
            for index, fill in written + [guess for guess in masked if len(guess[1]) == length]:
                text, here = texts[index], (index, fill)
                found[here] = text.score + self.log_p(job, text.ids, fill) + self.reward(job, number, fill)
                if self.accepts(job, number, text, fill):
                    follows[here] = weight * self.log_p(job, (*text.ids, *fill), after[:1])
                    worth[here] = found[here] + follows[here]
            leaders = sorted(worth.values(), reverse=True)[:strands]
            bar = leaders[-1] - max(follows.values()) - SLACK if len(leaders) == strands else float("-inf")
            grown = [
                (index, (*fill, token), words)
                for index, fill, words in living
                if len(fill) < len(block.ids) + self.config.sigma and found[index, fill] >= bar
                for token in self.next_tokens(job, number, texts[index].ids, fill, words)[
                    : 1 if words else WIDTH
                ]
            ]

            def value(grown: tuple[int, Fill, Fill]) -> float:
                index, fill, _ = grown
                text = texts[index]
                return text.score + self.log_p(job, text.ids, fill) + self.reward(job, number, fill)

            planned = best([strand for strand in grown if strand[2]], value, strands)
            plain = best([strand for strand in grown if not strand[2]], value, strands)
            living = dict.fromkeys([*plain, *planned])
        return [(texts[index], fill) for index, fill in dict.fromkeys([*found, *masked])]

    def accepts(self, job: Job, number: int, text: Text, fill: Fill) -> bool:
        """Whether the seams are sound, and the text is not the human reference."""
        seam = job.blocks[number].seam
        sound = seam is None or fill == job.blocks[number].ids or seam.accepts(self.decode(fill))
        return sound and (*text.fills, fill) != masked_fills(job)

    def next_tokens(self, job: Job, number: int, text: Fill, fill: Fill, goal: Fill) -> Ids:
        """The tokens that may be written next, those that the policy prefers first."""
        h = self.plain.hidden([*job.context, *text, *fill])[-1]
        allowed = self.vocabulary.writable.clone()
        seam = job.blocks[number].seam
        if seam is not None:
            allowed = ~self.rules.forbidden(seam, fill[-1] if fill else None)
        history = [*text, *fill]
        if self.config.no_repeat and history:
            allowed[history[-1]] = False
            for a, b, c in zip(history, history[1:], history[2:], strict=False):
                if [a, b] == history[-2:]:
                    allowed[c] = False
        z = (self.plain.output @ h).masked_fill(~allowed, float("-inf"))
        if not goal:
            top = z.topk(min(len(z), 32))
            return [
                i for i, value in zip(top.indices.tolist(), top.values.tolist(), strict=True) if value > -1e30
            ]
        size = self.config.shortlist or len(z)
        ids = z.topk(min(size, len(z))).indices.tolist()
        ids += [i for i in dict.fromkeys(goal) if i not in ids]
        ids = [i for i in ids if allowed[i]]
        rows, planned = self.plain.output[ids], h.clone()
        for _ in range(self.config.steps):
            with torch.enable_grad():
                x = planned.clone().requires_grad_(True)
                reward = self.plain.reward(F.log_softmax(rows @ x / self.config.xi, -1), ids, goal)
                (gradient,) = torch.autograd.grad(reward, x)
            planned = planned + self.config.eta * h.norm() * F.normalize(gradient, dim=0)
        order = (rows @ planned).argsort(descending=True)[:16].tolist()
        return [ids[i] for i in order]

    def decode(self, ids: Fill) -> str:
        """The text of a fill."""
        return "".join(self.vocabulary.pieces[i] for i in ids)
