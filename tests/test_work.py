"""What a worker does survives pickling; models stay where they are."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pytest

from mars_score.errors import EngineError
from mars_score.fingerprint import ALGORITHM
from mars_score.io.examples import distinct_references
from mars_score.mars.scorer import MarsScorer
from mars_score.metrics.registry import make_metric
from mars_score.progress import silent_stages
from mars_score.run.work import AugmentWork, ScorerRecipe, ScoreWork
from mars_score.types import Example

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLES = [
    Example("a", "The mill burned down.", ("The old mill burned to the ground.",)),
    Example("b", "Nobody.", ("Nobody was hurt.", "All were safe."), "The mill burned."),
]


def test_the_same_rows_before_and_after() -> None:
    names = ("bleu1", "candidate_length")
    work = ScoreWork(ScorerRecipe.of(MarsScorer()), names)
    made = work(silent_stages)(EXAMPLES)
    travelled = pickle.loads(pickle.dumps(work))
    assert travelled(silent_stages)(EXAMPLES).rows == made.rows
    assert [row.id for row in made.rows] == ["a", "b"]
    assert list(made.rows[0].scores) == list(names)
    assert made.seconds > 0
    assert made.peak_memory > 1 << 20


def test_what_was_made_is_used_here_and_left_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARS_SCORE_CACHE_SIZE", "1M")

    class Unpicklable:
        def __reduce__(self) -> Any:
            raise AssertionError("a model was pickled")

    scorer = MarsScorer(q=0.9, memory=1 << 28, cache=tmp_path)
    scorer.__dict__["encoder"] = Unpicklable()
    metric = make_metric("candidate_length", scorer)
    work = ScoreWork(ScorerRecipe.of(scorer), ("candidate_length",), made=(metric,))
    assert work.recipe.scorer() is scorer
    travelled = pickle.loads(pickle.dumps(work))
    assert travelled.made == ()
    other = travelled.recipe.scorer()
    assert other is not scorer
    assert (other.config, other.parts.memory) == (scorer.config, 1 << 28)
    assert other.augmentations.cache.folder == tmp_path
    assert "encoder" not in vars(other)


def test_each_machine_has_its_own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MARS_SCORE_CACHE_SIZE", "1M")
    monkeypatch.setenv("MARS_SCORE_CACHE", str(tmp_path / "here"))
    recipe = pickle.dumps(ScorerRecipe.of(MarsScorer()))
    monkeypatch.setenv("MARS_SCORE_CACHE", str(tmp_path / "there"))
    cache = pickle.loads(recipe).scorer().augmentations.cache
    assert cache.folder == tmp_path / "there"


def test_a_worker_with_another_algorithm_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    scorer = MarsScorer()
    made = tuple(make_metric(name, scorer) for name in ("bleu1", "candidate_length"))
    travelled = pickle.dumps(ScoreWork(ScorerRecipe.of(scorer), ("bleu1", "candidate_length"), made=made))
    assert pickle.loads(travelled)(silent_stages)(EXAMPLES).rows
    assert pickle.loads(pickle.dumps(pickle.loads(travelled))).expected == tuple(
        metric.signature for metric in made
    )
    monkeypatch.setitem(ALGORITHM, "bleu1", 9)
    with pytest.raises(EngineError, match=r"a worker.s bleu1 is not the one that was asked for"):
        pickle.loads(travelled)(silent_stages)


def test_a_worker_with_another_model_augments_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as here:
        here.setattr(MarsScorer, "signature", "that of this process")
        travelled = pickle.dumps(AugmentWork(ScorerRecipe.of(MarsScorer())))
    other = pickle.loads(travelled)
    assert other.expected == "that of this process"
    with pytest.raises(EngineError, match="a worker's mars is not the one that was asked for"):
        other(silent_stages)


def test_strict_travels() -> None:
    work = ScoreWork(ScorerRecipe.of(MarsScorer()), ("bleu1",), strict=True)
    worker = pickle.loads(pickle.dumps(work))(silent_stages)
    with pytest.raises(Exception, match="item 'c' is flagged"):
        worker([Example("c", "", ("Nobody was hurt.",))])


def test_distinct_references() -> None:
    rows = [
        EXAMPLES[1],
        Example(
            "c", "Another candidate.", ("Nobody was hurt. #relief", "Nobody was hurt."), "The mill burned."
        ),
        Example("d", "", ("Nobody was hurt.",), "The mill burned.", "burned."),
    ]
    result = list(distinct_references(rows * 200))
    assert [(example.id, example.context, example.references, example.question) for example in result] == [
        ("1", "The mill burned.", ("Nobody was hurt.",), ""),
        ("2", "The mill burned.", ("All were safe.",), ""),
        ("3", "The mill burned.", ("Nobody was hurt.",), "burned."),
    ]
