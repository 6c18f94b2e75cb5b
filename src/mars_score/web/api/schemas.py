"""What goes over the wire, with the examples that the description shows."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr, model_validator

from mars_score.metrics.registry import METRICS

CONTEXT = "Ilse had baked bread for the whole street. At noon the oven door fell off its hinges."
REFERENCE = "She carried the loaves to the bakery next door and finished them there."
CANDIDATE = "She took the half-baked bread to a neighbour who had a working oven."

Preset = Annotated[
    StrictStr | None,
    Field(
        description="Settings by task; GET /v1/presets lists them. The server's own by default.",
        json_schema_extra={"examples": ["story"]},
        max_length=100,
    ),
]
Metrics = Annotated[
    list[StrictStr],
    Field(
        description="Which metrics; GET /v1/metrics lists them.",
        min_length=1,
        max_length=len(METRICS),
        fail_fast=True,
        json_schema_extra={"items": {"type": "string", "enum": list(METRICS)}},
    ),
]


MOST_ITEMS = 100_000
"""Rows, whatever the limits of a server say; those are looked at when all rows have been read."""
MOST_FIELDS = 20
"""Fields of an object; every one that is not known would be an error of its own."""


class _Strict(BaseModel):
    """Refuses what it does not know. Lists fail at their first error: a list of a million would have a million."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _few_fields(cls, data: object) -> object:
        if isinstance(data, dict) and len(data) > MOST_FIELDS:
            raise ValueError(f"an object has {len(data):,} fields, which is more than {MOST_FIELDS}")
        return data


class Texts(_Strict):
    """A context and what people wrote for it."""

    id: StrictStr | StrictInt | None = Field(
        None, description="Unique in the request; its number by default."
    )
    context: StrictStr = Field("", description="What the candidate was generated from. May be empty.")
    question: StrictStr = Field("", description="The end of the context that is never cut.")
    references: list[StrictStr] = Field(
        description="At least one human-written text.", min_length=1, fail_fast=True
    )


class Item(Texts):
    """One row to score."""

    candidate: StrictStr = Field(description="The generated text that is judged. May be empty.")


class ScoreRequest(_Strict):
    """Rows to score."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "items": [
                        {"id": "oven", "context": CONTEXT, "references": [REFERENCE], "candidate": CANDIDATE}
                    ],
                    "preset": "story",
                    "metrics": ["mars", "bleu1"],
                }
            ]
        }
    )
    items: list[Item] = Field(min_length=1, max_length=MOST_ITEMS, fail_fast=True)
    preset: Preset = None
    metrics: Metrics = Field(default=["mars"])
    explain: StrictBool = Field(False, description="Also say where the MARS scores come from.")


class JobRequest(ScoreRequest):
    """Rows to score while the client looks on."""

    watch: StrictBool = Field(False, description="Also tell of every template as it is filled.")


class AugmentRequest(_Strict):
    """References to augment."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"items": [{"context": CONTEXT, "references": [REFERENCE]}], "preset": "story"}]
        }
    )
    items: list[Texts] = Field(min_length=1, max_length=MOST_ITEMS, fail_fast=True)
    preset: Preset = None


class Result(BaseModel):
    """The scores of one row."""

    id: str
    scores: dict[str, float | None] = Field(description="By metric; null where a metric is undefined.")
    flags: list[str] = Field(description="What a reader should know of this row.")


class ScoreAnswer(BaseModel):
    """Scores, never without what they depend on."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "preset": "story",
                    "signatures": {
                        "mars": "mars:v0.1.0|ratios:0+0.2+0.4+0.6|...",
                        "bleu1": "bleu1:v0.1.0|...",
                    },
                    "results": [{"id": "oven", "scores": {"mars": 0.5712, "bleu1": 0.2308}, "flags": []}],
                }
            ]
        }
    )
    preset: str
    signatures: dict[str, str] = Field(description="By metric: equal signature and input mean equal score.")
    results: list[Result] = Field(description="In the order of the request.")
    explanations: list[dict[str, Any]] | None = Field(
        None, description="With explain: rows with the same context and references make one explanation."
    )


class VariantAnswer(BaseModel):
    """An augmented reference."""

    ratio: float = Field(description="Share of words masked; 0 is the reference itself.")
    template: str
    text: str


class ReferenceAnswer(BaseModel):
    """A reference and what became of it."""

    context: str
    reference: str
    augmented: list[VariantAnswer]
    flags: list[str]


class AugmentedResult(BaseModel):
    """The augmented references of one row."""

    id: str
    references: list[ReferenceAnswer]


class AugmentAnswer(BaseModel):
    """Augmented references."""

    preset: str
    signatures: dict[str, str]
    results: list[AugmentedResult]


class JobCreated(BaseModel):
    """A job that waits for its turn."""

    id: str = Field(description="Cannot be guessed: whoever has it can read the result.")
    rows: int


class JobState(BaseModel):
    """How far a job is."""

    id: str
    name: str = Field(description="Of the uploaded file, as the client called it.")
    state: Literal["waiting", "running", "done", "failed", "cancelled"]
    stage: str = Field(description="masking, infilling, encoding, ...", examples=["infilling"])
    done: int = Field(description="Of the rows at hand in this stage.")
    total: int
    rows_done: int
    rows: int
    means: dict[str, float | None] = Field(description="Of the rows that are done, by metric.")


class JobRow(BaseModel):
    """A row of a job, to be shown in a list."""

    number: int = Field(description="Its place in the file, from 0.")
    id: str
    candidate: str = Field(description="Shortened.")
    scores: dict[str, float | None] | None = Field(description="By metric; null while they are not known.")
    flags: list[str]


class JobRows(BaseModel):
    """Some rows of a job."""

    rows: int = Field(description="Of the whole job.")
    fitting: int = Field(description="That have what was looked for.")
    flags: dict[str, int] = Field(description="How many rows have each flag.")
    page: list[JobRow]


class MetricDescription(BaseModel):
    """A metric that can be asked for."""

    name: str
    summary: str
    inputs: str = Field(description="What it reads beside the candidate.")
    models: str = Field(description="What it is made of.")
    higher_is_better: bool


class MetricsAnswer(BaseModel):
    """All metrics."""

    metrics: list[MetricDescription]


class PresetDescription(BaseModel):
    """Settings by task."""

    name: str
    default: bool
    ratios: list[float] = Field(description="Masking ratios beside 0.")
    language_model: str
    encoder: str
    q: float


class PresetsAnswer(BaseModel):
    """All presets that this server offers."""

    presets: list[PresetDescription]


class Health(BaseModel):
    """Whether the server is ready."""

    status: Literal["ready", "loading", "stopping"]
    requests: int = Field(description="That wait or are being worked on.")
    rows: int = Field(description="That wait.")
    message: str = Field("", description="Why the models cannot be loaded.")
