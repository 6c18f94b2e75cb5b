"""The data sets of human judgements, where they are at hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mars_score.errors import InputError
from mars_score.io.readers import read_examples

DATA = Path(__file__).parents[2].parent / "shared" / "data"
FILES = sorted(DATA.glob("*.jsonl"))

pytestmark = pytest.mark.skipif(not FILES, reason=f"no data sets in {DATA}")


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_data_set_is_read_whole(path: Path) -> None:
    with open(path, encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    if not {"candidate", "references"} <= rows[0].keys():
        with pytest.raises(InputError, match="no field 'candidate'"):
            next(read_examples(path))
        return
    examples = list(read_examples(path))
    assert [item.id for item in examples] == [row["id"] for row in rows]
    for item, row in zip(examples, rows, strict=True):
        assert item.candidate == row["candidate"]
        assert list(item.references) == row["references"]
        assert item.context == "\n".join(text for text in (row["context"], row["question"]) if text)
