"""Scoring a further system, its references augmented before, against the `bert-score` library.

    python -m benchmarks.rescore_vs_bertscore

Both have the same encoder weights and get the same 2,000 (candidate, reference) pairs. bert-score has its
default batch size, the encoder's last layer and no IDF weights. Ours also compares with three augmented
references a pair; they and their encodings are in the scorer from an earlier system. bert-score cannot keep
references. So the ratio depends on how many references there are, and several settings are measured:

- `rescore_vs_bertscore`: one system, every candidate has a reference of its own;
- `rescore_vs_bertscore_paper`: the same by the paper's formula;
- `rescore_vs_bertscore_systems`: five systems in one call, so that five candidates share a reference;
- `rescore_vs_bertscore_references`: one system, four references for each candidate.

No candidate comes twice, so that nothing is won by remembering one.
"""

from __future__ import annotations

import json
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.texts import candidates, stories
from benchmarks.timing import ROUNDS, alternately, report
from mars_score.mars.scorer import MarsScorer
from mars_score.models.tokenizer import quiet
from mars_score.types import (
    Augmentation,
    AugmentedReference,
    Block,
    Example,
    Pair,
    Template,
    human_reference,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from bert_score import BERTScorer

GOALS = {"rescore_vs_bertscore": 2.0, "rescore_vs_bertscore_references": 3.0}
"""The others have none: what they show is in docs/performance.md."""
OPENINGS = ("Then", "Later", "Soon", "At last")
"""What makes the candidates of each round new: the warm-up and the timed rounds have one each."""


def main() -> None:
    """Print the ratio of each setting."""
    scorer = MarsScorer()
    library = load_bertscore(Path(scorer.parts.store.ensure(scorer.config.scoring.encoder)))
    settings: dict[str, Callable[[str], list[Example]]] = {
        "rescore_vs_bertscore": own_references,
        "rescore_vs_bertscore_systems": five_systems,
        "rescore_vs_bertscore_references": four_references,
    }
    for name, rows in settings.items():
        compare(name, rows, scorer, library)
    compare("rescore_vs_bertscore_paper", own_references, MarsScorer("paper-formula"), library)


def compare(name: str, rows: Callable[[str], list[Example]], scorer: MarsScorer, library: BERTScorer) -> None:
    """Time both on the rows of each opening; the warm-up is the earlier system."""
    pairs = list(dict.fromkeys(pair for row in rows("") for pair in row.pairs))
    scorer.add_augmentations({pair: made_up(pair, scorer.config.masking.ratios) for pair in pairs})
    turns: dict[str, Iterator[list[Example]]] = {
        side: map(rows, OPENINGS) for side in ("mars-score", "bert-score")
    }
    seconds = alternately(
        {
            "mars-score": lambda: scorer.score_examples(next(turns["mars-score"])),
            "bert-score": lambda: run_bertscore(library, next(turns["bert-score"])),
        },
        rounds=min(ROUNDS, len(OPENINGS) - 1),
    )
    count = len(rows(""))
    report(
        name,
        seconds["bert-score"] / seconds["mars-score"],
        at_least=GOALS.get(name),
        candidates=count,
        references=len(pairs),
        pairs=sum(len(row.references) for row in rows("")),
        candidates_per_second=count / seconds["mars-score"],
        seconds=seconds["mars-score"],
        seconds_bertscore=seconds["bert-score"],
    )


def own_references(opening: str) -> list[Example]:
    """Four endings of each of 500 stories are references, each with a candidate."""
    return [
        row(f"{number}/{index}", opening, candidate, (reference,), pair.context)
        for number, pair in enumerate(stories(500))
        for index, (reference, candidate) in enumerate(
            zip(endings(pair), candidates(pair, 10)[3:7], strict=True)
        )
    ]


def five_systems(opening: str) -> list[Example]:
    """The endings of 400 stories, with five candidates each."""
    return [
        row(f"{number}/{index}", opening, candidate, (pair.reference,), pair.context)
        for number, pair in enumerate(stories(400))
        for index, candidate in enumerate(candidates(pair, 5))
    ]


def four_references(opening: str) -> list[Example]:
    """500 stories with four endings each, and one candidate."""
    return [
        row(str(number), opening, candidates(pair, 10)[3], endings(pair), pair.context)
        for number, pair in enumerate(stories(500))
    ]


def endings(pair: Pair) -> tuple[str, ...]:
    """Four good endings of a story."""
    return (pair.reference, *candidates(pair, 10)[:3])


def row(name: str, opening: str, candidate: str, references: Sequence[str], context: str) -> Example:
    """One row, its candidate with an opening of its own."""
    return Example(name, f"{opening} {candidate}".strip(), tuple(references), context)


def made_up(pair: Pair, ratios: Sequence[float]) -> Augmentation:
    """What a language model might have written: the end of the reference gives way to the context's."""
    words, source = pair.reference.split(" "), pair.context.split(" ")
    filled = []
    for ratio in ratios:
        keep = len(words) - max(1, round(ratio * len(words)))
        head, tail = " ".join(words[:keep]), " ".join(words[keep:])
        blocks = (Block(head, blank=False), Block(f" {tail}", blank=True))
        filled.append(
            AugmentedReference(Template(ratio, blocks), (f" {' '.join(source[keep : len(words)])}",))
        )
    return Augmentation((human_reference(pair.reference), *filled))


def load_bertscore(folder: Path) -> BERTScorer:
    """The library with the same weights, and the last layer."""
    from bert_score import BERTScorer

    layers = json.loads((folder / "config.json").read_text("utf-8"))["num_hidden_layers"]
    with quiet():
        return BERTScorer(model_type=str(folder), num_layers=layers, device="cpu")


def run_bertscore(library: BERTScorer, rows: Sequence[Example]) -> object:
    """Score the same rows; the library takes single references as texts."""
    texts = [list(example.references) for example in rows]
    single = all(len(references) == 1 for references in texts)
    return library.score(
        [example.candidate for example in rows], list(chain.from_iterable(texts)) if single else texts
    )


if __name__ == "__main__":
    main()
