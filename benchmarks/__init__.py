"""Measurements: ratios of things timed alternately in one process, printed as JSON lines."""
