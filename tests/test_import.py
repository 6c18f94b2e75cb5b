"""Importing the package is cheap, silent and offline, and its public names are these."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import mars_score
from mars_score.mars.scorer import MarsScorer

PUBLIC = [
    "AsyncScorer",
    "Augmentation",
    "AugmentedReference",
    "Block",
    "Comparison",
    "ConfigError",
    "EngineError",
    "Example",
    "FetchError",
    "InfillingConfig",
    "InputError",
    "IntegrityError",
    "ItemScore",
    "MarsConfig",
    "MarsError",
    "MarsScorer",
    "MaskingConfig",
    "ModelError",
    "OutputError",
    "PRESETS",
    "ScoreResult",
    "ScoringConfig",
    "Template",
    "__version__",
    "make_metric",
    "preset",
    "score",
    "score_all",
]
HEAVY = (
    "torch", "transformers", "spacy", "sentence_transformers", "textblob", "wordfreq", "huggingface_hub", "nltk",
    "sacrebleu", "rouge_score", "scipy", "ot", "ray",
)  # fmt: skip
OFFLINE = """
import socket
import sys

def refuse(*_, **__):
    raise AssertionError("a connection was opened")

socket.socket.connect = socket.create_connection = socket.getaddrinfo = refuse
class Refused(socket.socket):
    def __init__(self, *_, **__):
        refuse()
socket.socket = Refused
"""


def loaded_after(code: str, *arguments: str) -> set[str]:
    """Run code in a process that cannot reach a network; return the modules that it leaves imported."""
    script = f"{OFFLINE}\n{code}\nprint(*sys.modules)"
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", script, *arguments],
        check=False, capture_output=True, env=environment, encoding="utf-8",
    )  # fmt: skip
    assert done.stderr == ""
    assert done.returncode == 0
    return set(done.stdout.splitlines()[-1].split())


def test_importing_the_package_loads_no_library() -> None:
    loaded = loaded_after("import mars_score")
    assert "mars_score.config" in loaded
    assert loaded & {*HEAVY, "numpy", "pyarrow", "click", "rich", "mars_score.mars.scorer"} == set()


def test_making_a_scorer_loads_no_model_library() -> None:
    loaded = loaded_after("import mars_score\nscorer = mars_score.MarsScorer('story', q=0.9, memory=1)")
    assert "mars_score.mars.scorer" in loaded
    assert loaded & set(HEAVY) == set()


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], ["score", "--help"], ["augment", "--help"], ["metrics"]]
)
def test_help_loads_no_library(arguments: list[str]) -> None:
    loaded = loaded_after("from mars_score.cli.main import run\nrun()", *arguments)
    assert "click" in loaded
    assert loaded & {*HEAVY, "numpy", "pyarrow", "mars_score.mars.scorer"} == set()


def test_the_watch_sees_what_is_loaded() -> None:
    assert "wordfreq" in loaded_after("import wordfreq")
    with pytest.raises(AssertionError, match="a connection was opened"):
        loaded_after("import socket\nsocket.socket()")


def test_public_names() -> None:
    assert sorted(mars_score.__all__) == PUBLIC
    assert all(hasattr(mars_score, name) for name in PUBLIC)


def test_the_scorer_is_found_when_asked_for() -> None:
    assert mars_score.MarsScorer is MarsScorer
    names: dict[str, object] = {}
    exec("from mars_score import *", names)
    assert names["MarsScorer"] is MarsScorer


def test_a_name_that_is_not_there() -> None:
    with pytest.raises(AttributeError, match="module 'mars_score' has no attribute 'MarsScore'"):
        mars_score.MarsScore  # noqa: B018
    assert not hasattr(mars_score, "scores")


def test_errors_have_one_root() -> None:
    for name in PUBLIC:
        if name.endswith("Error"):
            assert issubclass(getattr(mars_score, name), mars_score.MarsError)
