"""Every data set in two halves: settings are chosen on one and judged on the other.

Rows of one item (a context with its references) stay together. Which half an item belongs to follows from a hash
of its texts, so the order of a file does not matter, and nobody chose.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

HALVES = ("tune", "test")


@dataclass(frozen=True, slots=True)
class DataSet:
    """A file, the preset of its task, and how much of it is used."""

    name: str
    preset: str
    items: int | None = None
    """At most so many items, both halves together."""
    references: int | None = None
    """Only the first few of each row."""


DATA_SETS = (
    DataSet("newsroom", "summary"),
    DataSet("summeval", "summary", items=40, references=1),
    DataSet("huse_summarization", "summary"),
    DataSet("mans_roc", "story"),
    DataSet("kpqa_semeval_mcscript", "qa"),
    DataSet("kpqa_narrativeqa", "qa"),
    DataSet("grade", "general", items=200),
    DataSet("usr_personachat", "general"),
)
"""SummEval and GRADE are sampled to keep a run within an hour on two cores."""


def make_halves(source: Path, target: Path) -> None:
    """Write ``tune/NAME.jsonl`` and ``test/NAME.jsonl`` for every data set."""
    for data in DATA_SETS:
        with (source / f"{data.name}.jsonl").open(encoding="utf-8") as lines:
            rows = [json.loads(line) for line in lines]
        for row in rows:
            row["references"] = row["references"][: data.references]
        items = sorted({_key(row) for row in rows})[: data.items]
        for place, half in enumerate(HALVES):
            mine = set(items[place::2])
            path = target / half / f"{data.name}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            chosen = (json.dumps(row) + "\n" for row in rows if _key(row) in mine)
            path.write_text("".join(chosen), encoding="utf-8")


def _key(row: dict[str, Any]) -> str:
    texts = ("accuracy", row["context"] or "", row.get("question") or "", row["references"][0])
    return hashlib.blake2b("\x00".join(texts).encode(), digest_size=8).hexdigest()
