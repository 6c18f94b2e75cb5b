"""The data that flows between the stages: text -> templates -> augmented references -> scores."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from importlib import import_module
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pandas as pd


@dataclass(frozen=True, slots=True)
class Example:
    """One row to score."""

    id: str
    """Unique in its file; the row's number where the file has no id."""
    candidate: str
    """The generated text that is judged. May be empty."""
    references: tuple[str, ...]
    """Human-written texts, none of them blank; none at all only for metrics that read no reference."""
    context: str = ""
    """What the candidate was generated from, the question included. May be empty."""
    question: str = ""
    """The end of the context that is never cut, for question answering."""

    @property
    def pairs(self) -> tuple[Pair, ...]:
        """The example without its candidate: its context with each reference."""
        return tuple(Pair(self.context, reference, self.question) for reference in self.references)


class Pair(NamedTuple):
    """All that an augmentation depends on."""

    context: str
    reference: str
    question: str = ""
    """The end of the context that is never cut."""


@dataclass(frozen=True, slots=True)
class Block:
    """A run of the reference: text that is kept, or a blank that the language model fills."""

    text: str
    """The reference's own characters, white space before each word included."""
    blank: bool
    """Whether these characters are masked."""


@dataclass(frozen=True, slots=True)
class Template:
    """A reference with its unimportant words masked; the blocks' texts join to the whole reference."""

    ratio: float
    """The masking ratio (lambda) that was asked for."""
    blocks: tuple[Block, ...]

    @property
    def source(self) -> str:
        """The reference that this template was made from, byte for byte."""
        return "".join(block.text for block in self.blocks)

    @property
    def blanks(self) -> int:
        """How many blanks there are to fill."""
        return sum(block.blank for block in self.blocks)

    def __str__(self) -> str:
        shown = []
        for block in self.blocks:
            gap = block.text[: len(block.text) - len(block.text.lstrip())]
            shown.append(f"{gap}[{'_' * len(block.text.split())}]" if block.blank else block.text)
        return "".join(shown)


@dataclass(frozen=True, slots=True)
class AugmentedReference:
    """A template whose blanks are filled."""

    template: Template
    fills: tuple[str, ...]
    """One text for each blank, in order."""

    @property
    def ratio(self) -> float:
        """The template's masking ratio; 0 is the human reference itself."""
        return self.template.ratio

    @property
    def segments(self) -> tuple[Block, ...]:
        """The blocks after filling; ``blank`` marks what the language model wrote."""
        fills = iter(self.fills)
        return tuple(
            Block(next(fills), blank=True) if block.blank else block for block in self.template.blocks
        )

    @property
    def text(self) -> str:
        """The augmented reference."""
        return "".join(block.text for block in self.segments).strip()


def human_reference(reference: str) -> AugmentedReference:
    """The reference itself, as the augmentation of ratio 0."""
    return AugmentedReference(Template(0.0, (Block(reference, blank=False),)), ())


@dataclass(frozen=True, slots=True)
class InfillingRequest:
    """The templates of one reference and the context that they are filled in."""

    context: str
    templates: tuple[Template, ...]
    question: str = ""
    """The end of the context that is kept when the context is cut."""
    language: str = "en"
    """What the templates are written in, and their fills have to be."""


@dataclass(frozen=True, slots=True)
class Infilled:
    """The answer to a request."""

    augmented: tuple[AugmentedReference, ...]
    """One for each template (times `samples`), in the templates' order."""
    context_truncated: bool = False


@dataclass(frozen=True, slots=True)
class Augmentation:
    """Everything that a candidate is compared with for one reference; it does not depend on the candidate."""

    augmented: tuple[AugmentedReference, ...]
    """The human reference (ratio 0) first, then by rising ratio."""
    flags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Comparison:
    """The candidate against one augmented reference: one term of the sum in Eq. 7."""

    augmented: AugmentedReference
    cosine: float
    weight: float

    @property
    def ratio(self) -> float:
        """The masking ratio."""
        return self.augmented.ratio

    @property
    def template(self) -> Template:
        """The template that was filled."""
        return self.augmented.template

    @property
    def text(self) -> str:
        """The augmented reference's text."""
        return self.augmented.text


@dataclass(frozen=True, slots=True)
class Adjustment:
    """What is added to the weighted similarity for something that cosines do not see."""

    name: str
    """``fluency``, ``copying``, ..."""
    amount: float
    """What it adds to the score; below 0 it takes away."""
    measured: float
    """The candidate's own value."""
    usual: float
    """The value among the references and their augmentations that it is held against."""
    meaning: str
    """One sentence for a reader."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A part of the candidate that neither context nor references bear out, or that contradicts them."""

    kind: str
    """``number``, ``name``, ``negation`` or ``opposite``."""
    text: str
    """As the candidate has it."""
    start: int
    """Where it begins in the candidate, in characters."""
    end: int
    reason: str
    """One sentence for a reader."""
    contradicts: bool = False
    """Whether the sources say otherwise, rather than nothing."""


@dataclass(frozen=True, slots=True)
class ItemScore:
    """The score of one example and everything that explains it: weighted cosines, then adjustments."""

    id: str
    score: float
    augmented: tuple[Comparison, ...]
    """The terms of the reference that decided (the best one; with ``mean``, of all references)."""
    adjustments: tuple[Adjustment, ...] = ()
    """Empty for the paper's formula."""
    flags: tuple[str, ...] = ()
    """What a reader should know of this row; names from :mod:`mars_score.flags`."""
    copied: float = 0.0
    """The share of the candidate's words that stand in runs of words copied from the context: said, not fined."""
    facts: tuple[Fact, ...] = ()
    """What neither context nor references bear out, in the candidate's order."""
    percent: float | None = None
    """The score from 0, an unrelated text, to 100, a copy of the best reference; with ``scale="percent"`` alone."""
    example: Example | None = field(default=None, repr=False, compare=False)
    """What was scored, as it was given."""
    scorer: Any = field(default=None, repr=False, compare=False)
    """The `MarsScorer` that scored it, which can explain it."""

    @property
    def reported(self) -> float:
        """The score on the scale that was asked for."""
        return self.score if self.percent is None else self.percent

    @property
    def shown(self) -> str:
        """The score for a reader: ``0.461``, or ``64.3%``."""
        return f"{self.score:.3f}" if self.percent is None else f"{self.percent:.1f}%"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data that can be written as JSON."""
        terms = [
            {"ratio": term.ratio, "weight": term.weight, "cosine": term.cosine, "text": term.text}
            for term in self.augmented
        ]
        return {
            "id": self.id,
            "score": self.score if math.isfinite(self.score) else None,
            **({} if self.percent is None else {"percent": self.percent}),
            "flags": list(self.flags),
            "copied": self.copied,
            "adjustments": [asdict(one) for one in self.adjustments],
            "facts": [asdict(one) for one in self.facts],
            "augmented": terms,
        }

    def show(self) -> None:
        """Show where the score comes from: in a notebook below the cell, else in the browser."""
        _display().show(self)


@dataclass(frozen=True, slots=True, repr=False)
class ScoreResult:
    """Scores in the order of the input, never without their signature."""

    items: tuple[ItemScore, ...]
    signature: str
    metric: str = "mars"
    higher_is_better: bool = field(default=True)

    @property
    def scores(self) -> list[float]:
        """One number an example."""
        return [item.reported for item in self.items]

    @property
    def mean(self) -> float:
        """The system-level score; NaN for no examples."""
        return sum(self.scores) / len(self.items) if self.items else float("nan")

    @property
    def shown_mean(self) -> str:
        """The mean for a reader: ``0.461``, or ``64.3%``."""
        on_percent_scale = self.items and self.items[0].percent is not None
        return f"{self.mean:.1f}%" if on_percent_scale else f"{self.mean:.3f}"

    def to_dict(self) -> dict[str, Any]:
        """Return plain data that can be written as JSON."""
        mean = self.mean if math.isfinite(self.mean) else None
        rows = [item.to_dict() for item in self.items]
        return {"metric": self.metric, "mean": mean, "signature": self.signature, "items": rows}

    def to_pandas(self) -> pd.DataFrame:
        """Return a row for each example, by id: the score, what makes it up, its flags and the candidate."""
        import pandas as pd

        rows = [
            {
                self.metric: item.reported,
                **{one.name: one.amount for one in item.adjustments},
                "flags": " ".join(item.flags),
                "candidate": item.example.candidate if item.example else None,
            }
            for item in self.items
        ]
        columns = None if rows else [self.metric, "flags", "candidate"]
        frame: pd.DataFrame = pd.DataFrame(
            rows, index=pd.Index([item.id for item in self.items], name="id"), columns=columns
        )
        frame.attrs["signature"] = self.signature
        return frame

    def save(self, path: str | Path) -> None:
        """Write the scores by the file's suffix: .json has all that `to_dict` has; .jsonl, .csv, .tsv and .parquet
        have a row for each example, with the signature in a file beside them."""
        import_module("mars_score.api").save_result(self, path)

    def __repr__(self) -> str:
        shown = ", ".join(item.shown for item in self.items[:5])
        more = f", ... ({len(self)} in all)" if len(self) > 5 else ""
        return f"ScoreResult({self.metric}: mean {self.shown_mean}, scores [{shown}{more}])"

    def _repr_html_(self) -> str:
        """Return what notebooks show: a table with bars."""
        html: str = _display().table(self)
        return html

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: int) -> ItemScore:
        return self.items[index]

    def __iter__(self) -> Iterator[ItemScore]:
        return iter(self.items)


@dataclass(frozen=True, slots=True)
class ResultRow:
    """One row of results: the numbers of all metrics for one example."""

    id: str
    scores: dict[str, float | None]
    """One number for each metric; ``None`` where a metric is undefined."""
    flags: tuple[str, ...] = ()

    def numbers(self) -> dict[str, float | None]:
        """Return the scores as they are stored: neither JSON nor a spreadsheet knows NaN or infinity."""
        return {
            name: None if score is None or not math.isfinite(score) else score
            for name, score in self.scores.items()
        }


def _display() -> Any:
    """How results look; by name, since pages come last in the data flow, and most users never ask for one."""
    return import_module("mars_score.web.explain.notebook")
