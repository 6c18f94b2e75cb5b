"""MARS: a context-aware, unsupervised score for generated text.

    import mars_score

    result = mars_score.score(candidates, references, contexts)
    result.scores, result.mean, result.signature, result[0].augmented

`MarsScorer` has all settings; `AsyncScorer` gathers rows that come one at a time; `mars_score.integrations` has other
tools' interfaces, and `mars_score.testing` an assertion for tests.

Importing this package loads no model library and opens no connection; the models come with the first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from mars_score.config import PRESETS, InfillingConfig, MarsConfig, MaskingConfig, ScoringConfig, preset
from mars_score.errors import (
    ConfigError,
    EngineError,
    FetchError,
    InputError,
    IntegrityError,
    MarsError,
    ModelError,
    OutputError,
)
from mars_score.types import (
    Augmentation,
    AugmentedReference,
    Block,
    Comparison,
    Example,
    ItemScore,
    ScoreResult,
    Template,
)
from mars_score.version import __version__

if TYPE_CHECKING:
    from mars_score.api import AsyncScorer, score
    from mars_score.mars.scorer import MarsScorer
    from mars_score.metrics.base import score_all
    from mars_score.metrics.registry import make_metric

_LATER = {
    "AsyncScorer": "mars_score.api",
    "MarsScorer": "mars_score.mars.scorer",
    "make_metric": "mars_score.metrics.registry",
    "score": "mars_score.api",
    "score_all": "mars_score.metrics.base",
}
"""Loaded when they are first asked for, with their modules."""

__all__ = [
    "PRESETS",
    "AsyncScorer",
    "Augmentation",
    "AugmentedReference",
    "Block",
    "Comparison",
    "ConfigError",
    "EngineError",
    "Example",
    "FetchError",
    "InfillingConfig",
    "InputError",
    "IntegrityError",
    "ItemScore",
    "MarsConfig",
    "MarsError",
    "MarsScorer",
    "MaskingConfig",
    "ModelError",
    "OutputError",
    "ScoreResult",
    "ScoringConfig",
    "Template",
    "__version__",
    "make_metric",
    "preset",
    "score",
    "score_all",
]


def __getattr__(name: str) -> Any:
    """Load what is asked for."""
    if name in _LATER:
        return getattr(import_module(_LATER[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
