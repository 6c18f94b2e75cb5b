"""What a study is to do."""

from __future__ import annotations

from dataclasses import dataclass

from mars_score.attacks.registry import ATTACKS, find_attack
from mars_score.errors import ConfigError
from mars_score.metrics.registry import ALL, METRICS, metric_names


@dataclass(frozen=True, slots=True)
class Settings:
    """Which metrics and attacks, and how hard statistics try."""

    metrics: tuple[str, ...] = tuple(METRICS)
    attacks: tuple[str, ...] = tuple(ATTACKS)
    attack_rows: int | None = 100
    """Rows of a data set that are attacked at most, a random sample of whole items; None for all."""
    draws: int = 1000
    """Of each bootstrap; permutation tests make more where it matters."""
    seed: int = 0
    """Of attacks and of statistics."""
    top: int = 10
    """Rows of the error analysis."""
    sweep: bool = True
    """Whether masking ratios are swept (Table 5), where MARS is among the metrics."""

    def __post_init__(self) -> None:
        if not self.metrics:
            raise ConfigError("no metric is named; mars-score metrics lists them")
        metric_names(",".join(self.metrics))
        for name in self.attacks:
            find_attack(name)
        if self.attack_rows is not None and self.attack_rows < 1:
            raise ConfigError(f"{self.attack_rows} attacked rows; give at least 1")
        if self.draws < 1:
            raise ConfigError(f"{self.draws} draws; give at least 1")
        if self.top < 0:
            raise ConfigError(f"the {self.top} largest disagreements; give 0 or more")


def attack_names(text: str) -> tuple[str, ...]:
    """Read names separated by commas; ``all`` stands for every attack, ``none`` for no attack."""
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if names == ("none",):
        return ()
    return tuple(ATTACKS) if ALL in names else names
