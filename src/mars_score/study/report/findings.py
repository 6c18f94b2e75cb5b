"""What a study found, in plain words: what leads, by how much, and what was not shown."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from mars_score.study.report.wording import (
    LEVELS,
    MAIN,
    QUESTIONS,
    STATISTICS,
    VARIANTS,
    counted,
    is_harmful,
    listed,
    number,
    percent,
    plain,
    sentinels,
)
from mars_score.study.results import HUMAN, AugmentationStudy, Cell, DatasetResult, Study

SIGNIFICANT = 0.05
TEST = "perm-both"
"""The test that applies to every statistic."""


@dataclass(frozen=True, slots=True)
class Leaderboard:
    """Metrics from the best down, and what was shown of the first."""

    level: str
    statistic: str
    cells: tuple[Cell, ...]
    tested: bool
    """Whether the leader was tested against others."""
    not_worse: tuple[str, ...]
    """Metrics that the leader was tested against without being shown to be better."""

    @property
    def leader(self) -> Cell:
        """The metric with the highest value."""
        return self.cells[0]


def standing(dataset: DatasetResult, level: str, statistic: str) -> Leaderboard | None:
    """Rank the metrics; None where nothing was computed. The corrected p-value decides."""
    cells = [(-c.value, c.metric, c) for c in dataset.human_cells(level, statistic) if c.value is not None]
    if not cells:
        return None
    ranked = tuple(cell for _, _, cell in sorted(cells, key=lambda entry: entry[:2]))
    leader = ranked[0].metric
    p = {
        contrast.worse: contrast.p if contrast.p_corrected is None else contrast.p_corrected
        for contrast in dataset.contrasts
        if (contrast.target, contrast.level, contrast.statistic) == (HUMAN, level, statistic)
        and (contrast.test, contrast.better) == (TEST, leader)
    }
    unsure = {metric for metric, value in p.items() if value is None or value >= SIGNIFICANT}
    not_worse = tuple(cell.metric for cell in ranked[1:] if cell.metric in unsure)
    return Leaderboard(level, statistic, ranked, bool(p), not_worse)


CUSTOMARY_ALPHA = 2 / 3
"""Krippendorff's lower bound for tentative conclusions."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Sentences about one data set, or about the study as a whole."""

    heading: str
    sentences: tuple[str, ...]


def findings(study: Study) -> tuple[Finding, ...]:
    """Say what was found, first of the study and then of each data set."""
    made = [Finding("The study", tuple(_of_study(study)))]
    sentinel_names = sentinels(study)
    made += [Finding(dataset.name, tuple(_of_dataset(dataset, sentinel_names))) for dataset in study.datasets]
    return tuple(finding for finding in made if finding.sentences)


def _of_study(study: Study) -> list[str]:
    ratings = sum(dataset.info.ratings for dataset in study.datasets)
    rows = sum(dataset.info.rows for dataset in study.datasets)
    sentences = [
        f"{counted(len(study.metrics), 'metric was', 'metrics were')} compared with {counted(ratings, 'human rating')} "
        f"of {counted(rows, 'text')} in {counted(len(study.datasets), 'data set')}."
    ]
    leaders: dict[str, list[str]] = {}
    for dataset in study.datasets:
        board = standing(dataset, "pooled", "pearson")
        if board and len(board.cells) > 1:
            leaders.setdefault(board.leader.metric, []).append(dataset.name)
    for metric, names in sorted(leaders.items(), key=lambda pair: (-len(pair[1]), pair[0])):
        where = "all of them" if len(names) == len(study.datasets) > 1 else listed(names)
        sentences.append(f"{metric} has the highest Pearson's r over all rows on {where}.")
    if study.augmentations:
        sentences += _of_augmentations(study.augmentations)
    return sentences


def _of_dataset(dataset: DatasetResult, sentinels: Collection[str]) -> list[str]:
    pooled = standing(dataset, "pooled", "pearson")
    within = standing(dataset, "item", "kendall")
    sentences = []
    if pooled:
        sentences += [
            *_lead(pooled, sentinels),
            *_main_metric(pooled),
            *_strongest_sentinel(pooled, sentinels),
        ]
    if within:
        sentences += _lead(within, sentinels)
    return [*sentences, *_under_attack(dataset), *_masking(dataset), *_raters(dataset)]


def _lead(board: Leaderboard, sentinels: Collection[str]) -> list[str]:
    leader, name = board.leader, plain(board.statistic, STATISTICS)
    where = "Over all rows" if board.level == "pooled" else plain(board.level, LEVELS).capitalize()
    if len(board.cells) == 1:
        return [f"{where}, {leader.metric} reaches {name} {_with_interval(leader)}."]
    sentence = f"{where}, {leader.metric} agrees most with people: {name} {_with_interval(leader)}."
    if leader.metric in sentinels:
        sentence += " It is a sentinel and knows nothing of quality: no metric beats it here."
    if not board.tested:
        return [f"{sentence} Whether it is better than the others was not tested."]
    if board.not_worse:
        return [f"{sentence} Its lead over {listed(list(board.not_worse))} is not significant."]
    return [f"{sentence} Its lead over every other metric is significant."]


def _main_metric(board: Leaderboard) -> list[str]:
    position = next((number for number, cell in enumerate(board.cells, 1) if cell.metric == MAIN), None)
    if position in (None, 1):
        return []
    cell = board.cells[position - 1]
    sentence = f"{MAIN} is number {position} of {len(board.cells)} with {_with_interval(cell)}"
    if not board.tested:
        return [f"{sentence}."]
    if MAIN in board.not_worse:
        return [f"{sentence}; that it is worse than {board.leader.metric} was not shown."]
    return [f"{sentence}, significantly below {board.leader.metric}."]


def _strongest_sentinel(board: Leaderboard, sentinels: Collection[str]) -> list[str]:
    strongest = next((cell for cell in board.cells if cell.metric in sentinels), None)
    others = [cell for cell in board.cells if cell.metric not in sentinels]
    if strongest is None or strongest.value is None or not others:
        return []
    below = sum(1 for cell in others if (cell.value or 0.0) <= strongest.value)
    reaches = f"The strongest sentinel, {strongest.metric}, reaches {number(strongest.value)}"
    if not below:
        return [f"{reaches}; every metric exceeds that."]
    return [
        f"{reaches} without knowing anything of quality; {below} of "
        f"{counted(len(others), 'metric does', 'metrics do')} not exceed that."
    ]


def _under_attack(dataset: DatasetResult) -> list[str]:
    shares = [
        (result.share, result.attack)
        for result in dataset.attacks
        if result.metric == MAIN and result.share is not None and is_harmful(result.attack)
    ]
    if len(shares) < 2:
        return []
    (low, weakest), (high, strongest) = min(shares), max(shares)
    return [
        f"Under attack, {MAIN} prefers the original in {percent(high)} of texts at best ({strongest}) and in "
        f"{percent(low)} at worst ({weakest}); chance is 50%."
    ]


def _masking(dataset: DatasetResult) -> list[str]:
    best = next((point for point in dataset.ratios if point.best and point.pearson is not None), None)
    bare = next((p for p in dataset.ratios if p.lambda_max == 0 and p.pearson is not None), None)
    if best is None or bare is None or best.pearson is None or bare.pearson is None:
        return []
    if best.lambda_max == 0:
        return [f"Masking does not help: the reference alone reaches the highest r, {number(best.pearson)}."]
    gain = f"The best masking ratio is {percent(best.lambda_max)}, with r {number(best.pearson)} instead of "
    gain += f"{number(bare.pearson)} for the reference alone"
    if best.low is not None and best.low <= bare.pearson:
        return [f"{gain}; the interval of the former includes the latter, so the gain is uncertain."]
    return [f"{gain}."]


def _raters(dataset: DatasetResult) -> list[str]:
    alpha = dataset.info.alpha_interval
    if alpha is None or alpha >= CUSTOMARY_ALPHA:
        return []
    return [
        f"The raters' agreement (Krippendorff's alpha {number(alpha, 2)}) is below the customary "
        f"{number(CUSTOMARY_ALPHA, 2)}, which holds down what any metric can reach."
    ]


def _of_augmentations(study: AugmentationStudy) -> list[str]:
    sure = [test for test in study.tests if test.p is not None and test.p < SIGNIFICANT]
    if not study.tests:
        return []
    if not sure:
        return ["Between the variants of references, people's ratings differ in no question significantly."]
    # By pair of variants: the questions in which the first is rated higher.
    higher: dict[tuple[str, str], list[str]] = {}
    for test in sure:
        pair = (test.first, test.second) if test.difference > 0 else (test.second, test.first)
        higher.setdefault(pair, []).append(plain(test.question, QUESTIONS).lower())
    parts = [
        f"{plain(better, VARIANTS)} above {plain(worse, VARIANTS)} in {listed(questions)}"
        for (better, worse), questions in higher.items()
    ]
    tests = counted(len(study.tests), "test")
    return [f"People rate references differently: {'; '.join(parts)} (p < 0.05, {tests}, not corrected)."]


def _with_interval(cell: Cell) -> str:
    value = number(cell.value or 0.0)
    if cell.low is None or cell.high is None:
        return value
    return f"{value} (95% interval {number(cell.low)} to {number(cell.high)})"
