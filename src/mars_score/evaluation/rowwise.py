"""Correlations of many pairs of vectors at once: row by row of two arrays, NaN where undefined.

For random draws, of which there are thousands; :mod:`mars_score.evaluation.correlation` says why a single one
is undefined.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy import stats

from mars_score.evaluation.correlation import NOISE

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mars_score.evaluation.correlation import Kind
    from mars_score.evaluation.scored import Floats

_BLOCK = 4_000_000
"""Cells of an array that are held at a time."""


def correlate_rows(x: Floats, y: Floats, kind: Kind) -> Floats:
    """Correlate each row of x (draws, n) with the same row of y (draws, n)."""
    if x.shape[1] < 2:
        return np.full(len(x), np.nan)
    undefined = _constant(x) | _constant(y)
    if kind == "spearman":
        x, y = stats.rankdata(x, axis=1), stats.rankdata(y, axis=1)
    found = _kendall(x, y) if kind == "kendall" else _pearson(x, y)
    return np.where(undefined, np.nan, found)


def _constant(values: Floats) -> NDArray[np.bool_]:
    """Which rows are constant, but for rounding."""
    return np.asarray(np.ptp(values, axis=1) <= NOISE * np.abs(values).max(axis=1))


def _pearson(x: Floats, y: Floats) -> Floats:
    dx, dy = _unit(x), _unit(y)
    return np.asarray(np.clip(np.einsum("dn,dn->d", dx, dy), -1.0, 1.0))


def _unit(values: Floats) -> Floats:
    """Each row with mean 0 and length 1; zeros, or noise, where it is constant."""
    centred = values - values.mean(axis=1, keepdims=True)
    length = np.linalg.norm(centred, axis=1)
    return np.asarray(centred / np.where(length > 0, length, 1.0)[:, None])


def _kendall(x: Floats, y: Floats) -> Floats:
    """Over all pairs: for short rows, such as the means of systems."""
    first, second = np.triu_indices(x.shape[1], k=1)
    step = max(1, _BLOCK // len(first))
    found = [np.empty(0)]
    for start in range(0, len(x), step):
        a, b = x[start : start + step], y[start : start + step]
        sx, sy = np.sign(a[:, first] - a[:, second]), np.sign(b[:, first] - b[:, second])
        untied = np.abs(sx).sum(axis=1) * np.abs(sy).sum(axis=1)
        found.append((sx * sy).sum(axis=1) / np.sqrt(np.where(untied > 0, untied, np.nan)))
    return np.concatenate(found)
