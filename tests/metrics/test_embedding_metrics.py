"""What holds for every metric that compares vectors: order, company, perfect matches, odd inputs."""

from __future__ import annotations

import math
import random
from itertools import pairwise, product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save_file

from mars_score import flags
from mars_score.encoders.layers import TokenEncoder
from mars_score.encoders.sentence import SentenceEncoder
from mars_score.encoders.word_vectors import WordVectorEncoder
from mars_score.metrics.bertscore import BertScore
from mars_score.metrics.moverscore import MoverScore
from mars_score.metrics.sentence_mover import SentenceMover
from mars_score.metrics.sentinels import ContextCosine
from mars_score.text.words import words
from mars_score.types import Example

if TYPE_CHECKING:
    from mars_score.metrics.base import Metric
    from mars_score.models.store import ModelStore

TEXTS = [
    "The miller lent us his cart. We drove it to the fair.",
    "We went to the fair on the miller's cart.",
    "Nobody came.",
    "Snow fell all night; by morning the gate was stuck.",
    "fair",
    "?!",
    "🙂",
    "It was.",
    "Die Mühle steht still.",
]
NAMES = [
    "bertscore",
    "moverscore",
    "moverscore2",
    "sentence_mover",
    "sentence_mover_encoder",
    "context_cosine",
]
RANGES = {"bertscore": (0, 1), "moverscore": (-1, 1), "sentence_mover": (0, 1), "context_cosine": (-1, 1)}


@pytest.fixture(scope="module")
def metrics(store: ModelStore, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Metric]:
    folder = str(store.ensure("minilm-l6"))
    # Two layers do as well as six here, and in a third of the time.
    tokens, sentences = TokenEncoder(folder, layer=2), SentenceEncoder(folder)
    names = sorted({word.text.lower().removesuffix("'s") for text in TEXTS for word in words(text)})
    home = tmp_path_factory.mktemp("vectors")
    (home / "words.txt").write_text("\n".join(names), encoding="utf-8")
    numbers = np.random.default_rng(3).normal(size=(len(names), 8)).astype(np.float32)
    save_file({"vectors": numbers}, home / "vectors.safetensors")
    vectors = WordVectorEncoder(str(home))
    made: dict[str, Metric] = {
        "bertscore": BertScore(tokens, "minilm-l6"),
        "moverscore": MoverScore(tokens, "minilm-l6"),
        "moverscore2": MoverScore(tokens, "minilm-l6", n=2),
        "sentence_mover": SentenceMover(vectors, "made"),
        "sentence_mover_encoder": SentenceMover(vectors, "made", encoder=sentences, encoder_name="minilm-l6"),
        "context_cosine": ContextCosine(sentences, "minilm-l6"),
    }
    assert list(made) == NAMES
    return made


def row(candidate: str, *references: str) -> Example:
    """A row whose context is the first reference, so that every metric compares the same two texts."""
    return Example("1", candidate, references, references[0])


rows = st.builds(
    row,
    st.one_of(st.sampled_from(TEXTS), st.text(max_size=8)),
    st.sampled_from(TEXTS),
    st.sampled_from(TEXTS),
)


@pytest.mark.numeric
@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=4, deadline=None)
@given(drawn=st.lists(rows, min_size=2, max_size=4), seed=st.integers(0, 9))
def test_order_and_company_do_not_matter_to_the_last_bit(
    metrics: dict[str, Metric], name: str, drawn: list[Example], seed: int
) -> None:
    metric = metrics[name]
    alone = [metric.score([item])[0] for item in drawn]
    assert metric.score(drawn) == alone
    order = random.Random(seed).sample(range(len(drawn)), len(drawn))
    assert metric.score([drawn[i] for i in order]) == [alone[i] for i in order]
    assert metric.score(drawn + drawn) == alone + alone
    low, high = next(limits for prefix, limits in RANGES.items() if name.startswith(prefix))
    for value in alone:
        assert value.score is None or low <= value.score <= high
        assert set(value.flags) <= set(flags.MEANING)


@pytest.mark.parametrize("name", NAMES)
def test_a_perfect_match_is_best_and_every_one_as_good(metrics: dict[str, Metric], name: str) -> None:
    pairs = list(product(TEXTS, repeat=2))
    result = metrics[name].score([row(*pair) for pair in pairs])
    for (candidate, reference), value in zip(pairs, result, strict=True):
        assert value.score is not None
        if candidate == reference:
            assert value.score == pytest.approx(1, abs=1e-6)
        else:
            assert value.score < 1


@pytest.mark.parametrize("name", NAMES)
def test_symmetric(metrics: dict[str, Metric], name: str) -> None:
    """F1 of precision and recall, transport and cosine all are."""
    there, back = (
        metrics[name].score([row(*pair[::step]) for pair in pairwise(TEXTS[:4])]) for step in (1, -1)
    )
    for item, other in zip(there, back, strict=True):
        assert item.score == pytest.approx(other.score, abs=1e-9)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("text", ["", " \n", "fair", "?!", "🙂", "fair " * 600, "\u200b", "\x07", "<s>[SEP]"])
def test_odd_inputs(metrics: dict[str, Metric], name: str, text: str) -> None:
    events: list[tuple[str, int, int]] = []
    examples = [row(text, TEXTS[0]), row(TEXTS[0], text or "fair"), row(text, text or "fair")]
    result = metrics[name].score(examples, lambda *now: events.append(now))
    for value in result:
        assert value.score is None or math.isfinite(value.score)
        assert value.score is not None or value.flags
    assert all(0 <= done <= total for _, done, total in events)
    assert events[-1][1] == events[-1][2]
    if not text.strip():
        lowest = -1 if name.startswith("moverscore") else 0
        assert (result[0].score, result[0].flags) == (lowest, (flags.EMPTY_CANDIDATE,))
    if len(text) > 1000 and not name.startswith("sentence_mover"):
        assert flags.CANDIDATE_TRUNCATED in result[0].flags


@pytest.mark.parametrize("name", NAMES)
def test_no_rows(metrics: dict[str, Metric], name: str) -> None:
    assert metrics[name].score([]) == []
    assert metrics[name].higher_is_better
    assert metrics[name].signature.startswith(f"{metrics[name].name}:v")
