"""The commands around the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from mars_score.cli.models import models
from mars_score.errors import IntegrityError, ModelError
from mars_score.models import store as store_module

from .fakes import CATALOGUE, fill_archives

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MARS_SCORE_HOME", str(tmp_path))
    monkeypatch.setattr(store_module, "default_catalogue", lambda: CATALOGUE)
    monkeypatch.setenv("COLUMNS", "120")
    fill_archives(tmp_path)
    return tmp_path


def run(*arguments: str) -> str:
    result = CliRunner().invoke(models, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    return result.stdout


def test_get_without_a_name_gets_the_defaults(root: Path) -> None:
    assert run("get").split() == [str(root / name) for name in ("tiny", "from-npm", "split")]


def test_the_way_of_a_model(root: Path) -> None:
    assert run("get", "tiny") == f"{root / 'tiny'}\n" == run("path", "tiny")
    assert run("verify") == "tiny: ok\n"
    shown = next(line for line in run("list").splitlines() if line.startswith("tiny "))
    assert all(item in shown for item in ("encoder", "7 kB", "MIT", "yes", "ready"))
    assert run("remove", "tiny", "split") == "tiny: removed\nsplit: was not here\n"
    with pytest.raises(ModelError, match="models get tiny"):
        run("path", "tiny")


def test_verify_fails_on_a_damaged_model(root: Path) -> None:
    (root / run("get", "tiny").strip() / "LICENSE").write_text("another text!!")
    with pytest.raises(IntegrityError, match="not as recorded: tiny"):
        run("verify")


def test_terms(root: Path) -> None:
    with pytest.raises(ModelError, match="Be kind"):
        run("get", "guarded")
    run("get", "--accept-terms", "guarded")


def test_progress_goes_to_standard_error(root: Path) -> None:
    result = CliRunner().invoke(models, ["get", "tiny"])
    assert result.stdout == f"{root / 'tiny'}\n"
    assert "checking tiny_model-1.0-py3-none-any.whl (7 kB)" in result.stderr
