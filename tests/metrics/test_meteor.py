from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from mars_score.errors import ModelError
from mars_score.metrics.meteor import Meteor, tokens
from mars_score.types import Example

from .human_data import needs_data, numbers, rows

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def metric(wordnet: Path) -> Meteor:
    return Meteor(wordnet)


def meteor(metric: Meteor, candidate: str, *references: str) -> float:
    return numbers(metric, [Example("1", candidate, references)])[0]


def test_precision_and_recall_by_hand(metric: Meteor) -> None:
    # 2 matches in one chunk: P = 1, R = 2/6, F = P R / (0.9 P + 0.1 R) = 5/14, penalty 0.5 (1/2)^3 = 1/16.
    result = meteor(metric, "the dog", "the dog ran home quickly today")
    assert result == pytest.approx(5 / 14 * 15 / 16)


def test_order_by_hand(metric: Meteor) -> None:
    # All words match, in 2 chunks of 2: penalty 0.5 (2/4)^3.
    assert meteor(metric, "came home the boat", "the boat came home") == pytest.approx(1 - 0.5 / 8)


def test_stems_and_synonyms_match(metric: Meteor) -> None:
    perfect = 1 - 0.5 / 4**3  # four words in one chunk
    assert meteor(metric, "the dogs ran home", "the dog ran home") == pytest.approx(perfect)
    assert meteor(metric, "the hound ran home", "the dog ran home") == pytest.approx(perfect)
    # No match for "cat": 3 words in 2 chunks, P = R = 3/4.
    assert meteor(metric, "the cat ran home", "the dog ran home") == pytest.approx(
        3 / 4 * (1 - 0.5 * (2 / 3) ** 3)
    )


@pytest.mark.parametrize("words", [1, 2, 5, 10, 100])
def test_a_perfect_match_is_below_one_by_its_one_chunk(metric: Meteor, words: int) -> None:
    text = " ".join(f"w{index}" for index in range(words))
    assert meteor(metric, text, text) == pytest.approx(1 - 0.5 / words**3)


def test_the_best_reference_counts(metric: Meteor) -> None:
    references = ("a gull cried", "the boat came home", "the rain came")
    each = [meteor(metric, "the boat came back", reference) for reference in references]
    assert meteor(metric, "the boat came back", *references) == max(each) == each[1]


def test_sentences_are_split_before_words() -> None:
    text = 'It can\'t be 3.5 km. "Wait!" He left (late). Mr. Kim stayed'
    assert tokens(text) == (
        "It", "ca", "n't", "be", "3.5", "km", ".", "``", "Wait", "!", "''", "He", "left", "(", "late", ")", ".",
        "Mr", ".", "Kim", "stayed",
    )  # fmt: skip
    assert tokens("") == tokens(" \n") == ()


def test_a_folder_without_wordnet(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"(?s)does not hold WordNet.*mars-score models get wordnet"):
        Meteor(tmp_path).score([Example("1", "a word", ("another",))])


def test_a_damaged_wordnet(tmp_path: Path, wordnet: Path) -> None:
    folder = tmp_path / "corpora" / "wordnet"
    folder.mkdir(parents=True)
    (folder / "lexnames").write_bytes((wordnet / "corpora" / "wordnet" / "lexnames").read_bytes())
    with pytest.raises(ModelError, match="damaged WordNet"):
        Meteor(tmp_path).score([Example("1", "a word", ("another",))])


def test_signature_is_literal(wordnet: Path) -> None:
    expected = (
        "meteor:v1|lib:nltk|case:lower|tok:nltk-word|stem:porter|syn:NAME"
        "|alpha:0.9|beta:3|gamma:0.5|refs:best"
    )
    assert Meteor(wordnet, "wordnet@12345678").signature == expected.replace("NAME", "wordnet@12345678")
    result = Meteor(wordnet).signature
    assert result == Meteor(wordnet).signature
    assert re.sub(r"wordnet@[0-9a-f]{8}", "NAME", result) == expected


@needs_data
def test_as_nltk(metric: Meteor, wordnet: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """NLTK as its manual uses it: its own WordNet, its own tokenizer on texts of one sentence."""
    import nltk.data
    from nltk.corpus import wordnet as nltk_wordnet
    from nltk.tokenize import word_tokenize
    from nltk.translate.meteor_score import meteor_score

    monkeypatch.setattr(nltk.data, "path", [str(wordnet)])
    several = re.compile(r"[.!?]\S?\s")
    examples = [
        row
        for row in rows(("usr_personachat", 300), ("kpqa_semeval_mcscript", 300), ("summeval", 60))
        if not any(several.search(text) for text in (row.candidate, *row.references))
    ]
    assert len(examples) >= 200

    def words(text: str) -> list[str]:
        result: list[str] = word_tokenize(text, preserve_line=True)
        return result

    expected = [
        meteor_score(
            [words(text) for text in example.references], words(example.candidate), wordnet=nltk_wordnet
        )
        for example in examples
    ]
    assert numbers(metric, examples) == expected
