"""What is computed for the goldens, and how it is compared with what was recorded.

A record holds outputs with their signature, in which the numbers of the algorithms stand (`mars_score.fingerprint`).
Under an equal signature texts must be equal to the letter, and scores within `TOLERANCE`, on every processor.
"""

from __future__ import annotations

import json
import math
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mars_score import MarsScorer
from mars_score.config import FORMULA, PRESETS, ratios_up_to
from mars_score.metrics.registry import METRICS, MarsMetric, augments, make_metric
from mars_score.types import Example

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mars_score.metrics.base import Metric

HERE = Path(__file__).parent
TEXTS, FILLS, SCORES = HERE / "texts.jsonl", HERE / "fills.json", HERE / "scores.json"
TOLERANCE = 3e-5
"""Between processors: absolute, or relative where a number is above 1 (perplexity, length). The difference of two mean
likelihoods (lm_pmi) moves most."""
COUNT = 200
"""Filled templates; no two are the same."""
SCORED = (
    "story-1", "story-5", "summary-1", "summary-7", "reply-2", "answer-1", "data-1", "plain-1", "plain-3", "plain-4",
    "plain-6", "plain-7",
)  # fmt: skip
"""Rows that every metric scores: a good candidate, a babbling one, several references, a copy, one beside the
point, a question, a wrong number, no context, three references, an empty candidate, what is cleaned away, and
characters beyond ASCII."""
FEW = ("story-1", "answer-1", "plain-1")
"""Rows for what has augmented references of its own, which take most of the time."""

Record = dict[str, Any]


class Outputs:
    """Everything that is recorded, computed when it is asked for; models and augmented references are shared."""

    def __init__(self) -> None:
        """Nothing is loaded yet, and nothing comes from a cache."""
        self.scorer = MarsScorer(cache=None)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All metrics, then the settings of MARS that are recorded beside them."""
        return (*METRICS, *self._settings)

    def scores(self, name: str) -> Record:
        """The scores and flags of a metric, or of MARS with some settings, by row."""
        metric, few = self._metric(name)
        rows = [example for example in examples() if example.id in (FEW if few else SCORED)]
        # MARS has its texts cleaned, as callers of the scorer do; other metrics take them as they are.
        if isinstance(metric, MarsMetric):
            found = {item.id: [item.score, *item.flags] for item in metric.scorer.score_examples(rows)}
        else:
            values = metric.score(rows)
            found = {row.id: [value.score, *value.flags] for row, value in zip(rows, values, strict=True)}
        return {"signature": metric.signature, "scores": found}

    def fills(self) -> Record:
        """Filled templates: of the rows that are scored as they are there, of all others with up to 80% masked."""
        found: dict[tuple[str, ...], dict[str, Any]] = {}
        rows = list(examples())
        wide = self.scorer.with_options(ratios=ratios_up_to(0.8))
        for scorer, some in (
            (self.scorer, [row for row in rows if row.id in SCORED]),
            (wide, [row for row in rows if row.id not in SCORED]),
        ):
            augmented = scorer.augment_examples(some)
            names = {pair.reference: row.id for row in some for pair in row.pairs}
            for pair, one in augmented.items():
                for text in one.augmented:
                    if not text.template.blanks:
                        continue
                    entry: dict[str, Any] = {
                        "id": names[pair.reference], "ratio": text.ratio, "template": str(text.template),
                        "text": text.text,
                    }  # fmt: skip
                    found.setdefault((pair.context, pair.reference, entry["template"]), entry)
        return {"signature": wide.augmentation_signature, "fills": list(found.values())[:COUNT]}

    @cached_property
    def _settings(self) -> dict[str, dict[str, Any]]:
        """Settings by a name for the record: presets, and options that no preset has."""
        presets = {
            f"preset {name}": {
                "masking.ratios": config.masking.ratios,
                **{f"scoring.{key}": getattr(config.scoring, key) for key in FORMULA},
                "scoring.match": config.scoring.match,
            }
            for name, config in PRESETS.items()
            if name not in ("paper", "multilingual")  # models of the hub, or with terms
        }
        return presets | {
            "likelihood": {"likelihood": 0.5},
            "references mean": {"scoring.references": "mean"},
            "sampled": {"search": "greedy", "temperature": 0.7, "samples": 2, "seed": 3},
            "idf corpus": {"idf": "corpus"},
        }

    def _metric(self, name: str) -> tuple[Metric, bool]:
        """A metric, and whether it has augmented references of its own."""
        if name in METRICS:
            return make_metric(name, self.scorer), augments(name) and name not in _SHARED
        options = self._settings[name]
        own = bool({"temperature", "idf"} & options.keys())
        scorer = self.scorer.with_options(**options)
        if "idf" in options:
            scorer.corpus = list(examples())
        return MarsMetric(name, scorer), own or scorer.config.masking != self.scorer.config.masking


_SHARED = ("mars", "mars_paper", "mars_glove")
"""Metrics that compare the same augmented references."""


def examples() -> Iterator[Example]:
    """The texts; where a row has no candidate, only its references are augmented."""
    for line in TEXTS.read_text("utf-8").splitlines():
        row = json.loads(line)
        question = row.get("question", "")
        context = "\n".join(filter(None, (row["context"], question)))
        yield Example(row["id"], row.get("candidate", ""), tuple(row["references"]), context, question)


def recorded(path: Path) -> Record:
    """What was recorded; nothing where that is not yet the case."""
    found: Record = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return found


def differences(known: Record, found: Record) -> list[str]:
    """Say where outputs differ by more than rounding; signatures are not compared."""
    if "fills" in known:
        return list(_other_texts(known["fills"], found["fills"]))
    before, now = known.get("scores", {}), found["scores"]
    return [
        f"{row}: {before.get(row)} recorded, {now.get(row)} now"
        for row in {**before, **now}
        if row not in before or row not in now or not _same(before[row], now[row])
    ]


def _same(before: Sequence[Any], now: Sequence[Any]) -> bool:
    if before[1:] != now[1:] or (before[0] is None) != (now[0] is None):
        return False
    return before[0] is None or math.isclose(before[0], now[0], rel_tol=TOLERANCE, abs_tol=TOLERANCE)


def _other_texts(before: Sequence[dict[str, Any]], now: Sequence[dict[str, Any]]) -> Iterator[str]:
    if len(before) != len(now):
        yield f"{len(before)} texts recorded, {len(now)} now"
    for a, b in zip(before, now, strict=False):
        if a != b:
            yield f"{a['id']} at {a['ratio']}: recorded {a['text']!r}, now {b['text']!r}"


def write(path: Path, record: Record) -> None:
    """Write a record so that each output has a line of its own."""
    if "fills" in record:
        lines = ",\n".join(f"  {json.dumps(one, ensure_ascii=False)}" for one in record["fills"])
        text = f'{{\n"signature": {json.dumps(record["signature"])},\n"fills": [\n{lines}\n]\n}}\n'
    else:
        blocks = []
        for name, one in record.items():
            rows = ",\n".join(
                f"   {json.dumps(row)}: {json.dumps(value)}" for row, value in one["scores"].items()
            )
            blocks.append(
                f' {json.dumps(name)}: {{\n  "signature": {json.dumps(one["signature"])},\n'
                f'  "scores": {{\n{rows}\n  }}\n }}'
            )
        text = "{\n" + ",\n".join(blocks) + "\n}\n"
    path.write_text(text, "utf-8")
