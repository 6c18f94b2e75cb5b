"""Inspect and lm-eval, which install beside us, in a process of their own.

Inspect leaves streams open, and here a warning is an error, whichever test is running when it is given.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.models

ROOT = Path(__file__).parents[2]
FILES = (
    "tests/integrations/test_inspect_ai.py", "tests/integrations/test_lm_eval.py", "tests/test_integrations_page.py",
)  # fmt: skip


def test_their_tests_pass() -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "filterwarnings=default"]
    done = subprocess.run(
        [*command, "-m", "integration", *FILES],
        cwd=ROOT,
        env=os.environ | {"MARS_SCORE_TEST_TOOLS": "1", "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    passed = re.search(r"(\d+) passed", done.stdout)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert passed is not None
    assert int(passed[1]) >= 6
    assert "skipped" not in done.stdout
