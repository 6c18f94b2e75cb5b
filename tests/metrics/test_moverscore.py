"""MoverScore by hand, and against a plain version: one text at a time, a linear program for the transport."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch

from mars_score import flags
from mars_score.encoders.layers import TokenEncoder
from mars_score.errors import ConfigError
from mars_score.metrics.matching import bag
from mars_score.metrics.moverscore import MoverScore
from mars_score.text.frequency import BackgroundIdf, CorpusIdf
from mars_score.text.words import is_punctuation, words
from mars_score.types import Example
from tests.encoders.plain_transport import plain_distance
from tests.metrics.fake_tokens import fake_tokens

if TYPE_CHECKING:
    from mars_score.models.store import ModelStore

COMPASS = {"east": (2, 0), "north": (0, 1), "west": (-1, 0), ".": (0, -5), "the": (0, -1)}


class Told:
    """Weights that are easy to reckon with."""

    name = "told"

    def __call__(self, word: str) -> float:
        return {"east": 3.0, "north": 1.0, "west": 2.0}.get(word, 1.0)

    def within(self, language: str) -> Told:
        return self


def by_hand(candidate: str, *references: str, **options: Any) -> Any:
    metric = MoverScore(fake_tokens(COMPASS, (1, 1)), "compass", idf=Told(), **options)
    (value,) = metric.score([Example("1", candidate, references)])
    return value


def test_unigrams_by_hand() -> None:
    # Heaps: east 3/4, north 1/4. Holes: east 3/5, west 2/5. East to east costs nothing, east to west 2, north
    # to either root 2. So north goes west, as east then fills all of its own hole: 0.6 * 0 + 0.15 * 2 +
    # 0.25 * root 2.
    expected = 1 - (0.15 * 2 + 0.25 * 2**0.5)
    assert by_hand("east north", "east west").score == pytest.approx(expected)
    assert by_hand("east west", "east north").score == pytest.approx(expected)


def test_bigrams_by_hand() -> None:
    # Candidate: one bigram, (3 east + 1 north) / 4 = (3, 1) / 4, of length 1: u = (3, 1) / root 10.
    # Reference: (3 east + 2 west) / 5 = (1, 0) / 5, of length 1: (1, 0), weight 5; and (2 west + 1 north) / 3,
    # of length 1: (-2, 1) / root 5, weight 3. All that there is goes both ways, by 5/8 and 3/8. The squared
    # distance of unit vectors is 2 - 2 u.v: 2 - 6 / root 10, and 2 - 2 (-5 / root 50) = 2 + root 2.
    work = 5 / 8 * (2 - 6 / 10**0.5) ** 0.5 + 3 / 8 * (2 + 2**0.5) ** 0.5
    assert by_hand("east north", "east west north", n=2).score == pytest.approx(1 - work)
    # One word has no bigram and stands for itself.
    assert by_hand("east", "north", n=2).score == pytest.approx(1 - 2**0.5)


def test_the_worst_and_the_best() -> None:
    assert by_hand("east", "west").score == pytest.approx(-1)
    assert by_hand("east north west", "east north west").score == 1
    assert by_hand("east", "west", "east", "north").score == 1


def test_which_words_count() -> None:
    assert by_hand("east.", "east").score == 1
    assert by_hand(". .", ".").score == 1  # there is nothing else
    assert by_hand("the east", "east").score < 1
    assert by_hand("the east", "east", function_words=False).score == 1
    assert by_hand("the", "the", function_words=False).score == 1  # there is nothing else
    with pytest.raises(ConfigError, match="n-grams"):
        by_hand("east", "east", n=0)


def test_flags() -> None:
    empty, unknown = by_hand(" ", "east"), by_hand("zyzzyva", "east")
    assert (empty.score, empty.flags) == (-1, (flags.EMPTY_CANDIDATE,))
    assert (unknown.score, unknown.flags) == (-1, (flags.OUT_OF_VOCABULARY,))
    undefined = by_hand("east", "zyzzyva")
    assert (undefined.score, undefined.flags) == (None, (flags.REFERENCE_OUT_OF_VOCABULARY,))
    assert by_hand("east " * 11, "east").flags == (flags.CANDIDATE_TRUNCATED,)


def test_signatures() -> None:
    encoder = fake_tokens(COMPASS, (1, 1))
    metrics = [
        MoverScore(encoder, "compass@0"),
        MoverScore(encoder, "compass@0", n=2),
        MoverScore(encoder, "compass@0", idf=CorpusIdf(["east"])),
        MoverScore(encoder, "compass@0", idf=CorpusIdf(["west"])),
        MoverScore(encoder, "compass@0", function_words=False),
    ]
    assert len({metric.signature for metric in metrics}) == len(metrics)
    default = metrics[0].signature.split("|")[1:]
    assert default[:5] == [
        "enc:compass@0.fake",
        "n:1",
        "idf:wordfreq@dffae806",
        "pieces:mean",
        "without:punct",
    ]
    assert default[5] == "emd:pot"


PAIRS = [
    ("The lighthouse keeper rowed home.", "At dusk the keeper took his boat back to the village."),
    ("Unputdownable!", "I could not put it down, honestly."),
    ("Her brother's half-finished kite hung in the pear tree all winter.", "The kite was never finished."),
    ("yes", "no"),
    ("🙂 fine", "OK 🙂🙂"),
]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_against_the_plain_version(store: ModelStore, n: int) -> None:
    encoder = TokenEncoder(str(store.ensure("minilm-l6")))
    examples = [Example(str(row), *pair[:1], pair[1:]) for row, pair in enumerate(PAIRS)]
    result = MoverScore(encoder, "minilm-l6", n=n).score(examples)
    for value, (candidate, reference) in zip(result, PAIRS, strict=True):
        assert value.score == pytest.approx(plain(encoder, candidate, reference, n), abs=1e-5)


def plain(encoder: TokenEncoder, candidate: str, reference: str, n: int) -> float:
    """The definition, word by word; tokens and words belong together where they overlap."""
    bags = []
    for text in (candidate, reference):
        encoded = encoder.tokenizer(text, return_tensors="pt", return_offsets_mapping=True)
        places = encoded.pop("offset_mapping")[0].tolist()
        with torch.inference_mode():
            states = encoder.model(**encoded).last_hidden_state[0].double().numpy()
        kept = []
        for word in words(text):
            if not is_punctuation(word.text):
                pieces = [i for i, (a, b) in enumerate(places) if a < word.end and b > word.start]
                vector = sum(states[i] for i in pieces) / len(pieces)
                kept.append((vector / np.linalg.norm(vector), BackgroundIdf()(word.text)))
        vectors, weights = [], []
        for start in range(max(1, len(kept) - n + 1)):
            gram = kept[start : start + n]
            mean = sum(vector * weight for vector, weight in gram)
            vectors.append(mean / np.linalg.norm(mean))
            weights.append(sum(weight for _, weight in gram))
        bags.append(bag(np.array(vectors), np.array(weights)))
    return 1 - plain_distance(*bags)
