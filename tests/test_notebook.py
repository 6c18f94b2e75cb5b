"""examples/tour.ipynb runs from top to bottom, and shows what it says that it shows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output
from traitlets.config import Config

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.models

TOUR = json.loads((Path(__file__).parents[1] / "examples" / "tour.ipynb").read_text("utf-8"))


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    """What runs the cells of a notebook, without its server."""
    yield InteractiveShell.instance(config=Config({"HistoryManager": {"enabled": False}}))
    InteractiveShell.clear_instance()


def test_the_tour(shell: InteractiveShell) -> None:
    cells = ["".join(cell["source"]) for cell in TOUR["cells"] if cell["cell_type"] == "code"]
    shown, results = {}, {}
    for code in cells:
        with capture_output() as said:
            run = shell.run_cell(code)
        run.raise_error()
        shown[code.splitlines()[0]], results[code.splitlines()[0]] = said, run.result
    good, _, unrelated = shell.user_ns["result"].scores
    assert good > unrelated
    assert shell.user_ns["result"][1].copied > 0.9
    (explanation,) = shown["result[0].show()"].outputs
    assert explanation.data["text/html"].startswith("<div><iframe srcdoc=")
    assert "Ines crossed the river" in explanation.data["text/html"]
    without_references = results['for metric in ("mars", "mars_paper", "rougeL"):']
    assert "<b>mars_context</b> of 3 candidates" in without_references._repr_html_()
    assert "is below 0.5" in shown["from mars_score.testing import assert_score"].stdout


def test_the_file_has_no_outputs() -> None:
    """They would go stale."""
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in TOUR["cells"])
