"""S+WMS by hand on a line and in the plane, and against a plain version with another solver."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors.numpy import save_file

from mars_score import flags
from mars_score.encoders.base import Encoding
from mars_score.encoders.word_vectors import WordVectorEncoder
from mars_score.metrics.matching import bag
from mars_score.metrics.sentence_mover import SentenceMover
from mars_score.types import Example
from tests.encoders.plain_transport import plain_distance

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

VECTORS = {"apple": (0, 0), "pear": (2, 0), "stone": (0, 3), "the": (1, 1), ".": (5, 5), "plum": (2, 3)}


SENTENCES = {"Pear.": (1, 0, 0), "Stone.": (0.6, 0.8, 0), "Pear stone.": (0, 0, 1)}


class Told:
    """Sentence vectors of length 1."""

    def encode(self, texts: Sequence[str], progress: object = None) -> list[Encoding]:
        return [Encoding(np.array(SENTENCES[text], np.float32), truncated=text == "Stone.") for text in texts]


@pytest.fixture(scope="module")
def vectors(tmp_path_factory: pytest.TempPathFactory) -> WordVectorEncoder:
    folder: Path = tmp_path_factory.mktemp("vectors")
    (folder / "words.txt").write_text("\n".join(VECTORS), encoding="utf-8")
    save_file({"vectors": np.array(list(VECTORS.values()), np.float32)}, folder / "vectors.safetensors")
    return WordVectorEncoder(str(folder))


def score(vectors: WordVectorEncoder, candidate: str, *references: str, **options: Any) -> Any:
    metric = SentenceMover(vectors, "fruit", **options)
    (value,) = metric.score([Example("1", candidate, references)])
    return value


def test_by_hand(vectors: WordVectorEncoder) -> None:
    # Candidate: apple and pear, 1/4 each, and their sentence, the mean (1, 0), 1/2. Reference: apple and its
    # sentence, all at (0, 0). Nothing can be chosen: 1/4 * 0 + 1/4 * 2 + 1/2 * 1 = 1.
    assert score(vectors, "Apple pear.", "Apple.").score == pytest.approx(math.exp(-1))
    # Candidate: two sentences of one word, so 1/2 at (0, 0) and 1/2 at (2, 0). Reference: 1/4 at each of them
    # and 1/2 at (1, 0). From either side 1/4 moves by 1.
    assert score(vectors, "Apple. Pear.", "Apple pear.").score == pytest.approx(math.exp(-1 / 2))
    # Candidate: pear 2, stone 1, sentences (4/3, 1) of three words: 2/6, 1/6, 3/6. Reference: plum and its
    # sentence, all at (2, 3): 2/6 * 3 + 1/6 * 2 + 3/6 * root((2/3)^2 + 2^2).
    work = 1 + 1 / 3 + (4 / 9 + 4) ** 0.5 / 2
    assert score(vectors, "Pear pear stone.", "Plum.").score == pytest.approx(math.exp(-work))


def test_with_a_sentence_encoder_by_hand(vectors: WordVectorEncoder) -> None:
    # Words are made of length 1: pear (1, 0), stone (0, 1), root 2 apart; the sentences are root(0.16 + 0.64)
    # apart. Each kind holds half. A word and a sentence are root 2 apart, so crossing never pays.
    value = score(vectors, "Pear.", "Stone.", encoder=Told(), encoder_name="told")
    assert value.score == pytest.approx(math.exp(-(2**0.5 + 0.8**0.5) / 2))
    assert value.flags == (flags.REFERENCE_TRUNCATED,)
    # Pear and stone, 1/4 each, onto pear, 1/2: 1/4 * root 2. The sentences are at right angles: 1/2 * root 2.
    value = score(vectors, "Pear stone.", "Pear.", encoder=Told(), encoder_name="told")
    assert value.score == pytest.approx(math.exp(-(2**0.5) * 3 / 4))


def test_which_words_count(vectors: WordVectorEncoder) -> None:
    assert score(vectors, "The pear.", "PEAR").score == 1
    assert score(vectors, "The .", "the.").score == 1  # there is nothing else
    assert score(vectors, "Pear zyzzyva", "pear").score == 1
    assert score(vectors, "Pear's pear-stone", "pear pear stone").score == 1


def test_several_references_and_flags(vectors: WordVectorEncoder) -> None:
    assert score(vectors, "pear", "stone", "pear", "apple").score == 1
    empty, unknown = score(vectors, "", "pear"), score(vectors, "zyzzyva", "pear")
    assert (empty.score, empty.flags) == (0, (flags.EMPTY_CANDIDATE,))
    assert (unknown.score, unknown.flags) == (0, (flags.OUT_OF_VOCABULARY,))
    undefined = score(vectors, "pear", "zyzzyva")
    assert (undefined.score, undefined.flags) == (None, (flags.REFERENCE_OUT_OF_VOCABULARY,))
    passed_over = score(vectors, "pear", "zyzzyva", "pear")
    assert (passed_over.score, passed_over.flags) == (1, (flags.REFERENCE_OUT_OF_VOCABULARY,))


def test_signatures(vectors: WordVectorEncoder) -> None:
    mean = SentenceMover(vectors, "fruit@0").signature.split("|")
    assert mean[1:5] == ["words:fruit@0", "sentences:mean", "without:punct+english1", "split:rule2"]
    parts = SentenceMover(vectors, "fruit@0", encoder=Told(), encoder_name="told@1").signature.split("|")
    assert parts[2] == "sentences:told@1"


TEXTS = st.lists(
    st.lists(st.sampled_from(["apple", "pear", "stone", "plum"]), min_size=1, max_size=4),
    min_size=1,
    max_size=3,
)


@settings(max_examples=40, deadline=None)
@given(TEXTS, TEXTS)
def test_against_the_plain_version(
    vectors: WordVectorEncoder, candidate: list[list[str]], reference: list[list[str]]
) -> None:
    bags = []
    for text in (candidate, reference):
        points: list[Any] = [VECTORS[word] for sentence in text for word in sentence]  # each time it occurs
        weights = [1.0] * len(points)
        for sentence in text:
            points.append(np.mean([VECTORS[word] for word in sentence], axis=0))
            weights.append(float(len(sentence)))
        bags.append(bag(np.array(points, np.float64), np.array(weights)))
    first, second = (
        ". ".join(" ".join(item).capitalize() for item in text) for text in (candidate, reference)
    )
    assert score(vectors, first, second).score == pytest.approx(math.exp(-plain_distance(*bags)), abs=1e-8)
