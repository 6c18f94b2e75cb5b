"""Do two runs compute the same? Told from algorithms, settings and models, before any model is loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.fingerprint import ALGORITHM, fingerprint
from mars_score.metrics.registry import GLOVE, LM, METRICS, SENTENCES, SYNONYMS, WORDNET_DATA, WORDS
from mars_score.models.resolve import catalogue_hash
from mars_score.models.roles import LANGUAGE_MODEL, MASKED_LM, SIMILARITY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.scorer import MarsScorer

_TAGGER, _MASKED = "tagger", "masked LM"


def augments(name: str) -> bool:
    """Whether a metric augments references."""
    return _TAGGER in METRICS[name].models


def settings_fingerprint(names: Sequence[str], scorer: MarsScorer) -> bytes:
    """Return a hash of all that the signatures of these metrics follow from.

    This finds the models, so that a wrong name is known before any work. Equal fingerprints mean equal signatures;
    others may, as algorithms and models count that some metrics do not use.
    """
    uses = {part.strip() for name in names for part in METRICS[name].models.split(",")}
    parts, config = scorer.parts, scorer.config
    pinned = [name for kind, name in ((WORDS, GLOVE), (WORDNET_DATA, SYNONYMS)) if kind in uses]
    models = [catalogue_hash(name, parts.store.catalogue) for name in pinned]
    if _TAGGER in uses:
        models.append(scorer.signature)
    else:
        models += [parts.name(config.infilling.lm, LANGUAGE_MODEL)] if LM in uses else []
        models += [parts.name(config.scoring.encoder, SIMILARITY)] if SENTENCES in uses else []
    if _MASKED in uses:
        from mars_score.lm.masked import head_hash  # noqa: PLC0415  (loads torch)

        models += [parts.name(config.infilling.masked_lm, MASKED_LM), head_hash()]
    return fingerprint("settings", list(names), ALGORITHM, repr(config), models)
