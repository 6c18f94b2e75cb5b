"""What every metric gives, and what is filled into 200 templates: outputs change only with an algorithm's number.

All is computed by the real models from texts of our own. `make_golden.py` records it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from make_golden import accepted

from mars_score import fingerprint
from mars_score.metrics.registry import METRICS
from tests.golden.outputs import (
    COUNT,
    FILLS,
    SCORED,
    SCORES,
    TOLERANCE,
    Outputs,
    differences,
    examples,
    recorded,
    write,
)

if TYPE_CHECKING:
    from pathlib import Path

    from tests.golden.outputs import Record

KNOWN = recorded(SCORES)
RAISE = (
    "what comes out has changed, but no algorithm's number has. If that is meant: raise the number of the stage or the "
    "metric in src/mars_score/fingerprint.py (ALGORITHM), say in CHANGELOG.md which scores change and why, then run "
    "python tools/make_golden.py. If it is not meant, the change is a fault"
)
RECORD = "the signature is another one than the recorded one: run python tools/make_golden.py"


@pytest.fixture(scope="module")
def outputs() -> Outputs:
    return Outputs()


def check(known: Record, found: Record) -> None:
    changed = differences(known, found)
    same = known["signature"] == found["signature"]
    assert not (changed and same), "\n".join([RAISE, *changed[:10]])
    assert same, f"{RECORD}\n  recorded: {known['signature']}\n  now:      {found['signature']}"


@pytest.mark.numeric
def test_fills(outputs: Outputs) -> None:
    known = recorded(FILLS)
    check(known, outputs.fills())


@pytest.mark.numeric
@pytest.mark.parametrize("name", KNOWN)
def test_scores(name: str, outputs: Outputs) -> None:
    check(KNOWN[name], outputs.scores(name))


def test_everything_is_recorded(outputs: Outputs) -> None:
    assert tuple(KNOWN) == outputs.names
    assert set(METRICS) < set(KNOWN)
    assert all(set(one["scores"]) <= set(SCORED) for one in KNOWN.values())
    fills = recorded(FILLS)["fills"]
    rows = {example.id: example for example in examples()}
    assert len(fills) == COUNT
    assert len({(rows[one["id"]].context, one["template"]) for one in fills}) == COUNT
    assert {one["ratio"] for one in fills} == {0.2, 0.4, 0.6, 0.8}
    assert not [one for one in fills if one["text"] == one["template"]]


FOUND: Record = {"signature": "toy:v1", "scores": {"a": [0.5], "b": [None, "empty_candidate"]}}
TEXTS: Record = {
    "signature": "toy:v1",
    "fills": [{"id": "a", "ratio": 0.2, "template": "A ___.", "text": "A b."}],
}


@pytest.mark.parametrize(
    "scores",
    [
        {"a": [0.5 + 2 * TOLERANCE], "b": [None, "empty_candidate"]},
        {"a": [0.5], "b": [None]},
        {"a": [0.5], "b": [0.0, "empty_candidate"]},
        {"a": [0.5]},
        {"a": [0.5], "b": [None, "empty_candidate"], "c": [0.1]},
    ],
)
def test_changed_outputs_ask_for_a_number(scores: dict[str, list[object]]) -> None:
    changed = {"signature": "toy:v1", "scores": scores}
    with pytest.raises(AssertionError, match="raise the number"):
        check(FOUND, changed)
    with pytest.raises(AssertionError, match="the signature is another one"):
        check(FOUND, {**changed, "signature": "toy:v2"})
    with pytest.raises(
        SystemExit, match=r"toy: outputs changed(.|\n)*nothing is recorded(.|\n)*raise the number"
    ):
        accepted("toy", FOUND, changed)
    raised = {**changed, "signature": "toy:v2"}
    assert accepted("toy", FOUND, raised) == raised


def test_rounding_is_no_change() -> None:
    near = {"signature": "toy:v1", "scores": {"a": [0.5 + TOLERANCE / 2], "b": [None, "empty_candidate"]}}
    check(FOUND, near)
    assert accepted("toy", FOUND, near) == FOUND
    large = {"signature": "toy:v1", "scores": {"a": [5000.0]}}
    check(large, {**large, "scores": {"a": [5000.0 * (1 + TOLERANCE / 2)]}})
    with pytest.raises(AssertionError, match="raise the number"):
        check(large, {**large, "scores": {"a": [5000.0 * (1 + 2 * TOLERANCE)]}})


def test_texts_are_compared_to_the_letter() -> None:
    check(TEXTS, TEXTS)
    with pytest.raises(AssertionError, match=r"raise the number(.|\n)*'A b.', now 'A c.'"):
        check(TEXTS, {**TEXTS, "fills": [{**TEXTS["fills"][0], "text": "A c."}]})
    with pytest.raises(AssertionError, match="1 texts recorded, 0 now"):
        check(TEXTS, {**TEXTS, "fills": []})


def test_records_are_read_as_they_were_written(tmp_path: Path) -> None:
    for record in (TEXTS, {"toy": FOUND, "other": FOUND}):
        write(tmp_path / "record.json", record)
        assert recorded(tmp_path / "record.json") == record


def test_a_number_is_in_the_signature(outputs: Outputs, monkeypatch: pytest.MonkeyPatch) -> None:
    """So a raised number asks for a new record."""
    monkeypatch.setitem(fingerprint.ALGORITHM, "bleu4", 7)
    with pytest.raises(AssertionError, match=r"the signature is another one(.|\n)*now: +bleu4:v7\|"):
        check(KNOWN["bleu4"], outputs.scores("bleu4"))
