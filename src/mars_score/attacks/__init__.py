"""Attacks on candidates, and how metrics stand them (section 4.2 of the paper)."""

from mars_score.attacks.applying import Attacked, attack_dataset
from mars_score.attacks.base import Attack, Perturb
from mars_score.attacks.registry import ATTACKS, PAPER_ATTACKS, find_attack
from mars_score.attacks.robustness import Correlations, Robustness, robustness
from mars_score.attacks.running import attack_metric

__all__ = [
    "ATTACKS",
    "PAPER_ATTACKS",
    "Attack",
    "Attacked",
    "Correlations",
    "Perturb",
    "Robustness",
    "attack_dataset",
    "attack_metric",
    "find_attack",
    "robustness",
]
