"""Metrics: each one file, from examples to scores."""
