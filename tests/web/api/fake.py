"""A service that needs no models: a candidate's score follows from its length, and a gate can hold it up."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from mars_score.config import PRESETS
from mars_score.errors import InputError
from mars_score.types import Augmentation, ResultRow, human_reference
from mars_score.web.api.queue import AugmentedRow, TicketOutcome
from mars_score.web.explain.data import (
    ContextPiece,
    ExplainedCandidate,
    ExplainedItem,
    ExplainedReference,
    ExplainedTerm,
    ExplainedVariant,
    ExplainedWord,
    Piece,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.progress import StageProgress
    from mars_score.types import Example
    from mars_score.web.api.queue import RequestSettings
    from mars_score.web.api.scorers import Tell

BAD = "spoil the batch"
BROKEN = "break the code"
SIGNATURE = "fake:v1"


class FakeService:
    """Counts what it is asked."""

    presets = {name: PRESETS[name] for name in ("general", "paper-formula")}  # noqa: RUF012

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.settings: list[RequestSettings] = []
        self.begun = threading.Event()
        self.open = threading.Event()
        self.open.set()
        self.steps = 1
        """How often progress is told, once the gate is open."""

    def load(self) -> None:
        """Nothing to load."""

    def work(
        self, settings: RequestSettings, examples: Sequence[Example], progress: StageProgress, tell: Tell
    ) -> TicketOutcome:
        self.batches.append([example.id for example in examples])
        self.settings.append(settings)
        self.begun.set()
        while not self.open.wait(0.01):
            progress("masking", 0, len(examples))
        if settings.watch:
            for event in watched(examples[0]):
                tell(event)
        for stage in ("masking", "infilling", "encoding"):
            progress(stage, len(examples), len(examples))
        if any(BAD in example.candidate for example in examples):
            raise InputError("a row is bad", remedy="mend it")
        if any(BROKEN in example.candidate for example in examples):
            raise ZeroDivisionError
        signatures = dict.fromkeys(settings.metrics, SIGNATURE)
        if settings.kind == "augment":
            return TicketOutcome(
                [
                    AugmentedRow(
                        example.id,
                        tuple(
                            (pair, Augmentation((human_reference(pair.reference),))) for pair in example.pairs
                        ),
                    )
                    for example in examples
                ],
                signatures,
            )
        rows = [
            ResultRow(example.id, dict.fromkeys(settings.metrics, score_of(example.candidate)), ())
            for example in examples
        ]
        return TicketOutcome([*rows], signatures, explained(examples) if settings.explain else ())


def score_of(candidate: str) -> float | None:
    """Undefined for an empty one."""
    return 1 / (1 + len(candidate)) if candidate else None


def watched(example: Example) -> list[dict[str, Any]]:
    words = example.references[0]
    return [
        {"event": "template", "number": 0, "ratio": 0.2, "pieces": [{"text": words, "blank": True}]},
        {"event": "filled", "number": 0, "pieces": [{"text": f"filled {words}", "blank": True}]},
    ]


def explained(examples: Sequence[Example]) -> tuple[ExplainedItem, ...]:
    """An explanation whose every text comes from the examples."""
    first = examples[0]
    references = tuple(
        ExplainedReference(
            text,
            (ExplainedWord(text, "", "noun", 2.0, 1.0, 1, False, (0.2,)),),
            (ExplainedVariant(0.2, (Piece(text, True),), (Piece(f"{text} again", True),), f"{text} again"),),
        )
        for text in first.references
    )
    candidates = tuple(
        ExplainedCandidate(
            id=example.id,
            text=example.candidate,
            written=example.candidate,
            score=score_of(example.candidate) or 0.0,
            terms=(ExplainedTerm(0, 0.2, (Piece(first.references[0], True),), 0.5, 1.0, 0.5),),
            adjustments=(),
            rest=0.0,
            flags=("empty_candidate",) if not example.candidate else (),
        )
        for example in examples
    )
    return (ExplainedItem(1, (ContextPiece(first.context, (0,)),), references, candidates, "best"),)
