"""Which of these tests are collected."""

from __future__ import annotations

from importlib.util import find_spec

SEPARATE = ("inspect_ai", "lm_eval", "lighteval", "deepeval", "mlflow")
"""Tools with an environment of their own, which `make test-integrations` makes and names the files of."""
collect_ignore = [f"test_{tool}.py" for tool in SEPARATE if find_spec(tool) is None]
