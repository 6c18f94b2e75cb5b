"""Data sets with human ratings: what a study compares metrics with."""
