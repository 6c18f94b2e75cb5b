"""The adjustments: worked by hand on toy encodings, and what holds whatever the texts are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mars_score import flags
from mars_score.config import FORMULA, MarsConfig, preset
from mars_score.encoders.base import Encoding, EncodingMemory, TokenReading
from mars_score.mars.adjustments import (
    CONTRADICTION,
    HALF_RELEVANT,
    MOST_FACTS,
    MOST_RELEVANT,
    WORST,
    ContextNgrams,
    ReferenceBaseline,
    adjustments,
    fluency_of,
)
from mars_score.mars.facts import Sources
from mars_score.mars.score import NEARLY_ALL, REFERENCE_SETS, Comparator
from mars_score.types import Augmentation, AugmentedReference, Block, Example, Template, human_reference

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from mars_score.types import ItemScore

CONTEXT = "the goat ate the red hat"


class Toy:
    """Reads a text as counts of a few letters, word by word too; each ``?`` makes it a little less fluent."""

    def encode(self, texts: Sequence[str], progress: object = None) -> list[Encoding]:
        return [self.read(text) for text in texts]

    def read(self, text: str) -> Encoding:
        if not text.strip():
            return Encoding(np.zeros(5, np.float32))
        states = np.stack([self.count(word) for word in text.split()])
        weights = np.array([1.0 + len(word) for word in text.split()])
        close = TokenReading(
            states.astype(np.float32), (weights / weights.sum()).astype(np.float32), -0.25 * text.count("?")
        )
        return Encoding(self.count(text), close=close)

    def count(self, text: str) -> NDArray[np.float32]:
        vector = np.array([1.0, *(text.count(letter) for letter in "ghrt")], np.float32)
        unit: NDArray[np.float32] = vector / np.linalg.norm(vector)
        return unit


def filled(ratio: float, text: str) -> AugmentedReference:
    return AugmentedReference(Template(ratio, (Block("?", blank=True),)), (text,))


def quiet(stage: str, finished: int, total: int) -> None:
    """Report nothing."""


def score(
    config: MarsConfig, candidate: str, *references: Sequence[str], context: str = CONTEXT
) -> ItemScore:
    """Score a candidate; each reference is given with its augmentations after it."""
    example = Example("1", candidate, tuple(texts[0] for texts in references), context)
    augmented = {
        pair: Augmentation(
            (human_reference(texts[0]), *(filled(0.2 * i, text) for i, text in enumerate(texts[1:], 1)))
        )
        for pair, texts in zip(example.pairs, references, strict=True)
    }
    (item,) = Comparator(config.scoring).score([example], augmented, Toy(), EncodingMemory(), quiet)
    return item


def amounts(item: ItemScore) -> dict[str, float]:
    return {one.name: one.amount for one in item.adjustments}


def only(**options: float) -> MarsConfig:
    """The paper's formula with one thing added."""
    return preset("fast").with_options(**(FORMULA | options))


vocabulary = ["the", "goat", "ate", "red", "hat", "ship", "what?", "why?", ".", "not", "Ann", "Bob", "7"]
phrases = st.lists(st.sampled_from(vocabulary), min_size=1, max_size=9).map(" ".join)
contexts = st.just("") | st.just("  \n") | phrases
several = st.lists(st.lists(phrases, min_size=1, max_size=3), min_size=1, max_size=3)
presets = st.just("fast")


class TestByHand:
    def test_fluency_is_held_against_the_least_fluent_human_reference(self) -> None:
        found = score(only(fluency=0.4), "a goat? ate?? hay", ["goat?", "hat????"], ["goats"])
        (one,) = found.adjustments
        assert (one.name, one.measured, one.usual) == ("fluency", -0.75, -0.25)
        assert one.amount == pytest.approx(0.4 * (-0.75 + 0.25))

    def test_fluency_has_a_floor(self) -> None:
        (one,) = score(only(fluency=0.4), "goat?????????", ["goat"]).adjustments
        assert (one.measured, one.amount) == (WORST, -0.4)

    def test_to_be_more_fluent_than_the_reference_earns_nothing(self) -> None:
        (one,) = score(only(fluency=0.4), "a goat", ["goat???"]).adjustments
        assert (one.amount, one.measured, one.usual) == (0.0, 0.0, -0.75)

    def test_a_blank_text_is_as_bad_as_can_be(self) -> None:
        (one,) = score(only(fluency=0.4), " ", ["goat"]).adjustments
        assert (one.measured, one.amount) == (WORST, -0.4)
        assert fluency_of(Encoding(np.zeros(3, np.float32))) == WORST

    def test_relevance_is_held_against_the_mean_of_references_and_augmentations(self) -> None:
        toy = Toy()
        near = [float(toy.count(text) @ toy.count(CONTEXT)) for text in ("goat", "the hat", "ship", "rr")]
        (one,) = score(only(relevance=0.6), "goat", ["the hat", "ship"], ["rr"]).adjustments
        assert one.measured == pytest.approx(near[0], abs=1e-6)
        assert one.usual == pytest.approx(sum(near[1:]) / 3, abs=1e-6)
        share = 1.5 / (1.5 + HALF_RELEVANT)  # the references have two words and one
        assert 0 < near[0] - sum(near[1:]) / 3 < MOST_RELEVANT
        assert one.amount == pytest.approx(0.6 * (near[0] - sum(near[1:]) / 3) * share, abs=1e-6)

    def test_copied_words_gain_nothing_by_their_closeness(self) -> None:
        """A gain is for words that are not copied; what is further from the context loses as before."""
        (own,) = score(only(relevance=1.0), CONTEXT, ["goat"]).adjustments
        assert own.measured > own.usual
        assert own.amount == pytest.approx(0.0, abs=1e-6)
        (far,) = score(only(relevance=1.0), "rr", [CONTEXT]).adjustments
        words = len(re.findall(r"\w+|[^\w\s]", CONTEXT))
        assert far.usual - far.measured > MOST_RELEVANT, "no more than this counts"
        assert far.amount == pytest.approx(-MOST_RELEVANT * words / (words + HALF_RELEVANT))

    @pytest.mark.parametrize(("candidate", "count", "counted"), [
        ("the goat", 0, 0), ("7 goats", 1, 1), ("7 goats ate 8 hats", 2, 2),
        ("7 goats, 8 hats, 9 ships, 6 rats, 5 rr", 5, 4),
    ])  # fmt: skip
    def test_each_fact_that_is_not_borne_out_costs_the_same_up_to_four(
        self, candidate: str, count: int, counted: int
    ) -> None:
        item = score(only(facts=0.25), candidate, ["goats", "hats"])
        (one,) = item.adjustments
        assert (one.name, one.amount, one.measured, one.usual) == ("facts", -0.25 * counted, count, 0)
        assert not str(one.amount).startswith("-0.0"), "nothing is not less than nothing"
        assert len(item.facts) == count
        assert all(fact.kind == "number" and fact.reason for fact in item.facts)
        assert [candidate[fact.start : fact.end] for fact in item.facts] == ["7", "8", "9", "6", "5"][:count]

    @pytest.mark.parametrize(("candidate", "counted"), [
        ("the goat ate 8 hats", CONTRADICTION), ("the goat ate 8 hats, 6 rats", MOST_FACTS), ("8 ships", 1),
    ])  # fmt: skip
    def test_a_contradicted_fact_costs_more(self, candidate: str, counted: float) -> None:
        item = score(only(facts=0.1), candidate, ["the goat ate 7 hats and 5 rats"])
        assert item.adjustments[0].amount == pytest.approx(-0.1 * counted)
        assert {fact.contradicts for fact in item.facts} == {counted != 1}

    def test_what_is_said_again_counts_as_out_of_place(self) -> None:
        """Four of five words stand in a run that came before; the reference has none."""
        text = "goats ate the red hat"
        (one,) = score(only(fluency=0.4), f"{text}, goats ate the red", [text]).adjustments
        assert (one.measured, one.usual) == (-4 / 9, 0)
        assert one.amount == pytest.approx(-0.4 * 4 / 9)
        (one,) = score(only(fluency=0.4), f"{text}, goats ate the red", [f"{text} {text}"]).adjustments
        assert one.amount == 0, "the reference says more of it again"

    def test_facts_are_looked_up_in_the_context_and_in_every_human_reference(self) -> None:
        references = (["goat", "8 goats"], ["7 hats"])
        assert score(only(facts=0.1), "6 goats and 7 hats", *references, context="6 ships").facts == ()
        (fact,) = score(only(facts=0.1), "8 goats", *references, context="6 ships").facts
        assert fact.text == "8", "an augmentation is the language model's: it bears out nothing"

    def test_without_a_weight_facts_are_not_looked_up(self) -> None:
        assert score(preset("fast").with_options(facts=0.0), "7 goats", ["goats"]).facts == ()
        assert score(preset("paper-formula"), "7 goats", ["goats"]).facts == ()

    def test_single_words_take_their_share_of_the_place_of_cosines(self) -> None:
        whole = score(preset("paper-formula"), "the goat", ["hat", "red hat"]).score
        single = score(only(words=1.0), "the goat", ["hat", "red hat"]).score
        mixed = score(only(words=0.25), "the goat", ["hat", "red hat"])
        assert mixed.score == pytest.approx(0.75 * whole + 0.25 * single)
        (one,) = mixed.adjustments
        assert one.name == "words"
        assert [one.measured, one.usual] == pytest.approx([single, whole])

    def test_single_words_match_those_of_the_human_reference_alone(self) -> None:
        found = [score(only(words=1.0), "goat", texts).score for texts in (["hat"], ["hat", "goat"])]
        assert found[0] == found[1]

    def test_a_blank_candidate_matches_no_word(self) -> None:
        (one,) = score(only(words=0.5), "", ["goat"]).adjustments
        assert (one.measured, one.usual, one.amount) == (0, 0, 0)

    def test_they_come_in_a_fixed_order_each_with_a_meaning(self) -> None:
        found = score(preset("fast"), "the ship", ["goat"]).adjustments
        assert [one.name for one in found] == ["words", "fluency", "relevance", "facts", "cap"]
        assert all(one.meaning for one in found)


class TestCopiedBeyondTheReferences:
    """What references copy is usual: only what a candidate copies beyond that is taken from its gains."""

    @pytest.mark.parametrize(("references", "beyond"), [
        (["goat ship"], 1.0), (["goat ship", CONTEXT], 0.5), (["the goat ate the hat hat"], 1 - 4 / 6), ([CONTEXT], 0),
    ])  # fmt: skip
    def test_the_mean_of_the_references_is_usual(self, references: list[str], beyond: float) -> None:
        toy = Toy()
        encodings = {text: toy.read(text) for text in (*references, CONTEXT)}
        usual = ReferenceBaseline.of(CONTEXT, [[text] for text in references], encodings)
        assert usual.ngrams
        assert usual.beyond(usual.ngrams.copied(CONTEXT)) == pytest.approx(beyond)
        assert usual.beyond(0.0) == 0

    def test_a_copy_gains_by_closeness_where_references_copy(self) -> None:
        text = "the goat ate the red ship"
        (one,) = score(only(relevance=1.0), CONTEXT, [text]).adjustments
        words = len(text.split())
        gain = (one.measured - one.usual) * (1 - (1 - 5 / 6))
        assert 0 < gain < MOST_RELEVANT
        assert one.amount == pytest.approx(gain * words / (words + HALF_RELEVANT), abs=1e-6)


class TestCopied:
    """What is copied from the context is said beside the score, and costs nothing."""

    @pytest.mark.parametrize(
        ("candidate", "share"),
        [(CONTEXT, 1.0), ("the goat ate the red ship", 5 / 6), ("the ship", 0.0), ("", 0.0)],
    )
    def test_the_share_is_told_and_a_copy_flagged(self, candidate: str, share: float) -> None:
        item = score(preset("fast"), candidate, ["the goat ate a ship"])
        assert item.copied == pytest.approx(share)
        assert (flags.COPIED in item.flags) == (share == 1.0)

    def test_it_is_flagged_from_nine_words_of_ten(self) -> None:
        context = "one two three four five six seven eight nine"
        for candidate, flagged in ((f"{context} ten", True), (f"{context} ten eleven", False)):
            item = score(preset("fast"), candidate, ["goat"], context=context)
            assert (flags.COPIED in item.flags) is flagged

    def test_it_is_not_fined(self) -> None:
        """The same letters in other words: all that differs is that one of them stands in the context.

        A copy gains nothing by its closeness to the context, and loses nothing either.
        """
        config = preset("fast").with_options(words=0.0, relevance=0.0)
        copy, other = (
            score(config, CONTEXT, ["goat ship"], context=context)
            for context in (CONTEXT, CONTEXT.replace(" ", " : "))
        )
        assert (copy.copied, other.copied) == (1, 0)
        assert copy.score == pytest.approx(other.score)


class TestSeveralReferences:
    def test_the_best_one_counts_by_cosines_and_words_together(self) -> None:
        config = preset("fast")
        item = score(config, "red goat", ["ship"], ["red goat", "red goats"], ["hat"])
        assert [term.text for term in item.augmented] == ["red goat", "red goats"]
        alone = [score(only(words=0.5), "red goat", texts).score for texts in (["ship"], ["hat"])]
        assert score(only(words=0.5), "red goat", ["ship"], ["hat"]).score == max(alone)

    def test_the_mean_is_that_of_the_references_one_by_one(self) -> None:
        config = only(words=0.3).with_options(references="mean")
        texts = (["ship", "the ship"], ["red goat"], ["hat"])
        item = score(config, "red goat", *texts)
        assert item.score == pytest.approx(np.mean([score(config, "red goat", each).score for each in texts]))
        assert len(item.augmented) == 4
        assert sum(term.weight for term in item.augmented) == pytest.approx(1)

    @pytest.mark.parametrize("references", ["best", "mean"])
    def test_fluency_and_the_context_count_once_whatever_the_references(self, references: str) -> None:
        config = preset("fast").with_options(references=references)
        item = score(config, "the goat ate??", ["ship?"], ["red goat"], ["hat"])
        assert [one.name for one in item.adjustments] == ["words", "fluency", "relevance", "facts", "cap"]

    @given(
        data=st.data(),
        references=several,
        candidate=phrases,
        context=contexts,
        mode=st.sampled_from(["best", "mean"]),
    )
    def test_their_order_does_not_matter(
        self, data: st.DataObject, references: list[list[str]], candidate: str, context: str, mode: str
    ) -> None:
        unique = list({texts[0]: texts for texts in references}.values())
        turned = data.draw(st.permutations(unique))
        config = preset("fast").with_options(references=mode)
        one, other = (score(config, candidate, *texts, context=context) for texts in (unique, turned))
        assert one.score == pytest.approx(other.score, abs=1e-12)


class TestWhateverTheTexts:
    @given(
        name=presets,
        references=several,
        candidate=phrases,
        context=contexts,
        mode=st.sampled_from(["best", "mean"]),
    )
    def test_cosines_and_adjustments_add_up_to_the_score(
        self, name: str, references: list[list[str]], candidate: str, context: str, mode: str
    ) -> None:
        item = score(preset(name).with_options(references=mode), candidate, *references, context=context)
        total = sum(term.weight * term.cosine for term in item.augmented)
        assert item.score == pytest.approx(total + sum(amounts(item).values()), abs=1e-9)

    @given(references=several, candidate=phrases, context=contexts, mode=st.sampled_from(["best", "mean"]))
    def test_weights_of_zero_leave_the_formula_of_the_paper(
        self, references: list[list[str]], candidate: str, context: str, mode: str
    ) -> None:
        """To the last bit, though all texts have been read closely."""
        options = {"references": mode}
        item = score(only().with_options(**options, match="recall"), candidate, *references, context=context)
        assert item == score(
            preset("paper-formula").with_options(**options), candidate, *references, context=context
        )
        assert item.adjustments == ()

    @given(name=presets, references=several, candidate=phrases, context=contexts)
    def test_no_candidate_is_above_a_copy_of_the_best_reference(
        self, name: str, references: list[list[str]], candidate: str, context: str
    ) -> None:
        free = preset(name).with_options(cap=False)
        copies = [score(free, texts[0], *references, context=context).score for texts in references]
        before = score(free, candidate, *references, context=context)
        after = score(preset(name), candidate, *references, context=context)
        assert after.score == min(before.score, max(copies))
        one = after.adjustments[-1]
        assert (one.name, one.measured, one.usual) == ("cap", before.score, max(copies))
        assert one.amount == pytest.approx(after.score - before.score)
        assert after.adjustments[:-1] == before.adjustments

    @given(name=presets, references=several, candidate=phrases)
    def test_without_a_context_nothing_is_said_of_it(
        self, name: str, references: list[list[str]], candidate: str
    ) -> None:
        for context in ("", "  \n"):
            item = score(preset(name), candidate, *references, context=context)
            assert list(amounts(item)) == ["words", "fluency", "facts", "cap"]
            assert item.copied == 0

    @given(name=presets, texts=st.lists(phrases, min_size=1, max_size=4), context=contexts)
    def test_a_copy_of_the_reference_is_neither_clumsy_nor_wrong(
        self, name: str, texts: list[str], context: str
    ) -> None:
        item = score(preset(name), texts[0], texts, context=context)
        assert (amounts(item)["fluency"], amounts(item)["facts"], item.facts) == (0, 0, ())

    @given(name=presets, references=several, candidate=phrases | st.just(""), context=contexts)
    def test_bounds(self, name: str, references: list[list[str]], candidate: str, context: str) -> None:
        config = preset(name).scoring
        item = score(preset(name), candidate, *references, context=context)
        found = {one.name: one for one in item.adjustments}
        assert abs(found["words"].amount) <= 2 * config.words + 1e-3
        assert found["fluency"].amount <= 0
        if "relevance" in found:
            assert abs(found["relevance"].amount) <= MOST_RELEVANT * config.relevance
        assert -MOST_FACTS * config.facts <= found["facts"].amount <= 0
        assert found["facts"].measured == len(item.facts)
        assert 0 <= item.copied <= 1
        assert (flags.COPIED in item.flags) == (item.copied >= NEARLY_ALL)

    @given(references=several, candidate=phrases, context=contexts)
    def test_the_yardstick_does_not_know_the_candidate(
        self, references: list[list[str]], candidate: str, context: str
    ) -> None:
        one, other = (
            score(preset("fast"), text, *references, context=context) for text in (candidate, "the ship")
        )
        assert {each.name: each.usual for each in one.adjustments if each.name != "words"} == {
            each.name: each.usual for each in other.adjustments if each.name != "words"
        }


def test_a_yardstick_is_measured_once_for_all_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[str] = []
    original = ContextNgrams.of.__func__  # type: ignore[attr-defined]

    def counted(cls: type[ContextNgrams], context: str, language: str) -> ContextNgrams:
        measured.append(context)
        found: ContextNgrams = original(cls, context, language)
        return found

    monkeypatch.setattr(ContextNgrams, "of", classmethod(counted))
    examples = [Example(str(i), f"{'goat ' * i}ate", ("the hat",), CONTEXT) for i in range(5)]
    augmented = {examples[0].pairs[0]: Augmentation((human_reference("the hat"),))}
    Comparator(preset("fast").scoring).score(examples, augmented, Toy(), EncodingMemory(), quiet)
    assert measured == [CONTEXT]


def test_the_next_candidates_find_them_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[str] = []
    whole = ReferenceBaseline.of

    def counted(context: str, references: Any, encodings: Any, language: str) -> ReferenceBaseline:
        measured.append(context)
        return whole(context, references, encodings, language)

    monkeypatch.setattr(ReferenceBaseline, "of", counted)
    mars, memory = Comparator(preset("fast").scoring), EncodingMemory()

    def scored(candidate: str, augmentation: str) -> float:
        example = Example("1", candidate, ("the hat",), CONTEXT)
        augmented = {example.pairs[0]: Augmentation((human_reference("the hat"), filled(0.2, augmentation)))}
        (item,) = mars.score([example], augmented, Toy(), memory, quiet)
        (alone,) = Comparator(preset("fast").scoring).score(
            [example], augmented, Toy(), EncodingMemory(), quiet
        )
        measured.pop()  # by the last line
        assert item == alone
        return item.score

    first = scored("goat", "the ship")
    scored("a red hat", "the ship")
    assert measured == [CONTEXT]
    assert scored("goat", "the goat") != first, "the reference was augmented anew, as another corpus has it"
    assert measured == [CONTEXT] * 2
    assert scored("goat", "the ship") == first


def test_what_is_kept_for_the_next_candidates_is_bounded() -> None:
    mars = Comparator(preset("fast").scoring)
    for number in range(400):
        example = Example(
            "1", "goat", (f"hat {number}",), f"{CONTEXT} {number} " * 100 + " ".join(map(str, range(900)))
        )
        augmented = {example.pairs[0]: Augmentation((human_reference(f"hat {number}"),))}
        mars.score([example], augmented, Toy(), EncodingMemory(), quiet)
    assert mars.reference_sets.size <= REFERENCE_SETS
    assert 50 < len(mars.reference_sets) < 400


def test_contexts_are_encoded_only_where_they_are_needed() -> None:
    class Asked(Toy):
        def __init__(self) -> None:
            self.texts: list[str] = []

        def encode(self, texts: Sequence[str], progress: object = None) -> list[Encoding]:
            self.texts += texts
            return super().encode(texts)

    examples = [Example("1", "goat", ("hat",), CONTEXT), Example("2", "goat", ("hat",), " ")]
    augmented = {pair: Augmentation((human_reference("hat"),)) for one in examples for pair in one.pairs}
    for config, expected in (
        (preset("paper-formula"), ["goat", "hat"]),
        (preset("fast"), ["goat", "hat", CONTEXT]),
    ):
        asked = Asked()
        Comparator(config.scoring).score(examples, augmented, asked, EncodingMemory(), quiet)
        assert asked.texts == expected


def test_a_yardstick_without_a_context_holds_no_text_against_it() -> None:
    usual = ReferenceBaseline(None, Sources(["hat"]), relevance=0.0, fluency=-0.5)
    read = {"goat?": Toy().read("goat?")}
    found = adjustments(Example("1", "goat?", ("hat",)), read, usual, (), 0.0, preset("fast").scoring)
    assert [(one.name, one.amount) for one in found] == [("fluency", 0.0), ("facts", 0.0)]
