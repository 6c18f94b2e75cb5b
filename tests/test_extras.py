"""What a plain install does not bring is named with the extra that has it."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from mars_score.errors import EXTRAS, ConfigError, missing_extra

ROOT = Path(__file__).parents[1]
ABSENT = """
import sys
for name in {absent!r}:
    sys.modules[name] = None  # as if it were not installed
sys.argv = ["mars-score", *{arguments!r}]
from mars_score.cli.main import run
run()
"""
ROW = '{"candidate": "A dog barked.", "references": ["The dog barked."], "context": "At night."}\n'


def run(tmp_path: Path, absent: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    (tmp_path / "rows.jsonl").write_text(ROW, encoding="utf-8")
    code = ABSENT.format(absent=[absent], arguments=arguments)
    return subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    ("absent", "metric"), [("sacrebleu", "bleu1"), ("sacrebleu", "chrf"), ("rouge_score", "rougeL")]
)
def test_a_metric_names_its_extra(tmp_path: Path, absent: str, metric: str) -> None:
    done = run(tmp_path, absent, "score", "rows.jsonl", "--metric", metric)
    assert done.returncode == 2
    assert f"error: this needs {absent}, which is not installed" in done.stderr
    assert "remedy: pip install 'mars-score[baselines]'" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_comparison_names_its_extra(tmp_path: Path) -> None:
    for name in "ab":
        (tmp_path / f"{name}.jsonl").write_text('{"id": "1", "scores": {"mars": 0.5}, "flags": []}\n')
    done = run(tmp_path, "scipy", "compare", "a.jsonl", "b.jsonl")
    assert done.returncode == 2
    assert "remedy: pip install 'mars-score[study]'" in done.stderr


def test_other_modules_are_no_business_of_ours() -> None:
    error = ModuleNotFoundError("No module named 'elsewhere'", name="elsewhere")
    assert missing_extra(error) is error


def test_every_extra_exists_and_the_plain_install_does_without() -> None:
    tomllib = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    packages = {"rouge_score": "rouge-score", "ot": "pot", "MeCab": "mecab-python3"}
    for module, extra in EXTRAS.items():
        package = packages.get(module, module)
        assert any(line.startswith(package) for line in project["optional-dependencies"][extra]), module
        assert not any(line.startswith(package) for line in project["dependencies"]), module
        assert isinstance(missing_extra(ModuleNotFoundError(name=module)), ConfigError)
