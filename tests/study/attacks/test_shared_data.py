"""Attacks on real candidates, where the data sets are at hand."""

from __future__ import annotations

import pytest

from mars_score.io.datasets.base import PAPER_NEWSROOM, select
from mars_score.io.datasets.loading import load_dataset
from mars_score.study.attacks.robustness import ATTACKS, attack_dataset
from tests.metrics.human_data import DATA, needs_data

ALWAYS = {
    "reorder", "retrieve", "truncation", "repetition", "copy_context", "prompt_echo", "refusal",
    "keywords", "unrelated", "copy_reference",
}  # fmt: skip


@needs_data
@pytest.mark.parametrize("name", ATTACKS)
def test_the_summaries_of_the_paper(name: str) -> None:
    result = attack_dataset(select(load_dataset(DATA / "newsroom.jsonl"), PAPER_NEWSROOM), name)
    # Some summaries have no verb, number or second name; the others are all changed.
    least = 180 if name in ALWAYS else {"negation": 120, "number_swap": 50, "name_swap": 90}[name]
    assert least <= len(result.rows) == 180 - result.not_applicable


@needs_data
def test_one_word_answers_cannot_be_reordered() -> None:
    dataset = load_dataset(DATA / "kpqa_semeval_mcscript.jsonl")
    single = sum(len(row.example.candidate.split()) < 2 for row in dataset)
    assert 0 < single <= attack_dataset(dataset, "reorder").not_applicable < len(dataset)
