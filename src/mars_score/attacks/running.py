"""Attacks on any metric: whatever gives examples scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from mars_score.attacks.applying import attack_dataset
from mars_score.attacks.registry import ATTACKS, find_attack
from mars_score.attacks.robustness import Robustness, robustness
from mars_score.errors import ConfigError
from mars_score.types import Example

if TYPE_CHECKING:
    from mars_score.datasets.base import Dataset

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
    found = []
    for name in names:
        attacked = attack_dataset(dataset, name, seed)
        found.append(
            robustness(
                [original[row] for row in attacked.rows],
                _scored(score, attacked.examples),
                [dataset.rows[row].human for row in attacked.rows],
                attack=name,
                not_applicable=attacked.not_applicable,
                higher_is_better=higher_is_better,
            )
        )
    return tuple(found)


def _scored(score: Scores, examples: Sequence[Example]) -> Sequence[float | None]:
    if not examples:
        return []
    scores = score(examples)
    if len(scores) != len(examples):
        raise ConfigError(f"the metric returned {len(scores)} scores for {len(examples)} examples")
    return scores
