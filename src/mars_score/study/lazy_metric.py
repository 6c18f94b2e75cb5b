"""A metric that is made, and its models loaded, only when some row has no score yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from importlib import metadata
from typing import TYPE_CHECKING

from mars_score.errors import ConfigError
from mars_score.hashing import digest
from mars_score.metrics.registry import METRICS, make_metric
from mars_score.models.roles import MASKED_LM
from mars_score.study.results import MetricInfo
from mars_score.types import Example
from mars_score.version import __version__

if TYPE_CHECKING:
    from mars_score.metrics.base import Metric
    from mars_score.scorer import MarsScorer
    from mars_score.study.score_store import ScoreStore

_LIBRARIES = ("nltk", "pot", "scipy", "spacy", "wordfreq")
"""What signatures of metrics with models may name beside the models."""
_WARM_UP = Example("warm-up", "The rain stopped.", ("It rained no more.",), "Clouds hung over the town.")


@dataclass
class LazyMetric:
    """A metric by name, with the scorer whose models and settings it shares."""

    name: str
    scorer: MarsScorer
    _made: Metric | None = field(default=None, repr=False)
    _warm: bool = field(default=False, repr=False)

    @property
    def metric(self) -> Metric:
        """The metric itself, made when it is first asked for."""
        if self._made is None:
            self._made = make_metric(self.name, self.scorer)
        return self._made

    def ready(self) -> Metric:
        """The metric with everything loaded: it has scored a row, so that the next one shows its true cost."""
        if not self._warm:
            self.metric.score([_WARM_UP])
            self._warm = True
        return self.metric

    def signature(self, store: ScoreStore) -> str:
        """The metric's signature, from an earlier run if there was one, since to make a metric may load a model.

        What is remembered depends on the settings, on the scorer's models by their hashes, and on the versions
        of this package, whose catalogue pins the other models, and of the libraries.
        """
        if not METRICS[self.name].models:
            return self.metric.signature
        key = digest("signature", *self._settled_by())
        known = store.get(key)
        if known is None:
            known = self.metric.signature
            store.keep({key: known})
        return str(known)

    def info(self, store: ScoreStore) -> MetricInfo:
        """What results say of the metric."""
        entry = METRICS[self.name]
        return MetricInfo(self.name, entry.summary, entry.higher_is_better, self.signature(store))

    def _settled_by(self) -> list[str]:
        parts = [self.name, __version__, repr(self.scorer.config), self.scorer.signature]
        if self.name == "naive":  # the one model that may be anybody's and that the scorer's signature lacks
            parts.append(self.scorer.parts.name(self.scorer.config.infilling.masked_lm, MASKED_LM))
        return [*parts, *(f"{library}-{metadata.version(library)}" for library in _LIBRARIES)]


def score_signature(metric: LazyMetric, store: ScoreStore) -> str:
    """Return all that a metric's scores depend on beside the row.

    That is its signature; with IDF from the corpus, which signatures only mention, it is the corpus too.
    """
    found = metric.signature(store)
    if "idf-corpus" not in found:
        return found
    if metric.scorer.corpus is None:
        raise ConfigError('a study with idf="corpus" needs to know the corpus; set scorer.corpus')
    return f"{found}|corpus:{metric.scorer.idf_for([]).name}"
