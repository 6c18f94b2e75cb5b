"""With IDF from a corpus, every further question must be put to the same corpus."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.scorer import MarsScorer
    from mars_score.types import Example


def with_corpus(scorer: MarsScorer, examples: Sequence[Example]) -> MarsScorer:
    """Return the scorer; where its corpus would be the examples of each call, one whose corpus is these."""
    if scorer.config.masking.idf != "corpus" or scorer.corpus is not None:
        return scorer
    settled = scorer.sibling()
    settled.corpus = list(examples)
    return settled
