"""p-values of many tests, corrected for their number. None, for a test without outcome, is not counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from mars_score.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mars_score.evaluation.scored import Floats


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm (1979): bounds the chance of even one false finding."""
    return _corrected(p_values, _holm)


def benjamini_hochberg(p_values: Sequence[float | None]) -> list[float | None]:
    """Benjamini and Hochberg (1995): bounds the expected share of false findings among the findings."""
    return _corrected(p_values, lambda p: np.asarray(stats.false_discovery_control(p, method="bh")))


def _holm(p: Floats) -> Floats:
    order = np.argsort(p, kind="stable")
    corrected = np.empty(len(p))
    # The smallest is multiplied by their number, the next by one less; none may be below the one before it.
    corrected[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return np.minimum(corrected, 1.0)


def _corrected(p_values: Sequence[float | None], correct: Callable[[Floats], Floats]) -> list[float | None]:
    given = [value for value in p_values if value is not None]
    wrong = [value for value in given if not 0 <= value <= 1]
    if wrong:
        raise ConfigError(f"p-value {wrong[0]}; it must be from 0 to 1")
    corrected = iter(correct(np.array(given, dtype=np.float64)).tolist() if given else [])
    return [None if value is None else float(next(corrected)) for value in p_values]
