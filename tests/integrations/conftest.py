"""Which of these tests are collected."""

from __future__ import annotations

import os
from importlib.util import find_spec

TOOLS = ("inspect_ai", "lm_eval", "lighteval", "deepeval", "mlflow")
"""Tools whose own warnings are not ours: their tests run in a process that only reports them."""
collect_ignore = [
    f"test_{tool}.py"
    for tool in TOOLS
    if find_spec(tool) is None or not os.environ.get("MARS_SCORE_TEST_TOOLS")
]
