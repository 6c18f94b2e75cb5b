# ruff: noqa: E501, RUF001 (texts of other scripts)
"""Languages: which one a text is in, what its words are, what its words weigh, and that English is left alone."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from mars_score import flags
from mars_score.config import LANGUAGES, MarsConfig, MaskingConfig, preset
from mars_score.encoders.base import Encoding
from mars_score.errors import ConfigError
from mars_score.infilling.guided import _strays
from mars_score.infilling.seams import Seam
from mars_score.mars.adjustments import ReferenceBaseline
from mars_score.mars.augment import augment
from mars_score.masking.tagging import NoTagger, SpacyTagger
from mars_score.masking.templates import explain_words
from mars_score.progress import silent_stages
from mars_score.signature import signature
from mars_score.study.attacks.base import row_random, token_spans
from mars_score.study.attacks.edits import reorder
from mars_score.text.frequency import BackgroundIdf, CorpusIdf
from mars_score.text.languages import (
    AUTO,
    SCRIPTS,
    UNKNOWN,
    english_words,
    is_foreign,
    language_of,
    mismatch,
    table_path,
)
from mars_score.text.words import is_function_word, sentences, words
from mars_score.types import AugmentedReference, Example, Pair
from tests.infilling.cases import template
from tests.masking.conftest import LengthTagger

if TYPE_CHECKING:
    from mars_score.models.store import ModelStore
    from mars_score.types import InfillingRequest

TEXTS = {
    "en": "My sister keeps two goats behind the old mill.",
    "fr": "Ma s\u0153ur garde deux chèvres derrière le vieux moulin.",
    "de": "Meine Schwester hält zwei Ziegen hinter der alten Mühle.",
    "es": "Mi hermana tiene dos cabras detrás del viejo molino.",
    "zh": "我姐姐在老磨坊后面养了两只山羊。",
    "ja": "姉は古い水車小屋の裏でヤギを二匹飼っています。",
    "ar": "أختي تربي عنزتين خلف الطاحونة القديمة.",
    "hi": "मेरी बहन पुरानी चक्की के पीछे दो बकरियाँ पालती है।",
    "id": "Adik saya kerja di bengkel karena dia ingin bantu ibu dan bapak.",
    "tr": "Ablam eski değirmenin arkasında iki keçi besliyor ve onları çok seviyor.",
    "ru": "Моя сестра держит двух коз за старой мельницей.",
    "th": "พี่สาวของฉันเลี้ยงแพะสองตัวหลังโรงสีเก่า",
}


@pytest.mark.parametrize("language", TEXTS)
def test_each_text_is_in_its_own_language_and_in_no_other(language: str) -> None:
    assert language_of(TEXTS[language]) == language
    assert [other for other in TEXTS if not is_foreign(TEXTS[language], other)] == [language]


@pytest.mark.parametrize(
    "text",
    ["", "42 %", "OK!", "Zinedine Zidane", "Acetylsalicylic acid", "brook floater mussels"],
)
def test_what_does_not_tell_is_never_foreign(text: str) -> None:
    assert not is_foreign(text, "en")


@pytest.mark.parametrize(
    "text",
    [
        "Yes.", "No way!", "lol", "brb gtg ttyl", "Thx m8 c u l8r", "Nah, he gonna be aight, y'all.",
        "OMG u r sooo cute!!!", "wanna grab sum pizza 2nite?", "Margaret Thornbury, Elliot Finch and Priya Raman",
        "Mr. Tanaka met Señor Gutiérrez, Frau Müller and Monsieur Lefèvre in São Paulo.",
        "spaghetti carbonara", "In vino veritas", "x86_64-linux", "#throwback @home :-)",
    ],
)  # fmt: skip
def test_english_of_all_sorts_is_not_flagged(text: str) -> None:
    assert not mismatch("en", text, TEXTS["en"])
    assert not mismatch("en", TEXTS["en"], text)
    assert not mismatch("en", text, "")


def test_an_english_text_may_have_words_of_others() -> None:
    assert not is_foreign("She said déjà vu, then Weltschmerz, and left for the café in Düsseldorf.", "en")
    assert not is_foreign("He wrote 你好 on the card and put it on the shelf.", "en")


def test_a_short_text_is_told_by_what_is_around_it() -> None:
    assert language_of("Ja.", TEXTS["de"]) == "de"
    assert language_of("Non merci.", "") in ("fr", "it")
    assert language_of("ᚠᚢᚦᚨᚱᚲ", "") == UNKNOWN


@pytest.mark.parametrize("language", [language for language in TEXTS if language != "en"])
def test_rows_in_another_language_are_flagged(language: str) -> None:
    own, english = TEXTS[language], TEXTS["en"]
    assert mismatch("en", own, own)
    assert mismatch("en", own, "")
    assert mismatch("en", english, own)
    assert not mismatch(language, own, own)
    assert not mismatch(AUTO, own, own)
    assert mismatch(AUTO, own, english)
    assert not mismatch("en", english, english)


def test_the_settings_know_the_languages_that_the_texts_do() -> None:
    assert set(SCRIPTS) == LANGUAGES
    assert [code for code in sorted(LANGUAGES) if table_path(code) is None] == ["th"]
    with pytest.raises(ConfigError, match="language must be auto or one of"):
        MarsConfig().with_options(language="klingon")


@pytest.mark.parametrize(
    ("language", "expected"),
    [
        ("zh", ["我", "姐姐", "在", "老", "磨坊", "后面", "养", "了", "两只", "山羊", "。"]),
        ("ja", ["姉", "は", "古い", "水車", "小屋", "の", "裏", "で", "ヤギ", "を", "二", "匹", "飼っ", "て", "い", "ます", "。"]),
        ("th", ["พี่สาว", "ของ", "ฉัน", "เลี้ยง", "แพะ", "สอง", "ตัว", "หลัง", "โรงสี", "เก่า"]),
    ],
)  # fmt: skip
def test_words_without_spaces(language: str, expected: list[str]) -> None:
    text = f" {TEXTS[language]} OK 3.5"
    found = words(text, language)
    assert [word.text for word in found] == [*expected, "OK", "3.5"]
    assert all(text[word.start : word.end] == word.text for word in found)
    assert len(words(TEXTS[language])) > len(expected)  # without a language, by character


def test_words_with_spaces_are_the_same_in_any_language() -> None:
    for language in ("fr", "de", "es", "ar", "hi", "tr"):
        assert words(TEXTS[language], language) == words(TEXTS[language])


@pytest.mark.parametrize(
    ("language", "common", "rare"),
    [
        ("fr", "le", "moulin"), ("de", "der", "Ziegen"), ("es", "del", "molino"), ("zh", "我", "磨坊"),
        ("ja", "は", "水車"), ("ar", "خلف", "الطاحونة"), ("hi", "के", "चक्की"), ("ko", "이", "염소"),
    ],
)  # fmt: skip
def test_common_words_of_a_language_weigh_less(language: str, common: str, rare: str) -> None:
    idf = BackgroundIdf(language)
    assert 0 < idf(common) < idf(rare)
    assert idf.name.startswith(f"wordfreq-{language}@")
    assert BackgroundIdf(AUTO).within(language)(common) == idf(common)


def test_english_frequencies_keep_their_name() -> None:
    assert BackgroundIdf("en").name == BackgroundIdf().name
    assert "-" not in BackgroundIdf().name
    assert BackgroundIdf("th")("แพะ") == BackgroundIdf("th")("ของ")  # no table: all words are alike


def test_a_corpus_counts_the_words_of_its_language() -> None:
    chinese = CorpusIdf(["我姐姐", "山羊"], "zh")
    assert chinese("姐姐") < chinese("姐")
    assert chinese.within("ja") is chinese


def test_function_words_of_a_language() -> None:
    assert is_function_word("der", "de")
    assert is_function_word("Les", "fr")
    assert not is_function_word("moulin", "fr")
    assert is_function_word("में", "hi")  # with vowel signs
    assert not is_function_word("बकरियाँ", "hi")
    assert not is_function_word("der")


def test_sentences_end_in_other_scripts() -> None:
    assert sentences("我去商店。他留下！真的吗？好", all_scripts=True) == [
        "我去商店。",
        "他留下！",
        "真的吗？",
        "好",
    ]
    assert sentences("「行け！」と言った。はい。", all_scripts=True) == ["「行け！」", "と言った。", "はい。"]
    assert sentences("वह गया। मैं रुका।", all_scripts=True) == ["वह गया।", "मैं रुका।"]
    assert sentences("هل أنت هنا؟ نعم.", all_scripts=True) == ["هل أنت هنا؟", "نعم."]


def test_attacks_move_characters_where_there_are_no_spaces() -> None:
    assert len(token_spans("我去商店。")) == 5
    assert token_spans("der Zug, ü") == [(0, 3), (4, 8), (9, 10)]


@pytest.mark.parametrize("language", [language for language in TEXTS if language != "en"])
def test_attacks_reorder_texts_of_any_script(language: str) -> None:
    text = TEXTS[language]
    moved = reorder(Example("1", text, (text,)), row_random(0, "reorder", language))
    assert moved is not None
    assert moved != text
    assert sorted(moved) == sorted(text)
    assert not is_foreign(moved, language)


@pytest.mark.parametrize("language", ["fr", "de", "es", "zh", "ja", "ar", "hi"])
def test_closeness_to_the_context_counts_by_words_of_the_language(language: str) -> None:
    text = TEXTS[language]
    encodings = {text: Encoding(np.ones(1, np.float32))}
    found = ReferenceBaseline.of(text, [[text]], encodings, AUTO)
    assert found.words == len(words(text, language))
    assert found.ngrams is not None
    assert found.ngrams.copied(text) == 1
    assert found.ngrams.copied(TEXTS["en"]) < 0.2


def test_a_tagger_is_asked_about_its_own_language_only() -> None:
    config, idf = MaskingConfig(language=AUTO), BackgroundIdf(AUTO)
    english = explain_words("", TEXTS["en"], config, LengthTagger(), idf)
    german = explain_words("", TEXTS["de"], config, LengthTagger(), idf)
    assert {plan.tag for plan in german} == {"other"} < {plan.tag for plan in english}
    assert [plan.idf for plan in german] == [BackgroundIdf("de")(plan.word.text) for plan in german]


class Echo:
    """Fills nothing, and keeps what it was asked."""

    def __init__(self) -> None:
        self.asked: list[InfillingRequest] = []

    def fill(self, requests: list[InfillingRequest], progress: object = None) -> list[object]:
        self.asked = list(requests)
        return [type("Answer", (), {"augmented": (), "context_truncated": False})() for _ in requests]


def test_augmentation_tells_language_and_missing_tagger() -> None:
    pairs = [Pair("", TEXTS["fr"]), Pair("", TEXTS["en"])]
    infiller = Echo()
    config = MaskingConfig(language=AUTO, tagger="length")
    found = augment(pairs, config, LengthTagger(), BackgroundIdf(AUTO), infiller, silent_stages)  # type: ignore[arg-type]
    assert [request.language for request in infiller.asked] == ["fr", "en"]
    assert [flags.NO_TAGGER in one.flags for one in found] == [True, False]
    none = replace(config, tagger="none")
    found = augment(pairs, none, NoTagger(), BackgroundIdf(AUTO), infiller, silent_stages)  # type: ignore[arg-type]
    assert not any(flags.NO_TAGGER in one.flags for one in found)


def test_an_english_tagger_is_not_named_for_other_languages() -> None:
    assert MaskingConfig().used_tagger == "spacy-en-sm"
    assert MaskingConfig(language="fr").used_tagger == "none"
    assert MaskingConfig(language="fr", tagger="spacy-fr-sm").used_tagger == "spacy-fr-sm"


def test_the_signature_names_other_languages_alone() -> None:
    names = {"lm": "m@1", "encoder": "e@2", "reader": "r@3", "tagger": "t@4", "idf": "idf-x"}
    assert "lang:" not in signature(MarsConfig(), **names)
    assert "|lang:fr.v2|" in signature(MarsConfig().with_options(language="fr"), **names)
    assert "|lang:auto.v2|" in signature(preset("multilingual"), **names)


def test_the_signature_of_the_multilingual_preset_names_its_parts() -> None:
    names = {"lm": "m@1", "encoder": "e@2", "reader": "r@3", "tagger": "none", "idf": "idf-x"}
    found = signature(preset("multilingual"), **names, judge="j@5")
    assert "|adjust:words.recall0.7+relevance0.8+likelihood0.05+unlikely0.1+cap|read:r@3|likely:j@5|" in found
    assert "unlikely" not in signature(MarsConfig(), **names)


def test_the_multilingual_preset_has_no_english_part() -> None:
    config = preset("multilingual")
    assert config.masking.tagger == "none"
    assert config.scoring.fluency == 0
    assert config.scoring.reader == config.scoring.encoder == "embeddinggemma-300m"
    assert config.scoring.facts == 0
    assert config.scoring.unlikely > 0  # what notices shuffled words instead


def test_fills_in_another_language_are_told() -> None:
    filled = template("Ma s\u0153ur[ garde] deux chèvres[ ici].")
    assert not _strays(AugmentedReference(filled, (" élève", " dans le jardin")), "fr")
    assert _strays(AugmentedReference(filled, (" élève", " that are in the garden")), "fr")
    assert not _strays(AugmentedReference(filled, (" keeps", " that are in the garden")), "en")


def test_english_words_that_no_french_text_has() -> None:
    assert {"the", "have", "with"} <= english_words("fr")
    assert not {"table", "on", "le"} & english_words("fr")


def test_a_context_in_another_script_brings_none_of_its_letters() -> None:
    blank = template("Моя[ сестра] дома.")
    assert Seam.at(blank, 1, TEXTS["en"], needs_break=True, language="ru").scripts == {"CYRILLIC"}
    assert Seam.at(blank, 1, TEXTS["en"], needs_break=True).scripts == {"CYRILLIC", "LATIN"}


def test_french_sets_some_marks_off_in_any_text() -> None:
    blank = template("Salut ! Ma[ s\u0153ur], ça va ?")
    assert Seam.at(blank, 1, "", needs_break=True).spaced
    assert not Seam.at(blank, 1, "", needs_break=True, language="fr").spaced
    assert Seam.at(template("oui , ma[ s\u0153ur]"), 1, "", needs_break=True, language="fr").spaced


@pytest.mark.parametrize(
    ("name", "language", "text", "expected"),
    [
        ("spacy-fr-sm", "fr", "L\u2019ancien pont de pierre tombe lentement dans l'eau.",
         {"L\u2019ancien": "adjective", "pont": "noun", "lentement": "adverb", "l'eau": "noun", "de": "other"}),
        ("ja-ginza", "ja", "古い石の橋がゆっくりと川に落ちた。",
         {"古い": "adjective", "石": "noun", "ゆっくり": "adverb", "が": "other"}),
    ],
)  # fmt: skip
def test_taggers_of_other_languages(
    name: str, language: str, text: str, expected: dict[str, str], store: ModelStore
) -> None:
    tagger = SpacyTagger(store.ensure(name))
    assert tagger.language == language
    found = [word.text for word in words(text, language)]
    tags = dict(zip(found, tagger.tags(found), strict=True))
    assert {word: tags[word] for word in expected} == expected
