"""Make a finished model folder from its catalogue entry: fetch, check, join, convert, record."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from mars_score.errors import FetchError, IntegrityError, ModelError
from mars_score.models.convert import CONVERTERS
from mars_score.models.download import download, find_archive, remedy
from mars_score.models.extract import assemble, extract
from mars_score.models.manifest import write_manifest

if TYPE_CHECKING:
    from pathlib import Path

    from mars_score.models.catalogue import Entry, Source
    from mars_score.models.report import Report

_TRIES = 2


def build(entry: Entry, work: Path, archives: Path, report: Report) -> Path:
    """Return the finished folder, inside the working folder ``work``."""
    shutil.rmtree(work, ignore_errors=True)
    folder = work / "model"
    folder.mkdir(parents=True)
    for source in entry.sources:
        try:
            _fetch(source, work / "download", folder, archives, report)
        except FetchError as error:
            wanted = [item for item in entry.sources if item is source or not find_archive(archives, item)]
            raise FetchError(
                f"model {entry.name!r} cannot be fetched: {error}\n{remedy(wanted, archives)}"
            ) from error
    if entry.assembly:
        with report.task(f"joining {entry.name}", entry.assembly.size) as advance:
            assemble(entry.assembly, folder, advance)
    if entry.convert_file:
        # The converter reads from a folder of its own, where no file it looks for by name can mislead it.
        source_file = work / "convert" / entry.convert_file
        source_file.parent.mkdir()
        (folder / entry.convert_file).rename(source_file)
        with report.task(f"converting {entry.name}"):
            _convert(entry, source_file, folder)
    with report.task(f"recording {entry.name}", entry.disk) as advance:
        manifest = write_manifest(folder, entry, advance)
    # Some libraries write files that only their owner may read; a store may be shared.
    for path in folder.rglob("*"):
        if path.is_file():
            shutil.copymode(manifest, path)
    return folder


def _fetch(source: Source, downloads: Path, folder: Path, archives: Path, report: Report) -> None:
    """Take one source's files out of its archive; what is cut off or damaged is fetched once again."""
    problem = ""
    for attempt in range(_TRIES):
        try:
            archive = find_archive(archives, source) if attempt == 0 else None
            if archive is None:
                archive = download(source, downloads, report, fresh=attempt > 0)
            with report.task(f"checking {archive.name}", sum(item.size for item in source.files)) as advance:
                extract(archive, source.files, folder, advance)
        except FetchError as error:
            # What was wrong with the archive at the first try is the better half of the story.
            raise FetchError(f"{problem}; {error}" if problem else str(error)) from error
        except IntegrityError as error:
            problem = str(error)
            report.say(f"{source.requirement}: {problem}" + "; it is fetched once again" * (attempt == 0))
        else:
            shutil.rmtree(downloads, ignore_errors=True)
            return
    raise FetchError(problem)


def _convert(entry: Entry, source: Path, folder: Path) -> None:
    try:
        CONVERTERS[entry.converter].run(source, folder)
    # Whatever the libraries behind a converter raise.
    except Exception as error:
        raise ModelError(
            f"model {entry.name!r} cannot be converted: {type(error).__name__}: {error}"
        ) from error
