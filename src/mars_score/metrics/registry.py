"""Every metric by name: what it says, what it is made of, how it is made, and what its numbers depend on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from mars_score.config import FORMULA
from mars_score.errors import ConfigError, did_you_mean
from mars_score.fingerprint import ALGORITHM, fingerprint
from mars_score.metrics.base import Input, Metric, Value
from mars_score.models.catalogue import ENCODER, LANGUAGE_MODEL, MASKED_LM, SIMILARITY, WORD_VECTORS, WORDNET
from mars_score.models.resolve import catalogue_hash
from mars_score.progress import StageProgress, silent_stages
from mars_score.types import Example

if TYPE_CHECKING:
    from mars_score.mars.scorer import MarsScorer


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


class MarsMetric:
    """MARS, its ablations and its variants: a scorer under a name of its own."""

    higher_is_better = True
    inputs: tuple[Input, ...] = ("references", "context")

    def __init__(self, name: str, scorer: MarsScorer) -> None:
        """Take a scorer with the settings that the name stands for."""
        self.name, self.scorer = name, scorer

    def warm_up(self) -> None:
        """Load what every row needs, so that the first row shows its true cost."""
        self.scorer.encoder.encode(["The rain stopped."])

    @property
    def signature(self) -> str:
        """That of the scorer: its settings say which variant it is."""
        return self.scorer.signature

    def score(self, examples: Sequence[Example], progress: StageProgress = silent_stages) -> list[Value]:
        """Augment what is new, then compare; the texts are clean."""
        result = self.scorer.score_cleaned(examples, progress=progress)
        return [Value(item.reported, item.flags) for item in result]


def _mars(**options: Any) -> Callable[[str, MarsScorer], Metric]:
    return lambda name, scorer: MarsMetric(name, scorer.with_options(**options) if options else scorer)


def _plain(module: str, kind: str, *arguments: object) -> Callable[[str, MarsScorer], Metric]:
    """Make a metric that needs no model; its module is imported then."""

    def make(_: str, __: MarsScorer) -> Metric:
        metric: Metric = getattr(import_module(f"mars_score.metrics.{module}"), kind)(*arguments)
        return metric

    return make


def _meteor(_: str, scorer: MarsScorer) -> Metric:
    from mars_score.metrics.meteor import Meteor

    return Meteor(scorer.parts.wordnet(SYNONYMS), scorer.parts.name(SYNONYMS, WORDNET))


def _of_tokens(module: str, kind: str) -> Callable[[str, MarsScorer], Metric]:
    """Make a metric that compares the tokens' vectors."""

    def make(name: str, scorer: MarsScorer) -> Metric:
        parts, encoder = scorer.parts, scorer.config.scoring.encoder
        vectors = parts.token_encoder(encoder, scorer.config.scoring.dtype)
        return _plain(module, kind, vectors, parts.name(encoder, ENCODER))(name, scorer)

    return make


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
    "bleu1": MetricEntry("words shared with the references, precision", _plain("bleu", "Bleu", 1)),
    "bleu4": MetricEntry(
        "n-grams of up to 4 words shared with the references, precision", _plain("bleu", "Bleu", 4)
    ),
    "rouge1": MetricEntry("words shared with the best reference, F1", _plain("rouge", "Rouge", "rouge1")),
    "rouge2": MetricEntry(
        "pairs of words shared with the best reference, F1", _plain("rouge", "Rouge", "rouge2")
    ),
    "rougeL": MetricEntry(
        "longest common subsequence with the best reference, F1", _plain("rouge", "Rouge", "rougeL")
    ),
    "meteor": MetricEntry(
        "words, stems and synonyms aligned with the best reference", _meteor, models=(SYNSETS,)
    ),
    "chrf": MetricEntry("character n-grams shared with the best reference", _plain("chrf", "Chrf")),
    "ter": MetricEntry(
        "edits needed to reach a reference, per word", _plain("ter", "Ter"), higher_is_better=False
    ),
    "bertscore": MetricEntry(
        "each token's best match in the other text, F1",
        _of_tokens("bertscore", "BertScore"),
        models=(SENTENCES,),
    ),
    "moverscore": MetricEntry(
        "how far contextual words must move to become the reference",
        _of_tokens("moverscore", "MoverScore"),
        models=(SENTENCES,),
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
    "candidate_length": MetricEntry(
        "sentinel: the candidate's words, counted", _plain("sentinels", "CandidateLength"), ""
    ),
    "random": MetricEntry(
        "sentinel: a number that follows from the texts alone", _plain("sentinels", "Random"), BOTH
    ),
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
