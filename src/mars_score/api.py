"""Scores in one call: `score` for columns of texts, `AsyncScorer` for callers that come one row at a time."""

from __future__ import annotations

import asyncio
import json
import time
from concurrent.futures import Future, ThreadPoolExecutor
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from mars_score import flags
from mars_score.config import option_names
from mars_score.io.examples import check_arguments, make_examples
from mars_score.io.output import replacing, unwritable, write_signatures
from mars_score.io.writers import open_writer
from mars_score.mars.models import check_corpus
from mars_score.mars.scorer import MarsScorer
from mars_score.metrics.base import score_all
from mars_score.metrics.registry import make_metric
from mars_score.progress import showing
from mars_score.types import Example, ItemScore, ResultRow, ScoreResult

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from mars_score.io.examples import References, Texts
    from mars_score.progress import StageProgress

SCORERS = 4
"""Scorers that are kept for the next call with the same settings: each may hold its own models."""
_ARGUMENTS = ("config", "store", "device", "memory", "cache", "pack", "corpus")
_ABSENT: Texts = ()
_lock = Lock()


def score(
    candidates: Texts = _ABSENT,
    references: References | None = None,
    contexts: Texts | None = None,
    questions: Texts | None = None,
    *,
    ids: Iterable[str] | None = None,
    metric: str = "mars",
    preset: str = "general",
    progress: bool | StageProgress = False,
    **options: Any,
) -> ScoreResult:
    """Score columns of texts: lists, arrays, generators, columns of data frames and data sets.

    Each item's references are one text or a list of texts. `metric` is any that `mars-score metrics` lists; without
    references, `mars_context` is the one to take. Further options are those of `MarsScorer`. The models stay loaded
    for the next call with the same options.
    """
    _check_options(options)
    if candidates is _ABSENT:
        raise TypeError("score() needs candidates: score(candidates, references, contexts)")
    examples = make_examples(candidates, references, contexts, ids, questions)
    scorer = shared_scorer(preset, **options)
    with showing(progress) as told:
        if metric == "mars":
            return scorer.score_examples(examples, progress=told)
        return _score_by(metric, scorer, examples, told)


def _score_by(
    metric: str, scorer: MarsScorer, examples: list[Example], progress: StageProgress
) -> ScoreResult:
    with scorer.parts.lock:
        made = make_metric(metric, scorer)
        rows = score_all([made], examples, progress)
    items = []
    for row, example in zip(rows, examples, strict=True):
        number = row.scores[metric]
        items.append(
            ItemScore(
                row.id, float("nan") if number is None else number, (), flags=row.flags, example=example
            )
        )
    return ScoreResult(tuple(items), made.signature, metric, made.higher_is_better)


def _check_options(options: Mapping[str, Any]) -> None:
    """Tell a misnamed column from an option; one option has nearly a column's name."""
    known = {*option_names(), *_ARGUMENTS}
    columns = {name for name in ("context",) if not isinstance(options.get(name, True), bool)}
    check_arguments([name for name in options if name not in known or name in columns], "score")


def shared_scorer(preset: str = "general", **options: Any) -> MarsScorer:
    """Return the scorer of these settings; the same one for the same settings, so that models are loaded once."""
    key = tuple(sorted(options.items()))
    try:
        hash(key)
    except TypeError:  # a corpus, say
        return MarsScorer(preset, **options)
    with _lock:
        return _scorer(preset, key)


@lru_cache(maxsize=SCORERS)
def _scorer(preset: str, options: tuple[tuple[str, Any], ...]) -> MarsScorer:
    return MarsScorer(preset, **dict(options))


class AsyncScorer:
    """Gathers rows that come one at a time, from coroutines or threads, into batches for one scorer.

    While a batch is computed, the rows of the next one gather.
    """

    def __init__(self, scorer: MarsScorer | None = None, *, most: int = 256, wait: float = 0.01) -> None:
        """Take a scorer, the most rows of a batch, and the seconds that a first row waits for company."""
        self.scorer = shared_scorer() if scorer is None else scorer
        check_corpus(self.scorer.config, known=self.scorer.corpus is not None)
        self.most, self.wait = most, wait
        self._waiting: list[tuple[Example, Future[ItemScore]]] = []
        self._working = False
        self._lock = Lock()
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="mars-score")

    async def score(
        self, candidate: str, references: str | Iterable[str], context: str = "", question: str = ""
    ) -> ItemScore:
        """Score one row."""
        return await asyncio.wrap_future(self.submit(candidate, references, context, question))

    def submit(
        self, candidate: str, references: str | Iterable[str], context: str = "", question: str = ""
    ) -> Future[ItemScore]:
        """Return the future score of one row, for callers with threads."""
        (example,) = make_examples([candidate], [references], [context], questions=[question])
        future: Future[ItemScore] = Future()
        with self._lock:
            self._waiting.append((example, future))
            if not self._working:
                self._working = True
                self._thread.submit(self._work)
        return future

    def _work(self) -> None:
        """Score what waits, batch after batch, until nothing does."""
        time.sleep(self.wait)
        while True:
            with self._lock:
                batch, self._waiting = self._waiting[: self.most], self._waiting[self.most :]
                self._working = bool(batch)
            if not batch:
                return
            self._answer([one for one in batch if one[1].set_running_or_notify_cancel()])

    def _answer(self, batch: list[tuple[Example, Future[ItemScore]]]) -> None:
        try:
            items = self.scorer.score_examples([example for example, _ in batch])
        except BaseException as error:
            if len(batch) > 1:  # a row that cannot be scored fails alone
                for one in batch:
                    self._answer([one])
            else:
                batch[0][1].set_exception(error)
            return
        for (_, future), item in zip(batch, items, strict=True):
            future.set_result(item)


def async_scorer(preset: str = "general", **options: Any) -> AsyncScorer:
    """Return what gathers rows for the shared scorer of these settings: all callers fill the same batches."""
    scorer = shared_scorer(preset, **options)
    with _lock:
        return _gathering(scorer)


@lru_cache(maxsize=SCORERS)
def _gathering(scorer: MarsScorer) -> AsyncScorer:
    return AsyncScorer(scorer)


def describe(item: ItemScore) -> str:
    """Say in a few lines what a score consists of and what a reader should know of it."""
    terms = ", ".join(f"{term.cosine:.3f} (weight {term.weight:.2f})" for term in item.augmented)
    scale = "" if item.percent is None else f" ({item.percent:.1f} on the percent scale)"
    lines = [f"score {item.score:.4f}{scale}"]
    if item.augmented:
        nearest = max(item.augmented, key=lambda term: term.cosine)
        lines += [f"cosines with the reference and its variants: {terms}", f"nearest: {nearest.text!r}"]
    lines += [
        f"{one.name} {one.amount:+.4f}: {one.meaning} ({one.measured:.3f}, usual {one.usual:.3f})"
        for one in sorted(item.adjustments, key=lambda one: -abs(one.amount))
        if round(one.amount, 4)
    ]
    lines += [f"{fact.kind} {fact.text!r}: {fact.reason}" for fact in item.facts]
    lines += [f"{flag}: {flags.MEANING.get(flag, flag)}" for flag in item.flags]
    return "\n".join(lines)


def save_result(result: ScoreResult, path: str | Path) -> None:
    """Write a result: all of it as JSON, or its rows as other formats, with the signature in a file beside them."""
    file = Path(path)
    if file.suffix.lower() == ".json":
        text = json.dumps(result.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
        try:
            with replacing(file) as temporary:
                temporary.write_text(f"{text}\n", encoding="utf-8")
        except OSError as error:
            raise unwritable(file, error) from error
        return
    with open_writer(file, metrics=[result.metric]) as writer:
        for item in result.items:
            writer.write(ResultRow(item.id, {result.metric: item.reported}, item.flags))
    write_signatures(file, {result.metric: result.signature})
