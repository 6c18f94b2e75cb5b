"""Explanations as data: they add up, and their marks are where they belong."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from mars_score.errors import InputError
from mars_score.types import Example
from mars_score.web.explain.data import ExplainedItem, as_dict
from mars_score.web.explain.explanation import explain_examples
from tests.study.toy_mars import toy_scorer
from tests.web.explain.sample import EXAMPLES, HUMANS, sample, scored, scorer


def every_candidate(items: tuple[ExplainedItem, ...]) -> list[str]:
    return [one.id for item in items for one in item.candidates]


def test_candidates_of_one_item_are_together_in_the_order_of_the_file() -> None:
    items, _ = sample()
    assert every_candidate(items) == ["kiln/a", "kiln/b", "kiln/c", "ferry/a", "bees/a", "none/a"]
    assert [item.number for item in items] == [1, 2, 3, 4]


def test_terms_and_adjustments_add_up_to_the_score() -> None:
    toy = scorer()
    scores = {item.id: item.score for item in scored(toy)}
    for item in sample()[0]:
        for one in item.candidates:
            total = sum(term.contribution for term in one.terms) + sum(a.amount for a in one.adjustments)
            assert one.score == scores[one.id]
            assert total == pytest.approx(one.score, abs=1e-9)
            assert one.rest == 0


def test_what_the_terms_leave_is_told() -> None:
    toy = scorer()
    items = [replace(item, score=1.0) for item in scored(toy)]
    for item in explain_examples(toy, EXAMPLES, items):
        for one in item.candidates:
            total = sum(term.contribution for term in one.terms) + sum(a.amount for a in one.adjustments)
            assert total + one.rest == pytest.approx(1.0)


def test_pieces_join_to_the_texts() -> None:
    toy = scorer()
    augmented = toy.augment_examples(EXAMPLES)
    items = {item.candidates[0].id: item for item in sample()[0]}
    for example in EXAMPLES:
        if example.id not in items:
            continue
        item = items[example.id]
        assert item.context_text == example.context
        for reference, pair in zip(item.references, example.pairs, strict=True):
            assert "".join(word.gap + word.text for word in reference.words) == pair.reference
            known = augmented[pair].augmented
            assert [variant.text for variant in reference.variants] == [one.text for one in known]
            for variant, one in zip(reference.variants, known, strict=True):
                assert "".join(piece.text for piece in variant.template) == one.template.source
                assert "".join(piece.text for piece in variant.segments).strip() == one.text
                assert sum(piece.marked for piece in variant.template) == one.template.blanks
                fills = [piece.text for piece in variant.segments if piece.marked]
                assert fills == ["rabbit"] * one.template.blanks


def test_shared_words_are_marked_in_the_context_and_in_the_reference() -> None:
    kiln, ferry = sample()[0][:2]
    marked = [piece.text for piece in kiln.context if piece.references]
    shared = [word.text for word in kiln.references[0].words if word.shared]
    assert " ".join(marked).replace(".", " .").lower().split() == [word.lower() for word in shared]
    assert shared == ["morning", "the", "glaze", "had", "."]
    assert {word.cost for word in kiln.references[0].words if word.shared} == {10}
    assert {word.cost for word in kiln.references[0].words if not word.shared} == {1}
    # With two references, each marks words of its own.
    owners = {piece.text: piece.references for piece in ferry.context}
    assert owners["ferry"] == (1,)
    assert [piece.text for piece in ferry.context if 0 in piece.references] == ["."]


def test_the_marks_are_of_the_subsequence_that_was_priced() -> None:
    # Both "a" and "b" alone are longest; the reference's first one is taken, and only that may be marked.
    example = Example("x", "a", ("a b",), "b a")
    (item,) = explain_examples(scorer(), [example])
    assert [word.text for word in item.references[0].words if word.shared] == ["a"]
    assert [piece.text for piece in item.context if piece.references] == ["a"]


def test_words_know_at_which_ratios_they_are_masked() -> None:
    kiln = sample()[0][0]
    reference = kiln.references[0]
    for variant in reference.variants[1:]:
        hidden = " ".join(piece.text for piece in variant.template if piece.marked)
        masked = [word.text for word in reference.words if variant.ratio in word.masked_at]
        assert hidden.split() == masked
    order = [word.text for word in reference.first_masked]
    assert order.index("small") < order.index("glaze")


def test_each_term_knows_its_reference() -> None:
    ferry = sample()[0][1]
    terms = ferry.candidates[0].terms
    assert len({term.reference for term in terms}) == 1
    mean = explain_examples(toy_scorer(cache=None, references="mean"), EXAMPLES)[1]
    assert [term.reference for term in mean.candidates[0].terms] == [0] * 4 + [1] * 4
    assert (ferry.rule, mean.rule) == ("best", "mean")


def test_ranks_and_disagreement() -> None:
    found = {one.id: one for item in sample()[0] for one in item.candidates}
    assert {name: one.human for name, one in found.items()} == {**HUMANS, "none/a": None}
    assert found["ferry/a"].human_rank == 1
    assert found["bees/a"].human_rank == found["bees/a"].score_rank == 0
    assert found["none/a"].disagreement is None
    for one in found.values():
        if one.score_rank is not None and one.human_rank is not None:
            assert one.disagreement == one.score_rank - one.human_rank
    alone = explain_examples(scorer(), EXAMPLES[:1], humans=HUMANS)[0].candidates[0]
    assert (alone.human, alone.disagreement) == (4.5, None)


def test_cleaned_texts_are_explained_as_they_were_scored() -> None:
    found = {one.id: one for item in sample()[0] for one in item.candidates}["kiln/c"]
    assert found.text == "The potter cursed the kiln."
    assert found.written.endswith("#pottery")
    assert "cleaned" in found.flags


def test_long_references_are_explained_as_far_as_they_were_read() -> None:
    toy = toy_scorer(cache=None, max_words=5)
    (item,) = explain_examples(toy, [Example("x", "a", ("one two three four five six seven",), "seven six")])
    assert item.references[0].text == "one two three four five"
    assert [word.text for word in item.references[0].words][-1] == "five"
    assert "reference_truncated" in item.flags


def test_items_are_plain_data() -> None:
    items, standing = sample()
    for item in items:
        again = json.loads(json.dumps(as_dict(item)))
        assert again["candidates"][0]["terms"][0]["cosine"] == item.candidates[0].terms[0].cosine
        assert again["references"][0]["words"][0]["part_of_speech"] == "noun"
    assert json.loads(json.dumps(standing.as_dict()))["scores"] == list(standing.scores)


def test_with_a_corpus_the_words_are_priced_as_the_score_was() -> None:
    toy = toy_scorer(cache=None, idf="corpus")
    alone = explain_examples(toy, EXAMPLES[:1])[0].references[0]
    among = explain_examples(toy, EXAMPLES)[0].references[0]
    assert [word.idf for word in alone.words] != [word.idf for word in among.words]
    assert toy.corpus is None
    for variant in among.variants[1:]:
        masked = [word.text for word in among.words if variant.ratio in word.masked_at]
        assert " ".join(piece.text for piece in variant.template if piece.marked).split() == masked


def test_scores_of_other_examples_are_refused() -> None:
    toy = scorer()
    with pytest.raises(InputError, match="6 examples but 5 scores"):
        explain_examples(toy, EXAMPLES, scored(toy)[:5])


def test_nothing_to_explain() -> None:
    assert explain_examples(scorer(), []) == ()
