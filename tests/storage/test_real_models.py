"""On the real default models: a pack makes the language model needless, and a changed model is not loaded."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

from mars_score.errors import ModelError
from mars_score.mars import golden
from mars_score.mars.models import ModelRegistry
from mars_score.mars.scorer import MarsScorer
from mars_score.models.store import ModelStore, SilentReport
from mars_score.storage.pack import pack_writer

if TYPE_CHECKING:
    from pathlib import Path

EXAMPLES = golden.EXAMPLES[:2]


@pytest.fixture
def encoder_alone(store: ModelStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModelStore:
    """A store with the encoder and nothing else; nothing can be fetched."""
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    shutil.copytree(store.ensure("minilm-l6"), tmp_path / "store" / "minilm-l6")
    return ModelStore(tmp_path / "store", SilentReport())


def test_a_pack_needs_the_encoder_alone(
    scorer: MarsScorer, encoder_alone: ModelStore, tmp_path: Path
) -> None:
    scorer = scorer.with_options(likelihood=0.0)  # preset fast, for which no candidate is read
    with pack_writer(tmp_path / "refs.marspack", scorer.pack_header) as pack:
        for pair, augmentation in scorer.augment_examples(EXAMPLES).items():
            pack.add(pair, augmentation)
    other = MarsScorer("fast", store=encoder_alone, pack=tmp_path / "refs.marspack")
    assert other.score_examples(EXAMPLES) == scorer.score_examples(EXAMPLES)
    models = [path.name for path in encoder_alone.root.iterdir() if not path.name.startswith(".")]
    assert models == ["minilm-l6"]
    with pytest.raises(ModelError):  # so there really is nothing but the encoder
        MarsScorer("fast", store=encoder_alone).signature  # noqa: B018


@pytest.mark.parametrize("name", ["model.safetensors", "tokenizer.json", "config.json"])
def test_a_model_with_one_changed_bit_is_not_loaded(encoder_alone: ModelStore, name: str) -> None:
    path = encoder_alone.root / "minilm-l6" / name
    with path.open("r+b") as stream:
        stream.seek(path.stat().st_size // 2)
        (byte,) = stream.read(1)
        stream.seek(-1, 1)
        stream.write(bytes([byte ^ 4]))
    with pytest.raises(ModelError, match="cannot be fetched"):
        ModelRegistry(encoder_alone).encoder("minilm-l6")
