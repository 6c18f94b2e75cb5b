"""The paper's Table 2: what a data set is like, and how far its raters agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.datasets.statistics import statistics
from mars_score.evaluation.agreement import krippendorff_alpha
from mars_score.evaluation.ratings import summarise
from mars_score.study.results import DatasetInfo

if TYPE_CHECKING:
    from mars_score.datasets.base import Dataset


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
