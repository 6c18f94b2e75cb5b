"""Measurements: ratios of things timed alternately in one process, printed as JSON lines."""

from __future__ import annotations

import os

# What is timed is computed, not found in the cache of an earlier run.
os.environ.setdefault("MARS_SCORE_CACHE_SIZE", "0")
