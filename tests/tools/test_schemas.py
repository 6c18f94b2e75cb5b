"""The published schemas: they are what the types say, real outputs fit them, and what is wrong does not."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import make_schemas
import pytest
from click.testing import CliRunner
from jsonschema import Draft202012Validator

from mars_score.cli.main import main
from mars_score.storage.pack import START, Header, Names, pack_writer
from mars_score.types import Augmentation, Pair, human_reference
from tests.study.toys import dataset, write_rows

ROOT = Path(__file__).parents[2]


def validator(name: str, *, closed: bool = True) -> Draft202012Validator:
    schema = json.loads((make_schemas.FOLDER / f"{name}.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(_closed(schema) if closed else schema)


def _closed(schema: Any) -> Any:
    """Refuse every field that is not described: what we write ourselves must be."""
    if isinstance(schema, list):
        return [_closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    inside = {key: _closed(value) for key, value in schema.items()}
    described = isinstance(schema.get("properties"), dict) and schema.get("type") == "object"
    return {"additionalProperties": False, **inside} if described else inside


def run(*arguments: str) -> None:
    done = CliRunner().invoke(main, [*arguments])
    assert done.exit_code == 0, done.stderr


def test_the_files_are_what_the_types_say(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, schema in make_schemas.schemas().items():
        assert json.loads((make_schemas.FOLDER / f"{name}.schema.json").read_text(encoding="utf-8")) == schema
    assert {path.name for path in make_schemas.FOLDER.iterdir()} == {
        f"{n}.schema.json" for n in make_schemas.schemas()
    }
    monkeypatch.setattr("sys.argv", ["make_schemas.py", "--check"])
    assert make_schemas.main() == 0
    monkeypatch.setattr(make_schemas, "FOLDER", tmp_path)
    assert make_schemas.main() == 1


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.jsonl")), ids=lambda path: path.name)
def test_examples_are_rows(path: Path) -> None:
    for line in path.read_text(encoding="utf-8").splitlines():
        validator("row", closed=False).validate(json.loads(line))


@pytest.mark.parametrize(
    ("row", "fits"),
    [
        ({"candidate": "", "reference": "r"}, True),
        ({"candidate": "c", "reference_2": "r", "id": 7, "note": {}}, True),
        ({"candidate": "c", "references": ["a", "b"], "ratings": [1, None], "human": None}, True),
        ({"candidate": "c"}, False),
        ({"candidate": "c", "references": []}, False),
        ({"candidate": "c", "references": [" "]}, False),
        ({"candidate": None, "reference": "r"}, False),
        ({"candidate": "c", "reference": "r", "context": ["a"]}, False),
        ({"references": ["r"]}, False),
    ],
)
def test_rows(row: dict[str, Any], fits: bool, tmp_path: Path) -> None:
    """The schema and the reader say the same."""
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row))
    assert validator("row", closed=False).is_valid(row) == fits
    assert (CliRunner().invoke(main, ["score", str(path), "--metric", "rouge1"]).exit_code == 0) == fits


def test_results_and_their_signatures(tmp_path: Path) -> None:
    output = tmp_path / "scores.jsonl"
    run("score", str(ROOT / "examples" / "demo.jsonl"), "--metric", "rougeL,random", "-o", str(output))
    lines = output.read_text().splitlines()
    for line in lines:
        validator("result").validate(json.loads(line))
    validator("signatures").validate(json.loads((tmp_path / "scores.jsonl.signatures.json").read_text()))
    assert not validator("result").is_valid({**json.loads(lines[0]), "scores": {"rougeL": "0.5"}})


def test_a_study(tmp_path: Path) -> None:
    data = dataset(4)
    write_rows(tmp_path / "toy.jsonl", data)
    judge = tmp_path / "judge.csv"
    judge.write_text("id,score\n" + "".join(f"{row.id},{round(row.human)}\n" for row in data))
    options = [
        "--metrics",
        "rougeL",
        "--scores",
        str(judge),
        "--draws",
        "9",
        "--no-report",
        "--attacks",
        "reorder",
    ]
    run("study", str(tmp_path / "toy.jsonl"), "--out", str(tmp_path / "out"), *options)
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    validator("study").validate(results)
    assert results["datasets"][0]["judges"]
    results["datasets"][0]["cells"][0]["value"] = "high"
    assert not validator("study").is_valid(results)


def test_the_header_of_a_pack(tmp_path: Path) -> None:
    header = Header(Names("lm", "tagger", "idf"), {"lm": "lm"}, {"mars-score": "1"})
    with pack_writer(tmp_path / "refs.marspack", header) as writer:
        writer.add(Pair("c", "r"), Augmentation((human_reference("r"),)))
    content = (tmp_path / "refs.marspack").read_bytes()
    *_, length = START.unpack(content[: START.size])
    written = json.loads(content[START.size : START.size + length])
    validator("pack").validate(written)
    assert written == asdict(header)
