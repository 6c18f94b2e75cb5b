"""Scoring eight systems on the same references against scoring one: the references are augmented once.

    python -m benchmarks.second_system

Each system is one call of the same scorer, as a user makes them. Every round begins with a scorer that knows
nothing; only the loaded models are shared.
"""

from __future__ import annotations

from benchmarks.texts import candidates, stories
from benchmarks.timing import alternately, report
from mars_score.mars.scorer import MarsScorer
from mars_score.types import Example

GOAL = 1.3
REFERENCES = 12
SYSTEMS = 8


def main() -> None:
    """Print the ratio."""
    loaded = MarsScorer()
    systems = [
        [
            Example(str(number), candidates(pair, SYSTEMS)[system], (pair.reference,), pair.context)
            for number, pair in enumerate(stories(REFERENCES))
        ]
        for system in range(SYSTEMS)
    ]

    def score(count: int) -> None:
        loaded.parts.forget()
        scorer = MarsScorer()
        scorer.__dict__.update(infiller=loaded.infiller, encoder=loaded.encoder, tagger=loaded.tagger)
        for rows in systems[:count]:
            scorer.score_examples(rows)

    seconds = alternately({"one": lambda: score(1), "all": lambda: score(SYSTEMS)})
    report(
        "second_system",
        seconds["all"] / seconds["one"],
        at_most=GOAL,
        systems=SYSTEMS,
        references=REFERENCES,
        seconds_one=seconds["one"],
        seconds_all=seconds["all"],
    )


if __name__ == "__main__":
    main()
