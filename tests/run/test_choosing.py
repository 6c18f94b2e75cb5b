from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click
import pytest
from click.testing import CliRunner

from mars_score.cli.options import engine_options, take_engine
from mars_score.errors import ConfigError, MarsError
from mars_score.run.base import ENGINES, LocalEngine, make_engine
from mars_score.run.ray import RayEngine

if TYPE_CHECKING:
    from typing import Any


def test_every_engine_can_be_made() -> None:
    assert [type(make_engine(name)).__name__ for name in ENGINES] == ["LocalEngine", "RayEngine"]


def test_a_misspelt_name() -> None:
    with pytest.raises(
        ConfigError, match=r"unknown engine 'rey'; there are local, ray\. Did you mean 'ray'\?"
    ):
        make_engine("rey")


def test_a_missing_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=r"needs the package ray.*\n.*pip install 'mars-score\[ray\]'"):
        make_engine("ray")
    assert isinstance(make_engine("local"), LocalEngine)


def chosen(*arguments: str, device: str = "cpu") -> Any:
    engines: list[Any] = []

    @click.command()
    @engine_options
    def command(**values: Any) -> None:
        values["device"] = device
        engines.append(take_engine(values))
        assert set(values) == {"device"}

    result = CliRunner().invoke(command, arguments)
    if isinstance(result.exception, MarsError):
        raise result.exception
    assert result.exit_code == 0, result.output
    return engines[0]


def test_the_options_of_commands() -> None:
    assert isinstance(chosen(), LocalEngine)
    engine = chosen("--engine", "ray", "--address", "10.0.0.1:6379", "--workers", "3")
    assert isinstance(engine, RayEngine)
    assert (engine.address, engine.workers, engine.threads, engine.gpus) == ("10.0.0.1:6379", 3, 1, 0)
    assert chosen("--engine", "ray", device="cuda").gpus == 1


@pytest.mark.parametrize("option", [("--address", "10.0.0.1:6379"), ("--workers", "2")])
def test_options_of_a_cluster_without_one(option: tuple[str, str]) -> None:
    with pytest.raises(ConfigError, match=f"{option[0]} is for --engine ray"):
        chosen(*option)


def test_choosing_does_not_import_ray() -> None:
    import subprocess

    code = "import sys, mars_score.run.base as c; c.make_engine('ray'); assert 'ray' not in sys.modules"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
