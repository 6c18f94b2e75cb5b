"""What the names in results mean, for readers who have not seen the code."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mars_score.study.results import MetricInfo, Study

MAIN = "mars"
"""The metric that this package is about."""

STATISTICS = {
    "pearson": "Pearson's r",
    "spearman": "Spearman's \N{GREEK SMALL LETTER RHO}",
    "kendall": "Kendall's \N{GREEK SMALL LETTER TAU}-b",
    "accuracy": "pairwise accuracy",
}
STATISTIC_MEANINGS = {
    "pearson": "how close the points are to a straight line",
    "spearman": "how well the order of the scores follows the order of the ratings",
    "kendall": "how many more pairs of texts a metric orders as people do than the other way round",
    "accuracy": "the share of pairs of texts that a metric orders as people do; ties are predicted too, with "
    "a threshold chosen in the metric's favour, so 0.5 is not quite chance",
}
LEVELS = {
    "pooled": "all rows",
    "system": "within systems",
    "item": "within items",
    "system_means": "system means",
}
LEVEL_MEANINGS = {
    "pooled": "all rows of the data set together",
    "system": "within each system, then the mean over systems",
    "item": "across the systems of one item, then the mean over items: knowing which system wrote a text, or "
    "how hard an item is, does not help here",
    "system_means": "across systems, of each system's mean scores",
}
REASONS = {
    "too_short": "too few values",
    "metric_constant": "the metric's scores are all equal",
    "human_constant": "the human ratings are all equal",
    "both_constant": "scores and ratings are all equal",
    "no_defined_group": "no group has one",
    "no_pair": "no two texts with both scores",
}
"""Why a statistic is undefined."""
ALPHA_REASONS = {"no_pair": "no text has two ratings", "constant": "all ratings are equal"}
KINDS = {
    "out_of_vocabulary": "out of vocabulary",
    "copied_from_context": "copied from the context",
    "further_inference": "further inference",
}
QUESTIONS = {"relevance": "Relevance", "readability": "Readability", "overall": "Overall"}
VARIANTS = {"original": "Original", "naive": "Naive", "mars": "MARS"}
TESTS = {"perm-both": "permutation (PERM-BOTH)", "williams": "Williams"}


def plain(name: str, known: dict[str, str]) -> str:
    """Return the label of a name; a name without one speaks for itself."""
    return known.get(name, name.replace("_", " "))


def is_sentinel(metric: MetricInfo) -> bool:
    """Tell whether a metric knows nothing of quality and is there for comparison."""
    return metric.summary.startswith("sentinel")


def sentinels(study: Study) -> frozenset[str]:
    """Return the names of the sentinels."""
    return frozenset(metric.name for metric in study.metrics if is_sentinel(metric))


def relatives(study: Study) -> list[str]:
    """Return MARS, its ablations, and its variants with word vectors and with a masked language model."""
    names = [metric.name for metric in study.metrics]
    return [name for name in names if name in (MAIN, "naive") or name.startswith(f"{MAIN}_")]


def attack_meaning(name: str) -> str:
    """Say what an attack does; empty for one that this package does not have."""
    from mars_score.attacks.registry import ATTACKS  # noqa: PLC0415  (loads numpy)

    return ATTACKS[name].description if name in ATTACKS else ""


def is_harmful(attack: str) -> bool:
    """Tell whether a good metric scores the attacked text lower."""
    from mars_score.attacks.registry import ATTACKS  # noqa: PLC0415  (loads numpy)

    return ATTACKS[attack].harmful if attack in ATTACKS else True
