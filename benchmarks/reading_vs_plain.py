"""Reading candidates with the language model against one plain forward over as many tokens.

    python -m benchmarks.reading_vs_plain

reading_vs_plain        candidates of several systems after their contexts / the library's model over as many tokens: a
                        row for each context, all of one length, so that nothing is padded; both end in probabilities
reading_second_system   the candidates of one more system, whose contexts are kept / those of the first
"""

from __future__ import annotations

from functools import partial

import torch

from benchmarks.plain import Plain
from benchmarks.texts import candidates, stories
from benchmarks.timing import alternately, report
from mars_score.lm.likelihood import Likelihood
from mars_score.mars.scorer import MarsScorer

STORIES = 48
SYSTEMS = 6
HEAD_ROWS = 64


def main() -> None:
    """Print both ratios."""
    scorer = MarsScorer()
    model = scorer.parts.language_model(scorer.config.infilling)
    plain = Plain.load(str(scorer.parts.store.ensure(scorer.config.infilling.lm)))
    systems = [
        [(pair.context, candidates(pair, SYSTEMS)[i]) for pair in stories(STORIES)] for i in range(SYSTEMS)
    ]
    pairs = [pair for system in systems for pair in system]
    contexts = sum(
        len(model.encode(context)) + 1 for context in dict.fromkeys(context for context, _ in pairs)
    )
    texts = sum(len(model.encode(f" {text}")) for _, text in pairs)
    width = round((contexts + texts) / STORIES)
    seconds = alternately(
        {
            "reading": lambda: Likelihood(model).read(pairs),
            "plain": partial(read_plainly, plain, torch.full((STORIES, width), 5), texts),
            "first": lambda: Likelihood(model).read(systems[0]),
            "second": SecondSystem(Likelihood(model), systems),
        }
    )
    facts = {"tokens_of_contexts": contexts, "tokens_of_candidates": texts, "seconds": seconds["reading"]}
    report("reading_vs_plain", seconds["reading"] / seconds["plain"], at_most=1.2, **facts)
    report("reading_second_system", seconds["second"] / seconds["first"], seconds=seconds["second"])


def read_plainly(plain: Plain, ids: torch.Tensor, answers: int) -> None:
    """One forward over the rows, and the probabilities of so many tokens."""
    with torch.no_grad():
        states = plain.model.base_model(input_ids=ids).last_hidden_state.flatten(0, 1)[:answers]  # (t, H)
        for some in states.split(HEAD_ROWS):
            plain.model.get_output_embeddings()(some).logsumexp(-1)


class SecondSystem:
    """Systems one after the other, each new to a reader who knows the contexts."""

    def __init__(self, reader: Likelihood, systems: list[list[tuple[str, str]]]) -> None:
        """Read the first."""
        self.reader, self.waiting = reader, iter(systems)
        self()

    def __call__(self) -> None:
        """Read the next one."""
        self.reader.read(next(self.waiting))


if __name__ == "__main__":
    main()
