"""Texts of `benchmarks.texts` as token jobs for the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.masking.templates import make_templates
from mars_score.types import InfillingRequest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.infilling.decoder.state import Job
    from mars_score.mars.scorer import MarsScorer
    from mars_score.types import Pair


def requests_of(scorer: MarsScorer, pairs: Sequence[Pair]) -> list[InfillingRequest]:
    """The templates of each reference."""
    idf = scorer.idf_for([])
    return [
        InfillingRequest(
            pair.context,
            make_templates(pair.context, pair.reference, scorer.config.masking, scorer.tagger, idf),
            pair.question,
        )
        for pair in pairs
    ]


def jobs_of(scorer: MarsScorer, pairs: Sequence[Pair]) -> list[Job]:
    """The same as token ids, each template once."""
    return list(dict.fromkeys(scorer.guided.jobs(requests_of(scorer, pairs))))


def with_context_of(scorer: MarsScorer, pairs: Sequence[Pair], tokens: int) -> list[Pair]:
    """The same references behind contexts cut to so many tokens."""
    model = scorer.guided.model
    cut = []
    for pair in pairs:
        ids = model.encode(pair.context)
        if len(ids) < tokens:
            raise ValueError(f"a context has {len(ids)} tokens, {tokens} are wanted")
        cut.append(pair._replace(context=model.tokenizer.decode(ids[:tokens])))
    return cut
