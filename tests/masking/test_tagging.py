from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from mars_score.errors import ConfigError, ModelError
from mars_score.masking.tagging import PatternTagger, SpacyTagger, Tag, Tagger
from mars_score.text.words import words

if TYPE_CHECKING:
    from pathlib import Path

PLAIN: list[tuple[str, dict[str, Tag]]] = [
    (
        "The very old baker quickly sold three warm loaves.",
        {"The": "other", "very": "adverb", "old": "adjective", "baker": "noun", "quickly": "adverb",
         "sold": "other", "warm": "adjective", "loaves": "noun", ".": "other"},
    ),
    (
        "She walked slowly along the narrow river.",
        {"She": "other", "walked": "other", "slowly": "adverb", "narrow": "adjective", "river": "noun"},
    ),
]  # fmt: skip


@pytest.fixture(params=["spacy", "pattern"])
def tagger(request: pytest.FixtureRequest) -> Tagger:
    found: Tagger = request.getfixturevalue("spacy_tagger") if request.param == "spacy" else PatternTagger()
    return found


def tags_of(tagger: Tagger, text: str) -> list[tuple[str, Tag]]:
    texts = [word.text for word in words(text)]
    return list(zip(texts, tagger.tags(texts), strict=True))


@pytest.mark.parametrize(("text", "expected"), PLAIN)
def test_tags(tagger: Tagger, text: str, expected: dict[str, Tag]) -> None:
    assert expected.items() <= dict(tags_of(tagger, text)).items()


@pytest.mark.parametrize(
    "text", ["", "word", "...", "😀", "a/b c&slash;d <x>", "字 \u0300", "\ud800", "x" * 5000, "\x00"]
)
def test_odd_texts_have_a_tag_a_word(tagger: Tagger, text: str) -> None:
    assert {tag for _, tag in tags_of(tagger, text)} <= {"adjective", "adverb", "noun", "other"}


def test_contractions_have_the_tag_of_their_first_part(spacy_tagger: SpacyTagger) -> None:
    text = "I don't think she'll sell Marta's boat, and he can't or cannot buy it; they\u2019ve no money."
    tags = dict(tags_of(spacy_tagger, text))
    assert {tags[word] for word in ("don't", "she'll", "can't", "cannot", "they\u2019ve")} == {"other"}
    assert tags["Marta's"] == "noun"


def test_emoji_and_punctuation_are_other(tagger: Tagger) -> None:
    assert {tag for _, tag in tags_of(tagger, "😀 — … ( / )")} == {"other"}


def test_tags_do_not_depend_on_texts_before(tagger: Tagger) -> None:
    texts = [text for text, _ in PLAIN] + ["Old old OLD old.", "The warm sold quickly."]
    forwards = [tags_of(tagger, text) for text in texts]
    backwards = [tags_of(tagger, text) for text in reversed(texts)]
    assert forwards == backwards[::-1]


def test_names(spacy_tagger: SpacyTagger) -> None:
    assert spacy_tagger.name.startswith("en_core_web_sm")
    assert spacy_tagger.name.endswith("-3.8.0")
    assert PatternTagger().name == "pattern"


def test_loads_the_tagger_alone(spacy_tagger: SpacyTagger) -> None:
    assert spacy_tagger._pipeline.pipe_names == ["tok2vec", "tagger"]


def test_a_folder_without_a_pipeline_is_a_model_error(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="does not hold a spaCy pipeline"):
        SpacyTagger(tmp_path).tags(["word"])
    (tmp_path / "meta.json").write_text('{"lang": "en", "name": "x", "version": "1"}')
    with pytest.raises(ModelError, match="cannot load a spaCy tagger"):
        SpacyTagger(tmp_path).tags(["word"])


def test_a_missing_textblob_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "textblob.en.taggers", None)
    with pytest.raises(ConfigError, match=r"pip install 'mars-score\[textblob\]'"):
        PatternTagger().tags(["word"])


def test_words_that_textblob_would_split_are_tagged_one_by_one() -> None:
    assert PatternTagger().tags(["quickly", "two words", "river"]) == ["adverb", "other", "noun"]


def test_import_loads_nothing_heavy() -> None:
    code = (
        "import sys, mars_score.masking, mars_score.text.cleaning;"
        "heavy = {'spacy', 'wordfreq', 'torch', 'textblob', 'nltk', 'transformers'} & set(sys.modules);"
        "assert not heavy, heavy"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
