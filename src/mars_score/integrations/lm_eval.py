"""lm-evaluation-harness: a filter that scores all responses of a task at once, and what its YAML refers to.

The harness hands `process_results` one document at a time and passes a metric no context; a custom filter gets all
documents with all responses. `score_responses` is that filter for documents with the fields that mars-score reads
anyway (context, question, references or reference); `response_filter` makes one for other fields.
"""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any

from lm_eval.api.registry import register_metric

from mars_score.api import shared_scorer
from mars_score.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    Responses = Iterable[Sequence[str]]
    Documents = Iterable[Mapping[str, Any]]


@register_metric(metric="mars", higher_is_better=True, output_type="generate_until", aggregation="mean")  # type: ignore[untyped-decorator]
def mars(items: Any) -> Any:
    """Pass scores on to the mean: the filter has computed them."""
    return items


def response_filter(
    reference: str = "", context: str = "context", question: str = "question", preset: str = "general", **options: Any
) -> Callable[[Responses, Documents], list[float]]:  # fmt: skip
    """Return a filter that turns the responses to each document into their score (the mean of several)."""

    def score(responses: Responses, documents: Documents) -> list[float]:
        rows = [(answers, document) for answers, document in zip(responses, documents, strict=True)]
        flat = [(answer, document) for answers, document in rows for answer in answers]
        found = iter(
            shared_scorer(preset, **options).score(
                [answer for answer, _ in flat],
                [_references(document, reference) for _, document in flat],
                [document.get(context) or "" for _, document in flat],
                [document.get(question) or "" for _, document in flat],
            )
        )
        return [fmean([next(found).score for _ in answers]) for answers, _ in rows]

    return score


def _references(document: Mapping[str, Any], name: str) -> Any:
    for field in (name,) if name else ("references", "reference"):
        if document.get(field):
            return document[field]
    raise InputError(
        f"a document has no field {name or 'references or reference'!r}; it has {', '.join(document)}",
        remedy="name the field in a utils.py beside the YAML: score = response_filter(reference='answer')",
    )


score_responses = response_filter()


def process_results(document: Mapping[str, Any], results: Sequence[float]) -> dict[str, float]:
    """Return what the filter has made of the document's responses."""
    return {"mars": results[0]}
