"""The attacks by name, on whole data sets and any metric, and how scores change: Table 4, and plainer numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from mars_score.errors import ConfigError, InputError, did_you_mean
from mars_score.stats.correlation import Kind, correlation
from mars_score.study.attacks.base import Attack, row_by_row, row_random
from mars_score.study.attacks.edits import (
    copy_context,
    copy_reference,
    echo_prompt,
    list_keywords,
    refuse,
    reorder,
    repeat,
    retrieve,
    swap_names,
    swap_numbers,
    truncate,
    unrelated,
)
from mars_score.study.attacks.negation import negate
from mars_score.types import Example

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mars_score.io.datasets.base import Dataset

    Numbers = NDArray[np.float64]

ATTACKS = {
    "reorder": row_by_row("half of the tokens change places (Table 4)", reorder),
    "retrieve": row_by_row("a sentence of the context takes the candidate's place (Table 4)", retrieve),
    "negation": row_by_row("each sentence says the opposite where a rule can make it so", negate),
    "number_swap": row_by_row("every number that is borne out becomes another", swap_numbers),
    "name_swap": row_by_row("every name becomes another name of the row", swap_names),
    "truncation": row_by_row("the second half of the tokens is dropped", truncate),
    "repetition": row_by_row("a sentence, or the first half of the only one, is said twice", repeat),
    "copy_context": row_by_row("the first words of the context, as many as a reference has", copy_context),
    "prompt_echo": row_by_row(
        "the question, or the last sentence of the context, is said again", echo_prompt
    ),
    "refusal": row_by_row("a polite refusal takes the candidate's place", refuse),
    "keywords": row_by_row("the content words of a reference, as a list", list_keywords),
    "unrelated": Attack("what the same system wrote for another item", unrelated),
    "copy_reference": row_by_row("a reference takes the candidate's place", copy_reference, harmful=False),
}
PAPER_ATTACKS = ("reorder", "retrieve")


def find_attack(name: str) -> Attack:
    """Return the attack of this name."""
    if name not in ATTACKS:
        raise ConfigError(
            f"unknown attack {name!r}; there are {', '.join(ATTACKS)}.{did_you_mean(name, ATTACKS)}"
        )
    return ATTACKS[name]


@dataclass(frozen=True, slots=True)
class Correlations:
    """A correlation with human ratings before and after an attack, over the same rows."""

    before: float | None
    after: float | None
    """With the ratings of the original texts; ``None`` where scores or ratings are all equal."""

    @property
    def change(self) -> float | None:
        """After minus before: Table 4's delta; negative for a robust metric."""
        return None if self.before is None or self.after is None else self.after - self.before


@dataclass(frozen=True, slots=True)
class Robustness:
    """One metric under one attack. Scores count as higher is better."""

    attack: str
    rows: int
    """How many rows are compared."""
    not_applicable: int
    """Rows that the attack leaves unchanged."""
    undefined: int
    """Changed rows that have no score before or after."""
    mean_change: float | None
    """The mean of attacked minus original score; negative for a robust metric."""
    share: float | None
    """The share of rows whose original scores higher; a tie counts half, so 0.5 is chance."""
    ties: float | None
    """The share of rows with equal scores."""
    upper_rows: int
    """How many of the compared rows are rated at their median or above."""
    upper_share: float | None
    """The share over these rows: here the original is good, so the attack can only do harm."""
    pearson: Correlations
    spearman: Correlations


def robustness(
    original: Sequence[float | None],
    attacked: Sequence[float | None],
    human: Sequence[float],
    *,
    attack: str = "",
    not_applicable: int = 0,
    higher_is_better: bool = True,
) -> Robustness:
    """Compare the scores of the same rows before and after an attack; ``None`` and NaN are undefined scores."""
    if not len(original) == len(attacked) == len(human):
        raise InputError(
            f"{len(original)} original scores, {len(attacked)} attacked scores and {len(human)} ratings",
            remedy="give one of each for every row, in the same order",
        )
    sign = 1.0 if higher_is_better else -1.0
    table = np.array([original, attacked, human], dtype=np.float64)
    table = table[:, np.isfinite(table).all(axis=0)]
    before, after, ratings = sign * table[0], sign * table[1], table[2]
    upper = ratings >= np.median(ratings) if len(ratings) else np.zeros(0, dtype=bool)
    return Robustness(
        attack=attack,
        rows=len(ratings),
        not_applicable=not_applicable,
        undefined=len(human) - len(ratings),
        mean_change=_mean(after - before),
        share=_share(before, after),
        ties=_mean((before == after).astype(np.float64)),
        upper_rows=int(upper.sum()),
        upper_share=_share(before[upper], after[upper]),
        pearson=_correlations(before, after, ratings, "pearson"),
        spearman=_correlations(before, after, ratings, "spearman"),
    )


def _correlations(before: Numbers, after: Numbers, ratings: Numbers, kind: Kind) -> Correlations:
    return Correlations(correlation(before, ratings, kind).value, correlation(after, ratings, kind).value)


def _share(before: Numbers, after: Numbers) -> float | None:
    return _mean((before > after) + 0.5 * (before == after))


def _mean(values: Numbers) -> float | None:
    return float(np.mean(values)) if len(values) else None


@dataclass(frozen=True, slots=True)
class Attacked:
    """The rows that an attack changed."""

    attack: str
    rows: tuple[int, ...]
    """Their places in the data set."""
    examples: tuple[Example, ...]
    """The same rows with the new candidates."""
    not_applicable: int
    """How many rows the attack leaves unchanged; they are left out."""


def attack_dataset(dataset: Dataset, name: str, seed: int = 0, *, at_most: int | None = None) -> Attacked:
    """Change the candidates. The change of a row depends on the seed, the attack and the row's id and texts.

    `at_most` attacks a random sample of so many rows at most, by whole items; of a larger sample, the smaller
    one is a part.
    """
    perturb = find_attack(name).prepare(dataset.rows)
    examples, changed = dataset.examples, dict[int, "Example"]()
    chosen = range(len(dataset)) if at_most is None else _sample(dataset, at_most, seed)
    for index in chosen:
        example = examples[index]
        text = perturb(example, row_random(seed, name, example.id))
        # What differs in white space alone is no attack: metrics and people see the same text.
        if text is not None and text.split() != example.candidate.split():
            changed[index] = replace(example, candidate=text)
    return Attacked(name, tuple(changed), tuple(changed.values()), len(chosen) - len(changed))


def _sample(dataset: Dataset, rows: int, seed: int) -> list[int]:
    """The places of whole items, drawn until the next would be too much; at least one item."""
    items: dict[str, list[int]] = {}
    for index, row in enumerate(dataset):
        items.setdefault(row.item, []).append(index)
    drawn: list[int] = []
    for item in sorted(items, key=lambda item: row_random(seed, "sample", item).random()):
        if drawn and len(drawn) + len(items[item]) > rows:
            break
        drawn += items[item]
    return sorted(drawn)


Scores = Callable[[Sequence[Example]], Sequence[float | None]]
"""A metric: one number for each example, in their order; ``None`` where it is undefined."""


def attack_metric(
    score: Scores,
    dataset: Dataset,
    attacks: Iterable[str] = tuple(ATTACKS),
    seed: int = 0,
    *,
    higher_is_better: bool = True,
) -> tuple[Robustness, ...]:
    """Score a data set as it is and under each attack, and compare.

    With ``higher_is_better=False`` all scores are negated first, so that the results read alike.
    """
    names = [attacks] if isinstance(attacks, str) else list(attacks)
    for name in names:
        find_attack(name)  # A misspelt name must not cost the time of the attacks before it.
    original = _scored(score, dataset.examples)
    results = []
    for name in names:
        attacked = attack_dataset(dataset, name, seed)
        results.append(
            robustness(
                [original[row] for row in attacked.rows],
                _scored(score, attacked.examples),
                [dataset.rows[row].human for row in attacked.rows],
                attack=name,
                not_applicable=attacked.not_applicable,
                higher_is_better=higher_is_better,
            )
        )
    return tuple(results)


def _scored(score: Scores, examples: Sequence[Example]) -> Sequence[float | None]:
    if not examples:
        return []
    scores = score(examples)
    if len(scores) != len(examples):
        raise ConfigError(f"the metric returned {len(scores)} scores for {len(examples)} examples")
    return scores
