"""Write the JSON Schemas of what goes in and out to docs/schemas/, from the types that read and write it.

    python tools/make_schemas.py            writes the files
    python tools/make_schemas.py --check    exits with 1 where a file differs from its type

Rows are described here, since files may spell them in several ways; the tests hold this to what the readers take.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, TypeAdapter

from mars_score.io.datasets.loading import RATING_FIELDS
from mars_score.io.fields import FIELDS
from mars_score.storage.pack import Header, Names
from mars_score.study import results
from mars_score.types import ResultRow

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "schemas"
DIALECT = "https://json-schema.org/draft/2020-12/schema"
TEXT, NUMBER = {"type": "string"}, {"type": "number"}
TEXTS = {"type": "array", "items": {"type": "string", "pattern": r"\S"}, "minItems": 1}
NO_TEXT = {"type": ["string", "null"]}
NUMBERED = r"^reference_[0-9]{1,6}$"


def of_type(kind: type, title: str, description: str) -> dict[str, Any]:
    """Return the schema of a dataclass; its docstrings are the descriptions."""
    schema = _untitled(TypeAdapter(kind).json_schema(mode="serialization"))
    return {"$schema": DIALECT, "title": title, **schema, "description": description}


def _untitled(schema: Any) -> Any:
    """Drop the titles that pydantic makes of names; a field may be called so."""
    if isinstance(schema, dict):
        kept = {key: value for key, value in schema.items() if key != "title" or not isinstance(value, str)}
        return {key: _untitled(value) for key, value in kept.items()}
    return [_untitled(value) for value in schema] if isinstance(schema, list) else schema


def rows() -> dict[str, Any]:
    """Return the schema of a row to score, with or without human ratings."""
    properties = {
        "candidate": {**TEXT, "description": "The generated text that is judged. May be empty."},
        "references": {
            "anyOf": [TEXTS, TEXT],
            "description": "One or more human-written texts, none of them blank.",
        },
        "reference": {**TEXT, "pattern": r"\S", "description": "The same, where there is one."},
        "context": {**NO_TEXT, "description": "What the candidate was generated from."},
        "question": {**NO_TEXT, "description": "The end of the context that is never cut."},
        "id": {
            "type": ["string", "integer", "null"],
            "description": "Unique in its file; else the row's number.",
        },
        "human": {"type": ["number", "null"], "description": "What metrics are compared with in a study."},
        "ratings": {
            "type": ["array", "null"],
            "items": {"type": ["number", "null"]},
            "description": "One number a rater.",
        },
        "aspects": {
            "type": ["object", "null"],
            "additionalProperties": {"type": ["number", "null"]},
            "description": "Mean ratings of single qualities, by name.",
        },
        "system": {"type": ["string", "integer", "null"], "description": "Which system wrote the candidate."},
        "task": NO_TEXT,
        "source": NO_TEXT,
        "lang": {**NO_TEXT, "description": "The language of the texts where it is not English, as de."},
        "is_reference": {
            "type": ["boolean", "null"],
            "description": "Whether the row rates a reference; it is left out.",
        },
    }
    assert set(properties) == {*FIELDS, *RATING_FIELDS}, "a field is missing here, or is no longer read"
    return {
        "$schema": DIALECT,
        "title": "A row to score",
        "description": "One object a line of JSON lines, or an element of a JSON list. Other fields are ignored.",
        "type": "object",
        "properties": properties,
        "patternProperties": {NUMBERED: {**NO_TEXT, "description": "A further reference."}},
        "required": ["candidate"],
        "anyOf": [
            {"required": ["references"]},
            {"required": ["reference"]},
            {"not": {"propertyNames": {"not": {"pattern": NUMBERED}}}},  # at least one such name
        ],
    }


def signatures() -> dict[str, Any]:
    """Return the schema of the file beside results."""
    by_name = {"type": "object", "additionalProperties": TEXT}
    return {
        "$schema": DIALECT,
        "title": "Signatures of results",
        "description": "What results were made with: FILE.signatures.json beside the output FILE.",
        "type": "object",
        "properties": {
            "signatures": {
                **by_name,
                "description": "By metric. Equal signature and texts mean equal scores.",
            },
            "made_with": {**by_name, "description": "Versions, for information; nothing depends on them."},
            "input": TEXT,
            "digest": {**TEXT, "description": "A hash of all texts of all rows."},
            "settings": {**TEXT, "description": "A hash of algorithms, settings and models."},
            "rows": {"type": "integer", "minimum": 0},
            "means": {"type": "object", "additionalProperties": {"type": ["number", "null"]}},
            "escaped": {
                "type": "boolean",
                "description": "Whether ids in tables are escaped for spreadsheets.",
            },
        },
        "required": ["signatures", "made_with"],
    }


def schemas() -> dict[str, dict[str, Any]]:
    """Return every schema by the name of its file."""
    documented = [kind for kind in vars(results).values() if hasattr(kind, "__dataclass_fields__")]
    for kind in (*documented, Header, Names, ResultRow):
        kind.__pydantic_config__ = ConfigDict(use_attribute_docstrings=True)
    return {
        "row": rows(),
        "result": of_type(ResultRow, "A row of results", "One line of mars-score score -o FILE.jsonl."),
        "signatures": signatures(),
        "pack": of_type(
            Header,
            "The header of a pack",
            "The JSON after the first bytes of a .marspack file; see docs/cache.md.",
        ),
        "study": of_type(
            results.Study, "Results of a study", "results.json in the folder of mars-score study."
        ),
    }


def main() -> int:
    """Write the files, or compare them."""
    FOLDER.mkdir(exist_ok=True)
    other = []
    for name, schema in schemas().items():
        path, text = FOLDER / f"{name}.schema.json", json.dumps(schema, indent=2, ensure_ascii=False) + "\n"
        if "--check" not in sys.argv[1:]:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            other.append(path.name)
    if other:
        print(
            f"{', '.join(other)}: not what the types say; run python tools/make_schemas.py", file=sys.stderr
        )
    return int(bool(other))


if __name__ == "__main__":
    sys.exit(main())
