"""What cannot be scored is refused with exit code 2, a place and a remedy, before any model is loaded."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import pytest

from mars_score.mars.scorer import MarsScorer
from mars_score.models.store import ModelStore

if TYPE_CHECKING:
    from .conftest import CommandLine, Result

GOOD = '{"candidate": "The owl slept.", "reference": "The owl sleeps all day."}\n'
COMMANDS = {"score": ["-o", "out.jsonl"], "augment": ["-o", "out.jsonl"], "explain": []}


@pytest.fixture(autouse=True)
def no_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """Loading a model is the end of a test; the store has all of its models and fetches none."""

    def loaded(scorer: MarsScorer) -> NoReturn:
        raise AssertionError("a model was loaded")

    for part in ("tagger", "infiller", "encoder"):
        monkeypatch.setattr(MarsScorer, part, property(loaded))
    monkeypatch.setattr(ModelStore, "ensure", lambda self, name: Path(name))


def complaint(result: Result) -> str:
    """Return the message of a refused run."""
    assert result.code == 2
    assert result.out == ""
    assert result.err.startswith("error: ")
    return result.err.removeprefix("error: ")


class Bad(NamedTuple):
    """Files, arguments that name them, and what must be said of them."""

    files: dict[str, str | bytes]
    arguments: str
    says: list[str]


def rows(*lines: str) -> dict[str, str | bytes]:
    return {"rows.jsonl": "\n".join(lines)}


INPUTS = {
    "a missing file": Bad(
        {}, "rows.jsonl", ["rows.jsonl: no such file", "remedy: check the path; a relative one starts at"]
    ),
    "a misspelt file": Bad(
        {"stories.jsonl": GOOD},
        "storys.jsonl",
        ["storys.jsonl: no such file", "Did you mean 'stories.jsonl'?"],
    ),
    "an empty file": Bad({"rows.jsonl": ""}, "rows.jsonl", ["rows.jsonl: the file has no rows", "remedy: "]),
    "a header and no rows": Bad(
        {"rows.csv": "candidate,reference\n"}, "rows.csv", ["rows.csv: the file has no rows", "remedy: "]
    ),
    "an unknown suffix": Bad(
        {"rows.dat": GOOD},
        "rows.dat",
        ["rows.dat: cannot tell the format from the name", ".jsonl", ".parquet"],
    ),
    "broken JSON": Bad(
        rows(GOOD, '{"candidate": "The owl slept." "reference": "It slept."}'),
        "rows.jsonl",
        [
            "rows.jsonl:3:32: broken JSON: Expecting ',' delimiter",
            "remedy: each line must be one whole JSON object",
        ],
    ),
    "broken JSON in a list": Bad(
        {"rows.json": '[{"candidate": "It slept.",\n  "reference": }]'},
        "rows.json",
        ["rows.json:2:16: broken JSON: Expecting value", "remedy: a .json file must be a list of objects"],
    ),
    "a text in place of a row": Bad(
        rows(GOOD, '"The owl slept."'), "rows.jsonl", ["rows.jsonl:3:1: a row must be an object, not a text"]
    ),
    "a missing field": Bad(
        rows(GOOD, '{"candidate": "The owl slept.", "note": "none"}'),
        "rows.jsonl",
        [
            "rows.jsonl:3: no field 'references' or 'reference'",
            "remedy: there is 'candidate', 'note'",
            "--field",
        ],
    ),
    "a misspelt field": Bad(
        rows('{"candidat": "The owl slept.", "reference": "It slept."}'),
        "rows.jsonl",
        [
            "rows.jsonl:1: no field 'candidate'",
            "remedy: Did you mean 'candidat' as 'candidate'? Rename it, or map it: --field candidate=candidat",
        ],
    ),
    "a foreign field": Bad(
        rows('{"prediction": "The owl slept.", "target": "It slept."}'),
        "rows.jsonl",
        ["rows.jsonl:1: no field 'candidate'", "--field candidate=prediction --field references=target"],
    ),
    "a mapped field that is not there": Bad(
        {"rows.jsonl": GOOD},
        "rows.jsonl --field candidate=prediction",
        ["rows.jsonl:1: no field 'prediction' (mapped as candidate)", "remedy: "],
    ),
    "an unknown field in a map": Bad(
        {"rows.jsonl": GOOD},
        "rows.jsonl --field candidat=prediction",
        ["unknown field 'candidat'", "Did you mean 'candidate'?"],
    ),
    "a map without a sign": Bad(
        {"rows.jsonl": GOOD}, "rows.jsonl --field prediction", ["--field takes NAME=VALUE, not 'prediction'"]
    ),
    "a wrong type": Bad(
        rows('{"candidate": "It slept.", "references": ["It slept.", 7]}'),
        "rows.jsonl",
        ["rows.jsonl:1: item '1': references[2 of 2] must be text, not a number", "remedy: write it as text"],
    ),
    "an object in place of a text": Bad(
        rows(GOOD, '{"id": "owl", "candidate": {"text": "It slept."}, "reference": "It slept."}'),
        "rows.jsonl",
        ["rows.jsonl:3: item 'owl': candidate must be text, not an object", "remedy: give the part of it"],
    ),
    "null": Bad(
        rows('{"candidate": null, "reference": "It slept."}'),
        "rows.jsonl",
        ["rows.jsonl:1: item '1': candidate is null or NaN", 'remedy: leave the row out, or write ""'],
    ),
    "not UTF-8": Bad(
        {"rows.jsonl": GOOD.encode() + '{"candidate": "Eulen über uns"'.encode("latin-1")},
        "rows.jsonl",
        [
            "rows.jsonl:2: not UTF-8: byte 0xfc at byte 93",
            "remedy: save the file as UTF-8, for example: iconv",
        ],
    ),
    "UTF-16": Bad(
        {"rows.jsonl": GOOD.encode("utf-16-le")},
        "rows.jsonl",
        ["rows.jsonl:1: a NUL byte", "iconv -f UTF-16"],
    ),
    "CSV without a header": Bad(
        {"rows.csv": "The owl slept.,It slept.\n"},
        "rows.csv",
        [
            "rows.csv:1: the header has no column 'candidate'; the first row reads: The owl slept., It slept.",
            "If the file has no header, put one above the first row",
        ],
    ),
    "CSV with a row too long": Bad(
        {"rows.csv": "candidate,reference\nIt slept.,It slept, and slept.\n"},
        "rows.csv",
        ["rows.csv:2: the row has 3 cells, but the header has 2", "remedy: a cell that holds the delimiter"],
    ),
    "parallel files of different length": Bad(
        {"c.txt": "It slept.\nIt flew.\n", "r.txt": "It slept.\n"},
        "--candidates c.txt --references r.txt",
        ["r.txt:2: c.txt has 2 lines, but r.txt has 1", "remedy: line n of each file must belong to item n"],
    ),
    "a blank line of references": Bad(
        {"c.txt": "It slept.\nIt flew.\n", "r.txt": "It slept.\n \n"},
        "--candidates c.txt --references r.txt",
        ["r.txt:2: item '2': the reference is blank", "remedy: give a reference"],
    ),
    "a missing parallel file": Bad(
        {"c.txt": "It slept.\n"}, "--candidates c.txt --references r.txt", ["r.txt: no such file", "remedy: "]
    ),
    "duplicate ids": Bad(
        rows(*['{"id": "owl", "candidate": "It slept.", "reference": "It slept."}'] * 2),
        "rows.jsonl",
        ["rows.jsonl:2: the id 'owl' is on line 1 and again on line 2", "remedy: make ids unique"],
    ),
    "a blank reference": Bad(
        rows(GOOD, '{"id": "owl", "candidate": "It slept.", "reference": " \\t"}'),
        "rows.jsonl",
        ["rows.jsonl:3: item 'owl': reference is blank", "remedy: give a reference, or leave the row out"],
    ),
    "an empty reference list": Bad(
        rows('{"candidate": "It slept.", "references": []}'),
        "rows.jsonl",
        ["rows.jsonl:1: item '1': references is an empty list", "remedy: give at least one reference"],
    ),
    "an unknown input format": Bad(
        {"rows.dat": GOOD}, "rows.dat --input-format jsnl", ["unknown format 'jsnl'", "Did you mean 'jsonl'?"]
    ),
    "no input at all": Bad({}, "", ["nothing to score", "remedy: name a FILE (jsonl,", "--candidates"]),
    "candidates without references": Bad(
        {"c.txt": "It slept.\n"},
        "--candidates c.txt",
        ["--candidates without --references", "remedy: name a FILE"],
    ),
    "references without candidates": Bad(
        {"r.txt": "It slept.\n"},
        "--references r.txt",
        ["--references without --candidates", "remedy: name a FILE"],
    ),
    "FILE together with candidates": Bad(
        {"rows.jsonl": GOOD, "c.txt": "It slept.\n"},
        "rows.jsonl --candidates c.txt",
        ["rows.jsonl: both FILE and --candidates", "remedy: give FILE, or --candidates and --references"],
    ),
    "FILE together with contexts": Bad(
        {"rows.jsonl": GOOD},
        "rows.jsonl --contexts x.txt",
        ["rows.jsonl: both FILE and --contexts", "remedy: "],
    ),
    "standard input for two files": Bad(
        {}, "--candidates - --references -", ["standard input can be only one of the text files", "remedy: "]
    ),
    "fields of text files": Bad(
        {"c.txt": "It slept.\n", "r.txt": "It slept.\n"},
        "--candidates c.txt --references r.txt --field candidate=x",
        ["--field and --input-format are for a FILE of rows"],
    ),
}
SETTINGS = {
    "an unknown preset": (
        "--preset sumary",
        ["unknown preset 'sumary'; there are general,", "Did you mean 'summary'?"],
    ),
    "an unknown language model": (
        "--lm smollm2-135",
        ["unknown model 'smollm2-135': neither a model of the catalogue (", "Did you mean 'smollm2-135m'?"],
    ),
    "an unknown encoder": (
        "--encoder minilm-16",
        ["unknown model 'minilm-16'", "nor a folder, nor a Hugging Face id", "Did you mean 'minilm-l6'?"],
    ),
    "an unknown tagger": (
        "--set tagger=spacy-en",
        ["unknown model 'spacy-en'", "Did you mean 'spacy-en-sm'?"],
    ),
    "an encoder as language model": (
        "--lm minilm-l6",
        [
            "model 'minilm-l6' is of the kind encoder; here one of the kind causal-lm is needed",
            "smollm2-135m",
        ],
    ),
    "a language model as encoder": (
        "--encoder smollm2-135m",
        ["model 'smollm2-135m' is of the kind causal-lm", "encoder or word-vectors is needed", "minilm-l6"],
    ),
    "a folder that is no model": ("--lm .", ["has no .safetensors file", "remedy: save the model again"]),
    "an unknown setting": (
        "--set horizn=3",
        ["unknown setting 'horizn'; there are", "Did you mean 'horizon'?"],
    ),
    "a setting unlike any other": ("--set zzz=3", ["unknown setting 'zzz'; there are ratios, adjective,"]),
    "a setting without a value": ("--set q", ["--set takes NAME=VALUE, not 'q'"]),
    "a number that is none": ("--set q=high", ["--set q=high: expected a value like 0.8"]),
    "a number that is not finite": ("--set eta=nan", ["--set eta=nan: expected a value like 0.01"]),
    "a fraction for a count": ("--set steps=2.5", ["--set steps=2.5: expected a value like 3"]),
    "a word for a switch": (
        "--set compare_unplanned=maybe",
        ["--set compare_unplanned=maybe: expected a value like true"],
    ),
    "a list that is none": (
        "--set ratios=0.2;0.4",
        ["--set ratios=0.2;0.4: expected a value like 0.2,0.4,0.6"],
    ),
    "a number out of range": ("--set q=1.5", ["q must lie above 0 and at most 1"]),
    "a word that is no choice": ("--set planner=on", ["planner must be hidden, kv or off"]),
    "an unknown type of numbers": ("--dtype float64", ["dtype must be float32, bfloat16 or float16"]),
    "a size that is none": ("--memory lots", ["--memory lots: expected a size like 800M or 2G"]),
    "a size below 0": ("--memory -2G", ["--memory -2G: expected a size like 800M or 2G"]),
    "no memory": ("--memory 0", ["--memory 0: expected a size like 800M or 2G"]),
    "a size beyond numbers": (f"--memory {'9' * 400}", ["expected a size like 800M or 2G"]),
    "an unknown device": ("--device abacus", ["--device abacus: ", "remedy: leave the option out"]),
    "a device that is not here": ("--device cuda:99", ["--device cuda:99: ", "remedy: leave the option out"]),
}
OUTPUTS = {
    "no folder": ("no/out.jsonl", ["no/out.jsonl: there is no folder no", "remedy: mkdir -p no"]),
    "a folder": ("folder.jsonl", ["folder.jsonl: this is a folder, not a file", "remedy: name a file in it"]),
    "a file as a folder": ("rows.jsonl/out.jsonl", ["rows.jsonl is a file, not a folder", "remedy: "]),
    "the input": (
        "rows.jsonl",
        ["rows.jsonl: this is the input", "would overwrite it", "remedy: name another file"],
    ),
    "the input, spelled otherwise": ("./folder.jsonl/../rows.jsonl", ["this is the input", "remedy: "]),
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("bad", INPUTS.values(), ids=INPUTS)
def test_inputs(cli: CommandLine, command: str, bad: Bad) -> None:
    for name, content in bad.files.items():
        cli.put(name, content)
    said = complaint(cli(command, *bad.arguments.split(), *COMMANDS[command]))
    assert [part for part in bad.says if part not in said] == []
    assert said.startswith(bad.says[0])
    assert {path.name for path in cli.folder.iterdir()} == set(bad.files)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_folder_as_input(cli: CommandLine, command: str) -> None:
    (cli.folder / "stories").mkdir()
    said = complaint(cli(command, "stories", *COMMANDS[command]))
    assert said == "stories: this is a folder, not a file\n  remedy: give the path of a file in it\n"


@pytest.mark.parametrize("text", ["The owl slept.", "The owl slept.\nIt flew."])
def test_a_text_in_place_of_a_file_is_never_scored(cli: CommandLine, text: str) -> None:
    assert f"{text}: no such file" in complaint(cli("score", text))
    cli.put("c.txt", "It slept.\n")
    assert f"{text}: no such file" in complaint(cli("score", "--candidates", "c.txt", "--references", text))


def test_a_file_that_may_not_be_read(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    cli.put("rows.jsonl", GOOD)
    monkeypatch.setattr(os, "access", lambda *_: False)
    said = complaint(cli("score", "rows.jsonl"))
    assert said.startswith("rows.jsonl: no permission to read this file\n  remedy: chmod +r")


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(("arguments", "says"), SETTINGS.values(), ids=SETTINGS)
def test_settings(cli: CommandLine, command: str, arguments: str, says: list[str]) -> None:
    cli.put("rows.jsonl", GOOD)
    said = complaint(cli(command, "rows.jsonl", *arguments.split(), *COMMANDS[command]))
    assert [part for part in says if part not in said] == []
    assert [path.name for path in cli.folder.iterdir()] == ["rows.jsonl"]


@pytest.mark.parametrize("command", ["score", "augment"])
@pytest.mark.parametrize(("output", "says"), OUTPUTS.values(), ids=OUTPUTS)
def test_outputs(cli: CommandLine, command: str, output: str, says: list[str]) -> None:
    (cli.folder / "folder.jsonl").mkdir()
    cli.put("rows.jsonl", GOOD)
    said = complaint(cli(command, "rows.jsonl", "-o", output))
    assert [part for part in says if part not in said] == []
    assert (cli.folder / "rows.jsonl").read_text() == GOOD
    assert {path.name for path in cli.folder.iterdir()} == {"rows.jsonl", "folder.jsonl"}


@pytest.mark.parametrize("output", ["c.jsonl", "r.jsonl", "s.jsonl", "x.jsonl"])
@pytest.mark.parametrize("command", ["score", "augment"])
def test_an_output_equal_to_one_of_several_inputs(cli: CommandLine, command: str, output: str) -> None:
    for name in ("c.jsonl", "r.jsonl", "s.jsonl", "x.jsonl"):
        cli.put(name, "It slept.\n")
    inputs = "--candidates c.jsonl --references r.jsonl --references s.jsonl --contexts x.jsonl"
    assert f"{output}: this is the input" in complaint(cli(command, *inputs.split(), "-o", output))
    assert (cli.folder / output).read_text() == "It slept.\n"


def test_outputs_of_the_wrong_kind(cli: CommandLine) -> None:
    cli.put("rows.jsonl", GOOD)
    said = complaint(cli("score", "rows.jsonl", "-o", "out.txt"))
    assert said.startswith("out.txt: cannot tell the format from the name\n  remedy: use one of .jsonl,")
    assert "Did you mean 'jsonl'?" in complaint(cli("score", "rows.jsonl", "--format", "json"))
    assert "cannot be written to a pipe" in complaint(cli("score", "rows.jsonl", "--format", "parquet"))
    said = complaint(cli("score", "rows.jsonl", "-o", "out.jsonl", "--format", "table"))
    assert said.startswith("out.jsonl: a table goes to the terminal only\n  remedy: leave out")
    said = complaint(cli("augment", "rows.jsonl", "-o", "out.csv"))
    assert said.startswith("out.csv: augmented references are no csv\n  remedy: name a .jsonl file")
    assert [path.name for path in cli.folder.iterdir()] == ["rows.jsonl"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("scor rows.jsonl", ["no such command 'scor'", "Did you mean 'score'?", "Usage: "]),
        ("rows.jsonl", ["no such command 'rows.jsonl'.", "Usage: "]),
        ("score rows.jsonl --presett qa", ["o such option", "--presett", "Did you mean", "Usage: "]),
        ("score rows.jsonl more.jsonl", ["unexpected extra argument (more.jsonl)", "Usage: "]),
        ("score rows.jsonl --preset", ["Option '--preset' requires an argument"]),
        ("augment rows.jsonl", ["Missing option '-o' / '--output'", "Usage: "]),
        ("--sett q=1 score rows.jsonl", ["o such option", "--sett", "Usage: "]),
    ],
)
def test_usage(cli: CommandLine, arguments: str, says: list[str]) -> None:
    cli.put("rows.jsonl", GOOD)
    result = cli(*arguments.split(), short=True)
    assert result.code == 2
    assert result.out == ""
    assert [part for part in says if part not in result.err] == []


def test_no_command_shows_the_commands(cli: CommandLine) -> None:
    result = cli()
    assert result.code == 2
    assert all(f"\n  {name} " in result.err for name in ("score", "augment", "explain", "models", "doctor"))


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("score no.jsonl", "error: no.jsonl: no such file"),
        ("score rows.jsonl -o out.jsonl", "error: rows.jsonl:2:1: broken JSON"),
        ("score good.jsonl --lm smollm -o out.jsonl", "error: unknown model 'smollm'"),
    ],
)
def test_as_a_process(cli: CommandLine, arguments: str, says: str) -> None:
    cli.put("good.jsonl", GOOD)
    cli.put("rows.jsonl", f"{GOOD}candidate: The owl slept.\n")
    result = cli.process(*arguments.split())
    assert result.code == 2
    assert result.out == ""
    assert result.err.startswith(says)
    assert result.err.endswith("\nHEAVY:\n")
    assert not (cli.folder / "out.jsonl").exists()
