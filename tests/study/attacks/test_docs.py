"""The examples of docs/data.md are what the attacks do."""

from __future__ import annotations

import json
import re
from pathlib import Path

from mars_score.io.datasets.base import Dataset, Rated
from mars_score.study.attacks.robustness import ATTACKS, attack_dataset
from mars_score.types import Example

PAGE = (Path(__file__).parents[3] / "docs" / "data.md").read_text(encoding="utf-8")
KITE = Example(
    "kite/a", "The kite flew over the roofs and got stuck in a tree.", ("It flew.",), "Ivo built a kite."
)


def test_the_table_of_attacks() -> None:
    section = PAGE[PAGE.index("## Attacks") :]
    block = re.search(r"```json\n(.*?)```", section, re.DOTALL)
    assert block is not None
    row = json.loads(block[1])
    example = Example(row["id"], row["candidate"], tuple(row["references"]), row["context"])
    dataset = Dataset("page", (Rated(example, 5.0, "a"), Rated(KITE, 4.0, "a")))
    table = re.findall(r"^\| `(\w+)` \| (.*?) \| (.*) \|$", section, re.MULTILINE)
    attacks = {name: (what, text) for name, what, text in table if name in ATTACKS}
    assert list(attacks) == list(ATTACKS)
    for name, (what, text) in attacks.items():
        assert what == ATTACKS[name].description
        assert attack_dataset(dataset, name, seed=0).examples[0].candidate == text
