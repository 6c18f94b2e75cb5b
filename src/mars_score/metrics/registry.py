"""Every metric by name: what it says, what it is made of, how it is made, and what its numbers depend on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mars_score.config import FORMULA
from mars_score.errors import ConfigError, did_you_mean
from mars_score.fingerprint import ALGORITHM, fingerprint
from mars_score.metrics.mars import MarsMetric
from mars_score.models.catalogue import ENCODER, LANGUAGE_MODEL, MASKED_LM, SIMILARITY, WORD_VECTORS, WORDNET
from mars_score.models.resolve import catalogue_hash

if TYPE_CHECKING:
    from mars_score.mars.scorer import MarsScorer
    from mars_score.metrics.base import Metric
    from mars_score.metrics.rouge import Kind


ALL = "all"
"""Stands for every metric."""
GLOVE, SYNONYMS = "glove-50d", "wordnet"
"""Models of the store that the settings of MARS do not name."""


@dataclass(frozen=True, slots=True)
class MetricEntry:
    """A metric that can be asked for."""

    summary: str
    make: Callable[[str, MarsScorer], Metric]
    """Called with the metric's name and with a scorer, whose models and settings it shares."""
    inputs: str = "references"
    """What it reads beside the candidate."""
    models: tuple[str, ...] = ()
    """What it is made of."""
    higher_is_better: bool = True


def _mars(**options: Any) -> Callable[[str, MarsScorer], Metric]:
    return lambda name, scorer: MarsMetric(name, scorer.with_options(**options) if options else scorer)


def _bleu(name: str, _: MarsScorer) -> Metric:
    from mars_score.metrics.bleu import Bleu

    return Bleu(1 if name == "bleu1" else 4)


def _rouge(kind: Kind) -> Callable[[str, MarsScorer], Metric]:
    def make(_: str, __: MarsScorer) -> Metric:
        from mars_score.metrics.rouge import Rouge

        return Rouge(kind)

    return make


def _chrf(*_: object) -> Metric:
    from mars_score.metrics.chrf import Chrf

    return Chrf()


def _ter(*_: object) -> Metric:
    from mars_score.metrics.ter import Ter

    return Ter()


def _sentinel(name: str, _: MarsScorer) -> Metric:
    from mars_score.metrics.sentinels import CandidateLength, Random

    return Random() if name == "random" else CandidateLength()


def _meteor(_: str, scorer: MarsScorer) -> Metric:
    from mars_score.metrics.meteor import Meteor

    return Meteor(scorer.parts.wordnet(SYNONYMS), scorer.parts.name(SYNONYMS, WORDNET))


def _bertscore(_: str, scorer: MarsScorer) -> Metric:
    from mars_score.metrics.bertscore import BertScore

    parts, scoring = scorer.parts, scorer.config.scoring
    return BertScore(
        parts.token_encoder(scoring.encoder, scoring.dtype), parts.name(scoring.encoder, ENCODER)
    )


def _moverscore(_: str, scorer: MarsScorer) -> Metric:
    from mars_score.metrics.moverscore import MoverScore

    parts, scoring = scorer.parts, scorer.config.scoring
    return MoverScore(
        parts.token_encoder(scoring.encoder, scoring.dtype), parts.name(scoring.encoder, ENCODER)
    )


def _sentence_mover(_: str, scorer: MarsScorer) -> Metric:
    from mars_score.metrics.sentence_mover import SentenceMover

    return SentenceMover(scorer.parts.word_vectors(GLOVE), scorer.parts.name(GLOVE, WORD_VECTORS))


def _context_cosine(_: str, scorer: MarsScorer) -> Metric:
    from mars_score.metrics.sentinels import ContextCosine

    return ContextCosine(scorer.encoder, scorer.parts.name(scorer.config.scoring.encoder, SIMILARITY))


def _mars_context(_: str, scorer: MarsScorer) -> Metric:
    from mars_score.metrics.context import MarsContext

    parts, config = scorer.parts, scorer.config
    return MarsContext(
        scorer.encoder,
        parts.name(config.scoring.encoder, SIMILARITY),
        parts.likelihood(config.infilling),
        parts.name(config.infilling.lm, LANGUAGE_MODEL),
    )


def _likelihood(name: str, scorer: MarsScorer) -> Metric:
    from mars_score.metrics.likelihoods import LikelihoodMetric

    parts, infilling = scorer.parts, scorer.config.infilling
    return LikelihoodMetric(name, parts.likelihood(infilling), parts.name(infilling.lm, LANGUAGE_MODEL))


BOTH, CONTEXT = "references, context", "context"
LM, MASKED, SENTENCES, TAGGER, WORDS, SYNSETS = (
    "LM",
    "masked LM",
    "encoder",
    "tagger",
    "word vectors",
    "WordNet",
)
"""Kinds of models, as `mars-score metrics` names them."""
MARS_MODELS = (LM, SENTENCES, TAGGER)

METRICS: dict[str, MetricEntry] = {
    "mars": MetricEntry("augmented references, compared with the candidate", _mars(), BOTH, MARS_MODELS),
    "mars_paper": MetricEntry(
        "MARS by the paper's formula, without adjustments", _mars(**FORMULA), BOTH, MARS_MODELS
    ),
    "mars_no_plan": MetricEntry("MARS whose fills are not planned", _mars(planner="off"), BOTH, MARS_MODELS),
    "mars_no_context": MetricEntry(
        "MARS whose fills do not see the context", _mars(context=False), BOTH, MARS_MODELS
    ),
    "mars_no_both": MetricEntry(
        "MARS with neither planning nor context", _mars(planner="off", context=False), BOTH, MARS_MODELS
    ),
    "mars_glove": MetricEntry(
        "mars_paper that compares means of word vectors",
        _mars(encoder=GLOVE, **FORMULA),
        BOTH,
        (LM, WORDS, TAGGER),
    ),
    "naive": MetricEntry(
        "mars_paper whose blanks are filled by a masked language model",
        _mars(infiller="naive", **FORMULA),
        BOTH,
        (MASKED, SENTENCES, TAGGER),
    ),
    "mars_context": MetricEntry(
        "without references: closeness to the context, and likelihood after it",
        _mars_context,
        CONTEXT,
        (LM, SENTENCES),
    ),
    "bleu1": MetricEntry("words shared with the references, precision", _bleu),
    "bleu4": MetricEntry("n-grams of up to 4 words shared with the references, precision", _bleu),
    "rouge1": MetricEntry("words shared with the best reference, F1", _rouge("rouge1")),
    "rouge2": MetricEntry("pairs of words shared with the best reference, F1", _rouge("rouge2")),
    "rougeL": MetricEntry("longest common subsequence with the best reference, F1", _rouge("rougeL")),
    "meteor": MetricEntry(
        "words, stems and synonyms aligned with the best reference", _meteor, models=(SYNSETS,)
    ),
    "chrf": MetricEntry("character n-grams shared with the best reference", _chrf),
    "ter": MetricEntry("edits needed to reach a reference, per word", _ter, higher_is_better=False),
    "bertscore": MetricEntry(
        "each token's best match in the other text, F1", _bertscore, models=(SENTENCES,)
    ),
    "moverscore": MetricEntry(
        "how far contextual words must move to become the reference", _moverscore, models=(SENTENCES,)
    ),
    "sentence_mover": MetricEntry(
        "how far words and sentences must move to become the reference", _sentence_mover, models=(WORDS,)
    ),
    "perplexity": MetricEntry(
        "how surprised the language model is, after the context",
        _likelihood,
        CONTEXT,
        (LM,),
        higher_is_better=False,
    ),
    "lm_likelihood": MetricEntry(
        "mean log-probability of the candidate after the context", _likelihood, CONTEXT, (LM,)
    ),
    "lm_pmi": MetricEntry(
        "what the context adds to the candidate's log-probability", _likelihood, CONTEXT, (LM,)
    ),
    "lm_reference": MetricEntry(
        "mean log-probability of the reference after the candidate", _likelihood, models=(LM,)
    ),
    "perplexity_alone": MetricEntry(
        "sentinel: perplexity without the context", _likelihood, "", (LM,), higher_is_better=False
    ),
    "context_cosine": MetricEntry(
        "sentinel: cosine of candidate and context", _context_cosine, CONTEXT, (SENTENCES,)
    ),
    "candidate_length": MetricEntry("sentinel: the candidate's words, counted", _sentinel, ""),
    "random": MetricEntry("sentinel: a number that follows from the texts alone", _sentinel, BOTH),
}
"""In the order of `mars-score metrics` and of result files."""


def metric_names(text: str) -> list[str]:
    """Read names separated by commas; ``all`` stands for every metric."""
    names = list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not names:
        raise ConfigError("no metric is named; mars-score metrics lists them")
    for name in names:
        if name != ALL and name not in METRICS:
            available = ", ".join(METRICS)
            raise ConfigError(f"unknown metric {name!r}; there are {available}.{did_you_mean(name, METRICS)}")
    return list(METRICS) if ALL in names else names


def make_metric(name: str, scorer: MarsScorer) -> Metric:
    """Make a metric that shares the models and settings of a scorer."""
    (checked,) = metric_names(name)
    return METRICS[checked].make(checked, scorer)


def augments(name: str) -> bool:
    """Whether a metric augments references."""
    return TAGGER in METRICS[name].models


def settings_fingerprint(names: Sequence[str], scorer: MarsScorer) -> bytes:
    """Return a hash of all that the signatures of these metrics follow from.

    This finds the models, so that a wrong name is known before any work. Equal fingerprints mean equal signatures;
    others may, as algorithms and models count that some metrics do not use.
    """
    uses = {kind for name in names for kind in METRICS[name].models}
    parts, config = scorer.parts, scorer.config
    pinned = [name for kind, name in ((WORDS, GLOVE), (SYNSETS, SYNONYMS)) if kind in uses]
    models = [catalogue_hash(name, parts.store.catalogue) for name in pinned]
    if TAGGER in uses:
        models.append(scorer.signature)
    else:
        models += [parts.name(config.infilling.lm, LANGUAGE_MODEL)] if LM in uses else []
        models += [parts.name(config.scoring.encoder, SIMILARITY)] if SENTENCES in uses else []
    if MASKED in uses:
        from mars_score.lm.masked import head_hash

        models += [parts.name(config.infilling.masked_lm, MASKED_LM), head_hash()]
    return fingerprint("settings", list(names), ALGORITHM, repr(config), models)
