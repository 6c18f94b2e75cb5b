"""The Python interface: one call, results that travel, scorers that can be shared, pickled and awaited."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, TypeVar

import datasets
import IPython
import numpy as np
import pandas as pd
import pytest
from datasets.fingerprint import Hasher

import mars_score
from mars_score.api import describe, shared_scorer
from mars_score.errors import ConfigError, InputError, ModelError
from mars_score.io.output import read_signatures
from mars_score.mars.scorer import MarsScorer
from mars_score.types import Example, ItemScore, ScoreResult
from mars_score.web.explain import notebook

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path

pytestmark = pytest.mark.models

CANDIDATES = ["The baker gave it to the dog.", "She sold it to a tourist.", "", "Trains run hourly."]
REFERENCES: list[Any] = [
    "The dog got the last loaf.",
    ["A tourist bought the last loaf.", "She sold it."],
    "x y",
    "A b.",
]
CONTEXTS = ["One loaf was left at noon. A dog waited.", "One loaf was left at noon.", "", "It is late."]


@pytest.fixture(scope="module")
def result() -> ScoreResult:
    return mars_score.score(CANDIDATES, REFERENCES, CONTEXTS)


def test_one_call_is_the_scorer_s_own(result: ScoreResult) -> None:
    scored = MarsScorer().score(candidates=CANDIDATES, references=REFERENCES, contexts=CONTEXTS)
    assert result == scored
    assert result.scores == scored.scores
    assert [item.example.candidate for item in result if item.example] == CANDIDATES


def test_columns_of_other_libraries_give_the_same_numbers(result: ScoreResult) -> None:
    table = datasets.Dataset.from_dict({"candidate": CANDIDATES, "context": CONTEXTS})
    for candidates, contexts in (
        (pd.Series(CANDIDATES), pd.Series(CONTEXTS)),
        (np.array(CANDIDATES), np.array(CONTEXTS)),
        (iter(CANDIDATES), tuple(CONTEXTS)),
        (table["candidate"], table["context"]),
    ):
        assert mars_score.score(candidates, REFERENCES, contexts).scores == result.scores


def test_models_are_loaded_once_for_all_calls() -> None:
    assert shared_scorer() is shared_scorer()
    assert shared_scorer(q=0.9) is not shared_scorer()
    corpus = [Example("1", "a", ("b",))]
    assert shared_scorer(corpus=corpus) is not shared_scorer(corpus=corpus)


@pytest.mark.parametrize("call", [mars_score.score, MarsScorer().score])
def test_wrong_names(call: Any) -> None:
    for names in (
        {"predictions": ["a"], "references": ["b"]},
        {"candidates": ["a"], "references": ["b"], "sources": ["c"]},
    ):
        with pytest.raises(TypeError, match="Did you mean"):
            call(**names)
    with pytest.raises(TypeError, match=r"'context'\. Did you mean 'contexts'"):
        call(["a"], ["b"], context=["c"])
    with pytest.raises(TypeError, match="needs candidates"):
        call(references=["b"])


def test_options_and_metrics(result: ScoreResult) -> None:
    assert mars_score.score(CANDIDATES, REFERENCES, CONTEXTS, q=0.5).signature != result.signature
    words = mars_score.score(CANDIDATES, REFERENCES, metric="ter")
    assert (words.metric, words.higher_is_better) == ("ter", False)
    assert words.signature.startswith("ter:")
    with pytest.raises(InputError, match=r"has no reference, and mars compares(.|\n)*mars_context"):
        mars_score.score(CANDIDATES, contexts=CONTEXTS)
    with pytest.raises(InputError, match=r"has no reference, and ter compares"):
        mars_score.score(CANDIDATES, contexts=CONTEXTS, metric="ter")


def test_without_references_there_is_another_metric(result: ScoreResult) -> None:
    alone = mars_score.score(CANDIDATES, contexts=CONTEXTS, metric="mars_context")
    assert alone.metric == "mars_context"
    assert alone.signature.startswith("mars_context:")
    assert all(0 <= score <= 1 for score in alone.scores)
    assert not set(alone.scores[:2]) & set(result.scores)
    undefined = mars_score.score(["Trains run."], contexts=[""], metric="mars_context")
    assert undefined.to_dict()["items"][0]["score"] is None
    assert undefined[0].flags == ("no_context",)


def test_questions_are_never_cut() -> None:
    given = mars_score.score(
        ["At noon."], ["It was noon."], ["The bell rang twelve times."], ["When did it ring?"]
    )
    example = Example(
        "1",
        "At noon.",
        ("It was noon.",),
        "The bell rang twelve times.\nWhen did it ring?",
        "When did it ring?",
    )
    assert given[0].example == example
    assert given.scores == MarsScorer().score_examples([example]).scores


def test_progress_is_shown_and_told(capfd: pytest.CaptureFixture[str]) -> None:
    mars_score.score(["A new text."], ["Some other text."], progress=True)
    shown = capfd.readouterr()
    assert shown.out == ""
    assert "encoding" in shown.err
    told: list[str] = []
    mars_score.score(
        ["A newer text."], ["Yet another text of a few words."], progress=lambda stage, *_: told.append(stage)
    )
    assert {"masking", "infilling", "encoding"} <= set(told)


def test_wrong_models_and_devices_are_refused_at_once() -> None:
    with pytest.raises(ModelError, match="unknown model 'smollm'"):
        MarsScorer(lm="smollm")
    with pytest.raises(ModelError, match=r"unknown model 'minilm'.*Did you mean 'minilm-l6'"):
        MarsScorer(encoder="minilm")
    with pytest.raises(ConfigError, match="device cuda:99"):
        MarsScorer(device="cuda:99")
    with pytest.raises(ConfigError, match="device gpu"):
        MarsScorer(device="gpu")


def test_results_as_data(result: ScoreResult, tmp_path: Path) -> None:
    data = result.to_dict()
    assert json.loads(json.dumps(data)) == data
    assert [row["score"] for row in data["items"]] == result.scores
    assert data["items"][0]["augmented"][0]["text"] == REFERENCES[0]
    frame = result.to_pandas()
    assert list(frame["mars"]) == result.scores
    assert list(frame.candidate) == CANDIDATES
    assert frame.attrs["signature"] == result.signature
    assert ScoreResult((), "s").to_pandas().empty
    for suffix in ("json", "jsonl", "csv", "tsv", "parquet"):
        result.save(tmp_path / f"scores.{suffix}")
    assert json.loads((tmp_path / "scores.json").read_text("utf-8")) == data
    lines = (tmp_path / "scores.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["scores"]["mars"] for line in lines] == result.scores
    assert list(pd.read_csv(tmp_path / "scores.csv")["mars"]) == result.scores
    beside = read_signatures(tmp_path / "scores.csv")
    assert beside is not None
    assert beside["signatures"] == {"mars": result.signature}
    with pytest.raises(mars_score.OutputError, match="cannot tell the format"):
        result.save(tmp_path / "scores.xlsx")
    with pytest.raises(mars_score.OutputError, match="there is no folder"):
        result.save(tmp_path / "none" / "scores.json")


def test_results_at_a_glance(result: ScoreResult) -> None:
    assert repr(result).startswith(
        f"ScoreResult(mars: mean {result.mean:.3f}, scores [{result.scores[0]:.3f}, "
    )
    assert "scorer" not in repr(result[0])
    many = ScoreResult(tuple(ItemScore(str(i), 0.5, ()) for i in range(900)), "s")
    assert repr(many).endswith("0.500, ... (900 in all)])")
    assert many._repr_html_().count("<tr>") == notebook.ROWS + 1
    assert "880 more" in many._repr_html_()


def test_results_on_the_percent_scale_at_a_glance() -> None:
    items = tuple(
        ItemScore(str(place), 0.5, (), percent=percent) for place, percent in enumerate((64.25, 30.0))
    )
    result = ScoreResult(items, "s")
    assert repr(result) == "ScoreResult(mars: mean 47.1%, scores [64.2%, 30.0%])"
    assert "mean <b>47.1%</b>" in result._repr_html_()
    assert "width:30.0%" in result._repr_html_()
    assert describe(items[0]) == "score 0.5000 (64.2 on the percent scale)"


def test_the_table_escapes_texts() -> None:
    bad = "<script>alert(1)</script>"
    item = ItemScore(bad, float("nan"), (), flags=("no_context",), example=Example("1", bad, ("a",)))
    html = ScoreResult((item,), bad)._repr_html_()
    assert "<script" not in html
    assert html.count("&lt;script&gt;") == 3
    assert "width:0.0%" in html


def test_an_explanation_below_the_cell(result: ScoreResult, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []
    monkeypatch.setattr(IPython, "get_ipython", object)
    monkeypatch.setattr("IPython.display.display", shown.append)
    result[1].show()
    (frame,) = shown
    assert frame.data.startswith("<div><iframe srcdoc=")
    assert "She sold it to a tourist." in frame.data
    assert f"{result.scores[1]:.3f}" in frame.data
    assert "<script" not in frame.data  # all of the page is inside the attribute


def test_an_explanation_in_the_browser(result: ScoreResult, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    monkeypatch.setattr("tempfile.tempdir", None)
    result[0].show()
    from urllib.request import url2pathname

    (address,) = opened
    with open(url2pathname(address.removeprefix("file://")), encoding="utf-8") as file:
        assert "Where the scores come from" in file.read()
    with pytest.raises(InputError, match="made without its texts"):
        ItemScore("1", 0.5, ()).show()


def test_a_used_scorer_travels(result: ScoreResult) -> None:
    used = shared_scorer()
    for other in (pickle.loads(pickle.dumps(used)), copy.deepcopy(used), copy.copy(used)):
        assert other.config == used.config
        assert other.signature == used.signature
        assert other.score(CANDIDATES[:2], REFERENCES[:2], CONTEXTS[:2]).scores == result.scores[:2]
    assert len(pickle.dumps(used)) < 10_000
    again = pickle.loads(pickle.dumps(result))
    assert again == result


def test_data_sets_know_a_scorer_again() -> None:
    """Whether it was used or not, and in another process: so `map` finds what it has computed."""
    fresh = MarsScorer(q=0.9)
    before = Hasher.hash(fresh)
    fresh.score(["A b."], ["A c."])
    assert Hasher.hash(fresh) == before == Hasher.hash(MarsScorer(q=0.9))
    assert Hasher.hash(MarsScorer(q=0.8)) != before


def test_threads_share_a_scorer() -> None:
    rows = [(f"The boat number {i} came back.", f"Boat {i} returned.", f"Storm {i % 3}.") for i in range(24)]
    alone = MarsScorer().score(*zip(*rows, strict=True)).scores
    scorer, start = MarsScorer(), threading.Barrier(6)

    def work(number: int) -> list[float]:
        start.wait()
        mine = rows[number % 6 :: 6] * 2
        return scorer.score(*zip(*mine, strict=True)).scores

    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(work, range(6)))
    for number, scores in enumerate(found):
        assert scores == alone[number::6] * 2


T = TypeVar("T")


def in_a_thread(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine where no event loop runs: a browser of an earlier test may have left one here."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(work())).result()


def test_rows_gather_into_batches(result: ScoreResult, encoder_calls: list[int]) -> None:
    scorer = mars_score.AsyncScorer()

    async def score() -> list[ItemScore]:
        rows = zip(CANDIDATES, REFERENCES, CONTEXTS, strict=True)
        return await asyncio.gather(*(scorer.score(*row) for row in rows))

    assert [item.score for item in in_a_thread(score)] == result.scores
    assert len(encoder_calls) == 1


def test_threads_gather_into_batches(encoder_calls: list[int]) -> None:
    rows = [(f"Tent {i} stood.", f"The tent {i} was up.", "Camp.") for i in range(20)]
    scorer = mars_score.AsyncScorer(most=8, wait=0.2)
    with ThreadPoolExecutor(20) as pool:
        found = [item.score for item in pool.map(lambda row: scorer.submit(*row).result(), rows)]
    assert len(encoder_calls) == 3
    assert found == MarsScorer().score(*zip(*rows, strict=True)).scores


def test_a_row_that_cannot_be_scored_fails_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    inner = MarsScorer()
    score = inner.score_examples

    def picky(examples: list[Example]) -> ScoreResult:
        if any(one.candidate == "bad" for one in examples):
            raise RuntimeError("bad")
        return score(examples)

    monkeypatch.setattr(inner, "score_examples", picky)
    scorer = mars_score.AsyncScorer(inner, wait=0.2)
    futures = [scorer.submit(text, "A reference.") for text in ("good", "bad", "fine")]
    assert futures[0].result().score == score([Example("1", "good", ("A reference.",))]).scores[0]
    with pytest.raises(RuntimeError, match="bad"):
        futures[1].result()
    assert futures[2].result().id == "1"
    with pytest.raises(InputError, match="is blank"):
        scorer.submit("good", "")
    with pytest.raises(ConfigError, match="corpus"):
        mars_score.AsyncScorer(MarsScorer(idf="corpus"))
