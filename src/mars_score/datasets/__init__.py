"""Data sets with human ratings: what a study compares metrics with."""

from mars_score.datasets.base import Dataset, Rated
from mars_score.datasets.loading import FORMATS, load_dataset
from mars_score.datasets.selecting import PAPER_NEWSROOM, select
from mars_score.datasets.statistics import Statistics, statistics

__all__ = [
    "FORMATS",
    "PAPER_NEWSROOM",
    "Dataset",
    "Rated",
    "Statistics",
    "load_dataset",
    "select",
    "statistics",
]
