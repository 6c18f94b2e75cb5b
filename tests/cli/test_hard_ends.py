"""What a shell, a file system and an impatient user can do to a command: a message and an exit code, no traceback."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from .conftest import environment
from .test_stopping import SLOW, rows, start, wait_for_work

if TYPE_CHECKING:
    from .conftest import CommandLine

METRIC = ("--metric", "candidate_length")
unix = pytest.mark.skipif(os.name == "nt", reason="Windows has no POSIX shell")
utf8_only = pytest.mark.skipif(
    sys.platform != "linux", reason="this system takes no names that are not UTF-8"
)


def shell(cli: CommandLine, arguments: str, redirections: str) -> subprocess.CompletedProcess[str]:
    command = f"{shlex.quote(sys.executable)} -m mars_score {arguments} {redirections}"
    return subprocess.run(
        ["/bin/sh", "-c", command],
        capture_output=True, check=False, cwd=cli.folder, env=environment(), encoding="utf-8",
    )  # fmt: skip


def ids(path: str) -> list[str]:
    return [json.loads(line)["id"] for line in Path(path).read_text("utf-8").splitlines()]


@unix
@pytest.mark.parametrize("redirections", ["<&-", ">&-", "2>&-", "<&- >&-", "<&- >&- 2>&-"])
def test_closed_streams_that_nobody_needs(cli: CommandLine, redirections: str) -> None:
    cli.put_rows("rows.jsonl", rows(3))
    done = shell(cli, "score rows.jsonl --metric candidate_length -o out.jsonl", redirections)
    assert done.returncode == 0, done.stderr
    assert ids("out.jsonl") == ["0", "1", "2"]
    assert "Traceback" not in done.stderr


@unix
def test_a_closed_standard_input_that_is_read(cli: CommandLine) -> None:
    done = shell(cli, "score - --metric candidate_length -o out.jsonl", "<&-")
    assert done.returncode == 2
    assert done.stderr.startswith("error: <stdin>: cannot be read: ")
    assert "remedy: " in done.stderr
    assert "Traceback" not in done.stderr


@unix
def test_a_closed_standard_output_that_is_written_to(cli: CommandLine) -> None:
    cli.put_rows("rows.jsonl", rows(3))
    done = shell(cli, "score rows.jsonl --metric candidate_length", ">&-")
    assert done.returncode == 2
    assert done.stderr == (
        "error: standard output: it is closed\n  remedy: name a file with -o FILE, or leave it open\n"
    )
    listed = shell(cli, "metrics", ">&-")
    assert listed.returncode == 2
    assert listed.stderr.startswith("error: ")
    assert "Traceback" not in listed.stderr


@unix
@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="this system has no /dev/full")
def test_a_full_disk_behind_standard_output(cli: CommandLine) -> None:
    done = shell(cli, "metrics", "> /dev/full")
    assert (done.returncode, "Traceback" in done.stderr) == (2, False)
    assert "No space left on device" in done.stderr


@utf8_only
def test_names_that_are_not_utf8(cli: CommandLine) -> None:
    name, output = os.fsdecode(b"ro\xffws.jsonl"), os.fsdecode(b"o\xfeut.csv")
    cli.put_rows(name, rows(2))
    result = cli("score", name, *METRIC, "-o", output)
    assert result.code == 0
    beside = json.loads(Path(f"{output}.signatures.json").read_text("utf-8"))
    assert beside["input"] == r"ro\xffws.jsonl"
    again = cli("score", name, *METRIC, "-o", output)
    assert "there is nothing to compute" in again.err
    missing = cli("score", os.fsdecode(b"no\xff.jsonl"), *METRIC)
    assert missing.code == 2
    assert "no such file" in missing.err


@pytest.mark.parametrize("length", [240, 300, 5000])
@pytest.mark.parametrize("command", ["score", "augment", "explain", "pack"])
def test_a_name_that_is_too_long(cli: CommandLine, command: str, length: int) -> None:
    cli.put_rows("rows.jsonl", rows(2))
    suffix = {"score": ".csv", "augment": ".jsonl", "explain": ".html", "pack": ".marspack"}[command]
    name = "x" * length + suffix
    arguments = {
        "score": ["score", "rows.jsonl", *METRIC, "-o", name],
        "augment": ["augment", "rows.jsonl", "-o", name],
        "explain": ["explain", "rows.jsonl", "--html", name],
        "pack": ["augment", "rows.jsonl", "-o", name],
    }[command]
    if length < 255 and command in ("explain", "pack"):
        return  # nothing with a longer name lies beside them
    result = cli(*arguments)
    assert result.code == 2
    assert "is too long for this file system" in result.err
    assert "remedy: choose a shorter one" in result.err


def test_an_input_name_that_is_too_long(cli: CommandLine) -> None:
    result = cli("score", "x" * 300 + ".jsonl", *METRIC)
    assert result.code == 2
    assert "remedy: give the path of a readable file" in result.err


def test_a_long_name_that_just_fits(cli: CommandLine) -> None:
    cli.put_rows("rows.jsonl", rows(2))
    name = "x" * (255 - len(".csv.signatures.json")) + ".csv"
    assert cli("score", "rows.jsonl", *METRIC, "-o", name).code == 0
    assert Path(f"{name}.signatures.json").exists()


@unix
@pytest.mark.parametrize("kind", ["name", "symlink", "hard link"])
@pytest.mark.parametrize(
    ("beside", "arguments"),
    [
        ("out.jsonl", "score {} --input-format jsonl {metric} -o out.jsonl"),
        ("out.jsonl.signatures.json", "score {} --input-format jsonl {metric} -o out.jsonl"),
        ("out.csv.signatures.json", "score {} --input-format jsonl {metric} -o out.csv --restart"),
        ("out.parquet.partial.jsonl", "score {} {metric} -o out.parquet"),
        ("out.jsonl.signatures.json", "augment {} --input-format jsonl -o out.jsonl"),
        ("page.html", "explain {} --input-format jsonl --html page.html"),
        ("sheet.csv", "rating-sheet {} --format rows --out sheet.csv"),
        ("sheet.key.csv", "rating-sheet {} --format rows --out sheet.csv"),
        ("study/results.json", "study {} --format rows --out study --metrics candidate_length"),
    ],
)
def test_no_input_is_overwritten(cli: CommandLine, beside: str, arguments: str, kind: str) -> None:
    """Neither by the output nor by what is written beside it, whatever name either has."""
    first = "rows.jsonl"
    if beside.endswith(".csv"):
        first = "rows.csv"
        cli.put(first, "id,item,system,candidate,reference,human\n1,1,s,So.,So it is.,1\n")
    else:
        cli.put_rows(first, [{**row, "human": 1.0, "system": "s", "item": row["id"]} for row in rows(3)])
    Path("study").mkdir()
    if kind == "name":
        shutil.move(first, beside)
    else:
        (os.symlink if kind == "symlink" else os.link)(os.path.abspath(first), beside)
    source = beside if kind == "name" else first
    before = Path(source).read_bytes()
    filled = arguments.format(source, metric=" ".join(METRIC))
    result = cli(*filled.split())
    assert Path(source).read_bytes() == before
    assert result.code == 2, result
    assert "overwrit" in result.err
    assert "remedy: name another" in result.err


@unix
def test_standard_input_and_output_that_are_the_same_file(cli: CommandLine) -> None:
    cli.put_rows("rows.jsonl", rows(3))
    before = Path("rows.jsonl").read_bytes()
    done = shell(cli, "score - --metric candidate_length -o rows.jsonl", "< rows.jsonl")
    assert (done.returncode, "this is the input" in done.stderr) == (2, True)
    done = shell(cli, "score rows.jsonl --metric candidate_length", ">> rows.jsonl")
    assert (done.returncode, "this is the input" in done.stderr) == (2, True)
    assert Path("rows.jsonl").read_bytes() == before


def test_a_pack_is_not_overwritten_by_what_is_made_with_it(cli: CommandLine) -> None:
    cli.put_rows("rows.jsonl", rows(3))
    cli.put("p.jsonl", "a pack")
    result = cli("score", "rows.jsonl", "--pack", "p.jsonl", "-o", "p.jsonl")
    assert result.code == 2
    assert "p.jsonl: this is the input" in result.err
    assert Path("p.jsonl").read_text("utf-8") == "a pack"


AT_THE_END = SLOW.replace(
    "run()\n",
    """
import threading
def linger():
    print("working", flush=True)
    time.sleep(600)
Slow.score = lambda self, examples, progress: (_ for _ in ()).throw(KeyboardInterrupt)
threading.Thread(target=linger).start()
run()
""",
)
"""Python waits for this thread as it ends, after the command has said how to resume."""
IN_BETWEEN = SLOW.replace(
    """            print("working", flush=True)
            time.sleep(600)
""",
    """            try:
                print("working", flush=True)
                time.sleep(600)
            finally:
                print("working", flush=True)
                time.sleep(600)
""",
)
"""Tidies up for a long time."""


def twice(cli: CommandLine, code: str, first: signal.Signals, second: signal.Signals) -> tuple[int, str]:
    cli.put_rows("rows.jsonl", rows(20))
    with start(cli, "-o", "out.jsonl", code=code) as process:
        if code is IN_BETWEEN:
            wait_for_work(process)
            process.send_signal(first)
        wait_for_work(process)
        if code is AT_THE_END:
            assert process.stderr is not None
            while "to resume" not in process.stderr.readline():
                pass
            signal_at_end(process)
        process.send_signal(second)
        _, err = process.communicate(timeout=60)
    return process.returncode, err


def signal_at_end(process: subprocess.Popen[str]) -> None:
    """Let the interpreter get to where it waits for its threads."""
    with pytest.raises(subprocess.TimeoutExpired):
        process.wait(1.0)


@unix
@pytest.mark.parametrize("second", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("first", [signal.SIGINT, signal.SIGTERM])
def test_a_second_signal_leaves_at_once(
    cli: CommandLine, first: signal.Signals, second: signal.Signals
) -> None:
    code, err = twice(cli, IN_BETWEEN, first, second)
    assert code == 130
    assert err == (
        "interrupted again; exiting now. What was written is kept, and the same command resumes there.\n"
    )
    assert ids("out.jsonl") == [str(n) for n in range(10)]


@unix
def test_a_second_signal_while_python_ends(cli: CommandLine) -> None:
    code, err = twice(cli, AT_THE_END, signal.SIGINT, signal.SIGINT)
    assert code == 130
    assert "Traceback" not in err


def test_a_device_that_is_not_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """In Python too, where no command has looked first."""
    import torch

    from mars_score import ConfigError, MarsScorer

    if torch.cuda.is_available():
        pytest.skip("this machine has CUDA")
    lists: dict[str, Any] = {
        "candidates": ["So it is."],
        "references": ["So it was."],
        "contexts": ["It is so."],
    }
    for device in ("cuda", "cuda:99", "mps", "meta", "abacus"):
        with pytest.raises(ConfigError, match=f"device {device}: .+\n  remedy: leave the option out"):
            MarsScorer(device=device, cache=None).score(**lists)
