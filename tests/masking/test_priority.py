from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mars_score.config import MaskingConfig
from mars_score.masking.templates import priority

if TYPE_CHECKING:
    from mars_score.masking.tagging import Tag


@pytest.mark.parametrize(
    ("tag", "expected"), [("adjective", 2.0), ("adverb", 1.5), ("noun", 1.0), ("other", 0.5)]
)
def test_weight_over_idf(tag: Tag, expected: float) -> None:
    assert priority(tag, 2.0, MaskingConfig()) == expected


def test_weights_are_settings() -> None:
    assert priority("noun", 4.0, MaskingConfig(noun=8.0)) == 2.0
