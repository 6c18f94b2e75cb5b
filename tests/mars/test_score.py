"""Eq. 7, without adjustments, on encodings worked by hand: weights, several references, flags."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mars_score import flags
from mars_score.config import MarsConfig, preset
from mars_score.encoders.base import Encoding, EncodingMemory
from mars_score.mars.score import Comparator
from mars_score.mars.score import ratio_weights as weights_of
from mars_score.types import Augmentation, AugmentedReference, Block, Example, Template, human_reference

if TYPE_CHECKING:
    from collections.abc import Sequence


class Letters:
    """Encodes a text as how often it has the letters a, b and c; remembers what it was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str], progress: object = None) -> list[Encoding]:
        self.asked += texts
        found = []
        for text in texts:
            vector = np.array([text.count(letter) for letter in "abc"], dtype=np.float32)
            found.append(Encoding(vector / (np.linalg.norm(vector) or 1), truncated="!" in text))
        return found


PAPER = preset("paper-formula")


def filled(ratio: float, text: str) -> AugmentedReference:
    return AugmentedReference(Template(ratio, (Block("?", blank=True),)), (text,))


def quiet(stage: str, finished: int, total: int) -> None:
    """Report nothing."""


def score(
    config: MarsConfig, example: Example, *augmentations: Augmentation
) -> tuple[float, tuple[str, ...]]:
    augmented = dict(zip(example.pairs, augmentations, strict=True))
    (item,) = Comparator(config.scoring).score([example], augmented, Letters(), EncodingMemory(), quiet)
    return item.score, item.flags


def test_weighted_sum_of_cosines() -> None:
    config = PAPER.with_options(q=0.5)
    augmentation = Augmentation((human_reference("a"), filled(0.2, "b"), filled(0.4, "ab")))
    weights = np.array([1, 0.5, 0.25]) / 1.75
    expected = weights @ [1, 0, 0.5**0.5]
    assert score(config, Example("1", "a", ("a",), "x"), augmentation)[0] == pytest.approx(expected)


def test_samples_share_the_weight_of_their_ratio() -> None:
    weights = weights_of([human_reference("a"), filled(0.2, "b"), filled(0.2, "c")], 0.5)
    assert weights == pytest.approx([2 / 3, 1 / 6, 1 / 6])


@given(q=st.floats(0.01, 1), ratios=st.lists(st.sampled_from([0.2, 0.4, 0.6, 0.8]), max_size=8))
def test_weights_sum_to_one_and_never_rise(q: float, ratios: list[float]) -> None:
    augmented = [human_reference("a"), *(filled(ratio, "b") for ratio in sorted(ratios))]
    weights = weights_of(augmented, q)
    assert sum(weights) == pytest.approx(1)
    totals: dict[float, float] = {}
    for one, weight in zip(augmented, weights, strict=True):
        totals[one.ratio] = totals.get(one.ratio, 0) + weight
    assert list(totals.values()) == pytest.approx(sorted(totals.values(), reverse=True))


def test_best_and_mean_of_several_references() -> None:
    example = Example("1", "a", ("b", "a"), "x")
    found = [Augmentation((human_reference(text),)) for text in example.references]
    assert score(PAPER, example, *found)[0] == pytest.approx(1)
    assert score(PAPER.with_options(references="mean"), example, *found)[0] == pytest.approx(0.5)
    turned = Example("1", "a", ("a", "b"), "x")
    assert score(PAPER, turned, *found[::-1])[0] == pytest.approx(1)


def test_flags_say_what_was_done() -> None:
    plain = Augmentation((human_reference("a"),))
    assert score(PAPER, Example("1", "", ("a",), "x"), plain) == (0, (flags.EMPTY_CANDIDATE,))
    assert score(PAPER, Example("1", "z", ("a",), "x"), plain) == (0, (flags.OUT_OF_VOCABULARY,))
    assert score(PAPER, Example("1", "a", ("a",)), plain)[1] == (flags.NO_CONTEXT,)
    assert score(PAPER, Example("1", "a!", ("a",), "x"), plain)[1] == (flags.CANDIDATE_TRUNCATED,)
    cut = Augmentation((human_reference("a!"),), (flags.CONTEXT_TRUNCATED,))
    told = (flags.CONTEXT_TRUNCATED, flags.REFERENCE_TRUNCATED)
    assert score(PAPER, Example("1", "a", ("a!",), "x"), cut)[1] == told


def test_the_next_system_finds_the_references_encoded() -> None:
    references = {"ab": Augmentation((human_reference("ab"), filled(0.2, "abc"))),
                  "ca": Augmentation((human_reference("ca"), filled(0.2, "abc")))}  # fmt: skip
    memory, letters = EncodingMemory(), Letters()

    def rescore(candidates: Sequence[str], memory: EncodingMemory) -> list[float]:
        examples = [
            Example(str(i), text, (reference,), "x")
            for i, (text, reference) in enumerate(zip(candidates, references, strict=True))
        ]
        augmented = {example.pairs[0]: references[example.references[0]] for example in examples}
        return [
            item.score
            for item in Comparator(PAPER.scoring).score(examples, augmented, letters, memory, quiet)
        ]

    first = rescore(["a", "bb"], memory)
    assert letters.asked == ["a", "bb", "ab", "abc", "ca"]
    second = rescore(["cc", "ab"], memory)
    assert letters.asked[5:] == ["cc"]  # "ab" is a reference too
    assert rescore(["cc", "ab"], memory) == second
    assert letters.asked[6:] == []  # as for another metric of the family
    assert [first, second] == [
        rescore(["a", "bb"], EncodingMemory(0)),
        rescore(["cc", "ab"], EncodingMemory(0)),
    ]


def test_every_flag_has_a_meaning() -> None:
    names = {value for name, value in vars(flags).items() if name.isupper() and isinstance(value, str)}
    assert names == set(flags.MEANING)
