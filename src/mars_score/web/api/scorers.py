"""The one thread that touches the models, and what it does with rows: score, augment, explain, watch."""

from __future__ import annotations

import threading
from dataclasses import fields, replace
from time import monotonic, sleep, thread_time
from typing import TYPE_CHECKING, Any, Protocol

from mars_score.config import PRESETS
from mars_score.errors import MarsError
from mars_score.io.examples import clean_examples
from mars_score.metrics.base import score_all
from mars_score.metrics.registry import MarsMetric, make_metric
from mars_score.storage.lru import malloc_trim
from mars_score.types import ResultRow
from mars_score.web.api.queue import AnswerRow, AugmentedRow, TicketOutcome
from mars_score.web.errors import log, of_error, unexpected
from mars_score.web.explain.explanation import with_corpus

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from mars_score.config import MarsConfig
    from mars_score.mars.scorer import MarsScorer
    from mars_score.metrics.base import Metric
    from mars_score.progress import StageProgress
    from mars_score.types import Example
    from mars_score.web.api.queue import Pace, Queue, RequestBatch, RequestSettings

    Tell = Callable[[dict[str, Any]], None]


MARS = "mars"
APART = 1.0
"""Seconds between two times that free memory is given back to the system."""
HEAD_START = 0.3
"""Seconds that the page has for itself: importing torch and loading models hold up every other thread."""


class Service(Protocol):
    """What the server needs of the library."""

    @property
    def presets(self) -> Mapping[str, MarsConfig]:
        """The presets that are offered; the first one is the default."""

    def load(self) -> None:
        """Load the models."""

    def work(
        self, settings: RequestSettings, examples: Sequence[Example], progress: StageProgress, tell: Tell
    ) -> TicketOutcome:
        """Do what is asked with every row."""


class Scorers:
    """The library itself."""

    def __init__(self, scorer: MarsScorer, presets: Mapping[str, MarsConfig]) -> None:
        """Take the scorer of the default preset, which comes first, and the settings of all."""
        self.presets = dict(presets)
        self._scorers = {next(iter(self.presets)): scorer}
        self._metrics: dict[tuple[str, str], Metric] = {}

    def load(self) -> None:
        """Load what every row needs, so that the first request is not slow."""
        sleep(HEAD_START)
        scorer = next(iter(self._scorers.values()))
        _ = scorer.signature  # finds all the models
        if scorer.augmentations.pack is None:
            _ = scorer.tagger, scorer.infiller
        MarsMetric(MARS, scorer).warm_up()

    def work(
        self, settings: RequestSettings, examples: Sequence[Example], progress: StageProgress, tell: Tell
    ) -> TicketOutcome:
        """Score, augment or explain."""
        scorer = with_corpus(self._scorer(settings.preset), examples)  # a request is a corpus of its own
        if settings.watch:
            scorer = watched(scorer, tell)
        if settings.kind == "augment":
            return _augmented(scorer, examples, progress)
        metrics = [
            MarsMetric(name, scorer) if name == MARS else self._metric(settings.preset, name, scorer)
            for name in settings.metrics
        ]
        signatures = {metric.name: metric.signature for metric in metrics}
        if settings.explain:
            return _explained(scorer, metrics, examples, progress, signatures)
        return TicketOutcome([*score_all(metrics, examples, progress)], signatures)

    def _scorer(self, preset: str) -> MarsScorer:
        if preset not in self._scorers:
            config, base = self.presets[preset], next(iter(self._scorers.values()))
            self._scorers[preset] = base.with_options(**_options(config))
        return self._scorers[preset]

    def _metric(self, preset: str, name: str, scorer: MarsScorer) -> Metric:
        if scorer.corpus is not None:  # it belongs to this request alone
            return make_metric(name, scorer)
        if (preset, name) not in self._metrics:
            self._metrics[preset, name] = make_metric(name, self._scorer(preset))
        return self._metrics[preset, name]


def offered(default: str, config_of: Callable[[str], MarsConfig], *, packed: bool) -> dict[str, MarsConfig]:
    """Return the presets that a server can offer: those that need no other models, the default first.

    A pack has the augmented references of one preset, so with a pack there is one.
    """
    first = config_of(default)
    models = first.infilling.lm, first.scoring.encoder, first.masking.tagger
    found = {default: first}
    for name in () if packed else PRESETS:
        config = config_of(name)
        if (config.infilling.lm, config.scoring.encoder, config.masking.tagger) == models:
            found.setdefault(name, config)
    return found


def watched(scorer: MarsScorer, tell: Tell) -> MarsScorer:
    """Return a scorer that tells of templates as they are filled; where it has no language model, the scorer."""
    if scorer.config.infilling.infiller != "guided" or scorer.augmentations.pack is not None:
        return scorer
    from mars_score.web.api.watching import WatchedInfiller

    other = scorer.with_options()
    other.infiller = WatchedInfiller(scorer.guided, tell)
    return other


def _options(config: MarsConfig) -> dict[str, Any]:
    """Return all settings by their full names."""
    return {
        f"{part.name}.{item.name}": getattr(getattr(config, part.name), item.name)
        for part in fields(config)
        for item in fields(getattr(config, part.name))
    }


def _augmented(scorer: MarsScorer, examples: Sequence[Example], progress: StageProgress) -> TicketOutcome:
    found = scorer.augment_examples(examples, progress=progress)
    rows: list[AnswerRow] = [
        AugmentedRow(example.id, tuple((pair, found[pair]) for pair in example.pairs))
        for example in clean_examples(examples)
    ]
    return TicketOutcome(rows, {MARS: scorer.signature})


def _explained(
    scorer: MarsScorer,
    metrics: Sequence[Metric],
    examples: Sequence[Example],
    progress: StageProgress,
    signatures: dict[str, str],
) -> TicketOutcome:
    from mars_score.web.explain.explanation import explain_examples

    items = scorer.score_examples(examples, progress=progress).items
    others = score_all([metric for metric in metrics if metric.name != MARS], examples, progress)
    rows: list[ResultRow] = []
    for item, other in zip(items, others, strict=True):
        scores = {name: item.reported if name == MARS else other.scores[name] for name in signatures}
        rows.append(ResultRow(item.id, scores, tuple(sorted({*item.flags, *other.flags}))))
    explained = explain_examples(scorer, examples, items)
    beside = {row.id: {name: score for name, score in row.numbers().items() if name != MARS} for row in rows}
    told = tuple(
        replace(item, candidates=tuple(replace(one, others=beside[one.id]) for one in item.candidates))
        for item in explained
    )
    return TicketOutcome([*rows], signatures, told)


class AbandonedError(Exception):
    """Nobody waits for this batch any more."""


class Worker:
    """Takes batches from the queue until there are no more."""

    def __init__(self, service: Service, queue: Queue, pace: Pace) -> None:
        self._service, self._queue, self._pace = service, queue, pace
        self.ready = threading.Event()
        """Set when the models are loaded."""
        self.ended = threading.Event()
        self.problem = ""
        """Why the models could not be loaded."""
        self._given_back = 0.0
        self._thread = threading.Thread(target=self._run, name="mars-score worker", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def join(self, seconds: float) -> None:
        """Wait for the end, but not for long."""
        self._thread.join(seconds)

    def _run(self) -> None:
        try:
            self._load()
            while (batch := self._queue.take()) is not None:
                started, busy = monotonic(), thread_time()
                self._do(batch)
                self._pace.learn(len(batch.examples), monotonic() - started, thread_time() - busy)
                self._queue.drop(batch)
                del batch
                self._give_back()
        finally:
            self.ended.set()

    def _give_back(self) -> None:
        """Return what batches needed to the system: the C library keeps it, for each size that ever was."""
        if monotonic() - self._given_back >= APART:
            malloc_trim()
            self._given_back = monotonic()

    def _load(self) -> Exception | None:
        """Load the models, or return why that fails."""
        if self.ready.is_set():
            return None
        try:
            self._service.load()
        except Exception as error:
            log.error("the models cannot be loaded: %s", error)
            self.problem = str(error)
            return of_error(error) if isinstance(error, MarsError) else unexpected()
        self.problem = ""
        self.ready.set()
        return None

    def _do(self, batch: RequestBatch) -> None:
        """Do a batch. If that fails for one request, the others are not to suffer: each gets its own."""
        if not batch.wanted:
            return
        if (failure := self._load()) is not None:
            batch.fail(failure)
            return

        def progress(stage: str, finished: int, total: int) -> None:
            # The one place where work can be broken off; what was computed before is kept.
            if not batch.wanted:
                raise AbandonedError
            batch.progress(stage, finished, total)

        def tell(event: dict[str, Any]) -> None:
            for one in batch.slices:
                one.ticket.tell(event)

        try:
            outcome = self._service.work(batch.settings, batch.examples, progress, tell)
        except AbandonedError:
            return
        except Exception as error:
            if len(batch.slices) > 1:
                for one in batch.single():
                    self._do(one)
            elif isinstance(error, MarsError):
                batch.fail(of_error(error))
            else:
                log.exception("a batch failed")
                batch.fail(unexpected())
        else:
            batch.deliver(outcome)
