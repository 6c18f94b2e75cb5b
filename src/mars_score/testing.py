"""An assertion for tests of prompts and systems: a text must score at least so much, or the test says why it does not.

from mars_score.testing import assert_score

def test_the_summary_still_says_what_matters() -> None:
    assert_score(summarize(ARTICLE), "The council keeps the pool open.", ARTICLE, at_least=0.6)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mars_score.api import describe, shared_scorer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mars_score.mars.scorer import MarsScorer
    from mars_score.types import ItemScore


def assert_score(
    candidate: str,
    reference: str | Iterable[str],
    context: str = "",
    question: str = "",
    *,
    at_least: float,
    scorer: MarsScorer | None = None,
    **options: Any,
) -> ItemScore:
    """Score a text and return its score; one below `at_least` is an AssertionError that explains it.

    Options are those of `mars_score.score`: a preset, and single settings. Models stay loaded between tests,
    and augmented references are cached, so a second run takes little more than the start of Python.
    """
    __tracebackhide__ = True  # pytest shows the caller's line
    chosen = shared_scorer(**options) if scorer is None else scorer
    (item,) = chosen.score([candidate], [reference], [context], [question])
    if item.reported < at_least:
        raise AssertionError(
            f"{item.reported:.{4 if item.percent is None else 1}f} is below {at_least}: {candidate!r}\n"
            + "\n".join(f"  {line}" for line in describe(item).splitlines()[1:])
            + f"\n  signature: {chosen.signature}"
        )
    return item
