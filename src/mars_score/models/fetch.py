"""From a package registry to a finished model folder: download, extract, check, join, convert, record.

A converter makes the files that are loaded from a fetched one; heavy libraries are imported when one runs.
"""

from __future__ import annotations

import bz2
import errno
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from mars_score.errors import FetchError, IntegrityError, ModelError, missing_extra
from mars_score.models.manifest import chunks, write_checked, write_manifest
from mars_score.models.tokenizer import quiet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mars_score.models.catalogue import Assembly, CatalogueEntry, PinnedFile, Source
    from mars_score.models.store import Report


_TRIES, _POLL_SECONDS = 2, 0.2
# What the tools say of a download that began and went wrong: worth another try, unlike having no network.
_CUT_OFF = re.compile(
    r"incomplete|read timed out|is invalid|do not match the hashes|ECONNRESET|EINTEGRITY", re.IGNORECASE
)


def find_archive(folder: Path, source: Source) -> Path | None:
    """Return the source's archive if it lies in the folder."""
    paths = folder.iterdir() if folder.is_dir() else ()
    return next((path for path in paths if _is_archive(path.name, source)), None)


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
    null = subprocess.DEVNULL
    with report.task(f"downloading {source.requirement}", source.size) as advance, log.open("wb") as errors:
        process = subprocess.Popen(command, stdin=null, stdout=null, stderr=errors, env=environment)
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


def extract(archive: Path, files: Sequence[PinnedFile], folder: Path, advance: Callable[[int], None]) -> None:
    """Write the listed files of a wheel, zip or tgz into the folder."""
    wanted = {item.path: item for item in files}
    members = _tar_members if archive.suffix == ".tgz" else _zip_members
    try:
        for path, stream in members(archive, dict(wanted)):
            item = wanted.pop(path)
            write_checked(chunks(stream), folder / item.file, item.size, item.sha256, advance)
    except IntegrityError:
        raise
    # The standard library meets altered archives with errors of a dozen kinds.
    except Exception as error:
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise  # the disk's fault: a seek to nowhere has EINVAL, a bad stream no number at all
        raise IntegrityError(f"{archive.name} is cut off or damaged ({error})") from error
    if wanted:
        raise IntegrityError(f"{archive.name} has no file {', '.join(sorted(wanted))}")


def assemble(assembly: Assembly, folder: Path, advance: Callable[[int], None]) -> None:
    """Join the parts to one file; if that is an archive, put its listed files in its place."""
    joined = folder / assembly.file
    write_checked(
        _joined(folder / part for part in assembly.parts), joined, assembly.size, assembly.sha256, advance
    )
    if assembly.unzip:
        extract(joined, assembly.unzip, folder, advance)
        joined.unlink()


def _joined(parts: Iterable[Path]) -> Iterator[bytes]:
    for part in parts:
        with part.open("rb") as stream:
            yield from chunks(stream)
        part.unlink()


def _zip_members(archive: Path, wanted: Mapping[str, PinnedFile]) -> Iterator[tuple[str, IO[bytes]]]:
    with zipfile.ZipFile(archive) as opened:
        for path in sorted(wanted.keys() & set(opened.namelist())):
            with opened.open(path) as stream:
                yield path, stream


def _tar_members(archive: Path, wanted: Mapping[str, PinnedFile]) -> Iterator[tuple[str, IO[bytes]]]:
    # One pass: going back and forth in a compressed stream means to decompress it again.
    with tarfile.open(archive, "r|gz") as opened:
        for member in opened:
            if member.name in wanted and member.isreg() and (stream := opened.extractfile(member)):
                yield member.name, stream


def build(entry: CatalogueEntry, work: Path, archives: Path, report: Report) -> Path:
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
        try:
            with report.task(f"converting {entry.name}"):
                CONVERTERS[entry.converter](source_file, folder)
        # Whatever the libraries behind a converter raise.
        except Exception as error:
            problem = f"{type(error).__name__}: {error}"
            raise ModelError(f"model {entry.name!r} cannot be converted: {problem}") from error
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


def keep_files(source: Path, folder: Path) -> None:
    """Convert nothing: the files are loaded as they were fetched."""


def convert_gguf(source: Path, folder: Path) -> None:
    """Write a quantised GGUF file as float32 safetensors, config and tokenizer in the Hugging Face layout.

    Dequantising takes twenty seconds at every load; the converted folder loads in less than one.
    """
    try:
        import accelerate  # noqa: F401  (transformers asks for both by itself, in words of its own)
        import gguf  # noqa: F401
    except ModuleNotFoundError as error:
        raise missing_extra(error) from error
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    with quiet():
        tokenizer = AutoTokenizer.from_pretrained(
            source.parent, gguf_file=source.name, trust_remote_code=False
        )
        loaded = AutoModelForCausalLM.from_pretrained(
            source.parent,
            gguf_file=source.name,
            trust_remote_code=False,
            dtype=torch.float32,
            quantization_config=GgufConfig(dequantize=True),
        )
        # The loaded model remembers that it was quantised and refuses to be saved: its weights move to a
        # plain model of the same shape.
        config = loaded.config
        if hasattr(config, "quantization_config"):
            del config.quantization_config
        plain = type(loaded)(config).float()
        plain.load_state_dict(loaded.state_dict())
        plain.save_pretrained(folder)
        tokenizer.save_pretrained(folder)


def convert_glove_json(source: Path, folder: Path) -> None:
    """Write the word vectors of a JSON object ``{..., "vectors": {word: [numbers..., norm, index]}}``.

    One word is read at a time: the whole object would take gigabytes.
    """
    import numpy as np

    text = source.read_text(encoding="utf-8")
    head, mark, _ = text.partition('"vectors":{')
    shape = json.loads(head.rstrip(",") + "}")
    vectors = np.empty((shape["size"], shape["dimensions"]), dtype=np.float32)
    words: list[str] = []
    decode, at = json.JSONDecoder().raw_decode, len(head) + len(mark)
    while text[at] != "}":
        at += text[at] == ","
        word, at = decode(text, at)
        row, at = decode(text, at + 1)
        vectors[len(words)] = row[: shape["dimensions"]]
        words.append(word)
    _write_vectors(folder, words, vectors)


def convert_glove_text(source: Path, folder: Path) -> None:
    """Write the word vectors of bzip2-compressed text, ``word number number ...`` a line."""
    import numpy as np

    words, rows = [], []
    with bz2.open(source, "rt", encoding="utf-8", newline="\n") as lines:
        for line in lines:
            word, *numbers = line.rstrip("\n").split(" ")
            words.append(word)
            rows.append(np.array(numbers, dtype=np.float32))
    _write_vectors(folder, words, np.stack(rows))


def _write_vectors(folder: Path, words: list[str], vectors: NDArray[np.float32]) -> None:
    """Write ``words.txt``, a word a line, and ``vectors.safetensors``, tensor ``vectors``, a row a word."""
    from safetensors.numpy import save_file

    unique = len(set(words)) == len(words) == len(vectors)
    if not unique or any(word.split() != [word] for word in words):
        raise ValueError("words must be unique, free of white space and as many as the vectors")
    (folder / "words.txt").write_text("\n".join(words), encoding="utf-8", newline="\n")
    save_file({"vectors": vectors}, folder / "vectors.safetensors")


CONVERTERS: dict[str, Callable[[Path, Path], None]] = {
    "copy": keep_files,
    "gguf": convert_gguf,
    "glove-json": convert_glove_json,
    "glove-text": convert_glove_text,
}
"""Each converts one file into a folder. Their versions are in the catalogue."""
