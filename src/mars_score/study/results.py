"""What a study finds, as plain data: `results.json` holds exactly this, and every report is made of it alone.

Lists are flat: each entry names what it is about (metric, target, level, statistic), so that a table is a
selection of entries and a program can filter them.
"""

from __future__ import annotations

from dataclasses import dataclass, field

SCHEMA = 1
"""Raised whenever a field changes its meaning or goes away."""

HUMAN = "human"
"""The target that is the mean of all ratings of a row."""
PER_RATING = "rating"
"""The target in which every single rating is a row of its own, as in the paper's Newsroom study."""


@dataclass(frozen=True, slots=True)
class MetricInfo:
    """A metric of the study."""

    name: str
    summary: str
    higher_is_better: bool
    signature: str


@dataclass(frozen=True, slots=True)
class DatasetInfo:
    """The paper's Table 2, and how people rated."""

    rows: int
    items: int
    systems: tuple[str, ...]
    references_left_out: int
    """Rows that rate a reference itself."""
    content_hash: str
    context_length: float
    """Mean length in words."""
    reference_length: float
    omega: float
    """Length of the context over length of the reference."""
    ratings: int
    raters: tuple[int, int]
    """Fewest and most raters of a row."""
    alpha_interval: float | None
    alpha_ordinal: float | None
    alpha_reason: str | None
    """Why alpha is undefined."""
    mean: float
    deviation: float
    histogram_edges: tuple[float, ...]
    histogram_counts: tuple[int, ...]
    """Of the rows' mean ratings."""


@dataclass(frozen=True, slots=True)
class Cell:
    """One number of the correlation tables (the paper's Table 3)."""

    metric: str
    target: str
    """`HUMAN`, `PER_RATING`, or the name of an aspect."""
    level: str
    """pooled, system, item or system_means."""
    group: str
    """A system's name where the number is that of one system; empty for the level as a whole."""
    statistic: str
    """pearson, spearman, kendall or accuracy."""
    value: float | None
    """Positive means agreement, also of metrics for which lower is better."""
    low: float | None
    high: float | None
    """A 95% interval by bootstrap over items; None where it was not computed."""
    n: int
    left_out: int
    """Rows without a score."""
    undefined: dict[str, int]
    """Groups that have no correlation, counted by reason."""
    reason: str | None = None
    """Why there is no value."""


@dataclass(frozen=True, slots=True)
class Contrast:
    """Is one metric nearer to people than another?"""

    target: str
    level: str
    statistic: str
    test: str
    """perm-both or williams."""
    better: str
    worse: str
    """Metrics, by the value of the statistic."""
    difference: float | None
    p: float | None
    """One-sided."""
    p_corrected: float | None
    """After Holm, over all pairs of metrics."""


@dataclass(frozen=True, slots=True)
class MetricRank:
    """A metric's place in the ranking by significance clusters."""

    target: str
    level: str
    statistic: str
    metric: str
    value: float | None
    cluster: int | None
    rank: int | None


@dataclass(frozen=True, slots=True)
class RatioPoint:
    """The paper's Table 5: how far references are masked, and how the ratios are weighted."""

    lambda_max: float
    q: float
    pearson: float | None
    low: float | None
    high: float | None
    kendall_item: float | None
    mean_deviation: float | None
    """Mean over rows of the standard deviation of the cosines with the augmented references."""
    best: bool
    """Whether its Pearson correlation is the highest of the sweep."""


@dataclass(frozen=True, slots=True)
class AttackResult:
    """The paper's Table 4: a metric under one attack."""

    metric: str
    attack: str
    rows: int
    not_applicable: int
    """Rows that the attack leaves as they are; they are not counted in `rows`."""
    mean_before: float | None
    mean_after: float | None
    share: float | None
    """Of the rows in which the original scores better; a tie counts half."""
    upper_share: float | None
    """The same among rows that people rated in the upper half."""
    upper_rows: int
    pearson_before: float | None
    pearson_after: float | None


@dataclass(frozen=True, slots=True)
class ResultTerm:
    """One augmented reference behind a score."""

    ratio: float
    cosine: float
    weight: float
    segments: tuple[tuple[str, bool], ...]
    """The text in pieces; True marks what the language model wrote."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """The paper's Table 6: a row on which a metric and people differ most."""

    metric: str
    id: str
    system: str
    kinds: tuple[str, ...]
    """out_of_vocabulary, copied_from_context, further_inference; empty where none applies."""
    score: float
    human: float
    score_rank: float
    human_rank: float
    """Shares of rows below, from 0 to 1."""
    context: str
    references: tuple[str, ...]
    candidate: str
    terms: tuple[ResultTerm, ...]


@dataclass(frozen=True, slots=True)
class Cost:
    """What scoring cost."""

    metric: str
    rows: int
    seconds: float
    rows_per_second: float
    ratio_to_rouge: float | None
    """Time a row over ROUGE-L's; None where ROUGE-L was not measured."""


@dataclass(frozen=True, slots=True)
class StudyRow:
    """What everyone thought of one text: for figures, and for readers who want to compute more."""

    id: str
    item: str
    system: str
    human: float
    aspects: dict[str, float]
    scores: dict[str, float | None]
    flags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LengthBin:
    """Rows whose candidates are about equally long."""

    shortest: int
    longest: int
    """In words."""
    n: int
    pearson: float | None


@dataclass(frozen=True, slots=True)
class Bias:
    """What a judge gives rows beyond what people give them."""

    kind: str
    """position or self-preference."""
    name: str
    """The position, or the judge's own system."""
    marked: int
    """Judgements in that position, or of that system."""
    n: int
    effect: float | None
    """In standard deviations of the judge's scores, among rows that people rate alike."""
    low: float | None
    high: float | None
    """A 95% interval by bootstrap over items."""


@dataclass(frozen=True, slots=True)
class JudgeResult:
    """Scores from elsewhere, or a metric beside them: how much of the agreement with people is more than length."""

    metric: str
    external: bool
    n: int
    pearson: float | None
    partial: float | None
    """Pearson's r with the candidate's length held constant."""
    partial_low: float | None
    partial_high: float | None
    partial_spearman: float | None
    within_bins: float | None
    """The mean of Pearson's r within bins of length, by their rows."""
    bins: tuple[LengthBin, ...]
    with_length: float | None
    people_with_length: float | None
    kappa: float | None
    """Quadratic kappa with single raters; None where scores or ratings are no whole numbers."""
    people_kappa: float | None
    """That of two raters of a row."""
    biases: tuple[Bias, ...]


@dataclass(frozen=True, slots=True)
class DatasetResult:
    """All that was found on one data set."""

    name: str
    info: DatasetInfo
    cells: tuple[Cell, ...] = ()
    contrasts: tuple[Contrast, ...] = ()
    places: tuple[MetricRank, ...] = ()
    ratios: tuple[RatioPoint, ...] = ()
    attacks: tuple[AttackResult, ...] = ()
    disagreements: tuple[Disagreement, ...] = ()
    costs: tuple[Cost, ...] = ()
    rows: tuple[StudyRow, ...] = ()
    judges: tuple[JudgeResult, ...] = ()
    """Empty where there are no scores from elsewhere."""

    def human_cells(self, level: str, statistic: str) -> list[Cell]:
        """Return each metric's agreement with the mean rating, at a level as a whole."""
        wanted = (HUMAN, level, "", statistic)
        return [c for c in self.cells if (c.target, c.level, c.group, c.statistic) == wanted]


@dataclass(frozen=True, slots=True)
class AugmentationRating:
    """The paper's Table 7: what raters think of augmented references."""

    question: str
    """relevance, readability or overall."""
    variant: str
    """original, naive or mars."""
    mean: float
    deviation: float
    n: int


@dataclass(frozen=True, slots=True)
class AugmentationTest:
    """A paired t-test between two variants."""

    question: str
    first: str
    second: str
    difference: float
    t: float | None
    p: float | None
    n: int


@dataclass(frozen=True, slots=True)
class AugmentationStudy:
    """Table 7 as a whole."""

    ratings: tuple[AugmentationRating, ...]
    tests: tuple[AugmentationTest, ...]
    alphas: dict[str, float | None]
    """Krippendorff's alpha (interval) of each question."""


@dataclass(frozen=True, slots=True)
class Study:
    """Everything."""

    schema: int
    version: str
    """Of this package."""
    seed: int
    draws: int
    """Of each bootstrap and permutation test."""
    metrics: tuple[MetricInfo, ...]
    datasets: tuple[DatasetResult, ...]
    augmentations: AugmentationStudy | None = None
    attack_rows: int | None = None
    """Rows of a data set that were attacked at most; None for all."""
    made_with: dict[str, str] = field(default_factory=dict)
    """The versions of this package and of the libraries that can change numbers; scores from the store may be older."""
