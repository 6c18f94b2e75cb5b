"""What holds for every metric that compares words, and for the sentinels."""

from __future__ import annotations

import math
import pickle
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mars_score import flags
from mars_score.types import Example

from ..test_import import loaded_after
from .human_data import number, numbers

if TYPE_CHECKING:
    from mars_score.metrics.base import Metric

SIMILARITIES = ("bleu1", "bleu4", "chrf", "rouge1", "rouge2", "rougeL", "meteor")
NAMES = (*SIMILARITIES, "ter", "candidate_length", "random")
MODULES = ("base", "bleu", "chrf", "meteor", "rouge", "sentinels", "ter")

VOCABULARY = ["the", "a", "dog", "hound", "boat", "ran", "running", "home", "Home", "it's", "3.5", *',.!?"()']
SENTENCE = st.lists(st.sampled_from(VOCABULARY), min_size=1, max_size=10).map(" ".join)
ANYTHING = SENTENCE | st.text(st.characters(), max_size=30)
EXAMPLE = st.builds(
    Example, st.text("0123"), ANYTHING, st.lists(ANYTHING, min_size=1, max_size=3).map(tuple), ANYTHING
)
QUICK = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])

every = pytest.mark.parametrize("name", NAMES)


def test_names(lexical: dict[str, Metric]) -> None:
    assert sorted(lexical) == sorted(NAMES)
    assert [name for name in NAMES if not lexical[name].higher_is_better] == ["ter"]


@every
@QUICK
@given(examples=st.lists(EXAMPLE, max_size=4), data=st.data())
def test_order_and_company_do_not_matter(
    lexical: dict[str, Metric], name: str, examples: list[Example], data: st.DataObject
) -> None:
    metric = lexical[name]
    together = metric.score(examples)
    assert together == [value for example in examples for value in metric.score([example])]
    order = data.draw(st.permutations(range(len(examples))))
    assert metric.score([examples[index] for index in order]) == [together[index] for index in order]


@every
@QUICK
@given(example=EXAMPLE, data=st.data())
def test_scores_are_numbers_that_ignore_the_order_of_references(
    lexical: dict[str, Metric], name: str, example: Example, data: st.DataObject
) -> None:
    turned = data.draw(st.permutations(example.references))
    other = Example("other id", example.candidate, tuple(turned), example.context)
    first, second = lexical[name].score([example, other])
    assert first == second
    assert math.isfinite(number(first))
    assert number(first) >= 0
    if name in SIMILARITIES:
        assert number(first) <= 1
    assert (flags.EMPTY_CANDIDATE in first.flags) == (not example.candidate.strip())
    assert set(first.flags) <= {flags.EMPTY_CANDIDATE, flags.NOTHING_COMPARABLE}


@pytest.mark.parametrize("name", [*SIMILARITIES, "ter"])
@QUICK
@given(reference=SENTENCE, candidate=ANYTHING)
def test_no_candidate_beats_the_reference_itself(
    lexical: dict[str, Metric], name: str, reference: str, candidate: str
) -> None:
    rows = [Example("1", text, (reference,)) for text in (reference, candidate)]
    perfect, other = numbers(lexical[name], rows)
    assert perfect >= other if lexical[name].higher_is_better else perfect <= other


@pytest.mark.parametrize("name", [*SIMILARITIES, "ter"])
def test_the_best_score_of_ordinary_sentences(lexical: dict[str, Metric], name: str) -> None:
    references = (
        "She locked the shop, took the late train and slept through her stop.",
        "Nobody had told the band that the hall's roof was gone.",
    )
    best = {"ter": 0.0, "meteor": 0.999}.get(name, 1.0)
    for reference in references:
        (value,) = lexical[name].score([Example("1", reference, references)])
        assert value.flags == ()
        assert number(value) == (pytest.approx(best, abs=1e-3) if name == "meteor" else best)


@pytest.mark.parametrize("name", [*SIMILARITIES, "ter"])
def test_better_candidates_score_better(lexical: dict[str, Metric], name: str) -> None:
    reference = "The boat drifted past the lighthouse and came home at dawn."
    candidates = (
        "The boat drifted past the lighthouse and came home at noon.",
        "The boat came home past the old lighthouse at dawn.",
        "Her violin needs two strings.",
    )
    result = numbers(lexical[name], [Example("1", candidate, (reference,)) for candidate in candidates])
    assert result == sorted(set(result), reverse=lexical[name].higher_is_better)


@pytest.mark.parametrize("name", SIMILARITIES)
def test_a_blank_candidate_scores_zero(lexical: dict[str, Metric], name: str) -> None:
    for blank in ("", "  ", "\n\t", "\u00a0\u2003"):
        (value,) = lexical[name].score([Example("1", blank, ("The boat came home.", "!"))])
        assert (value.score, value.flags) == (0, (flags.EMPTY_CANDIDATE,))


@every
def test_odd_texts(lexical: dict[str, Metric], name: str) -> None:
    odd = [
        "",
        " ",
        "...",
        "?!",
        "👩‍👩‍👧 👍🏽",
        "雨が降る。",
        "\ud800",
        "\x00",
        "\u200b",
        "a\u0301",
        "<skipped>",
        "&quot;",
        '"',
        "''",
    ]
    long = "the dog ran home and " * 12 + "w" * 10_000
    texts = [*odd, long, "word\n" * 60]
    rows = [
        Example("1", candidate, (reference,)) for candidate in texts for reference in ("A dog.", candidate)
    ]
    for value in lexical[name].score(rows):
        assert math.isfinite(number(value))


@pytest.mark.parametrize(
    "name", sorted({*NAMES} - {"ter"})
)  # which searches for moves; 2,000 words take minutes
def test_very_long_texts(lexical: dict[str, Metric], name: str) -> None:
    words = [
        f"{word}{index % 97}" for index in range(400) for word in ("boat", "gull", "rain", "dawn", "sea")
    ]
    text = " ".join(words)
    perfect, half = numbers(
        lexical[name], [Example("1", text, (text,)), Example("1", " ".join(words[:1000]), (text,))]
    )
    if name != "random":
        assert half < perfect


@every
def test_progress_and_pickling(lexical: dict[str, Metric], name: str) -> None:
    metric, heard = lexical[name], []
    rows = [Example("1", "the boat came", ("the boat left",)), Example("2", "", ("it rained",))]
    scored = metric.score(rows, lambda *step: heard.append(step))
    assert heard == [(name, 1, 2), (name, 2, 2)]
    assert metric.score([]) == []
    copy: Metric = pickle.loads(pickle.dumps(metric))
    assert copy.score(rows) == scored
    assert (copy.name, copy.signature) == (name, metric.signature)


def test_importing_and_making_metrics_loads_no_library() -> None:
    imports = "\n".join(f"import mars_score.metrics.{module}" for module in MODULES)
    made = (
        "from pathlib import Path; from mars_score.metrics import bleu, chrf, meteor, rouge, ter\n"
        "parts = [bleu.Bleu(), chrf.Chrf(), meteor.Meteor(Path('.'), 'w'), rouge.Rouge(), ter.Ter()]\n"
        "assert all(part.signature for part in parts)"
    )
    loaded = loaded_after(f"{imports}\n{made}")
    assert "mars_score.metrics.meteor" in loaded
    assert loaded & {"nltk", "sacrebleu", "rouge_score", "absl", "numpy", "torch"} == set()
