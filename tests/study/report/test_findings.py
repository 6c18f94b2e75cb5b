"""The findings say what the numbers say, and no more."""

from __future__ import annotations

from dataclasses import replace

from mars_score.study.report.findings import findings
from mars_score.study.results import (
    HUMAN,
    AttackResult,
    AugmentationStudy,
    AugmentationTest,
    Cell,
    Contrast,
    DatasetResult,
    RatioPoint,
)
from tests.study.report.small import INFO, small_study


def cells(**values: float) -> tuple[Cell, ...]:
    return tuple(
        Cell(metric, HUMAN, "pooled", "", "pearson", value, value - 0.1, value + 0.1, 4, 0, {})
        for metric, value in values.items()
    )


def contrast(better: str, worse: str, p: float) -> Contrast:
    return Contrast(HUMAN, "pooled", "pearson", "perm-both", better, worse, 0.1, p / 3, p)


def said(dataset: DatasetResult) -> str:
    return " ".join(findings(small_study(dataset))[1].sentences)


def test_a_significant_leader() -> None:
    result = said(
        DatasetResult(
            "d",
            INFO,
            cells=cells(mars=0.5, bertscore=0.3, candidate_length=0.1),
            contrasts=(contrast("mars", "bertscore", 0.01), contrast("mars", "candidate_length", 0.001)),
        )
    )
    assert "mars agrees most with people: Pearson's r 0.500 (95% interval 0.400 to 0.600)." in result
    assert "Its lead over every other metric is significant." in result
    assert "The strongest sentinel, candidate_length, reaches 0.100; every metric exceeds that." in result


def test_a_lead_that_was_not_shown() -> None:
    # The uncorrected p-value is below 0.05, the corrected one is not.
    result = said(
        DatasetResult(
            "d", INFO, cells=cells(bertscore=0.5, mars=0.4), contrasts=(contrast("bertscore", "mars", 0.09),)
        )
    )
    assert "Its lead over mars is not significant." in result
    assert "mars is number 2 of 2 with 0.400 (95% interval 0.300 to 0.500); " in result
    assert "that it is worse than bertscore was not shown." in result


def test_mars_significantly_behind() -> None:
    result = said(
        DatasetResult(
            "d", INFO, cells=cells(bertscore=0.5, mars=0.1), contrasts=(contrast("bertscore", "mars", 0.01),)
        )
    )
    assert "significantly below bertscore." in result


def test_a_sentinel_that_leads_is_called_one() -> None:
    result = said(DatasetResult("d", INFO, cells=cells(candidate_length=0.5, mars=0.4)))
    assert "It is a sentinel and knows nothing of quality: no metric beats it here." in result
    assert "1 of 1 metric does not exceed that." in result
    assert "Whether it is better than the others was not tested." in result


def test_a_metric_alone_leads_nothing() -> None:
    result = findings(small_study(DatasetResult("d", INFO, cells=cells(mars=0.5))))
    assert [len(finding.sentences) for finding in result] == [1, 1]
    assert (
        result[1].sentences[0]
        == "Over all rows, mars reaches Pearson's r 0.500 (95% interval 0.400 to 0.600)."
    )


def test_gain_by_masking() -> None:
    def point(ratio: float, r: float, *, best: bool = False) -> RatioPoint:
        return RatioPoint(ratio, 1.0, r, r - 0.05, r + 0.05, None, None, best)

    sure = DatasetResult("d", INFO, ratios=(point(0.0, 0.3), point(0.4, 0.4, best=True)))
    unsure = DatasetResult("d", INFO, ratios=(point(0.0, 0.38), point(0.4, 0.4, best=True)))
    none = DatasetResult("d", INFO, ratios=(point(0.0, 0.4, best=True), point(0.4, 0.3)))
    assert (
        said(sure) == "The best masking ratio is 40%, with r 0.400 instead of 0.300 for the reference alone."
    )
    assert said(unsure).endswith("the interval of the former includes the latter, so the gain is uncertain.")
    assert said(none) == "Masking does not help: the reference alone reaches the highest r, 0.400."


def test_the_ceiling_is_not_an_attack() -> None:
    def result(name: str, share: float) -> AttackResult:
        return AttackResult("mars", name, 9, 0, 0.5, 0.4, share, share, 4, 0.1, 0.1)

    attacks = (result("reorder", 0.8), result("negation", 0.55), result("copy_reference", 0.02))
    assert said(DatasetResult("d", INFO, attacks=attacks)) == (
        "Under attack, mars prefers the original in 80% of texts at best (reorder) and in 55% at worst (negation); "
        "chance is 50%."
    )


def test_weak_agreement_of_raters_is_named() -> None:
    result = said(DatasetResult("d", replace(INFO, alpha_interval=0.31)))
    assert result.startswith("The raters' agreement (Krippendorff's alpha 0.31) is below the customary 0.67")
    assert len(findings(small_study(DatasetResult("d", replace(INFO, alpha_interval=0.7))))) == 1


def test_augmentations() -> None:
    study = small_study(DatasetResult("d", INFO))
    none = AugmentationStudy((), (AugmentationTest("overall", "original", "mars", 0.1, 1.0, 0.3, 9),), {})
    some = AugmentationStudy((), (AugmentationTest("overall", "naive", "mars", -0.4, -3.0, 0.004, 9),), {})
    assert (
        findings(replace(study, augmentations=none))[0]
        .sentences[-1]
        .endswith("in no question significantly.")
    )
    assert findings(replace(study, augmentations=some))[0].sentences[-1] == (
        "People rate references differently: MARS above Naive in overall (p < 0.05, 1 test, not corrected)."
    )


def test_the_study_as_a_whole() -> None:
    first, *others = findings(small_study(DatasetResult("d", INFO, cells=cells(mars=0.5, bertscore=0.4))))
    assert first.sentences == (
        "3 metrics were compared with 8 human ratings of 4 texts in 1 data set.",
        "mars has the highest Pearson's r over all rows on d.",
    )
    assert [finding.heading for finding in others] == ["d"]
