from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mars_score.metrics.bleu import Bleu
from mars_score.metrics.chrf import Chrf
from mars_score.metrics.meteor import Meteor
from mars_score.metrics.rouge import Rouge
from mars_score.metrics.sentinels import CandidateLength, Random
from mars_score.metrics.ter import Ter

if TYPE_CHECKING:
    from pathlib import Path

    from mars_score.metrics.base import Metric
    from mars_score.models.store import ModelStore


@pytest.fixture(scope="session")
def wordnet(store: ModelStore) -> Path:
    """The folder of WordNet; fetched if it is absent."""
    return store.ensure("wordnet")


@pytest.fixture(scope="session")
def lexical(wordnet: Path) -> dict[str, Metric]:
    """The metrics that compare words, and the sentinels."""
    metrics: list[Metric] = [
        Bleu(1), Bleu(4), Chrf(), Ter(), Rouge("rouge1"), Rouge("rouge2"), Rouge("rougeL"), Meteor(wordnet),
        CandidateLength(), Random(),
    ]  # fmt: skip
    return {metric.name: metric for metric in metrics}
