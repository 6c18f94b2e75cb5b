"""A small file of rows, explained by the real scorer with toys for models."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mars_score.types import Adjustment, Example
from mars_score.web.explain.explanation import explain_examples
from mars_score.web.explain.standing import Standing, find_standing
from tests.study.toy_mars import toy_scorer

if TYPE_CHECKING:
    from collections.abc import Callable

    from mars_score.mars.scorer import MarsScorer
    from mars_score.types import ItemScore
    from mars_score.web.explain.data import ExplainedItem

KILN = "The potter left the kiln closed over night. In the morning the glaze on the blue bowl had cracked."
FERRY = "The last ferry leaves at nine. Ines reached the pier with two minutes to spare."
BEES = "A swarm had settled under the roof of the chapel."
CRACKS = ("By morning the glaze had small cracks all over.",)
EXAMPLES = (
    Example("kiln/a", "The blue bowl was cracked in the morning.", CRACKS, KILN),
    Example("ferry/a", "Ines caught the last ferry.", ("She jumped aboard.", "The ferry took her home."), FERRY),
    Example("kiln/b", "Nobody likes soup on a Tuesday.", CRACKS, KILN),
    Example("bees/a", "", ("The beekeeper came with a basket.",), BEES),
    Example("kiln/c", "The potter cursed the kiln. #pottery", CRACKS, KILN),
    Example("none/a", "A walk in the rain.", ("It was a long walk home through heavy rain.",)),
)  # fmt: skip
HUMANS = {"kiln/a": 4.5, "kiln/b": 3.0, "kiln/c": 2.0, "ferry/a": 5.0, "bees/a": 1.0}
FLUENCY = Adjustment("fluency", -0.05, 4.2, 3.1, "The candidate reads less smoothly than the references.")
COPYING = Adjustment("novel_words", 0.02, 0.3, 0.5, "Few of its words are new.")


def scorer() -> MarsScorer:
    return toy_scorer(cache=None)


def scored(scorer: MarsScorer, examples: tuple[Example, ...] = EXAMPLES) -> tuple[ItemScore, ...]:
    """Score rows; the last candidate of the kiln has adjustments as well."""
    items = scorer.score_examples(examples).items
    return tuple(adjusted(item) if item.id.startswith("kiln/c") else item for item in items)


def adjusted(item: ItemScore) -> ItemScore:
    return replace(item, score=item.score + FLUENCY.amount + COPYING.amount, adjustments=(FLUENCY, COPYING))


def sample() -> tuple[tuple[ExplainedItem, ...], Standing]:
    """Explain the rows."""
    return explained_with(lambda text: text)


def explained_with(change: Callable[[str], str]) -> tuple[tuple[ExplainedItem, ...], Standing]:
    """Explain the rows with every text changed."""
    examples = tuple(
        Example(
            change(one.id), change(one.candidate), tuple(map(change, one.references)), change(one.context)
        )
        for one in EXAMPLES
    )
    toy = scorer()
    items = scored(toy, examples)
    humans = {change(name): rating for name, rating in HUMANS.items()}
    explained = explain_examples(toy, examples, items, humans=humans)
    return explained, find_standing(toy, examples, items)
