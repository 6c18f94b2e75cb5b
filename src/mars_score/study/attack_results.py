"""The paper's Table 4: every metric under every attack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.attacks.robustness import robustness
from mars_score.study.results import AttackResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.study.scoring import DatasetScores


def attack_results(found: DatasetScores) -> list[AttackResult]:
    """Compare the scores of the changed rows with those that they had before.

    Means are of the metric's own numbers; shares and correlations count what is better, whichever way that is.
    """
    human = found.dataset.human
    made = []
    for metric in found.metrics:
        original = [one.score for one in found.rows[metric.name]]
        for attack, entries in zip(found.attacks, found.attacked[metric.name], strict=True):
            before = [original[row] for row in attack.rows]
            after = [one.score for one in entries]
            outcome = robustness(
                before, after, [human[row] for row in attack.rows],
                attack=attack.attack,
                not_applicable=attack.not_applicable,
                higher_is_better=metric.higher_is_better,
            )  # fmt: skip
            both = [(x, y) for x, y in zip(before, after, strict=True) if x is not None and y is not None]
            made.append(
                AttackResult(
                    metric=metric.name,
                    attack=attack.attack,
                    rows=outcome.rows,
                    not_applicable=outcome.not_applicable,
                    mean_before=_mean([x for x, _ in both]),
                    mean_after=_mean([y for _, y in both]),
                    share=outcome.share,
                    upper_share=outcome.upper_share,
                    upper_rows=outcome.upper_rows,
                    pearson_before=outcome.pearson.before,
                    pearson_after=outcome.pearson.after,
                )
            )
    return made


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
