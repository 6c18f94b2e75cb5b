"""A scorer whose models are toys with the names of real ones, and any augmentations that there can be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from mars_score.mars.scorer import MarsScorer
from mars_score.models.resolve import catalogue_hash
from mars_score.models.store import ModelStore, SilentReport
from mars_score.types import Augmentation, AugmentedReference, Block, Template
from tests.study.toy_mars import ToyParts

texts = st.text(st.characters(codec="utf-32") | st.characters(categories=["Cs"]), max_size=12)
blocks = st.lists(st.builds(Block, texts, st.booleans()), max_size=4).map(tuple)
templates = st.builds(Template, st.floats(allow_nan=False), blocks)
augmented = st.builds(AugmentedReference, templates, st.lists(texts, max_size=3).map(tuple))
augmentations = st.builds(
    Augmentation, st.lists(augmented, max_size=4).map(tuple), st.lists(texts, max_size=2).map(tuple)
)
"""Any data of this form, sensible or not."""


class NamedParts(ToyParts):
    """Toys that sign as the real models, without having them."""

    device = "cpu"
    memory = 1 << 30

    def __init__(self) -> None:
        super().__init__()
        self.store = ModelStore(Path("/nonexistent"), SilentReport())  # type: ignore[assignment]
        self.loaded: list[str] = []

    def name(self, name: str, roles: object) -> str:
        return f"{name}@{catalogue_hash(name)}"

    def infilling_name(self, config: Any) -> str:
        return self.name(config.lm if config.infiller == "guided" else config.masked_lm, ())

    def tagger_name(self, name: str) -> str:
        return self.name(name, ())

    def tagger(self, name: str) -> Any:
        self.loaded.append("tagger")
        return super().tagger(name)

    def infiller(self, config: Any) -> Any:
        self.loaded.append("language model")
        return super().infiller(config)


def toy_scorer(preset: str = "paper-formula", **options: Any) -> MarsScorer:
    """The real scorer with toys for models; they read no text closely, so it has the paper's formula."""
    scorer = MarsScorer(preset, **options)
    scorer.parts = NamedParts()  # type: ignore[assignment]
    return scorer
