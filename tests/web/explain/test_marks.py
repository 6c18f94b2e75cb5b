"""What a candidate's words did, and where they stand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mars_score.encoders.token_level import PieceReading
from mars_score.mars.scorer import MarsScorer
from mars_score.text.words import words
from mars_score.types import Example, Fact
from mars_score.web.explain.explanation import explain_examples
from mars_score.web.explain.marks import ReadText, copied_runs, find_marks, marked_pieces

CONTEXT = "The potter left the kiln closed over night, and the glaze had cracked."


@pytest.mark.parametrize(
    ("text", "runs"),
    [
        ("The kiln stood there.", []),  # two words in a row are none
        ("Left the KILN closed!", ["Left the KILN closed"]),
        ("He left the kiln closed over night.", ["left the kiln closed over night"]),
        (
            "Night and the glaze broke; the potter left the house.",
            ["Night and the glaze", "the potter left the"],
        ),
        ("", []),
    ],
)
def test_copied_runs(text: str, runs: list[str]) -> None:
    assert [text[start:end] for start, end in copied_runs(text, CONTEXT)] == runs


@given(st.text("abc ,", max_size=40), st.text("abc ,", max_size=40))
def test_every_run_of_three_words_is_found(text: str, context: str) -> None:
    """Beside a plain search for every three words."""
    own = [word for word in words(text) if word.text.isalnum()]
    source = [word.text for word in words(context) if word.text.isalnum()]
    inside: set[int] = set()
    for place in range(len(own) - 2):
        three = [word.text for word in own[place : place + 3]]
        if any(source[at : at + 3] == three for at in range(len(source))):
            inside |= {place, place + 1, place + 2}
    found = copied_runs(text, context)
    marked = {
        place for place, word in enumerate(own) if any(a <= word.start and word.end <= b for a, b in found)
    }
    assert marked == inside


def read(text: str, vectors: dict[str, list[float]], in_place: dict[str, float] | None = None) -> ReadText:
    """A text whose pieces are its words, with vectors and probabilities that the test gives."""
    found = words(text)
    rows = np.array([vectors.get(word.text, [0.0, 0.0, 1.0]) for word in found], np.float32)
    odds = np.log([(in_place or {}).get(word.text, 0.99) for word in found]).astype(np.float32)
    spans = tuple((word.start, word.end) for word in found)
    reading = PieceReading(spans, rows, np.full(len(found), 1 / len(found), np.float32), odds)
    return ReadText.of(text, None)._replace(reading=reading)


def test_words_match_by_meaning_and_know_their_partner() -> None:
    vectors = {"bike": [1.0, 0.0, 0.0], "bicycle": [0.9, 0.436, 0.0], "oven": [0.0, 1.0, 0.0]}
    candidate, reference = read("Her bike and the oven.", vectors), read("So the bicycle rose.", vectors)
    (mark,) = [one for one in find_marks(candidate, [(0, reference)], "", ()) if one.kind == "matched"]
    assert (mark.text, mark.partner, mark.partner_start, mark.reference) == ("bike", "bicycle", 7, 0)
    assert mark.note == "In the reference too, for “bicycle” (cosine 0.90)."
    assert candidate.text[mark.start : mark.end] == "bike"


def test_words_out_of_place_and_facts_are_marked() -> None:
    candidate = read("Seal Her shore in 1987.", {}, {"Her": 0.2, "in": 0.51})
    fact = Fact("number", "1987", 18, 22, "neither text has 1987")
    found = find_marks(candidate, [], "", [fact])
    assert [(one.kind, one.text) for one in found] == [("misplaced", "Her"), ("unsupported", "1987")]
    assert [one.note for one in found] == [
        "Out of place: with a probability of 80%.",
        "neither text has 1987.",
    ]


def test_without_a_close_reader_equal_words_match() -> None:
    candidate, reference = ReadText.of("The Kite fell", None), ReadText.of("a kite rose", None)
    found = find_marks(candidate, [(0, reference)], "", ())
    assert [(one.text, one.partner) for one in found] == [("Kite", "kite")]


def test_pieces_join_to_the_text_and_marks_may_overlap() -> None:
    candidate = ReadText.of("He left the kiln closed.", None)
    marks = find_marks(candidate, [(0, ReadText.of("The kiln was shut", None))], CONTEXT, ())
    pieces = marked_pieces(candidate.text, marks)
    assert "".join(piece.text for piece in pieces) == candidate.text
    kiln = next(piece for piece in pieces if piece.text == "kiln")
    assert kiln.kinds == ("copied", "matched")
    assert kiln.target == "0-4"
    assert kiln.note == "Copied from the context. In the reference too."
    assert marked_pieces("", ()) == []


@pytest.mark.models
def test_the_real_reader_finds_partners_and_shuffled_words() -> None:
    reference = (
        "So they tied the kite to her bicycle, and it rose behind her as she pedalled down the lane.",
    )
    texts = {
        "good": "She pulled the kite behind her bike, and her brother cheered.",
        "shuffled": "still air the climbed behind kite cheered her She brother bike pulled and it as into her the",
    }
    examples = [Example(name, text, reference, "Noor made a kite.") for name, text in texts.items()]
    (item,) = explain_examples(MarsScorer(cache=None, ratios=()), examples)
    good, shuffled = item.candidates
    pairs = {mark.text: mark.partner for mark in good.marks if mark.kind == "matched"}
    assert pairs["bike"] == "bicycle"
    assert pairs["kite"] == "kite"
    assert not [mark for mark in good.marks if mark.kind == "misplaced"]
    assert len([mark for mark in shuffled.marks if mark.kind == "misplaced"]) > 5
