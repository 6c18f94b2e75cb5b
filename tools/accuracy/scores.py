"""Scores of the rows of a half, and of what attacks make of them, by the package itself."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from mars_score.io.datasets.loading import load_dataset
from mars_score.mars.scorer import MarsScorer
from mars_score.metrics.registry import make_metric
from mars_score.progress import Progress, silent
from mars_score.study.attacks.robustness import attack_dataset

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from accuracy.halves import DataSet
    from mars_score.encoders.base import Encoder, Encoding
    from mars_score.io.datasets.base import Dataset
    from mars_score.types import Example

ATTACKS = ("reorder", "retrieve", "unrelated", "copy_reference")
PORTION = 40
"""Rows at a time: augmentations are kept after each portion."""


class Remembering:
    """An encoder that forgets nothing: many settings read the same texts."""

    def __init__(self, encoder: Encoder) -> None:
        """Take an encoder."""
        self.encoder = encoder
        self.known: dict[str, Encoding] = {}

    def encode(self, texts: Sequence[str], progress: Progress = silent) -> list[Encoding]:
        """Encode what is new."""
        new = [text for text in dict.fromkeys(texts) if text not in self.known]
        self.known |= dict(zip(new, self.encoder.encode(new, progress), strict=True))
        return [self.known[text] for text in texts]


class Half:
    """One data set's half: its rows, its attacks, and the scores so far, kept in a file."""

    def __init__(self, folder: Path, half: str, data: DataSet, *, preset: str | None = None) -> None:
        """Read the rows. Scores of another preset than the task's own are kept apart."""
        self.dataset: Dataset = load_dataset(folder / half / f"{data.name}.jsonl")
        self.attacks = {name: attack_dataset(self.dataset, name) for name in ATTACKS}
        name = f"{half}.{data.name}" + (f".{preset}" if preset else "")
        self.path = folder / "scores" / f"{name}.json"
        self.path.parent.mkdir(exist_ok=True)
        self.scores: dict[str, dict[str, list[float | None]]] = (
            json.loads(self.path.read_text("utf-8")) if self.path.is_file() else {}
        )
        self._scorer = MarsScorer(preset or data.preset)
        self._encoders: dict[tuple[str, bool], Remembering] = {}

    def add(self, name: str, options: dict[str, Any], *, attacks: bool = True) -> None:
        """Score with the task's preset and these options, unless that was done."""
        scorer = self._scorer.with_options(**options)
        key = (scorer.config.scoring.encoder, scorer.config.scoring.reads)
        if key not in self._encoders:
            self._encoders[key] = Remembering(scorer.encoder)
        scorer.encoder = self._encoders[key]
        self._keep(name, lambda rows: _scored(scorer, rows), attacks=attacks)

    def add_metric(self, name: str) -> None:
        """Score with another metric, unless that was done; its direction is turned so that more is better."""
        metric = make_metric(name, self._scorer)
        sign = 1 if metric.higher_is_better else -1

        def score(rows: Sequence[Example]) -> list[float | None]:
            found = metric.score(rows)
            return [None if value.score is None else sign * value.score for value in found]

        self._keep(name, score, attacks=False)

    def _keep(self, name: str, score: Any, *, attacks: bool) -> None:
        known = self.scores.setdefault(name, {})
        wanted = {"": self.dataset.examples}
        wanted |= {attack: found.examples for attack, found in self.attacks.items() if attacks}
        for attack, rows in wanted.items():
            if attack not in known:
                known[attack] = score(rows)
                self.path.write_text(json.dumps(self.scores), "utf-8")


def _scored(scorer: MarsScorer, rows: Sequence[Example]) -> list[float | None]:
    return [
        item.score
        for start in range(0, len(rows), PORTION)
        for item in scorer.score_examples(rows[start : start + PORTION])
    ]
