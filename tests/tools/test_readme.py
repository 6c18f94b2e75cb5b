"""The README shows what commands wrote, is short, and links to what is there."""

from __future__ import annotations

import re

import pytest
import readme
from readme import COMMANDS, EXAMPLE, KEPT, README, ROOT, written

LONGEST = 150


def test_the_blocks_are_what_the_commands_wrote() -> None:
    text = README.read_text("utf-8")
    assert written(text) == text, "run: python tools/readme.py write"
    for name in (*COMMANDS, EXAMPLE):
        assert f"<!-- {name} -->\n```" in text
    for name, command in COMMANDS.items():
        assert (KEPT / f"{name}.txt").read_text("utf-8").startswith(f"$ {command}\n")


def test_a_block_that_was_changed_by_hand_is_noticed() -> None:
    text = README.read_text("utf-8")
    output = (KEPT / "score.txt").read_text("utf-8").splitlines()[2]
    changed = text.replace(output, f"{output}1")
    assert changed != text
    assert written(changed) == text


def test_it_is_short_and_says_its_limits_early() -> None:
    lines = README.read_text("utf-8").splitlines()
    assert len(lines) <= LONGEST
    assert next(place for place, line in enumerate(lines) if "Limits" in line) < 30


def test_its_links_lead_somewhere() -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", README.read_text("utf-8")):
        assert (ROOT / target).exists(), target


def test_its_agreement_with_people_is_that_of_the_record() -> None:
    """Every correlation and share in the section stands in docs/accuracy.md, which a command prints."""
    text = README.read_text("utf-8")
    section = text[text.index("## Does it agree") : text.index("## What it promises")]
    numbers = re.findall(r"(?<!\d)\.\d{3}|\d+(?=%)", section)
    assert numbers
    record = (ROOT / "docs" / "accuracy.md").read_text("utf-8")
    for number in numbers:
        assert number in record, number


@pytest.mark.models
@pytest.mark.slow
@pytest.mark.parametrize("name", [*COMMANDS, EXAMPLE])
def test_the_commands_still_write_it(name: str) -> None:
    kept = (KEPT / f"{name}.txt").read_text("utf-8")
    if name == EXAMPLE:
        assert readme._run(f"python docs/readme/{EXAMPLE}.py") == kept
    else:
        assert f"$ {COMMANDS[name]}\n{readme._run(COMMANDS[name])}" == kept
