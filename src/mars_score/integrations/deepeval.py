"""deepeval: `MarsTestMetric`, for ``assert_test(case, [MarsTestMetric(threshold=0.6)])`` and ``evaluate``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from deepeval.metrics import BaseMetric

from mars_score.api import async_scorer, describe

if TYPE_CHECKING:
    from deepeval.test_case import LLMTestCase

    from mars_score.types import ItemScore


class MarsTestMetric(BaseMetric):  # type: ignore[misc]  # not followed by the type checker
    """The score of the actual output; the expected output is the reference.

    The context is the case's context (or its retrieval context), and its input the question. Cases that deepeval
    measures at the same time are scored as one batch. No language model is called over a network.
    """

    def __init__(
        self, threshold: float = 0.5, preset: str = "general", options: dict[str, Any] | None = None
    ) -> None:
        """Take the score that is asked for, a preset and options of `MarsScorer`."""
        self.threshold, self.preset, self.options = (
            threshold,
            preset,
            options,
        )  # deepeval copies metrics by these
        self._gathering = async_scorer(preset, **(options or {}))

    def measure(self, test_case: LLMTestCase, *args: Any, **kwargs: Any) -> float:
        """Score one case."""
        return self._taken(self._gathering.submit(*_texts(test_case)).result())

    async def a_measure(self, test_case: LLMTestCase, *args: Any, **kwargs: Any) -> float:
        """Score one case beside others."""
        return self._taken(await self._gathering.score(*_texts(test_case)))

    def _taken(self, item: ItemScore) -> float:
        self.score, self.reason, self.error = item.reported, describe(item), None
        self.success = item.reported >= self.threshold
        return item.reported

    def is_successful(self) -> bool:
        """Whether the last case reached the threshold."""
        return self.error is None and bool(self.success)

    @property
    def __name__(self) -> str:
        return "MARS"


def _texts(case: LLMTestCase) -> tuple[str, str, str, str]:
    if not case.expected_output:
        raise ValueError("MARS needs an expected_output to compare with")
    context = "\n".join(map(str, case.context or case.retrieval_context or ()))
    return case.actual_output or "", case.expected_output, context, case.input or ""
