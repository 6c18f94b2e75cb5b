"""Single bits flip in the cache, in a pack and in model files: noticed, or without any effect on a score.

    python -m benchmarks.faults.bit_flips [FLIPS]

The augmented references are those of the real models, scored with the real encoder. For each kind of file a JSON line
tells how many flips led to a wrong score, how many were noticed (what was lost is computed again, or the file is
refused), and how many changed nothing. The line about models also tells what looking at every byte costs.
"""

from __future__ import annotations

import logging
import os
import random
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.texts import candidates, stories
from benchmarks.timing import report, timed
from mars_score.config import InfillingConfig
from mars_score.errors import InputError, ModelError
from mars_score.mars.models import ModelRegistry
from mars_score.mars.scorer import MarsScorer
from mars_score.models.manifest import NAME, content_problems
from mars_score.models.store import ModelStore, SilentReport, Status
from mars_score.storage.cache import AugmentationCache
from mars_score.storage.pack import pack_writer
from mars_score.types import Example

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

FLIPS, REFERENCES, SEED = 200, 24, 0
NOTICED, UNCHANGED, WRONG = "noticed", "unchanged", "wrong"
LOADERS: dict[str, Callable[[ModelRegistry], object]] = {
    "minilm-l6": lambda parts: parts.encoder("minilm-l6"),
    "spacy-en-sm": lambda parts: parts.tagger("spacy-en-sm"),
    "smollm2-135m": lambda parts: parts.language_model(InfillingConfig()),
}


def main(flips: int = FLIPS) -> None:
    """Flip bits: a third of them in each kind of file."""
    os.environ["MARS_SCORE_CACHE_SIZE"] = "1G"
    logging.disable(logging.WARNING)  # what became of a flip is counted, not told
    draw, third = random.Random(SEED), flips // 3
    with tempfile.TemporaryDirectory() as name:
        recorded = Known(Path(name))
        _tell("bit_flips_cache", [recorded.flip_cache(draw) for _ in range(third)])
        _tell("bit_flips_pack", [recorded.flip_pack(draw) for _ in range(third)])
    with tempfile.TemporaryDirectory() as name:
        flip_models(Path(name), draw, flips - 2 * third)


def flip_models(folder: Path, draw: random.Random, flips: int) -> None:
    """Flip bits of copies of the default models."""
    store = Unfetched(folder, SilentReport())
    for model in LOADERS:
        shutil.copytree(ModelStore().path(model), folder / model)
    seconds = timed(lambda: [store.verified(model) for model in LOADERS])
    outcomes = [_flip_model(store, draw) for _ in range(flips)]
    _tell("bit_flips_models", outcomes, seconds_to_check_all_models=seconds)


class Unfetched(ModelStore):
    """A store that says that a model is damaged, and does not fetch it again."""

    def _fetch(self, status: Status) -> None:
        raise ModelError("; ".join(status.problems))


class Known:
    """A cache and a pack that are good, and the scores that they lead to."""

    def __init__(self, folder: Path) -> None:
        """Augment and score once."""
        self.folder = folder
        self.rows = [
            Example(str(i), candidates(pair, 1)[0], (pair.reference,), pair.context)
            for i, pair in enumerate(stories(REFERENCES))
        ]
        self.first = first = MarsScorer(cache=folder / "logged")
        self.expected = first.score_examples(self.rows)
        with pack_writer(folder / "good.marspack", first.pack_header) as writer:
            for pair, augmentation in first.augment_examples(self.rows).items():
                writer.add(pair, augmentation)
        # Copied while it is open, so that most of it is in the write-ahead log; and once more when it is closed.
        shutil.copytree(folder / "logged", folder / "open")
        _close(first)
        shutil.copytree(folder / "logged", folder / "closed")

    def flip_cache(self, draw: random.Random) -> str:
        """Flip a bit of the cache's file or of its log, and score."""
        copy = self.folder / "flipped"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.folder / draw.choice(["open", "closed"]), copy)
        _flip(draw.choice([path for path in sorted(copy.iterdir()) if path.stat().st_size]), draw)
        return self._outcome(MarsScorer(cache=copy))

    def flip_pack(self, draw: random.Random) -> str:
        """Flip a bit of the pack, and score."""
        copy = self.folder / "flipped.marspack"
        shutil.copyfile(self.folder / "good.marspack", copy)
        _flip(copy, draw)
        return self._outcome(MarsScorer(cache=None, pack=copy))

    def _outcome(self, scorer: MarsScorer) -> str:
        scorer.parts, scorer._memories = self.first.parts, self.first._memories  # no flip reaches those
        try:
            result = scorer.score_examples(self.rows)
        except InputError:
            return NOTICED
        finally:
            _close(scorer)
        if result != self.expected:
            return WRONG
        return NOTICED if scorer.costs.augmented else UNCHANGED


def _flip_model(store: ModelStore, draw: random.Random) -> str:
    """Flip a bit of a model's file, load the model, and flip the bit back."""
    name = draw.choice(list(LOADERS))
    files = sorted(path for path in (store.root / name).rglob("*") if path.is_file() and path.stat().st_size)
    by_size = draw.random() < 0.5
    (path,) = draw.choices(files, weights=[path.stat().st_size if by_size else 1 for path in files])
    position = _flip(path, draw)
    try:
        LOADERS[name](ModelRegistry(store))
    except ModelError:
        return NOTICED
    finally:
        _flip_at(path, position)
        if content_problems(store.root / name, store.catalogue[name]):
            raise RuntimeError(f"{path} is not as it was")
    # The manifest says more than is needed for checking, as where the files came from.
    return UNCHANGED if path.name == NAME else WRONG


def _flip(path: Path, draw: random.Random) -> int:
    """Flip one bit of a file; return its place."""
    position = draw.randrange(path.stat().st_size * 8)
    _flip_at(path, position)
    return position


def _flip_at(path: Path, offset: int) -> None:
    with path.open("r+b") as stream:
        stream.seek(offset // 8)
        (byte,) = stream.read(1)
        stream.seek(offset // 8)
        stream.write(bytes([byte ^ 1 << offset % 8]))


def _close(scorer: MarsScorer) -> None:
    if isinstance(scorer.augmentations.cache, AugmentationCache):
        scorer.augmentations.cache.database.close()


def _tell(name: str, outcomes: Sequence[str], **facts: float) -> None:
    count = Counter(outcomes)
    report(
        name, float(count[WRONG]), at_most=0,
        flips=len(outcomes), noticed=count[NOTICED], unchanged=count[UNCHANGED], **facts,
    )  # fmt: skip


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
