"""torchmetrics: `MarsScore`, for training loops on one or many processes.

Each process scores its own rows as they come, a batch at a time, so only numbers travel between processes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torchmetrics import Metric

from mars_score.api import shared_scorer
from mars_score.mars.models import check_corpus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from torch import Tensor


class MarsScore(Metric):  # type: ignore[misc]  # torchmetrics is not followed by the type checker
    """The mean score of all rows of all processes; `scores` has each."""

    is_differentiable = False
    higher_is_better = True
    full_state_update = False
    plot_lower_bound, plot_upper_bound = 0.0, 1.0
    scores: list[Tensor]

    def __init__(self, preset: str = "general", options: dict[str, Any] | None = None, **kwargs: Any) -> None:
        """Take a preset and options of `MarsScorer`; further arguments are those of every torchmetrics metric."""
        super().__init__(**kwargs)
        self.scorer = shared_scorer(preset, **(options or {}))
        check_corpus(self.scorer.config, known=self.scorer.corpus is not None)
        self.add_state("scores", default=[], dist_reduce_fx="cat")

    def update(
        self,
        preds: Sequence[str],
        target: Sequence[str | Sequence[str]],
        contexts: Sequence[str] | None = None,
    ) -> None:
        """Score a batch."""
        result = self.scorer.score(preds, target, contexts)
        self.scores.append(torch.tensor(result.scores, dtype=torch.float64, device=self.device))

    def compute(self) -> Tensor:
        """Return the mean; NaN for no rows."""
        states = (
            self.scores if isinstance(self.scores, list) else [self.scores]
        )  # a tensor once processes have met
        rows = [score for state in states for score in state.tolist()]
        # Added one by one, as a result does: so many processes give the digits of one.
        mean = sum(rows) / len(rows) if rows else float("nan")
        return torch.tensor(mean, dtype=torch.float64, device=self.device)
