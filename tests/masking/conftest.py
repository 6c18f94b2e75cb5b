from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

from mars_score.masking.tagging import SpacyTagger, Tag, Tagger
from mars_score.text.frequency import BackgroundIdf, Idf

if TYPE_CHECKING:
    from collections.abc import Sequence

# A busy machine is no failure: time is tested where it matters.
settings.register_profile("masking", deadline=None)
settings.load_profile("masking")


@pytest.fixture(scope="session")
def spacy_tagger() -> SpacyTagger:
    from mars_score.models.store import ModelStore

    return SpacyTagger(ModelStore().ensure("spacy-en-sm"))


class LengthTagger:
    """Tags by the length of a word: needs no model, and gives every tag."""

    name = "length"
    language = "en"

    def tags(self, words: Sequence[str]) -> list[Tag]:
        tags: tuple[Tag, ...] = ("other", "noun", "adverb", "adjective")
        return [tags[len(word) % 4] for word in words]


@pytest.fixture(scope="session")
def length_tagger() -> Tagger:
    return LengthTagger()


@pytest.fixture(scope="session")
def background() -> Idf:
    idf = BackgroundIdf()
    idf("warm")  # the table is read now, not inside a timed property
    return idf
