"""Examples to click in the playground."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass


@dataclass(frozen=True, slots=True)
class Sample:
    """A context with references, and candidates from good to bad."""

    title: str
    preset: str
    context: str
    references: tuple[str, ...]
    candidates: tuple[str, ...]

    @property
    def data(self) -> str:
        """As the page's script reads it."""
        return json.dumps(asdict(self))


SAMPLES = (
    Sample(
        "End a story",
        "story",
        "Noor had promised her little brother a kite for his birthday. All week she glued paper and split bamboo in "
        "the shed. On the morning of the party the sky was blue, and not a leaf moved.",
        ("So they tied the kite to her bicycle, and it rose behind her as she pedalled down the lane.",),
        (
            "She pulled the kite behind her bike, and her brother cheered as it climbed into the still air.",
            "They waited on the hill until a breeze came up in the afternoon.",
            "The kite is a bird of prey with a forked tail.",
            "still air the climbed behind kite cheered her She brother bike pulled and it as into her the",
        ),
    ),
    Sample(
        "Answer a question",
        "qa",
        "The ferry to the island leaves at eight and at noon. In winter the noon boat only sails on weekends. Jonas "
        "arrived at the pier on a Wednesday in January, at half past ten.\n"
        "When can Jonas take the next ferry?",
        (
            "He has to wait until eight o'clock the next morning.",
            "Not before Thursday at eight, as the noon boat does not sail on a winter weekday.",
        ),
        (
            "At eight on Thursday morning.",
            "He can take the boat at noon.",
            "The ferry goes to the island.",
        ),
    ),
    Sample(
        "Sum up a report",
        "summary",
        "The council voted on Monday to close the riverside road to cars for a trial year. Shop owners had feared "
        "for their trade, but a survey among visitors showed that two in three come by tram or on foot. Delivery "
        "vans may still use the road before ten. Counters at both ends will record how many people pass, and the "
        "council wants to see the numbers before it decides for good.",
        (
            "The riverside road will be closed to cars for one year as a trial, and the council will decide about "
            "its future once it has counted visitors.",
        ),
        (
            "Cars are banned from the riverside road for a year, after which the council will decide on the basis of "
            "visitor numbers.",
            "Delivery vans may still use the road before ten.",
            "The council voted to widen the riverside road so that more cars can pass.",
        ),
    ),
)
