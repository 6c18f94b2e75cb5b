"""Short stories without their ending, human endings, and what systems might have written instead."""

from __future__ import annotations

from functools import lru_cache

from mars_score.types import Pair

from .at_home import AT_HOME
from .away import AWAY
from .filling import chosen, people
from .in_town import IN_TOWN

OUTLINES = (*AT_HOME, *IN_TOWN, *AWAY)
VARIATIONS = 20
"""How often an outline is told: as long as its slots of five and of four phrases meet in new pairs."""
MOST_STORIES = len(OUTLINES) * VARIATIONS
MOST_CANDIDATES = 10

# Endings that fit nearly any story, as weak systems like to write them. Their number shares no factor with
# the numbers of names, so that a name meets every one of them before it meets one again.
VAGUE = (
    "{name} did not know what to think about it.",
    "In the end, everything turned out well for {name}.",
    "{name} went home and told {friend} the whole story.",
    "It was a day that {name} would never forget.",
    "{name} was very happy about what had happened.",
    "{name} decided to try it again another time.",
    "After that, {name} was more careful than before.",
    "{name} learned an important lesson that day.",
    "{friend} could hardly believe it when {name} told {f_him}.",
    "{name} took a deep breath and waited to see what would happen.",
    "Nobody was more surprised by this than {name}.",
    "{name} hoped that it would never happen again.",
    "{name} felt tired and wanted to be left alone.",
)


def stories(count: int) -> list[Pair]:
    """The first so many (context, ending) pairs; all contexts and all endings differ.

    A context has four sentences and 40 to 60 tokens of SmolLM2, an ending is one sentence of 7 to 18 words.
    Neighbours come from different outlines.
    """
    if not 0 <= count <= MOST_STORIES:
        raise ValueError(f"there are 0 to {MOST_STORIES} stories, not {count}")
    return list(_numbers())[:count]


def candidates(pair: Pair, count: int) -> list[str]:
    """So many different outputs of systems for one of the ``stories``, from good to unrelated.

    They are spread evenly over ten steps: four other good endings, two that go astray, two vague ones and two
    endings of other stories.
    """
    if not 0 <= count <= MOST_CANDIDATES:
        raise ValueError(f"there are 0 to {MOST_CANDIDATES} candidates for a story, not {count}")
    number = _numbers().get(pair)
    if number is None:
        raise ValueError(f"not one of the stories: {pair.context!r}")
    steps = _ladder(number)
    return [steps[i * (len(steps) - 1) // max(1, count - 1)] for i in range(count)]


@lru_cache(maxsize=1)
def _numbers() -> dict[Pair, int]:
    """Every story and its number, in order."""
    return {_story(number): number for number in range(MOST_STORIES)}


def _place(number: int) -> tuple[int, int]:
    """The outline and the variation of a story; the outline changes first."""
    variation, outline = divmod(number, len(OUTLINES))
    return outline, variation


def _people(number: int) -> dict[str, str]:
    # Women and men alternate both along the stories and from one variation of an outline to the next.
    return people(number, woman=sum(_place(number)) % 2 == 0)


def _story(number: int) -> Pair:
    index, variation = _place(number)
    outline = OUTLINES[index]
    words = chosen(outline.slots, variation, _people(number))
    ending = outline.endings[variation % len(outline.endings)]
    return Pair(outline.context.format_map(words), ending.format_map(words))


def _ladder(number: int) -> list[str]:
    """Ten candidates for a story, the best first."""
    index, variation = _place(number)
    outline = OUTLINES[index]
    persons = _people(number)
    words = chosen(outline.slots, variation, persons)
    others = [outline.endings[(variation + step) % len(outline.endings)] for step in range(1, 5)]
    vague = [VAGUE[(number + step) % len(VAGUE)] for step in (0, 5)]
    texts = [text.format_map(words) for text in (*others, *outline.astray, *vague)]
    for step in (7, 12):
        # The people are those of the story: a system that lost the thread seldom forgets the name.
        stranger = OUTLINES[(index + step) % len(OUTLINES)]
        held = chosen(stranger.slots, variation, persons)
        texts.append(stranger.endings[(variation + step) % len(stranger.endings)].format_map(held))
    return texts
