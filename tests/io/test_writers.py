"""Writing results, and what is left of them when that fails."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mars_score.errors import ConfigError, OutputError
from mars_score.io.writers import open_writer, unescape
from mars_score.types import ResultRow

if TYPE_CHECKING:
    from .conftest import Folder

ROWS = [
    ResultRow("a", {"mars": 0.1 + 0.2, "bleu": None}),
    ResultRow('b;"ü,\n\t', {"mars": 1e-17, "bleu": 1.0}, ("no_context", "cleaned")),
]
IDS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]))
NUMBERS = st.none() | st.floats(allow_nan=False, allow_infinity=False)
FLAGS = st.lists(st.sampled_from(["cleaned", "no_context", "empty_candidate"]), max_size=3).map(tuple)
RESULTS = st.lists(
    st.builds(ResultRow, IDS, st.fixed_dictionaries({"mars": NUMBERS, "bleu": NUMBERS}), FLAGS),
    min_size=1,
    max_size=5,
)


def write(path: Path, rows: list[ResultRow], format: str | None = None) -> None:
    with open_writer(path, format) as writer:
        for row in rows:
            writer.write(row)
        assert writer.saved == len(rows)


def read(path: Path) -> list[ResultRow]:
    """Read results back with plain tools, as their users do."""
    if path.suffix == ".jsonl":
        lines = path.read_text(encoding="utf-8").split("\n")[:-1]
        return [ResultRow(row["id"], row["scores"], tuple(row["flags"])) for row in map(json.loads, lines)]
    if path.suffix == ".parquet":
        rows: list[dict[str, Any]] = pyarrow.parquet.read_table(path).to_pylist()
        return [ResultRow(row.pop("id"), row, tuple(row.pop("flags"))) for row in rows]
    with open(path, newline="", encoding="utf-8") as stream:
        table = list(csv.DictReader(stream, delimiter="\t" if path.suffix == ".tsv" else ","))
    return [
        ResultRow(
            unescape(row["id"]),
            {name: float(row[name]) if row[name] else None for name in ("mars", "bleu")},
            tuple(row["flags"].split(";")) if row["flags"] else (),
        )
        for row in table
    ]


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".tsv", ".parquet"])
@settings(deadline=None, max_examples=50)
@given(rows=RESULTS)
def test_what_is_written_is_read(shared_folder: Folder, suffix: str, rows: list[ResultRow]) -> None:
    path = shared_folder.path / f"out{suffix}"
    write(path, rows)
    assert read(path) == rows


def test_json_lines(tmp_path: Path) -> None:
    write(tmp_path / "out.ndjson", ROWS)
    assert (tmp_path / "out.ndjson").read_text(encoding="utf-8").splitlines() == [
        '{"id": "a", "scores": {"mars": 0.30000000000000004, "bleu": null}, "flags": []}',
        '{"id": "b;\\"ü,\\n\\t", "scores": {"mars": 1e-17, "bleu": 1.0}, "flags": ["no_context", "cleaned"]}',
    ]


def test_csv(tmp_path: Path) -> None:
    write(tmp_path / "out.csv", ROWS)
    assert (tmp_path / "out.csv").read_bytes().decode() == (
        'id,mars,bleu,flags\na,0.30000000000000004,,\n"b;""ü,\n\t",1e-17,1.0,no_context;cleaned\n'
    )


def test_parquet(tmp_path: Path) -> None:
    write(tmp_path / "out.parquet", ROWS)
    table = pyarrow.parquet.read_table(tmp_path / "out.parquet")
    assert table.column_names == ["id", "mars", "bleu", "flags"]
    assert [str(kind) for kind in table.schema.types[:3]] == ["string", "double", "double"]
    assert [path.name for path in tmp_path.iterdir()] == ["out.parquet"]


@pytest.mark.parametrize("name", ["out.jsonl", "out.parquet"])
def test_scores_that_are_no_numbers_are_null(tmp_path: Path, name: str) -> None:
    write(tmp_path / name, [ResultRow("a", {"mars": float("nan"), "bleu": float("-inf")})])
    assert read(tmp_path / name)[0].scores == {"mars": None, "bleu": None}


def test_columns_keep_the_order_of_the_first_row(tmp_path: Path) -> None:
    write(tmp_path / "out.tsv", [ROWS[0], ResultRow("c", {"bleu": 2.0, "mars": 1.0})])
    assert (tmp_path / "out.tsv").read_text().splitlines()[-1] == "c\t1.0\t2.0\t"
    with pytest.raises(OutputError, match="id 'd' has the metrics rouge; the header has mars, bleu"):
        write(tmp_path / "out.tsv", [ROWS[0], ResultRow("d", {"rouge": 2.0})])


def test_an_old_result_is_replaced(tmp_path: Path) -> None:
    for name in ("out.jsonl", "out.parquet"):
        (tmp_path / name).write_text("old " * 1000)
        write(tmp_path / name, ROWS)
        assert read(tmp_path / name) == ROWS


@pytest.mark.parametrize("path", ["-", None])
def test_standard_output(path: str | None, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    with open_writer(path) as writer:
        writer.write(ROWS[1])
    assert json.loads(capsysbinary.readouterr().out) == {
        "id": ROWS[1].id,
        "scores": ROWS[1].scores,
        "flags": list(ROWS[1].flags),
    }
    with open_writer(path, "csv") as writer:
        writer.write(ROWS[0])
    assert capsysbinary.readouterr().out.startswith(b"id,mars,bleu,flags\n")


def test_formats(tmp_path: Path) -> None:
    write(tmp_path / "out.txt", ROWS, "csv")
    assert (tmp_path / "out.txt").read_text(encoding="utf-8").startswith("id,mars")
    with pytest.raises(
        OutputError, match=r"cannot tell the format.*\n.*\.jsonl, \.ndjson, \.csv, \.tsv, \.parquet"
    ):
        open_writer(tmp_path / "out.txt")
    with pytest.raises(OutputError, match="cannot tell the format"):
        open_writer(tmp_path / "out.json")
    with pytest.raises(ConfigError, match=r"unknown format 'json'.*Did you mean 'jsonl'"):
        open_writer(tmp_path / "out.txt", "json")
    with pytest.raises(OutputError, match="Parquet cannot be written to a pipe"):
        open_writer("-", "parquet")


def test_without_pyarrow_the_extra_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(OutputError, match=r"pip install 'mars-score\[parquet\]'"):
        open_writer(tmp_path / "out.parquet")


def test_a_place_that_cannot_be_opened(tmp_path: Path) -> None:
    for name in ("out.jsonl", "out.parquet"):
        with pytest.raises(OutputError, match="there is no folder"), open_writer(tmp_path / "no" / name):
            pass


@pytest.mark.parametrize("name", ["out.jsonl", "out.csv", "out.tsv", "out.parquet"])
@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, OSError, OutputError])
def test_an_error_in_the_run_keeps_the_rows(tmp_path: Path, name: str, error: type[BaseException]) -> None:
    with pytest.raises(error, match="the run"), open_writer(tmp_path / name) as writer:  # noqa: PT012
        writer.write(ROWS[0])
        raise error("the run")
    assert read(tmp_path / name) == ROWS[:1]
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_text_rows_are_saved_at_once(tmp_path: Path) -> None:
    for name in ("out.jsonl", "out.csv", "out.tsv"):
        with open_writer(tmp_path / name) as writer:
            for count, row in enumerate(ROWS, 1):
                writer.write(row)
                assert read(tmp_path / name) == ROWS[:count]


@pytest.mark.parametrize(
    ("name", "kept"), [("out.jsonl", "out.jsonl"), ("out.parquet", "out.parquet.partial.jsonl")]
)
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no SIGKILL")
def test_rows_survive_the_death_of_the_process(tmp_path: Path, name: str, kept: str) -> None:
    code = (
        "import os, signal, sys\n"
        "from mars_score.types import ResultRow\n"
        "from mars_score.io.writers import open_writer\n"
        "with open_writer(sys.argv[1]) as writer:\n"
        "    writer.write(ResultRow('a', {'mars': 0.5}))\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
    )
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run([sys.executable, "-c", code, str(tmp_path / name)], check=False, env=environment)
    assert done.returncode == -signal.SIGKILL
    assert read(tmp_path / kept) == [ResultRow("a", {"mars": 0.5})]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_at_the_first_row() -> None:
    with pytest.raises(OutputError, match="No space left on device; rows saved before it: 0, in /dev/full"):
        write(Path("/dev/full"), ROWS, "jsonl")


@pytest.mark.parametrize(
    ("name", "kept"), [("out.jsonl", "out.jsonl"), ("out.parquet", "out.parquet.partial.jsonl")]
)
def test_a_disk_that_gets_full_keeps_whole_rows(tmp_path: Path, name: str, kept: str) -> None:
    resource = pytest.importorskip("resource", reason="this system has no limit on the size of files")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    rows = [ResultRow(str(number), {"mars": 0.5}) for number in range(100)]
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(OutputError) as caught:
            write(tmp_path / name, rows)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    left = read(tmp_path / kept)
    assert 10 < len(left) < 30
    assert left == rows[: len(left)]
    assert f"rows saved before it: {len(left)}, in {tmp_path / kept}" in str(caught.value)
    assert f"the row of id '{len(left)}' cannot be written" in str(caught.value)
    assert isinstance(caught.value.__cause__, OSError)
    assert [path.name for path in tmp_path.iterdir()] == [kept]


def test_a_parquet_file_that_cannot_be_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(
        OutputError, match=r"No space left.*rows saved: all 2, in .*out\.parquet\.partial\.jsonl"
    ):
        write(tmp_path / "out.parquet", ROWS)
    assert read(tmp_path / "out.parquet.partial.jsonl") == ROWS
    assert [path.name for path in tmp_path.iterdir()] == ["out.parquet.partial.jsonl"]


def test_a_closed_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    class Pipe(io.BytesIO):
        def write(self, data: Any, /) -> int:
            raise BrokenPipeError(32, "Broken pipe")

        def truncate(self, size: int | None = None, /) -> int:
            raise AssertionError("standard output is not ours to cut")

    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(Pipe()))
    with (
        pytest.raises(OutputError, match=r"Broken pipe.*0, in standard output") as caught,
        open_writer("-") as writer,
    ):
        writer.write(ROWS[0])
    assert isinstance(caught.value.__cause__, BrokenPipeError)


def test_an_id_that_cannot_be_encoded(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"surrogates not allowed.*saved before it: 1"):
        write(tmp_path / "out.jsonl", [ROWS[0], ResultRow("\ud800", {"mars": 1.0})])
    assert read(tmp_path / "out.jsonl") == ROWS[:1]
