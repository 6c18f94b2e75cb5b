"""Names and numbers as readers see them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mars_score.study.report.table import Column, TableCell
    from mars_score.study.results import MetricInfo, Study


MINUS = "\N{MINUS SIGN}"
UNDEFINED = "undefined"
NOT_COMPUTED = "\N{EN DASH}"
SMALLEST_P = 0.001


def number(value: float, decimals: int = 3) -> str:
    """Round a number; what rounds to zero has no sign."""
    return f"{round(value, decimals) + 0.0:,.{decimals}f}"


def measure(value: float, digits: int = 3) -> str:
    """Show the first digits that count, and all of a whole number: 0.0123, 1.23, 12,345."""
    decimals = digits - 1 - math.floor(math.log10(abs(value))) if value else 0
    return number(value, min(max(decimals, 0), 6))


def p_value(value: float, decimals: int = 3) -> str:
    """Show a p-value; tiny ones as a bound."""
    return f"<{SMALLEST_P:.3f}" if value < SMALLEST_P else number(value, max(3, decimals))


def percent(value: float, decimals: int = 0) -> str:
    """Show a share of 1 as per cent."""
    return f"{number(100 * value, decimals)}%"


def main_text(column: Column, entry: TableCell) -> str:
    """Return the entry without its interval."""
    if column.kind == "text":
        return entry.text
    if entry.value is None:
        return UNDEFINED if entry.reason else NOT_COMPUTED
    shown = _number(column, entry.value)
    return f"{entry.mark} {shown}" if entry.mark else shown


def interval(column: Column, entry: TableCell) -> str:
    """Return the interval in brackets; empty where there is none."""
    if entry.value is None or entry.low is None or entry.high is None:
        return ""
    return f"[{_number(column, entry.low)}, {_number(column, entry.high)}]"


def small_print(column: Column, entry: TableCell) -> str:
    """Return what stands beside a number: its interval and its cluster."""
    cluster = f"c{entry.cluster}" if entry.cluster is not None and entry.value is not None else ""
    return " ".join(part for part in (interval(column, entry), cluster) if part)


def typeset_minus(text: str) -> str:
    """Put true minus signs in front of numbers."""
    return text.replace("-", MINUS)


def counted(count: int, singular: str, plural: str = "") -> str:
    """Return ``1 row`` or ``2 rows``."""
    return f"{count:,} {singular if count == 1 else plural or singular + 's'}"


def listed(names: list[str], limit: int = 6) -> str:
    """Return ``a, b and c``; a long list ends with how many more there are."""
    if len(names) > limit:
        return f"{', '.join(names[: limit - 1])} and {len(names) - limit + 1} more"
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1] if names else "") if part)


def _number(column: Column, value: float) -> str:
    if column.kind == "p":
        return p_value(value, column.decimals)
    if column.kind == "percent":
        return percent(value, column.decimals)
    if column.kind == "measure":
        return measure(value)
    return number(value, column.decimals)


# What the names in results mean, for readers who have not seen the code.

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


def plain(name: str, labels: dict[str, str]) -> str:
    """Return the label of a name; without one, the name itself."""
    return labels.get(name, name.replace("_", " "))


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
    from mars_score.study.attacks.robustness import ATTACKS

    return ATTACKS[name].description if name in ATTACKS else ""


def is_harmful(attack: str) -> bool:
    """Tell whether a good metric scores the attacked text lower."""
    from mars_score.study.attacks.robustness import ATTACKS

    return ATTACKS[attack].harmful if attack in ATTACKS else True


# File names and anchors for arbitrary names.

LONGEST = 60


def slugs(names: Iterable[str]) -> list[str]:
    """Return a name of lower-case letters, digits and underscores for each name, no two alike."""
    made: list[str] = []
    for name in names:
        base = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:LONGEST] or "unnamed"
        slug, count = base, 1
        while slug in made:
            count += 1
            slug = f"{base}_{count}"
        made.append(slug)
    return made
