"""Texts that benchmarks run on: stories, articles and summaries, all written for this project.

Every text comes from a hand-written outline with slots, so that a benchmark can ask for as many as it needs.
Nothing is random: the same call gives the same texts everywhere.
"""

from __future__ import annotations

from .articles import article, summaries
from .storytelling import candidates, stories

__all__ = ["article", "candidates", "stories", "summaries"]
