"""Generate, judge, revise (Appendix B): which length of a fill makes the text around it most probable.

A length is judged by the mean negative log-likelihood of the reference so far, the fill and the next
block (the logarithm of the paper's PPL). Two numbers make that affordable, and are 0 in the paper's
exact form: `judge_window` looks at the next block's first tokens only, and `judge_keep` looks beyond the
first of them for the best few lengths only. The first token costs nothing: growing the fill has already
computed its probability after every length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.infilling.rows import Row

TIE = 1e-5
"""Mean log-likelihoods nearer than this could be ordered by rounding."""


def shortlist(row: Row) -> tuple[list[int], bool]:
    """Return the lengths worth a closer look, ascending, and whether the cut was a near-tie."""
    lengths = list(range(1, len(row.fill) + 1))
    keep = row.limits.keep
    if not keep or keep >= len(lengths) or row.window == 1:
        return lengths, False
    means = [mean_nll(row, length, row.first_nll[length - 1], 1) for length in lengths]
    order = sorted(lengths, key=lambda length: (means[length - 1], length))
    near = means[order[keep] - 1] - means[order[keep - 1] - 1] < TIE
    return sorted(order[:keep]), near


def best(row: Row, window_nll: Sequence[float]) -> tuple[int, bool]:
    """Return the index into `row.kept` of the best length, and whether a second one came near."""
    means = [mean_nll(row, length, nll, row.window) for length, nll in zip(row.kept, window_nll, strict=True)]
    order = sorted(range(len(means)), key=lambda i: (means[i], i))
    near = len(order) > 1 and means[order[1]] - means[order[0]] < TIE
    return order[0], near


def mean_nll(row: Row, length: int, following_nll: float, following: int) -> float:
    """Mean NLL of the reference so far, `length` tokens of the fill and `following` tokens of the next block."""
    total = row.nll + row.fill_nll[length - 1] + following_nll
    return total / (row.counted + length + following)
