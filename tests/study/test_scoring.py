"""What is known is not computed again, and an interruption loses at most a chunk."""

from __future__ import annotations

import signal
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from mars_score.fingerprint import ALGORITHM, number
from mars_score.metrics.registry import METRICS, make_metric
from mars_score.study import scoring
from mars_score.study.disagreements import disagreements
from mars_score.study.scoring import count_missing, make_work, score_works
from mars_score.study.store import ScoreStore
from tests.study.toy_mars import toy_scorer
from tests.study.toys import Counting, dataset, modelless_scorer, register, with_candidate

if TYPE_CHECKING:
    from pathlib import Path

    from mars_score.io.datasets.base import Dataset
    from mars_score.mars.scorer import MarsScorer
    from mars_score.study.scoring import DatasetScores

DATA = dataset()
ATTACKS = ("reorder", "truncation")


def run(
    store: ScoreStore, *metrics: str, data: Dataset = DATA, attacks: tuple[str, ...] = (), seed: int = 0,
    scorer: MarsScorer | None = None, sweep: bool = False,
) -> DatasetScores:  # fmt: skip
    work = make_work(data, scorer or modelless_scorer(), metrics, attacks, seed, sweep=sweep)
    expected = count_missing(work, store)
    finished: list[int] = []
    (result,) = score_works([work], store, finished=finished.append)
    assert sum(finished) == expected
    assert count_missing(work, store) == 0
    return result


def test_scores_are_the_metrics_own(store: ScoreStore) -> None:
    result = run(store, "rougeL", "candidate_length", "ter", attacks=ATTACKS)
    for info in result.metrics:
        metric = make_metric(info.name, modelless_scorer())
        assert info.signature == metric.signature
        assert info.higher_is_better == metric.higher_is_better
        assert [row.score for row in result.rows[info.name]] == [v.score for v in metric.score(DATA.examples)]
        for attack, entries in zip(result.attacks, result.attacked[info.name], strict=True):
            assert [entry.score for entry in entries] == [v.score for v in metric.score(attack.examples)]
    assert [attack.attack for attack in result.attacks] == list(ATTACKS)
    assert result.oriented(result.metrics[2]) == [-(row.score or 0) for row in result.rows["ter"]]


def test_an_added_metric_computes_only_itself(store: ScoreStore, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = (register(monkeypatch, Counting(f"count_{letter}", letter)) for letter in "ea")
    run(store, "count_e", attacks=ATTACKS)
    asked = len(first.asked)
    assert asked > len(DATA)
    result = run(store, "count_a", "count_e", attacks=ATTACKS)
    assert len(first.asked) == asked
    assert sorted(second.asked) == sorted(first.asked)
    assert [info.name for info in result.metrics] == ["count_a", "count_e"]


def test_an_added_data_set_and_an_added_attack_compute_only_themselves(
    store: ScoreStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    metric = register(monkeypatch, Counting("count"))
    run(store, "count")
    metric.asked.clear()
    run(store, "count", data=replace(DATA, name="renamed"))
    assert metric.asked == []
    run(store, "count", attacks=("truncation",))
    assert 0 < len(metric.asked) <= len(DATA)
    metric.asked.clear()
    run(store, "count", data=dataset(3, "other", seed=5))
    assert len(metric.asked) <= 9


def test_only_the_changed_row_is_computed_again(store: ScoreStore, monkeypatch: pytest.MonkeyPatch) -> None:
    metric = register(monkeypatch, Counting("count"))
    run(store, "count")
    metric.asked.clear()
    result = run(store, "count", data=with_candidate(DATA, 4, "eee"))
    assert metric.asked == [DATA.rows[4].id]
    assert result.rows["count"][4].score == 3.0


def test_equal_texts_are_scored_once(store: ScoreStore, monkeypatch: pytest.MonkeyPatch) -> None:
    metric = register(monkeypatch, Counting("count"))
    twice = replace(
        DATA,
        rows=(*DATA.rows, *(replace(r, example=replace(r.example, id=f"again {r.id}")) for r in DATA.rows)),
    )
    result = run(store, "count", data=twice)
    assert len(metric.asked) == len({(r.example.candidate, r.item) for r in DATA})
    assert result.rows["count"][: len(DATA)] == result.rows["count"][len(DATA) :]


def test_an_engine_that_looks_ahead_is_not_asked_twice(
    store: ScoreStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Equal texts in different chunks, all planned before a single score is saved."""
    monkeypatch.setattr(scoring, "CHUNK", 5)
    register(monkeypatch, Counting("count"))
    twice = replace(DATA, rows=(*DATA.rows, *DATA.rows[:7]))
    work = make_work(twice, modelless_scorer(), ["count"], (*ATTACKS, "copy_reference"), 0)
    chunks = list(scoring._all_chunks([work], store))
    keys = [key for chunk in chunks for ask in chunk.asks for key in ask.rows]
    assert len(chunks) > 1
    assert len(keys) == len(set(keys)) == count_missing(work, store)


def test_an_interruption_keeps_the_chunks_before_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoring, "CHUNK", 5)
    metric = register(monkeypatch, Counting("count", fail_after=12))
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's job in the background ignores it
    with ScoreStore(folder) as store, pytest.raises(KeyboardInterrupt):
        run(store, "count")
    assert len(metric.asked) == 10
    metric.fail_after = None
    with ScoreStore(folder) as store:
        result = run(store, "count")
    assert len(metric.asked) == len(set(metric.asked)) == len(DATA)
    assert [row.score for row in result.rows["count"]] == [
        float(e.candidate.count("e")) for e in DATA.examples
    ]


def test_the_size_of_chunks_changes_no_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results = []
    for size in (1, 7, 1000):
        monkeypatch.setattr(scoring, "CHUNK", size)
        with ScoreStore(tmp_path / str(size)) as store:
            scores = run(store, "mars", "random", attacks=ATTACKS, scorer=toy_scorer(), sweep=True)
        results.append(
            (
                {name: [entry.score for entry in entries] for name, entries in scores.rows.items()},
                {name: [[e.score for e in item] for item in each] for name, each in scores.attacked.items()},
                scores.cosines,
            )
        )
    assert results[0] == results[1] == results[2]


def test_a_second_run_loads_no_model(store: ScoreStore, monkeypatch: pytest.MonkeyPatch) -> None:
    """The metric's maker would load a model, and MARS has none in the second run."""
    register(monkeypatch, Counting("count"), models=("encoder",))
    first = run(store, "mars", "count", attacks=ATTACKS, scorer=toy_scorer(), sweep=True)
    explained = disagreements(first, "mars", 3, store)

    def refuse(*_: object) -> None:
        raise AssertionError("a model was loaded")

    refusing = register(monkeypatch, Counting("count"), models=("encoder",))
    monkeypatch.setattr(refusing, "score", refuse)
    scorer = toy_scorer()
    for part in ("tagger", "infiller", "encoder"):
        monkeypatch.setattr(type(scorer.parts), part, refuse)
    second = run(store, "mars", "count", attacks=ATTACKS, scorer=scorer, sweep=True)
    assert (second.rows, second.attacked, second.metrics) == (first.rows, first.attacked, first.metrics)
    assert second.cosines == first.cosines
    assert disagreements(second, "mars", 3, store) == explained
    assert explained[0].terms


def test_a_metric_with_models_is_not_even_made(store: ScoreStore, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[str] = []
    metric = register(monkeypatch, Counting("count"), models=("encoder",))

    def make(name: str, scorer: MarsScorer) -> Counting:
        made.append(name)
        return metric

    monkeypatch.setitem(METRICS, "count", replace(METRICS["count"], make=make))
    run(store, "count")
    assert made == ["count"]
    run(store, "count")
    assert made == ["count"]
    run(store, "count", scorer=modelless_with(q=0.5))
    assert made == ["count"] * 2  # other settings may be another metric: its signature is asked for anew


def modelless_with(**options: float) -> MarsScorer:
    return modelless_scorer().with_options(**options)


def test_other_settings_are_other_scores(store: ScoreStore) -> None:
    result = run(store, "mars", scorer=toy_scorer())
    other = run(store, "mars", scorer=toy_scorer(ratios=(0.8,), q=1.0))
    assert [e.score for e in result.rows["mars"]] != [e.score for e in other.rows["mars"]]
    direct = toy_scorer(ratios=(0.8,), q=1.0).score_examples(DATA.examples)
    assert [e.score for e in other.rows["mars"]] == direct.scores


def test_references_are_augmented_once(store: ScoreStore) -> None:
    scorer = toy_scorer()
    run(store, "mars", attacks=ATTACKS, scorer=scorer)
    assert scorer.parts.guided_fill.requests == 8 + 1  # type: ignore[attr-defined]  # the items, and the warm-up


@pytest.mark.parametrize(
    ("changed", "computed"),
    [("augment", ["mars", "mars_no_plan"]), ("score", ["mars", "mars_no_plan", "naive"]), ("naive", ["naive"]),
     ("bleu4", ["bleu4"])],
)  # fmt: skip
def test_scores_of_another_algorithm_are_not_reused(
    store: ScoreStore, monkeypatch: pytest.MonkeyPatch, changed: str, computed: list[str]
) -> None:
    """A folder never mixes what two algorithms gave: all that passes the changed one is computed anew."""
    metrics = ("mars", "mars_no_plan", "naive", "bleu4", "random")
    before = run(store, *metrics, scorer=toy_scorer(), sweep=True)
    monkeypatch.setitem(ALGORITHM, changed, number(changed) + 1)
    works = {name: make_work(DATA, toy_scorer(), [name], (), 0) for name in metrics}
    missing = {name: count_missing(work, store) for name, work in works.items()}
    assert missing == {name: len(DATA) if name in computed else 0 for name in metrics}
    swept = make_work(DATA, toy_scorer(), [], (), 0, sweep=True)
    assert count_missing(swept, store) == (len(DATA) if "mars" in computed else 0)
    after = run(store, *metrics, scorer=toy_scorer(), sweep=True)
    for old, new in zip(before.metrics, after.metrics, strict=True):
        assert (old.signature != new.signature) == (new.name in computed)


def test_a_release_with_the_same_algorithms_keeps_every_score(
    store: ScoreStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(store, "mars", "bleu4", scorer=toy_scorer(), sweep=True)
    monkeypatch.setattr("importlib.metadata.version", lambda name: "9.9.9")
    for module in [name for name in sys.modules if name.partition(".")[0] == "mars_score"]:
        if hasattr(sys.modules[module], "__version__"):
            monkeypatch.setattr(f"{module}.__version__", "9.9.9")
    assert count_missing(make_work(DATA, toy_scorer(), ["mars", "bleu4"], (), 0, sweep=True), store) == 0


def test_with_idf_from_the_corpus_scores_belong_to_the_data_set(store: ScoreStore) -> None:
    scorer = toy_scorer(idf="corpus")
    whole = run(store, "mars", "random", scorer=scorer)
    direct = toy_scorer(idf="corpus").score_examples(DATA.examples)
    assert [e.score for e in whole.rows["mars"]] == direct.scores
    part = replace(DATA, rows=DATA.rows[:9])
    work = make_work(part, toy_scorer(idf="corpus"), ["mars", "random"], (), 0)
    assert (
        count_missing(work, store) == 9
    )  # of MARS, since words are rarer in a smaller corpus; not of the other


def test_flags_and_undefined_scores(store: ScoreStore, monkeypatch: pytest.MonkeyPatch) -> None:
    register(monkeypatch, Counting("count", undefined=frozenset([DATA.rows[2].id])))
    data = with_candidate(DATA, 3, "see https://example.org there")
    result = run(store, "count", data=data)
    assert (result.rows["count"][2].score, result.rows["count"][2].flags) == (None, ("empty_candidate",))
    assert result.rows["count"][3].flags == ("cleaned",)
    assert result.rows["count"][3].score == 4.0
