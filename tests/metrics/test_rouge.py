from __future__ import annotations

import pytest

from mars_score import flags
from mars_score.metrics.rouge import Kind, Rouge
from mars_score.types import Example

from .human_data import needs_data, numbers, rows

KINDS: tuple[Kind, ...] = ("rouge1", "rouge2", "rougeL")


def rouge(metric: Rouge, candidate: str, *references: str) -> float:
    return numbers(metric, [Example("1", candidate, references)])[0]


def test_by_hand() -> None:
    # Stems: the dog were run home; the dog ran home (words of three letters stay as they are).
    texts = ("The dogs were running home.", "The dog ran home!")
    # 3 shared words (the, dog, home), in order: P = 3/5, R = 3/4, F = 2 P R / (P + R) = 2/3.
    assert rouge(Rouge("rouge1"), *texts) == pytest.approx(2 / 3)
    assert rouge(Rouge("rougeL"), *texts) == pytest.approx(2 / 3)
    # 1 shared pair (the dog) of 4 and of 3: F = 2 (1/12) / (7/12).
    assert rouge(Rouge("rouge2"), *texts) == pytest.approx(2 / 7)


def test_stemming_is_an_option() -> None:
    # Without it only "the" and "home" are shared: P = 2/5, R = 2/4.
    texts = ("The dogs were running home.", "The dog ran home!")
    assert rouge(Rouge("rouge1", stem=False), *texts) == pytest.approx(4 / 9)


def test_order_counts_for_the_longest_common_subsequence() -> None:
    texts = ("home came the boat", "the boat came home")
    assert rouge(Rouge("rouge1"), *texts) == 1
    assert rouge(Rouge("rougeL"), *texts) == pytest.approx(1 / 2)  # "the boat", of 4 and of 4


def test_the_reference_with_the_best_f_counts() -> None:
    references = ("the boat came home at night in the rain", "the boat left", "a gull")
    for kind in KINDS:
        metric = Rouge(kind)
        each = [rouge(metric, "the boat came home", reference) for reference in references]
        assert rouge(metric, "the boat came home", *references) == max(each)


@pytest.mark.parametrize(
    ("kind", "candidate", "reference", "incomparable"),
    [
        ("rouge1", "👍", "👍", True),
        ("rougeL", "雨が降る", "雨が降る", True),
        ("rouge1", "!!!", "yes", True),
        ("rouge1", "yes", "!!!", True),
        ("rouge1", "yes", "no", False),
        ("rouge2", "yes", "yes", True),
        ("rouge2", "yes indeed", "no doubt", False),
        ("rouge1", "", "no", False),  # that is said by another flag
    ],
)
def test_what_cannot_be_compared_is_said(
    kind: Kind, candidate: str, reference: str, incomparable: bool
) -> None:
    (value,) = Rouge(kind).score([Example("1", candidate, (reference,))])
    assert value.score == 0
    assert (flags.NOTHING_COMPARABLE in value.flags) == incomparable


def test_one_comparable_reference_is_enough() -> None:
    (value,) = Rouge("rouge2").score([Example("1", "yes indeed", ("yes", "no doubt"))])
    assert (value.score, value.flags) == (0, ())


def test_signatures_are_literal() -> None:
    head = "v1|lib:rouge-score|tok:a-z0-9"
    assert Rouge("rougeL").signature == f"rougeL:{head}|stem:porter.nltk|f:1|refs:best"
    assert Rouge("rouge2", stem=False).signature == f"rouge2:{head}|stem:no|f:1|refs:best"


@needs_data
def test_as_rouge_score() -> None:
    from rouge_score.rouge_scorer import RougeScorer

    examples = rows(("mans_roc", 80), ("usr_personachat", 100), ("newsroom", 40), ("summeval", 10))
    scorer = RougeScorer(list(KINDS), use_stemmer=True)
    expected = [scorer.score_multi(example.references, example.candidate) for example in examples]
    for kind in KINDS:
        assert numbers(Rouge(kind), examples) == [scores[kind].fmeasure for scores in expected]
