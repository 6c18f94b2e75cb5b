"""Formats found from the file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from mars_score.io.datasets.loading import detect

if TYPE_CHECKING:
    from tests.io.datasets.conftest import Folder


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("a.jsonl", '{"a": {"b": {}}}', "rows"),
        ("a.ndjson", "", "rows"),
        ("a.json", '[{"a": {"b": {}}}]', "rows"),
        ("a.json", '{"aspects": {"fluency": 4}, "candidate": "a"}', "rows"),
        ("a.json", '{"id": "a"}\n{"id": "b"}', "rows"),
        ("a.json", '{"drop": {"1": {"score": 1}}}', "mocha"),
        ("a.json", '\ufeff {\n "dr\\"op" : {\n "1": {', "mocha"),
        ("a.json", '{"drop": {}}', "mocha"),
        ("a.json", "", "rows"),
        ("a.csv", "System,ArticleID,SystemSummary\n", "newsroom"),
        ("a.csv", "HITId,Input.OUT0,Input.TYPE0\n", "huse"),
        ("a.csv", '"HITId","Input.OUT0","Input.TYPE0"\n', "huse"),
        ("a.csv", "candidate,reference,human\n", "rows"),
        ("a.csv", "", "rows"),
        ("a.tsv", "ArticleID\tSystemSummary\n", "rows"),
        ("A.CSV", "ArticleID,SystemSummary\n", "newsroom"),
    ],
)
def test_formats(folder: Folder, name: str, content: str, expected: str) -> None:
    assert detect(str(folder.put(name, content))) == expected
