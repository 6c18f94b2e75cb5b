"""From scores to results: every section of a study, one data set at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from mars_score.fingerprint import fingerprint
from mars_score.io.datasets.base import statistics
from mars_score.progress import StageProgress, silent_stages
from mars_score.stats.ratings import krippendorff_alpha, summarise
from mars_score.study.attacks.robustness import robustness
from mars_score.study.correlations import (
    PERM_BOTH,
    QUESTIONS,
    WILLIAMS,
    PairOutcome,
    cells,
    contrasts,
    permute,
    places,
    questions,
    ratio_points,
    williams,
)
from mars_score.study.disagreements import MARS, disagreements
from mars_score.study.judges import judge_results
from mars_score.study.plan import targets
from mars_score.study.results import (
    HUMAN,
    AttackResult,
    Cell,
    Contrast,
    Cost,
    DatasetInfo,
    DatasetResult,
    MetricRank,
    RatioPoint,
    StudyRow,
)
from mars_score.study.results_file import from_json, to_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.io.datasets.base import Dataset
    from mars_score.stats.correlation import Kind, Level
    from mars_score.stats.data import Scored
    from mars_score.study.correlations import MetricPair
    from mars_score.study.plan import StudySettings, Target
    from mars_score.study.scoring import DatasetScores
    from mars_score.study.store import ScoreStore


# The paper's Table 2: what a data set is like, and how far its raters agree.


def dataset_info(dataset: Dataset) -> DatasetInfo:
    """Count and measure; alpha is over rows, whoever rated them."""
    found = statistics(dataset)
    ratings = [row.ratings for row in dataset]
    interval, ordinal = krippendorff_alpha(ratings), krippendorff_alpha(ratings, "ordinal")
    summary = summarise(dataset.human, ratings)
    histogram = summary.histogram
    return DatasetInfo(
        rows=found.rows,
        items=found.items,
        systems=found.systems,
        references_left_out=dataset.references_left_out,
        content_hash=dataset.content_hash,
        context_length=found.context_length,
        reference_length=found.reference_length,
        omega=found.omega,
        ratings=found.ratings,
        raters=found.raters,
        alpha_interval=interval.value,
        alpha_ordinal=ordinal.value,
        alpha_reason=interval.reason,
        mean=summary.mean or 0.0,
        deviation=summary.deviation or 0.0,  # of a single row there is none
        histogram_edges=histogram.edges if histogram else (),
        histogram_counts=histogram.counts if histogram else (),
    )


ROUGE = "rougeL"
_SHORTEST = 1e-9
"""Seconds a row that a clock may fail to see."""


def costs(found: DatasetScores) -> list[Cost]:
    """Add up the time of the data set's rows; rows with equal texts were scored once.

    Models were loaded before the clock started. What a metric finds done by an earlier one of the same run
    (``mars_glove`` compares the references that ``mars`` augmented) costs it nothing.
    """
    measured = {}
    for metric in found.computed:
        distinct = dict(zip(found.digests, found.rows[metric.name], strict=True))
        measured[metric.name] = len(distinct), sum(one.seconds for one in distinct.values())
    a_row = {name: max(seconds / rows, _SHORTEST) for name, (rows, seconds) in measured.items()}
    return [
        Cost(
            name, rows, seconds, 1 / a_row[name], a_row[name] / a_row[ROUGE] if ROUGE in a_row else None
        )
        for name, (rows, seconds) in measured.items()
    ]  # fmt: skip


def attack_results(found: DatasetScores) -> list[AttackResult]:
    """Compare the scores of the changed rows with those that they had before.

    Means are of the metric's own numbers; shares and correlations count what is better, whichever way that is.
    """
    human = found.dataset.human
    made = []
    for metric in found.computed:
        original = [one.score for one in found.rows[metric.name]]
        for attack, entries in zip(found.attacks, found.attacked[metric.name], strict=True):
            before = [original[row] for row in attack.rows]
            after = [one.score for one in entries]
            outcome = robustness(
                before, after, [human[row] for row in attack.rows],
                attack=attack.attack,
                not_applicable=attack.not_applicable,
                higher_is_better=metric.higher_is_better,
            )  # fmt: skip
            both = [(x, y) for x, y in zip(before, after, strict=True) if x is not None and y is not None]
            made.append(
                AttackResult(
                    metric=metric.name,
                    attack=attack.attack,
                    rows=outcome.rows,
                    not_applicable=outcome.not_applicable,
                    mean_before=_mean([x for x, _ in both]),
                    mean_after=_mean([y for _, y in both]),
                    share=outcome.share,
                    upper_share=outcome.upper_share,
                    upper_rows=outcome.upper_rows,
                    pearson_before=outcome.pearson.before,
                    pearson_after=outcome.pearson.after,
                )
            )
    return made


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


STATISTICS = 1
"""Raised whenever a statistic changes, so that what the store holds of the old one is not used."""


@dataclass(frozen=True, slots=True)
class _Cells:
    """For the store: the cells of one metric."""

    cells: tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class _Points:
    """For the store: the sweep over masking ratios."""

    points: tuple[RatioPoint, ...]


class Analysis:
    """The statistics of one data set."""

    def __init__(
        self,
        found: DatasetScores,
        settings: StudySettings,
        store: ScoreStore,
        progress: StageProgress = silent_stages,
    ) -> None:
        """Take the scores; nothing is computed yet."""
        self.found, self.settings, self.store, self.progress = found, settings, store, progress
        self.targets = targets(found.dataset)
        self.scores = {metric.name: found.oriented(metric) for metric in found.metrics}
        self._content = found.dataset.content_hash

    def result(self) -> DatasetResult:
        """Compute every section."""
        found = self.found
        table = self.cells()
        compared, ranked = self.contrasts(table)
        return DatasetResult(
            name=found.dataset.name,
            info=dataset_info(found.dataset),
            cells=tuple(table),
            contrasts=tuple(compared),
            places=tuple(ranked),
            ratios=tuple(self.ratios()),
            attacks=tuple(attack_results(found)),
            disagreements=tuple(disagreements(found, self._explained, self.settings.top, self.store)),
            costs=tuple(costs(found)),
            rows=tuple(self.rows()),
            judges=tuple(judge_results(found, draws=self.settings.draws, seed=self.settings.seed)),
        )

    def cells(self) -> list[Cell]:
        """Table 3."""
        made: list[Cell] = []
        for done, (metric, scores) in enumerate(self.scores.items(), 1):
            key = self._key("cells", metric, scores, self.settings.draws, self.settings.seed)
            known = self.store.get(key)
            if known is None:
                own = cells(metric, scores, self.targets, draws=self.settings.draws, seed=self.settings.seed)
                self.store.keep({key: to_json(_Cells(tuple(own)))})
            else:
                own = list(from_json(_Cells, known).cells)
            made += own
            self._show("correlations", done, len(self.scores))
        return made

    def contrasts(self, table: Sequence[Cell]) -> tuple[list[Contrast], list[MetricRank]]:
        """Which metric is better, with clusters."""
        rows = {metric: self._human.scored(scores) for metric, scores in self.scores.items()}
        compared, ranked = [], []
        for level, kind in QUESTIONS:
            values = _values(table, level, kind)
            asked = questions(values, level, kind)
            found = contrasts(PERM_BOTH, asked, self._answers(asked, rows), values)
            ranked += places(values, found, level, kind)
            compared += found
            if (level, kind) == ("pooled", "pearson"):
                compared += contrasts(WILLIAMS, asked, [williams(one, rows) for one in asked], values)
        return compared, ranked

    def ratios(self) -> list[RatioPoint]:
        """Table 5, where masking ratios were swept."""
        cosines, scoring = self.found.cosines, self.found.scorer.config.scoring
        if cosines is None:
            return []
        parts = cosines, scoring.q, scoring.references, self.settings.draws, self.settings.seed
        key = self._key("ratios", *parts)
        known = self.store.get(key)
        if known is not None:
            return list(from_json(_Points, known).points)
        points = ratio_points(
            cosines, self._human, q=scoring.q, references=scoring.references, draws=self.settings.draws,
            seed=self.settings.seed,
        )  # fmt: skip
        self.store.keep({key: to_json(_Points(tuple(points)))})
        return points

    def rows(self) -> list[StudyRow]:
        """Every row with all its scores, as the metrics gave them."""
        found = self.found
        return [
            StudyRow(
                row.id,
                row.item,
                row.system,
                row.human,
                dict(row.aspects),
                {metric.name: found.rows[metric.name][place].score for metric in found.metrics},
                tuple(sorted({flag for entries in found.rows.values() for flag in entries[place].flags})),
            )
            for place, row in enumerate(found.dataset)
        ]

    @property
    def _human(self) -> Target:
        return next(target for target in self.targets if target.name == HUMAN)

    @property
    def _explained(self) -> str:
        """MARS, which can explain its scores; else the first metric."""
        return MARS if MARS in self.scores else next(iter(self.scores))

    def _answers(self, asked: Sequence[MetricPair], rows: dict[str, Scored]) -> list[PairOutcome]:
        keys = {
            one: self._key(
                "perm-both",
                self.scores[one.better],
                self.scores[one.worse],
                one.level,
                one.kind,
                self.settings.draws,
                self.settings.seed,
            )
            for one in asked
        }
        known = {one: self.store.get(key) for one, key in keys.items()}
        new = [one for one, value in known.items() if value is None]
        done = 0

        def answered(question: MetricPair, answer: PairOutcome) -> None:
            nonlocal done
            known[question] = to_json(answer)
            self.store.keep({keys[question]: known[question]})
            done += 1
            self._show("comparing metrics", done, len(new))

        if new:
            permute(new, rows, draws=self.settings.draws, seed=self.settings.seed, answered=answered)
        return [from_json(PairOutcome, known[one]) for one in asked]

    def _key(self, *parts: object) -> bytes:
        return fingerprint(f"statistics:v{STATISTICS}", self._content, *parts)

    def _show(self, stage: str, done: int, total: int) -> None:
        self.progress(f"{self.found.dataset.name}: {stage}", done, total)


def _values(table: Sequence[Cell], level: Level, kind: Kind) -> dict[str, float | None]:
    return {
        one.metric: one.value
        for one in table
        if (one.target, one.level, one.group, one.statistic) == (HUMAN, level, "", kind)
    }
