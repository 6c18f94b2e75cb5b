from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

CONTEXTS = {
    "well": (
        "The well behind the school had been dry for two summers. Mr Adeyemi let a lamp down on a string, and the "
        "children counted the knots. At the ninth knot the lamp went out."
    ),
    "clock": (
        "Every evening the clock of the town hall lost four minutes. The council paid for a new spring, then for a new "
        "pendulum. Only Birte noticed that pigeons slept on the long hand."
    ),
    "soup": (
        "Jun had promised soup for twenty. At noon he found that the market was closed. He had onions, one lemon and "
        "a sack of lentils."
    ),
    "letter": (
        "The letter had been on its way for thirty-one years. It came in a plastic sleeve, with an apology from the "
        "post office. Nobody in the house knew the name on it."
    ),
}
REFERENCES = {
    "well": "They pulled it up wet, and the water was back.",
    "clock": "She asked the baker to stop throwing his old bread into the square.",
    "soup": "He cooked the lentils with the lemon, and everybody asked for more.",
    "letter": "They opened it anyway, and it was a recipe for plum cake.",
}
CANDIDATES = {
    "well": [
        "The lamp came up dripping, so there was water again.",
        "The school got a new roof.",
        "Nine knots.",
    ],
    "clock": ["Birte had the birds chased away.", "The council bought a third spring.", ""],
    "soup": [
        "His lentil soup was a great success.",
        "He went to bed.",
        "He bought twenty bowls at the market.",
    ],
    "letter": [
        "Inside was an old cake recipe, which they baked.",
        "They sent it back unopened, with a short note of thanks.",
        "The post office apologised.",
    ],
}


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    """A file of twelve rows on four references."""
    path = tmp_path / "rows.jsonl"
    lines = [
        {
            "id": f"{item}-{number}",
            "context": CONTEXTS[item],
            "reference": REFERENCES[item],
            "candidate": text,
        }
        for item, texts in CANDIDATES.items()
        for number, text in enumerate(texts)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return path
