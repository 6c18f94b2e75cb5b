from __future__ import annotations

import math

import pytest

from mars_score.metrics.bleu import Bleu
from mars_score.types import Example

from .human_data import needs_data, numbers, rows


def bleu(metric: Bleu, candidate: str, *references: str) -> float:
    return numbers(metric, [Example("1", candidate, references)])[0]


def test_one_reference_by_hand() -> None:
    # 2 of 3 words match, and 1 of 2 pairs. The only triple does not: smoothed to half a match of 1. There is no
    # n-gram of 4, so three orders count. The reference has 4 words: brevity penalty exp(1 - 4/3).
    texts = ("the cat sat", "the cat slept here")
    assert bleu(Bleu(1), *texts) == pytest.approx(2 / 3 * math.exp(-1 / 3))
    assert bleu(Bleu(4), *texts) == pytest.approx((2 / 3 * 1 / 2 * 1 / 2) ** (1 / 3) * math.exp(-1 / 3))


def test_several_references_by_hand() -> None:
    # Each word is in one reference or the other; of the lengths 5 and 3, equally near to 4, the shorter counts,
    # so there is no penalty. 2 of 3 pairs match; no triple of 2 (half of a match), no n-gram of 4 (a quarter).
    texts = ("a red kite rose", "a red ball rose up", "the kite rose")
    assert bleu(Bleu(1), *texts) == pytest.approx(1)
    assert bleu(Bleu(4), *texts) == pytest.approx((1 * 2 / 3 * (1 / 2) / 2 * (1 / 4) / 1) ** (1 / 4))


def test_a_repeated_word_counts_as_often_as_in_the_reference() -> None:
    assert bleu(Bleu(1), "the the the the", "the cat sat down") == pytest.approx(1 / 4)


def test_punctuation_is_split_off_and_case_is_kept() -> None:
    assert bleu(Bleu(1), "Yes, it rained", "Yes ; it rained !") == pytest.approx(3 / 4 * math.exp(1 - 5 / 4))
    assert bleu(Bleu(1), "rain", "Rain") == 0
    assert bleu(Bleu(1, lowercase=True), "rain", "Rain") == 1
    assert bleu(Bleu(1, tokenizer="none"), "Rain.", "Rain .") == 0


def test_smoothing_is_an_option() -> None:
    texts = ("the cat sat", "the cat slept here")
    assert bleu(Bleu(4, smoothing="none"), *texts) == 0
    assert bleu(Bleu(4, smoothing="floor"), *texts) == pytest.approx(
        (2 / 3 * 1 / 2 * 0.1) ** (1 / 3) * math.exp(-1 / 3)
    )


def test_a_perfect_match_is_exactly_one() -> None:
    for words in range(1, 60):
        text = " ".join(f"w{index}" for index in range(words))
        assert bleu(Bleu(1), text, text) == bleu(Bleu(4), text, "another", text) == 1


def test_signatures_are_literal() -> None:
    head = "v1|lib:sacrebleu"
    assert Bleu(1).signature == f"bleu1:{head}|case:mixed|tok:13a|smooth:exp|eff:yes|refs:pooled"
    assert Bleu(4).signature == f"bleu4:{head}|case:mixed|tok:13a|smooth:exp|eff:yes|refs:pooled"
    other = Bleu(4, smoothing="add-k", tokenizer="char", lowercase=True)
    assert other.signature == f"bleu4:{head}|case:lower|tok:char|smooth:add-k|eff:yes|refs:pooled"


@needs_data
def test_as_sacrebleu() -> None:
    from sacrebleu import sentence_bleu
    from sacrebleu.metrics import BLEU

    examples = rows(("mans_roc", 100), ("usr_personachat", 100), ("newsroom", 50), ("summeval", 50))
    bleu1 = BLEU(max_ngram_order=1, effective_order=True)
    texts = [(example.candidate, list(example.references)) for example in examples]
    assert numbers(Bleu(4), examples) == pytest.approx(
        [sentence_bleu(*pair).score / 100 for pair in texts], rel=1e-12
    )
    assert numbers(Bleu(1), examples) == pytest.approx(
        [bleu1.sentence_score(*pair).score / 100 for pair in texts], rel=1e-12
    )
