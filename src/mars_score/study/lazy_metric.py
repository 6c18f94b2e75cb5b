"""A metric that is made, and its models loaded, only when some row has no score yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mars_score.errors import ConfigError
from mars_score.metrics.identity import augments, settings_fingerprint
from mars_score.metrics.registry import METRICS, make_metric
from mars_score.study.results import MetricInfo
from mars_score.types import Example

if TYPE_CHECKING:
    from mars_score.metrics.base import Metric
    from mars_score.scorer import MarsScorer
    from mars_score.study.score_store import ScoreStore

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

        What is remembered is found by the fingerprint of all that it follows from. With IDF from the corpus, that is
        the corpus too.
        """
        if not METRICS[self.name].models:
            return self.metric.signature
        corpus = self.scorer.config.masking.idf == "corpus" and augments(self.name)
        if corpus and self.scorer.corpus is None:
            raise ConfigError('a study with idf="corpus" needs to know the corpus; set scorer.corpus')
        key = settings_fingerprint([self.name], self.scorer)
        known = store.get(key)
        if known is None:
            known = self.metric.signature
            store.keep({key: known})
        return str(known)

    def info(self, store: ScoreStore) -> MetricInfo:
        """What results say of the metric."""
        entry = METRICS[self.name]
        return MetricInfo(self.name, entry.summary, entry.higher_is_better, self.signature(store))
