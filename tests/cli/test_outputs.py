"""From rows to results: formats, places, order, and what is left when a run stops half-way."""

from __future__ import annotations

import csv
import errno
import hashlib
import io
import json
import re
import subprocess
import sys
from io import FileIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet
import pytest
from rich.cells import cell_len

from mars_score.cli.running import CHUNK
from mars_score.io import writers
from mars_score.io.readers import read_examples
from mars_score.mars.scorer import MarsScorer
from mars_score.text.frequency import CorpusIdf

from .conftest import environment

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.types import Example, ScoreResult

    from .conftest import CommandLine

pytestmark = pytest.mark.usefixtures("light")

ROWS = [
    {
        "id": "owl",
        "candidate": "The owl slept.",
        "reference": "The owl sleeps all day.",
        "context": "It is noon.",
    },
    {"id": "[/b] :owl:", "candidate": "", "reference": "A fox came by.", "context": "Later that night"},
    {"id": "fox", "candidate": "A fox ran off.", "reference": "A fox came by.", "context": ""},
]
FLAGS = [[], ["empty_candidate"], ["no_context"]]
IDS = [row["id"] for row in ROWS]


@pytest.fixture(autouse=True)
def rows(cli: CommandLine) -> None:
    cli.put_rows("rows.jsonl", ROWS)


@pytest.fixture
def chunks(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """The ids of each call of the scorer."""
    calls: list[list[str]] = []
    original = MarsScorer.score_cleaned

    def watched(self: MarsScorer, examples: Sequence[Example], **options: Any) -> ScoreResult:
        calls.append([example.id for example in examples])
        return original(self, examples, **options)

    monkeypatch.setattr(MarsScorer, "score_cleaned", watched)
    return calls


def many(count: int) -> list[dict[str, Any]]:
    """Rows whose scores differ."""
    letters = "abcdefghijklmnopqrstuvwxyz"
    return [
        {"id": f"row {n}", "candidate": letters[: 1 + n % 26], "reference": f"abc {n}", "context": "x"}
        for n in range(count)
    ]


def signature_of(text: str) -> str:
    """Return the signature that a run shows."""
    result = re.search(r"^signature[^:]*: (mars:augment\.v\S+)$", text, re.MULTILINE)
    assert result
    return result[1]


def test_json_lines_in_a_pipe(cli: CommandLine) -> None:
    result = cli("score", "rows.jsonl")
    assert result.code == 0
    assert [row["id"] for row in result.rows] == IDS
    assert [row["flags"] for row in result.rows] == FLAGS
    assert all(
        list(row) == ["id", "scores", "flags"] and list(row["scores"]) == ["mars"] for row in result.rows
    )
    scores = [row["scores"]["mars"] for row in result.rows]
    assert (
        scores[1] < 0.0 < scores[2] < scores[0] < 1.0
    )  # the second is empty, and so is far from its context
    mean = sum(scores) / 3
    assert result.err.splitlines()[0] == f"3 rows, mean mars {mean:.4f}"
    assert "|ratios:0+0.2+0.4+0.6|" in signature_of(result.err)
    assert [path.name for path in cli.folder.iterdir()] == ["rows.jsonl"]
    assert cli("score", "rows.jsonl", "-o", "-") == result


def test_a_table_on_a_terminal(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    scored = cli("score", "rows.jsonl")
    scores = [row["scores"]["mars"] for row in scored.rows]
    monkeypatch.setenv("COLUMNS", "100")
    named = cli("score", "rows.jsonl", "--format", "table")
    assert named.code == 0
    table = [line.split("  ") for line in named.out.splitlines()]
    assert [line[0].strip() for line in table[1:4]] == IDS
    for line, score, flags in zip(named.out.splitlines()[1:4], scores, FLAGS, strict=True):
        assert f" {score:.4f} " in line
        assert line.rstrip().endswith("".join(flags) or "·")
    assert re.search(rf"^mean +{sum(scores) / 3:.4f} ", named.out, re.MULTILINE)
    assert signature_of(named.out) == signature_of(scored.err)
    assert named.err == ""

    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "dumb")
    assert cli("score", "rows.jsonl").out == named.out
    assert cli("score", "rows.jsonl", "-o", "-").rows[0]["id"] == "owl"


def test_a_table_on_the_percent_scale(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    options = ("score", "rows.jsonl", "--set", "scale=percent")
    scores = [row["scores"]["mars"] for row in cli(*options).rows]
    assert max(scores) > 1
    lines = cli(*options, "--format", "table").out.splitlines()[1:4]
    for line, score in zip(lines, scores, strict=True):
        assert f" {score:.1f} " in line
        assert line.count("█") == round(score / 5)  # of 20
    assert re.search(r"mean mars \d+\.\d$", cli(*options).err, re.MULTILINE)


def test_wide_characters_keep_a_table_straight(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    names = ("故事一", "お話の二番目", "plain")
    cli.put_rows("rows.jsonl", [{"id": name, "candidate": "A fox.", "reference": "A fox."} for name in names])
    lines = cli("score", "rows.jsonl", "--format", "table").out.splitlines()[1:4]
    assert [line.split()[0] for line in lines] == [*names]
    assert len({cell_len(line[: line.index("█")]) for line in lines}) == 1


def test_a_narrow_table_keeps_every_id_whole(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    name = "-".join(f"{number:03}" for number in range(40))
    cli.put_rows("rows.jsonl", [{"id": name, "candidate": "", "reference": "A fox came by."}])
    monkeypatch.setenv("COLUMNS", "80")
    out = cli("score", "rows.jsonl", "--format", "table").out
    folded = [result[0] for line in out.splitlines() if (result := re.match("[0-9-]+", line))]
    assert len(folded) > 1
    assert "".join(folded) == name
    assert "empty_candidate" in out


@pytest.mark.parametrize(("suffix", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_delimited(cli: CommandLine, suffix: str, delimiter: str) -> None:
    expected = cli("score", "rows.jsonl").rows
    result = cli("score", "rows.jsonl", "-o", f"out.{suffix}")
    assert (result.code, result.out) == (0, "")
    with open(f"out.{suffix}", newline="", encoding="utf-8") as file:
        table = list(csv.DictReader(file, delimiter=delimiter))
    assert table == [
        {"id": row["id"], "mars": repr(row["scores"]["mars"]), "flags": ";".join(row["flags"])}
        for row in expected
    ]
    named = cli("score", "rows.jsonl", "--format", suffix).out
    assert named == Path(f"out.{suffix}").read_text(encoding="utf-8")


def test_parquet(cli: CommandLine) -> None:
    expected = cli("score", "rows.jsonl").rows
    assert cli("score", "rows.jsonl", "-o", "out.parquet").out == ""
    assert pyarrow.parquet.read_table("out.parquet").to_pylist() == [
        {"id": row["id"], "mars": row["scores"]["mars"], "flags": row["flags"]} for row in expected
    ]
    left = sorted(path.name for path in cli.folder.iterdir())
    assert left == ["out.parquet", "out.parquet.signatures.json", "rows.jsonl"]


def test_a_file_and_its_signature(cli: CommandLine) -> None:
    expected = cli("score", "rows.jsonl").out
    result = cli("score", "rows.jsonl", "-o", "out.jsonl")
    assert (result.code, result.out) == (0, "")
    assert Path("out.jsonl").read_text(encoding="utf-8") == expected
    sidecar = json.loads(Path("out.jsonl.signatures.json").read_text(encoding="utf-8"))
    assert sidecar["signatures"]["mars"] == signature_of(result.err)
    assert (sidecar["input"], sidecar["rows"]) == ("rows.jsonl", 3)
    assert f"mean mars {sidecar['means']['mars']:.4f}" in result.err
    assert "signatures are in out.jsonl.signatures.json" in result.err


def test_settings_reach_the_signature(cli: CommandLine) -> None:
    arguments = (
        "--preset qa --lm gemma3-270m --encoder glove-50d --set q=0.9 --set ratios=0.1,0.5"
        " --set compare_unplanned=off"
    )
    shown = signature_of(cli("score", "rows.jsonl", *arguments.split(), "--dtype", "bfloat16").err)
    for part in ("ratios:0+0.1+0.5", "lm:gemma3-270m@", "enc:glove-50d@", "q:0.9", "dtype:bfloat16/bfloat16"):
        assert f"|{part}" in shown
    assert ".unplanned" not in shown
    assert "|ratios:0|" in signature_of(cli("score", "rows.jsonl", "--set", "ratios=").err)


def test_mapped_fields(cli: CommandLine) -> None:
    names = {"id": "key", "candidate": "output", "reference": "gold", "context": "source"}
    cli.put_rows("mapped.jsonl", [{names[name]: value for name, value in row.items()} for row in ROWS])
    maps = [f"--field={name}={theirs}" for name, theirs in names.items()]
    result = cli("score", "mapped.jsonl", *maps)
    assert result == cli("score", "rows.jsonl")


def test_parallel_text_files(cli: CommandLine) -> None:
    for name in ("candidate", "reference", "context"):
        cli.put(f"{name}.txt", "".join(f"{row[name]}\n" for row in ROWS))
    arguments = "--candidates candidate.txt --references reference.txt --contexts context.txt"
    result = cli("score", *arguments.split())
    expected = cli("score", "rows.jsonl").rows
    assert result.rows == [{**row, "id": str(number)} for number, row in enumerate(expected, 1)]
    cli.put("more.txt", "The owl slept.\n\n\n")
    more = cli("score", *arguments.split(), "--references", "more.txt").rows
    assert more[0]["scores"]["mars"] != expected[0]["scores"]["mars"]
    assert more[1:] == result.rows[1:]


def test_standard_input(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    def pipe(content: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))

    expected = cli("score", "rows.jsonl")
    pipe(Path("rows.jsonl").read_bytes())
    assert cli("score", "-") == expected
    pipe(b"candidate\treference\nThe owl slept.\tThe owl sleeps all day.\n")
    assert [row["id"] for row in cli("score", "-", "--input-format", "tsv").rows] == ["1"]
    pipe(b"{}")
    assert cli("score", "-").err.startswith("error: <stdin>:1: no field 'candidate'")
    # A pipe is read only once, whichever of the files it is.
    cli.put("c.txt", "The owl slept.\nA fox ran off.\n")
    pipe(b"The owl sleeps all day.\nA fox came by.\n")
    result = cli("score", "--candidates", "c.txt", "--references", "-")
    assert [row["id"] for row in result.rows] == ["1", "2"]


@pytest.mark.parametrize("count", [1, CHUNK, CHUNK + 1, 2 * CHUNK + 90])
def test_chunks_keep_the_order(cli: CommandLine, chunks: list[list[str]], count: int) -> None:
    rows = many(count)
    cli.put_rows("rows.jsonl", rows)
    assert cli("score", "rows.jsonl", "-o", "out.jsonl").err.startswith(
        (f"{count} row, mean ", f"{count} rows, mean ")
    )
    results = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    ids = [row["id"] for row in rows]
    assert [row["id"] for row in results] == ids
    assert len({row["scores"]["mars"] for row in results}) >= min(count, 20)
    assert chunks == [ids[start : start + CHUNK] for start in range(0, count, CHUNK)]


def test_idf_of_the_corpus_counts_the_whole_file(cli: CommandLine, chunks: list[list[str]]) -> None:
    """Whatever the chunks; the signature names the corpus by its hash."""
    cli.put_rows("rows.jsonl", many(CHUNK + 40))
    whole = cli("score", "rows.jsonl", "--set", "idf=corpus")
    assert len(chunks) == 2
    (named,) = re.findall(r"idf-corpus-\d+-[0-9a-f]{8}", whole.err)
    examples = list(read_examples("rows.jsonl"))
    assert named == f"idf-{CorpusIdf(example.references[0] for example in examples).name}"
    cli.put_rows("rows.jsonl", many(CHUNK + 39))
    assert named not in cli("score", "rows.jsonl", "--set", "idf=corpus").err


def test_augmented_references(cli: CommandLine) -> None:
    rows = [
        *ROWS,
        {"id": "owl again", "candidate": "?", "reference": ROWS[0]["reference"], "context": "It is noon."},
    ]
    cli.put_rows(
        "rows.jsonl", [*rows, {"candidate": "?", "references": ["Yes.", "Yes!"], "context": "Well?"}]
    )
    result = cli("augment", "rows.jsonl", "-o", "out.jsonl")
    assert (result.code, result.out) == (0, "")
    results = [json.loads(line) for line in Path("out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert [(row["context"], row["reference"]) for row in results] == [
        *((row["context"], row["reference"]) for row in ROWS),
        ("Well?", "Yes."),
        ("Well?", "Yes!"),
    ]
    assert all(list(row) == ["context", "reference", "augmented", "flags"] for row in results)
    first = results[0]["augmented"]
    assert first[0] == {"ratio": 0.0, "template": ROWS[0]["reference"], "text": ROWS[0]["reference"]}
    assert [term["ratio"] for term in first] == [0.0, 0.2, 0.4, 0.6]
    assert all("[_" in term["template"] and "..." in term["text"] for term in first[1:3])
    assert first[3] == {**first[0], "ratio": 0.6}  # of five words two would be left
    sidecar = json.loads(Path("out.jsonl.signatures.json").read_text(encoding="utf-8"))
    assert sidecar["signatures"]["mars"] == signature_of(result.err)
    assert sidecar["references"] == 5
    assert "5 references augmented" in result.err
    assert cli("augment", "rows.jsonl", "-o", "-").rows == results


def test_augmented_references_of_many_rows(cli: CommandLine) -> None:
    rows = many(CHUNK + 44)
    # In the second chunk, a reference that the first one had.
    rows[CHUNK + 1]["reference"] = rows[0]["reference"]
    cli.put_rows("rows.jsonl", rows)
    result = cli("augment", "rows.jsonl", "-o", "-").rows
    references = [str(row["reference"]) for row in rows]
    assert [row["reference"] for row in result] == list(dict.fromkeys(references))


def test_explain_shows_where_a_score_comes_from(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    scored = cli("score", "rows.jsonl")
    scores = [row["scores"]["mars"] for row in scored.rows]
    result = cli("explain", "rows.jsonl")
    assert result.code == 0
    assert f"owl: {scores[0]:.4f} " in result.out
    assert all(str(ROWS[0][part]) in result.out for part in ("context", "candidate", "reference"))
    assert "[/b]" not in result.out
    for ratio in (0, 20, 40, 60):
        row = rf"^ +{ratio}% +0\.\d{{4}} +0\.\d{{3}} +(.+)$"
        text = re.findall(row, result.out, re.MULTILINE)
        assert len(text) == 1
        assert ("..." in text[0]) == (ratio in (20, 40))
    assert re.search(rf" {scores[0]:.4f} +total", result.out)
    assert signature_of(result.out) == signature_of(scored.err)

    result = cli("explain", "rows.jsonl", "--id", "fox", "--id", "[/b] :owl:")
    assert result.out.index("fox: ") < result.out.index(f"[/b] :owl:: {scores[1]:.4f}")
    assert "no_context: there is no context;" in result.out
    assert "empty_candidate: the candidate is empty or blank; its score is what" in result.out


def test_explain_agrees_with_score_on_a_corpus(cli: CommandLine) -> None:
    corpus = ["--set", "idf=corpus", "--set", "ratios=0.4"]
    cli.put_rows("rows.jsonl", many(30))
    score = cli("score", "rows.jsonl", *corpus).rows[7]["scores"]["mars"]
    assert f"row 7: {score:.4f} " in cli("explain", "rows.jsonl", "--id", "row 7", *corpus).out


def test_explain_shows_words_as_they_are(cli: CommandLine) -> None:
    cli.put_rows(
        "rows.jsonl",
        [{"candidate": "[bold]x[/]", "reference": "a [red]b[/red] :smile: [/]", "context": "[/i]"}],
    )
    result = cli("explain", "rows.jsonl")
    assert result.code == 0
    assert all(text in result.out for text in ("[bold]x[/]", "[red]b[/red] :smile: [/]", "[/i]"))


def test_explain_an_unknown_id(cli: CommandLine) -> None:
    result = cli("explain", "rows.jsonl", "--id", "owll")
    assert (result.code, result.out) == (2, "")
    assert result.err == (
        "error: rows.jsonl: no row has the id 'owll'. Did you mean 'owl'?\n"
        "  remedy: the ids are owl, [/b] :owl:, fox\n"
    )
    cli.put_rows("rows.jsonl", many(300))
    result = cli("explain", "rows.jsonl", "--id", "none")
    assert result.err.endswith("remedy: the ids are " + ", ".join(f"row {n}" for n in range(10)) + ", ...\n")


def test_progress_is_drawn_on_a_terminal_only(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    quiet = cli("score", "rows.jsonl", "-o", "out.jsonl")
    assert len(quiet.err.splitlines()) == 3
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setenv("TERM", "xterm")
    for command, noun in (("score", "rows"), ("augment", "references")):
        drawn = cli(command, "rows.jsonl", "-o", f"{command}.jsonl")
        assert (drawn.code, drawn.out) == (0, "")
        assert noun in drawn.err
        assert "3/3" in drawn.err
        assert signature_of(drawn.err) == signature_of(quiet.err)


def test_help_and_version(cli: CommandLine) -> None:
    assert cli("--version").out.startswith("mars-score, version ")
    for arguments in (["-h"], ["score", "--help"], ["augment", "--help"], ["explain", "--help"]):
        result = cli(*arguments)
        assert (result.code, result.err) == (0, "")
        assert result.out.startswith("Usage: ")


class Disk(FileIO):
    """A file on a disk with little room left; the last write takes a part of what it is given."""

    room = 10_000

    def write(self, data: Any, /) -> int:
        left = self.room - self.tell()
        if left <= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        return super().write(memoryview(data)[:left])


@pytest.mark.parametrize(
    ("command", "output", "kept"),
    [
        ("score", "out.jsonl", "out.jsonl"),
        ("score", "out.parquet", "out.parquet.partial.jsonl"),
        ("augment", "out.jsonl", "out.jsonl"),
    ],
)
def test_a_disk_that_gets_full(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch, command: str, output: str, kept: str
) -> None:
    cli.put_rows("rows.jsonl", many(300))
    assert cli(command, "rows.jsonl", "-o", "whole.jsonl").code == 0
    whole = Path("whole.jsonl").read_text(encoding="utf-8").splitlines()
    monkeypatch.setattr(writers, "FileIO", Disk)
    result = cli(command, "rows.jsonl", "-o", output)
    assert (result.code, result.out) == (2, "")
    left = Path(kept).read_text(encoding="utf-8").splitlines()
    assert 10 < len(left) < 300
    assert left == whole[: len(left)]
    assert result.err.startswith(f"error: {kept}: the row of id ")
    assert f"No space left on device; rows saved before it: {len(left)}, in {kept}\n" in result.err
    assert "remedy: free some space or choose another place, and run again" in result.err


@pytest.mark.parametrize("command", ["score", "augment"])
def test_a_device_that_is_full(cli: CommandLine, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Disk, "room", 0)
    monkeypatch.setattr(writers, "FileIO", Disk)
    result = cli(command, "rows.jsonl", "-o", "out.jsonl")
    assert (result.code, result.out) == (2, "")
    assert "No space left on device; rows saved before it: 0, in out.jsonl\n" in result.err


@pytest.mark.parametrize("output", ["out.jsonl", "out.csv", "out.parquet"])
def test_an_interrupted_run(cli: CommandLine, monkeypatch: pytest.MonkeyPatch, output: str) -> None:
    original, calls = MarsScorer.score_cleaned, []

    def impatient(self: MarsScorer, examples: Sequence[Example], **options: Any) -> ScoreResult:
        calls.append(len(examples))
        if len(calls) == 2:
            raise KeyboardInterrupt
        return original(self, examples, **options)

    rows = many(CHUNK + 44)
    cli.put_rows("rows.jsonl", rows)
    monkeypatch.setattr(MarsScorer, "score_cleaned", impatient)
    result = cli("score", "rows.jsonl", "-o", output)
    assert calls == [CHUNK, 44]
    assert (result.code, result.out) == (130, "")
    assert f"interrupted; the rows written so far are complete: {CHUNK} in {output}\n" in result.err
    assert result.err.endswith(f"to resume: mars-score score rows.jsonl -o {output} --signature\n")
    assert read_ids(Path(output)) == [row["id"] for row in rows[:CHUNK]]
    sidecar = json.loads(Path(f"{output}.signatures.json").read_text(encoding="utf-8"))
    assert sidecar["signatures"]["mars"].startswith("mars:augment.v")
    assert "means" not in sidecar


def read_ids(path: Path) -> list[str]:
    """Read the ids of results with plain tools."""
    if path.suffix == ".parquet":
        names: list[str] = pyarrow.parquet.read_table(path)["id"].to_pylist()
        return names
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".csv":
        return [row["id"] for row in csv.DictReader(text.splitlines())]
    return [json.loads(line)["id"] for line in text.splitlines()]


MANY_ROWS = """
from mars_score.mars import scorer
from mars_score.cli.main import run
from mars_score.types import ItemScore, ScoreResult

class Scorer(scorer.MarsScorer):
    signature = "mars:v0"

    def score_cleaned(self, examples, **_):
        return ScoreResult(tuple(ItemScore(one.id, 0.5, ()) for one in examples), self.signature)

scorer.MarsScorer = Scorer
run()
"""


def test_a_reader_that_has_seen_enough(cli: CommandLine) -> None:
    cli.put_rows("rows.jsonl", many(5000))
    with subprocess.Popen(
        [sys.executable, "-c", MANY_ROWS, "score", "rows.jsonl"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=cli.folder, env=environment(),
    ) as process:  # fmt: skip
        assert process.stdout is not None
        assert process.stderr is not None
        assert json.loads(process.stdout.readline())["id"] == "row 0"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == 0


def test_signatures_are_short_unless_asked_for(cli: CommandLine) -> None:
    whole = signature_of(cli("score", "rows.jsonl").err)
    short = hashlib.sha256(whole.encode()).hexdigest()[:12]
    for arguments in (["score", "rows.jsonl", "--format", "table"], ["explain", "rows.jsonl"]):
        said = cli(*arguments, short=True).out
        assert f"signature: {short} (--signature prints the whole)" in said
        assert whole not in said
    assert f"signature of mars: {short} " in cli("score", "rows.jsonl", short=True).err
    augmented = cli("augment", "rows.jsonl", "-o", "augmented.jsonl", short=True).err
    assert f"signature: {short} (--signature prints the whole)" in augmented


def test_one_row_is_no_rows(cli: CommandLine) -> None:
    cli.put_rows("one.jsonl", ROWS[:1])
    assert cli("score", "one.jsonl").err.startswith("1 row, mean mars ")
    assert cli.cost.startswith("cost: 1 reference (")


def test_explain_lists_nothing_that_is_zero_and_says_why(cli: CommandLine) -> None:
    said = cli("explain", "rows.jsonl", short=True).out
    assert not re.search(r"[+-]0\.0000", said)
    assert re.search(r"^ +why  ", said, re.MULTILINE)
    assert "part of speech" not in said
    assert "part of speech" in cli("explain", "rows.jsonl", "--words").out
