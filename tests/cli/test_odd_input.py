"""Rows that are odd but good, with the real models: one file, scored once by a process of its own."""

from __future__ import annotations

import hashlib
import json
import math
import re
import subprocess
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from mars_score.mars import scorer as scorer_module

from .conftest import WATCHED, environment

if TYPE_CHECKING:
    from pathlib import Path

    from mars_score.mars.scorer import MarsScorer

    from .conftest import CommandLine

ROWS: dict[str, dict[str, Any]] = {
    "plain": {
        "candidate": "The farmer sold the horse at the market.",
        "reference": "The farmer led his old horse to the market and sold it.",
        "context": "A farmer in the valley could no longer feed his horse.",
    },
    "the reference itself": {
        "candidate": "The boat came back at dawn.",
        "reference": "The boat came back at dawn.",
        "context": "They waited by the harbour.",
    },
    "beside the point": {
        "candidate": "Interest rates fell for the third month.",
        "reference": "The boat came back at dawn.",
        "context": "They waited by the harbour.",
    },
    "empty candidate": {
        "candidate": "",
        "reference": "The boat came back at dawn.",
        "context": "They waited.",
    },
    "blank candidate": {"candidate": " \t\n", "reference": "The boat came back.", "context": "They waited."},
    "empty context": {"candidate": "The boat came home.", "reference": "The boat came back.", "context": ""},
    "no context": {"candidate": "The boat came home.", "reference": "The boat came back."},
    "one word": {"candidate": "Yes, gladly.", "reference": "Yes", "context": "Would you like some tea?"},
    "punctuation": {"candidate": "What?", "reference": "?!...", "context": "He stared at her."},
    "punctuation only": {"candidate": "...", "reference": "?!...", "context": "!"},
    "Chinese": {
        "candidate": "猫在屋顶上睡觉。",
        "reference": "那只黑猫整个下午都在屋顶上睡觉。",
        "context": "阳光很好。",
    },
    "Arabic": {
        "candidate": "عاد الصياد إلى بيته.",
        "reference": "عاد الصياد إلى بيته قبل غروب الشمس.",
        "context": "خرج الصياد في الصباح الباكر.",
    },
    "Cyrillic": {
        "candidate": "Мальчик нашёл ключ.",
        "reference": "Мальчик нашёл под старым ковром маленький ключ.",
        "context": "Дверь была заперта.",
    },
    "emoji": {
        "candidate": "👩‍👩‍👧‍👦 went home 🎉",
        "reference": "The family 👩‍👩‍👧‍👦 came home and celebrated 🎉🎉",
        "context": "🏠",
    },
    "emoji only": {"candidate": "🎉", "reference": "👩‍👩‍👧‍👦🏳️‍🌈", "context": "🏠"},
    "control characters": {
        "candidate": "The bell\u0007 rang twice.",
        "reference": "The bell rang\u0000 two times.",
        "context": "It was noon.\u001b",
    },
    "lines": {
        "candidate": "The bell\r\nrang\ttwice.",
        "reference": "The bell\nrang two times.",
        "context": "It was noon.\u2028Then one.",
    },
    "long context": {
        "candidate": "The lamp went out.",
        "reference": "In the end the lamp went out.",
        "context": "The keeper climbed the narrow stairs of the tower. " * 11_112,
    },
    "long candidate": {
        "candidate": "The river rose again. " * 1250,
        "reference": "The river rose over the fields.",
        "context": "It rained.",
    },
    "long reference": {
        "candidate": "The rain fell day after day.",
        "reference": " ".join(f"On day {number} the rain fell." for number in range(1, 101)),
        "context": "It rained.",
    },
    "two references": {
        "candidate": "He bought a loaf.",
        "references": ["The train was late.", "He bought a loaf."],
        "context": "He was hungry.",
    },
    "three references": {
        "candidate": "He bought a loaf.",
        "references": ["The train was late.", "Nobody came to the fair.", "The bus was late too."],
        "context": "He was hungry.",
    },
    "links and hashtags": {
        "candidate": "The museum opens on Sunday, see https://example.org/hours #museum",
        "reference": "The museum opens on Sunday. #art #news",
        "context": "More at www.example.org today.",
    },
    "a number sign": {
        "candidate": "She came in #1.",
        "reference": "She was ranked #1.",
        "context": "The race is on.",
    },
    "half a word": {
        "candidate": "antidisestab",
        "reference": "antidisestablishmentarianism",
        "context": "A quiz.",
    },
    "7": {"candidate": "It is seven.", "reference": "Seven.", "context": "How many?"},
}
FLAGS = {
    "empty candidate": ["empty_candidate"],
    "blank candidate": ["empty_candidate"],
    "empty context": ["no_context"],
    "no context": ["no_context"],
    "control characters": ["cleaned"],
    "lines": ["cleaned"],
    "long context": ["context_truncated"],
    "long candidate": ["candidate_truncated"],
    "long reference": ["reference_truncated"],
    "links and hashtags": ["cleaned"],
    "Chinese": ["language_mismatch"],
    "Arabic": ["language_mismatch"],
    "Cyrillic": ["language_mismatch"],
}
SIZES = {
    ("long context", "context"): 100_000,
    ("long candidate", "candidate"): 5000,
    ("long reference", "reference"): 600,
}

# One ratio, and a short part of what is too long: a run of seconds, over the same ground.
SETTINGS = ("--preset", "qa", "--set", "max_words=40", "--set", "max_context=256")


class Run(NamedTuple):
    """The run and what it left."""

    process: subprocess.CompletedProcess[str]
    rows: list[dict[str, Any]]
    sidecar: dict[str, Any]

    def score(self, name: str) -> float:
        return float(next(row["scores"]["mars"] for row in self.rows if row["id"] == name))

    def flags(self, name: str) -> list[str]:
        return [flag for row in self.rows if row["id"] == name for flag in row["flags"]]


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Run:
    folder: Path = tmp_path_factory.mktemp("odd")
    lines = [json.dumps({"id": name, **row}, ensure_ascii=False) for name, row in ROWS.items()]
    # With a byte order mark and CRLF, as an editor on Windows writes it.
    (folder / "odd.jsonl").write_bytes(b"\xef\xbb\xbf" + "".join(f"{line}\r\n" for line in lines).encode())
    process = subprocess.run(
        [sys.executable, "-c", WATCHED, "score", "odd.jsonl", "-o", "out.jsonl", *SETTINGS],
        check=False, capture_output=True, cwd=folder, env=environment(), encoding="utf-8",
    )  # fmt: skip
    assert process.returncode == 0, process.stderr
    text = (folder / "out.jsonl").read_bytes().decode()
    assert text.endswith("\n")
    sidecar = json.loads((folder / "out.jsonl.signatures.json").read_text(encoding="utf-8"))
    return Run(process, [json.loads(line) for line in text.split("\n")[:-1]], sidecar)


def test_the_rows_are_as_odd_as_they_claim() -> None:
    for (name, field), size in SIZES.items():
        assert len(ROWS[name][field].split()) >= size


def test_every_row_has_its_score_in_the_order_of_the_input(odd: Run) -> None:
    assert [row["id"] for row in odd.rows] == list(ROWS)
    for row in odd.rows:
        assert list(row) == ["id", "scores", "flags"]
        assert list(row["scores"]) == ["mars"]
        assert isinstance(row["scores"]["mars"], float)
        assert math.isfinite(row["scores"]["mars"])
        assert -2 <= row["scores"]["mars"] <= 2
        assert row["flags"] == sorted(set(row["flags"]))


@pytest.mark.parametrize("name", ROWS)
def test_flags(odd: Run, name: str) -> None:
    # Short references may have nothing to mask; which ones is for the masking's own tests.
    assert [flag for flag in odd.flags(name) if flag != "nothing_maskable"] == FLAGS.get(name, [])


def test_references_that_cannot_be_masked(odd: Run) -> None:
    assert "nothing_maskable" in odd.flags("one word")
    assert "nothing_maskable" not in odd.flags("plain") + odd.flags("Chinese") + odd.flags("long reference")


def test_scores(odd: Run) -> None:
    # Worse than nothing: no word is in its place. The references of the two differ, and so does what is usual.
    assert odd.score("empty candidate") == pytest.approx(odd.score("blank candidate"), abs=0.05)
    assert odd.score("empty candidate") == pytest.approx(-0.27, abs=0.05)
    assert odd.score("empty context") == odd.score("no context") > 0.5
    assert odd.score("beside the point") < 0.3 < odd.score("plain")
    assert odd.score("the reference itself") > 0.9
    for name in ("Chinese", "Arabic", "Cyrillic", "emoji", "control characters", "long context"):
        assert odd.score(name) > 0.3, name
    assert odd.score("links and hashtags") > 0.8
    # The best reference counts, wherever it stands.
    assert odd.score("two references") > 0.7 > odd.score("three references") + 0.2


def test_the_terminal_and_the_files(odd: Run) -> None:
    assert odd.process.stdout == ""
    said = odd.process.stderr.splitlines()
    assert said[-1].startswith("HEAVY: torch spacy")  # the watch itself works
    mean = sum(row["scores"]["mars"] for row in odd.rows) / len(ROWS)
    assert said[0] == f"{len(ROWS)} rows, mean mars {mean:.4f}"
    assert said[1] == "signatures are in out.jsonl.signatures.json"
    short = hashlib.sha256(odd.sidecar["signatures"]["mars"].encode()).hexdigest()[:12]
    assert said[2] == f"signature of mars: {short} (--signature prints the whole)"
    assert re.match(
        r"cost: \d+ references? \(\d+ augmented now, 0 from the cache\), [\d,]+ tokens? written, ", said[3]
    )
    assert len(said) == 5
    assert odd.sidecar["rows"] == len(ROWS)
    assert odd.sidecar["means"]["mars"] == pytest.approx(mean)
    assert re.fullmatch(
        r"mars:augment\.v\d+\+score\.v\d+\|ratios:0\+0\.2\|mask:spacy-en-sm@\w{8}\..*\.max40\.gaps1\.keep3\|lm:smollm2-135m@\w{8}\|ctx:head256\|.*"
        r"\|enc:minilm-l6@\w{8}\|q:0\.8\|refs:best\|adjust:words\.coverage0\.7\+relevance0\.8\+[a-z0-9.+]+"
        r"\|read:minilm-l6@\w{8}\+head@\w{8}\.zipf1\|likely:smollm2-135m@\w{8}\.head256\|dtype:float32/float32",
        odd.sidecar["signatures"]["mars"],
    )


@pytest.mark.parametrize(
    ("row", "says"),
    [
        (ROWS["empty candidate"] | {"reference": "Yes"}, "empty_candidate: the candidate is empty or blank"),
        (ROWS["links and hashtags"] | {"reference": "Yes"}, "cleaned: hashtags, links or control characters"),
        (ROWS["one word"], "nothing_maskable: no word of a reference may be masked at any ratio"),
    ],
    ids=lambda value: value.split(":")[0] if isinstance(value, str) else "",
)
def test_strict(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch, scorer: MarsScorer, row: dict[str, Any], says: str
) -> None:
    monkeypatch.setattr(scorer_module, "MarsScorer", lambda **_: scorer)
    cli.put_rows("rows.jsonl", [{"id": "odd one", **row}])
    result = cli("score", "rows.jsonl", "--strict", "-o", "out.jsonl")
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith("error: item 'odd one' is flagged (")
    assert says in result.err
    assert "remedy: change the item, or run without --strict" in result.err
    assert cli("score", "rows.jsonl").code == 0
