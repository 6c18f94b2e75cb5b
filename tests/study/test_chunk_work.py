"""What a worker in another process computes is what this process computes."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from mars_score.errors import EngineError
from mars_score.progress import silent_stages
from mars_score.study.scoring import make_work
from mars_score.study.worker import Ask, Chunk, ChunkWork, WorkerDataset
from tests.study.toy_mars import ToyParts, toy_scorer
from tests.study.toys import dataset

if TYPE_CHECKING:
    from mars_score.mars.scorer import MarsScorer

DATA = [dataset(6, "first"), dataset(3, "second", seed=2)]


class Places(ToyParts):
    """Toys that say where they are, as the real parts do."""

    device, memory = "cpu", 1 << 20


def scorer_with(parts: ToyParts, **options: Any) -> MarsScorer:
    scorer = toy_scorer(**options)
    scorer.parts = parts  # type: ignore[assignment]
    return scorer


def chunk_work(**options: Any) -> ChunkWork:
    works = [make_work(data, scorer_with(Places(), **options), ["mars", "rougeL"], (), 0) for data in DATA]
    return ChunkWork(
        tuple(WorkerDataset(work.dataset.name, work.scorer.corpus) for work in works),
        tuple((work.scorer, work.metrics) for work in works),
    )


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[ToyParts]:
    """What a worker makes is a toy; each that is made is noted."""
    parts: list[ToyParts] = []

    def make(**arguments: Any) -> MarsScorer:
        parts.append(Places())
        return scorer_with(parts[-1], config=arguments["config"])

    monkeypatch.setattr("mars_score.run.work.ScorerRecipe.scorer", lambda recipe: make(**recipe.arguments))
    return parts


def chunks(work: ChunkWork) -> list[Chunk]:
    return [
        Chunk(
            index,
            (
                Ask(
                    {str(row).encode(): example for row, example in enumerate(DATA[index].examples)},
                    metric,
                    ""
                    if metric is None
                    else next(lazy.metric.signature for lazy in metrics if lazy.name == metric),
                ),
            ),
        )
        for index, (_, metrics) in enumerate(work.made)
        for metric in ("mars", "rougeL", None)
    ]


@pytest.mark.parametrize("idf", ["background", "corpus"])
def test_another_process_computes_the_same(made: list[ToyParts], idf: str) -> None:
    here = chunk_work(idf=idf)
    there = pickle.loads(pickle.dumps(here))
    assert there.made == ()
    local, remote = here(silent_stages), there(silent_stages)
    for chunk in chunks(here):
        mine, its = local(chunk), remote(pickle.loads(pickle.dumps(chunk)))
        assert [(key, score.score, score.flags) for key, score in mine.scores.items()] == [
            (key, score.score, score.flags) for key, score in its.scores.items()
        ]
        assert mine.cosines == its.cosines
        assert len(mine.scores) + len(mine.cosines) == len(chunk)
    assert len(made) == 1, "the data sets share their models"


def test_the_corpus_travels(made: list[ToyParts]) -> None:
    there = pickle.loads(pickle.dumps(chunk_work(idf="corpus")))
    names = {scorer.idf_for([]).name for scorer in there._scorers()}
    assert names == {scorer.idf_for([]).name for scorer, _ in chunk_work(idf="corpus").made}
    assert len(names) == 2
    assert [dataset.corpus for dataset in pickle.loads(pickle.dumps(chunk_work())).datasets] == [None, None]


def test_a_worker_of_another_version_is_refused(made: list[ToyParts]) -> None:
    here = chunk_work()
    work = pickle.loads(pickle.dumps(here))(silent_stages)
    chunk = chunks(here)[1]
    (ask,) = chunk.asks
    other = Chunk(chunk.dataset, (replace(ask, signature=ask.signature.replace("rouge", "rogue", 1)),))
    with pytest.raises(EngineError, match="a worker's rougeL is not the one that was asked for"):
        work(other)


def test_progress_names_the_data_set() -> None:
    stages: list[str] = []
    here = chunk_work()
    work = here(lambda stage, done, total: stages.append(stage))
    for chunk in chunks(here):
        work(chunk)
    assert {stage.split(":")[0] for stage in stages} == {"first", "second"}
    assert any(stage.startswith("second: masking ratios: ") for stage in stages)
