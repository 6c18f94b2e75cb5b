"""Are two runs the same? Told from settings and models alone, before any model is loaded."""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING

from mars_score.hashing import digest
from mars_score.metrics.registry import LM, METRICS, SENTENCES
from mars_score.models.roles import LANGUAGE_MODEL, MASKED_LM, SIMILARITY
from mars_score.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.scorer import MarsScorer

LIBRARIES = ("nltk", "pot", "rouge-score", "sacrebleu", "scipy", "spacy", "wordfreq")
"""What signatures may name beside the models."""
_TAGGER, _MASKED = "tagger", "masked LM"


def augments(name: str) -> bool:
    """Whether a metric augments references."""
    return _TAGGER in METRICS[name].models


def settings_digest(names: Sequence[str], scorer: MarsScorer) -> str:
    """Return a hash of all that the signatures of these metrics follow from.

    This finds the models, so that a wrong name is known before any work. Those that only the catalogue can name are
    pinned by the version of this package.
    """
    uses = {part.strip() for name in names for part in METRICS[name].models.split(",")}
    parts, config = scorer.parts, scorer.config
    models = []
    if _TAGGER in uses:
        models.append(scorer.signature)
    else:
        models += [parts.name(config.infilling.lm, LANGUAGE_MODEL)] if LM in uses else []
        models += [parts.name(config.scoring.encoder, SIMILARITY)] if SENTENCES in uses else []
    if _MASKED in uses:
        models.append(parts.name(config.infilling.masked_lm, MASKED_LM))
    versions = [f"{library}-{metadata.version(library)}" for library in LIBRARIES]
    return digest(__version__, repr(config), list(names), models, versions).hex()[:32]
