"""From scores to results: every section of a study, one data set at a time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mars_score.fingerprint import fingerprint
from mars_score.io.datasets.base import Dataset, statistics
from mars_score.progress import StageProgress, silent_stages
from mars_score.stats.ratings import krippendorff_alpha, summarise
from mars_score.study.attacks.robustness import robustness
from mars_score.study.correlations import (
    PERM_BOTH,
    QUESTIONS,
    WILLIAMS,
    MetricPair,
    PairOutcome,
    cells,
    contrasts,
    permute,
    questions,
    rank_metrics,
    ratio_points,
    williams,
)
from mars_score.study.disagreements import MARS, disagreements
from mars_score.study.judges import judge_results
from mars_score.study.plan import StudySettings, Target, targets
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
    from mars_score.stats.correlation import Kind, Level
    from mars_score.stats.data import Scored
    from mars_score.study.scoring import DatasetScores
    from mars_score.study.store import ScoreStore


# The paper's Table 2: what a data set is like, and how far its raters agree.


def dataset_info(dataset: Dataset) -> DatasetInfo:
    """Count and measure; alpha is over rows, not over raters."""
    measured = statistics(dataset)
    ratings = [row.ratings for row in dataset]
    interval, ordinal = krippendorff_alpha(ratings), krippendorff_alpha(ratings, "ordinal")
    summary = summarise(dataset.human, ratings)
    histogram = summary.histogram
    return DatasetInfo(
        rows=measured.rows,
        items=measured.items,
        systems=measured.systems,
        references_left_out=dataset.references_left_out,
        content_hash=dataset.content_hash,
        context_length=measured.context_length,
        reference_length=measured.reference_length,
        omega=measured.omega,
        ratings=measured.ratings,
        raters=measured.raters,
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


def costs(scores: DatasetScores) -> list[Cost]:
    """Add up the time of the data set's rows; rows with equal texts were scored once.

    Models were loaded before the clock started. What a metric finds done by an earlier one of the same run
    (``mars_glove`` compares the references that ``mars`` augmented) costs it nothing.
    """
    measured = {}
    for metric in scores.computed:
        distinct = dict(zip(scores.digests, scores.rows[metric.name], strict=True))
        measured[metric.name] = len(distinct), sum(score.seconds for score in distinct.values())
    a_row = {name: max(seconds / rows, _SHORTEST) for name, (rows, seconds) in measured.items()}
    return [
        Cost(
            name, rows, seconds, 1 / a_row[name], a_row[name] / a_row[ROUGE] if ROUGE in a_row else None
        )
        for name, (rows, seconds) in measured.items()
    ]  # fmt: skip


def attack_results(scores: DatasetScores) -> list[AttackResult]:
    """Compare the scores of the changed rows with those that they had before.

    Means are of the metric's own numbers; shares and correlations count what is better, whichever way that is.
    """
    human = scores.dataset.human
    made = []
    for metric in scores.computed:
        original = [score.score for score in scores.rows[metric.name]]
        for attack, entries in zip(scores.attacks, scores.attacked[metric.name], strict=True):
            before = [original[row] for row in attack.rows]
            after = [score.score for score in entries]
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
        scored: DatasetScores,
        settings: StudySettings,
        store: ScoreStore,
        progress: StageProgress = silent_stages,
    ) -> None:
        """Take the scores; nothing is computed yet."""
        self.scored, self.settings, self.store, self.progress = scored, settings, store, progress
        self.targets = targets(scored.dataset)
        self.scores = {metric.name: scored.oriented(metric) for metric in scored.metrics}
        self._content = scored.dataset.content_hash

    def result(self) -> DatasetResult:
        """Compute every section."""
        scored = self.scored
        table = self.cells()
        compared, ranked = self.contrasts(table)
        return DatasetResult(
            name=scored.dataset.name,
            info=dataset_info(scored.dataset),
            cells=tuple(table),
            contrasts=tuple(compared),
            places=tuple(ranked),
            ratios=tuple(self.ratios()),
            attacks=tuple(attack_results(scored)),
            disagreements=tuple(disagreements(scored, self._explained, self.settings.top, self.store)),
            costs=tuple(costs(scored)),
            rows=tuple(self.rows()),
            judges=tuple(judge_results(scored, draws=self.settings.draws, seed=self.settings.seed)),
        )

    def cells(self) -> list[Cell]:
        """Table 3."""
        made: list[Cell] = []
        for done, (metric, scores) in enumerate(self.scores.items(), 1):
            key = self._key("cells", metric, scores, self.settings.draws, self.settings.seed)
            saved = self.store.get(key)
            if saved is None:
                metric_cells = cells(
                    metric, scores, self.targets, draws=self.settings.draws, seed=self.settings.seed
                )
                self.store.keep({key: to_json(_Cells(tuple(metric_cells)))})
            else:
                metric_cells = list(from_json(_Cells, saved).cells)
            made += metric_cells
            self._show("correlations", done, len(self.scores))
        return made

    def contrasts(self, table: Sequence[Cell]) -> tuple[list[Contrast], list[MetricRank]]:
        """Which metric is better, with clusters."""
        rows = {metric: self._human.scored(scores) for metric, scores in self.scores.items()}
        compared, ranked = [], []
        for level, kind in QUESTIONS:
            values = _values(table, level, kind)
            asked = questions(values, level, kind)
            results = contrasts(PERM_BOTH, asked, self._answers(asked, rows), values)
            ranked += rank_metrics(values, results, level, kind)
            compared += results
            if (level, kind) == ("pooled", "pearson"):
                compared += contrasts(
                    WILLIAMS, asked, [williams(question, rows) for question in asked], values
                )
        return compared, ranked

    def ratios(self) -> list[RatioPoint]:
        """Table 5, where masking ratios were swept."""
        cosines, scoring = self.scored.cosines, self.scored.scorer.config.scoring
        if cosines is None:
            return []
        parts = cosines, scoring.q, scoring.references, self.settings.draws, self.settings.seed
        key = self._key("ratios", *parts)
        saved = self.store.get(key)
        if saved is not None:
            return list(from_json(_Points, saved).points)
        points = ratio_points(
            cosines, self._human, q=scoring.q, references=scoring.references, draws=self.settings.draws,
            seed=self.settings.seed,
        )  # fmt: skip
        self.store.keep({key: to_json(_Points(tuple(points)))})
        return points

    def rows(self) -> list[StudyRow]:
        """Every row with all its scores, as the metrics gave them."""
        scored = self.scored
        return [
            StudyRow(
                row.id,
                row.item,
                row.system,
                row.human,
                dict(row.aspects),
                {metric.name: scored.rows[metric.name][index].score for metric in scored.metrics},
                tuple(sorted({flag for entries in scored.rows.values() for flag in entries[index].flags})),
            )
            for index, row in enumerate(scored.dataset)
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
            pair: self._key(
                "perm-both",
                self.scores[pair.better],
                self.scores[pair.worse],
                pair.level,
                pair.kind,
                self.settings.draws,
                self.settings.seed,
            )
            for pair in asked
        }
        answers = {pair: self.store.get(key) for pair, key in keys.items()}
        new = [pair for pair, value in answers.items() if value is None]
        done = 0

        def answered(question: MetricPair, answer: PairOutcome) -> None:
            nonlocal done
            answers[question] = to_json(answer)
            self.store.keep({keys[question]: answers[question]})
            done += 1
            self._show("comparing metrics", done, len(new))

        if new:
            permute(new, rows, draws=self.settings.draws, seed=self.settings.seed, answered=answered)
        return [from_json(PairOutcome, answers[pair]) for pair in asked]

    def _key(self, *parts: object) -> bytes:
        return fingerprint(f"statistics:v{STATISTICS}", self._content, *parts)

    def _show(self, stage: str, done: int, total: int) -> None:
        self.progress(f"{self.scored.dataset.name}: {stage}", done, total)


def _values(table: Sequence[Cell], level: Level, kind: Kind) -> dict[str, float | None]:
    return {
        cell.metric: cell.value
        for cell in table
        if (cell.target, cell.level, cell.group, cell.statistic) == (HUMAN, level, "", kind)
    }
