"""Inspect: the scorer `mars`, found by name as ``mars_score/mars`` through the entry point of this package.

Inspect calls a scorer for one sample at a time; calls that come together are scored as one batch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr

from mars_score.api import async_scorer, describe

if TYPE_CHECKING:
    from inspect_ai.solver import TaskState


@scorer(metrics=[mean(), stderr()])  # type: ignore[untyped-decorator]  # not followed by the type checker
def mars(preset: str = "general", context: str | None = None, **options: Any) -> Scorer:
    """Score completions against their targets.

    The context is the sample's input, or the entry `context` of its metadata. Options are those of `MarsScorer`.
    """
    gathering = async_scorer(preset, **options)
    signature = gathering.scorer.signature

    async def score(state: TaskState, target: Target) -> Score:
        before = state.input_text if context is None else str(state.metadata[context])
        item = await gathering.score(state.output.completion, list(target), before)
        return Score(
            value=item.reported,
            answer=state.output.completion,
            explanation=describe(item),
            metadata={"signature": signature, "flags": list(item.flags)},
        )

    return score
