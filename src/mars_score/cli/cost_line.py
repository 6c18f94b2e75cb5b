"""What a run took, in its last line."""

from __future__ import annotations

from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any

import click

from mars_score import rates
from mars_score.augmentations.costs import Costs
from mars_score.work import peak_memory

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.scorer import MarsScorer
    from mars_score.work import Outcome


@dataclass(slots=True)
class Bill:
    """Adds up what batches took, wherever they were done."""

    costs: Costs = field(default_factory=Costs)
    scoring: rates.Rate = field(default_factory=lambda: rates.Rate(0, 0))
    """What rows took beside augmentation."""
    peak: int = 0
    started: float = field(default_factory=perf_counter)

    def add(self, outcome: Outcome[Any]) -> None:
        """Count a batch in."""
        mine, its = self.costs, outcome.costs
        mine.augmented += its.augmented
        mine.cached += its.cached
        mine.packed += its.packed
        mine.generated += its.generated
        mine.seconds += its.seconds
        mine.size += its.size
        seconds = outcome.seconds - its.seconds - its.loading
        self.scoring = rates.Rate(self.scoring.seconds + seconds, self.scoring.units + len(outcome.rows))
        self.peak = max(self.peak, outcome.peak_memory)

    def learn(self, scorer: MarsScorer, metrics: Sequence[str] = ()) -> None:
        """Remember how long things took; with metrics, how long rows took too."""
        # A run that was stopped in its first batch has no outcome yet, but may have augmented here.
        costs = self.costs if self.costs.size else scorer.costs
        rates.learn(rates.augmenting(scorer), rates.Rate(costs.seconds, costs.size))
        if metrics:
            rates.learn(rates.scoring(metrics, scorer), self.scoring)

    def show(self) -> None:
        """Print the line on standard error."""
        costs, peak = self.costs, max(self.peak, peak_memory())
        parts = [f"{costs.augmented:,} references augmented", f"{costs.cached:,} cache hits"]
        parts += [f"{costs.packed:,} from the pack"] if costs.packed else []
        parts += [f"{costs.generated:,} tokens", f"{perf_counter() - self.started:.1f} s"]
        parts += [f"peak memory {peak / (1 << 20):,.0f} MB"] if peak else []
        click.echo(f"cost: {', '.join(parts)}", err=True)
