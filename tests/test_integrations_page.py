"""docs/integrations.md: every block of code runs as it stands, offline and in an empty folder."""

from __future__ import annotations

import importlib.util
import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.models

PAGE = Path(__file__).parents[1] / "docs" / "integrations.md"
SEPARATE = {"Inspect": "inspect_ai", "lm-eval": "lm_eval", "lighteval": "lighteval", "deepeval": "deepeval",
            "MLflow": "mlflow"}  # fmt: skip
"""Tools that make test-integrations has, and their modules; elsewhere their code is not collected."""
BLOCKS = [
    (section, language, code)
    for section, text in re.findall(r"^## (.+)\n((?:(?!^## ).*\n)*)", PAGE.read_text("utf-8"), re.MULTILINE)
    for language, code in re.findall(r"^```(\w+)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
]
PYTHON = [(section, code) for section, language, code in BLOCKS if language == "python"]
here = [section for section, _ in PYTHON if section not in SEPARATE]
RUN = [
    pytest.param(
        section, code, id=f"{section}-{i}", marks=[pytest.mark.integration] if section in SEPARATE else []
    )
    for i, (section, code) in enumerate(PYTHON)
    if section not in SEPARATE or importlib.util.find_spec(SEPARATE[section])
]


def block(section: str, language: str) -> str:
    """Return a section's block of a language."""
    code: str
    (code,) = [text for name, kind, text in BLOCKS if (name, kind) == (section, language)]
    return code


def test_every_tool_has_its_section_and_its_file() -> None:
    assert here == ["Python"] * 3 + ["pytest", "pandas", "datasets", "evaluate", "torchmetrics"]
    assert {section for section, _, _ in BLOCKS} == {*here, *SEPARATE}
    files = {path.stem for path in (PAGE.parents[1] / "src/mars_score/integrations").glob("*.py")}
    assert files == {"__init__", "evaluate", "torchmetrics", *SEPARATE.values()}


@pytest.mark.parametrize(("section", "code"), RUN)
def test_the_code_runs(section: str, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    names: dict[str, Any] = {"__name__": "page"}
    with ThreadPoolExecutor(
        1
    ) as pool:  # an earlier test's browser may have left an event loop in this thread
        pool.submit(exec, compile(code, f"{PAGE.name} ({section})", "exec"), names).result()
    if section == "Python" and "save" in code:
        said = re.search(r"mean (\d\.\d)\.\.\., scores", code)
        assert said is not None
        assert repr(names["result"]).startswith(f"ScoreResult(mars: mean {said[1]}")
