"""Fixtures that every folder shares: the real default models, loaded once a session."""

from __future__ import annotations

import os
import tempfile
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import settings

from mars_score.api import shared_scorer
from mars_score.mars.scorer import MarsScorer
from mars_score.models.store import ModelStore
from tests.chromium import browser

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from mars_score.lm.causal import LanguageModel

__all__ = ["browser"]

# How long an example takes is no promise of ours: a busy machine must not fail a test.
settings.register_profile("no deadline", settings(), deadline=None)
settings.load_profile("no deadline")

MODEL_FIXTURES = {
    "store", "smollm", "scorer", "language_model", "spacy_tagger", "tagger", "real", "outputs", "encoder", "reader",
    "encoder_calls",
}  # fmt: skip
"""Fixtures that read real models; whoever uses one is marked `models`."""
MODEL_FILES = (
    "real_models",
    "shared_data",
    "shuffled_and_copied",
    "human_data",
    "embedding_metrics",
    "same_as_library",
    "golden",
)
"""So are the tests of files with such names: they load models themselves, or start a process that does."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs models or a browser, so that `make test-fast` can leave it out."""
    for item in items:
        fixtures = set(getattr(item, "fixturenames", ()))
        if fixtures & MODEL_FIXTURES or any(name in item.path.stem for name in MODEL_FILES):
            item.add_marker("models")
        if "browser" in fixtures or "chromium" in item.path.stem:
            item.add_marker("browser")


@pytest.fixture(scope="session", autouse=True)
def _no_cache() -> Iterator[None]:
    """No test finds what another one has computed, or what the user has; a test of the cache switches it on."""
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as environment:
        environment.setenv("MARS_SCORE_CACHE", os.path.join(folder, "cache"))
        environment.setenv("MARS_SCORE_CACHE_SIZE", "0")
        environment.setenv(
            "MARS_SCORE_PROGRESS", "0"
        )  # what is said must not depend on how slow the machine is
        yield


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


@pytest.fixture
def encoder_calls(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many texts each call of the encoder was given, by the scorer that all one-line interfaces share."""
    encoder, calls = shared_scorer().encoder, list[int]()
    encode = encoder.encode

    def counted(texts: Sequence[str], *rest: Any) -> Any:
        calls.append(len(texts))
        return encode(texts, *rest)

    monkeypatch.setattr(encoder, "encode", counted)
    return calls
