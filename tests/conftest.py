"""Fixtures that every folder shares: the real default models, loaded once a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mars_score.models.store import ModelStore
from mars_score.scorer import MarsScorer

if TYPE_CHECKING:
    from pathlib import Path

    from mars_score.infilling.language_model import LanguageModel


@pytest.fixture(scope="session")
def store() -> ModelStore:
    """The user's store; absent default models are fetched."""
    return ModelStore()


@pytest.fixture(scope="session")
def smollm(store: ModelStore) -> Path:
    """The folder of the default language model."""
    return store.ensure("smollm2-135m")


@pytest.fixture(scope="session")
def scorer() -> MarsScorer:
    """The default metric."""
    return MarsScorer()


@pytest.fixture(scope="session")
def language_model(scorer: MarsScorer) -> LanguageModel:
    """The default language model, loaded."""
    return scorer.guided.model
