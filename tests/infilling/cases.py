"""Templates of our own writing, as token jobs."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from mars_score.infilling.guided import GuidedInfiller
from mars_score.types import Block, InfillingRequest, Template

if TYPE_CHECKING:
    from mars_score.config import InfillingConfig
    from mars_score.infilling.decoder.state import Job
    from mars_score.lm.causal import LanguageModel


def template(marked: str, ratio: float = 0.4) -> Template:
    """Read a template in which blanks stand in brackets: ``She called[ for] help[.]``."""
    parts = re.findall(r"\[([^\]]*)\]|([^\[]+)", marked)
    return Template(ratio, tuple(Block(blank or text, blank=bool(blank)) for blank, text in parts))


FERRY = "The ferry left the island late. Fog lay on the sound, and nobody on deck could see the buoys."
BAKERY = (
    "Mr. Osei opened his bakery at four. A pipe had burst in the night, and the flour lay in two inches of "
    "water. His first customers were due at six."
)
REQUESTS = (
    InfillingRequest(
        FERRY,
        (
            template("The captain[ slowed] down and rang[ the] bell."),
            template("[The] captain[ slowed down and] rang the bell[.]"),
            template("The captain[ slowed down] and rang[ the bell.]"),
        ),
    ),
    InfillingRequest(
        BAKERY,
        (
            template("He called[ his] neighbour[,] who brought[ a] pump[ and] three bags of flour."),
            template("He[ called his neighbour, who brought] a pump and[ three] bags[ of flour.]"),
        ),
    ),
    InfillingRequest(
        "", (template("[Nobody] answered the[ door].", 0.2), template("Nobody[ answered] the door[.]", 0.6))
    ),
    InfillingRequest(FERRY, (template("A horn[ sounded]."),)),
)


def jobs_of(model: LanguageModel, config: InfillingConfig) -> list[Job]:
    """The requests' templates as token jobs."""
    return GuidedInfiller(model, config).jobs(REQUESTS)
