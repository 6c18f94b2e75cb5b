from __future__ import annotations

from mars_score.storage.augmentations import AugmentationMemory
from mars_score.types import Pair

from .samples import augmentation

FOUND = {Pair("", str(i)): augmentation(i) for i in range(6)}


def test_what_is_on_disk_is_forgotten_in_the_end() -> None:
    memory = AugmentationMemory(recent=3)
    computed, read = dict(list(FOUND.items())[:2]), dict(list(FOUND.items())[2:])
    memory.keep(computed)
    memory.keep(read, on_disk=True)
    assert len(memory) == 5
    assert memory.find(FOUND) == computed | dict(list(read.items())[1:])


def test_what_was_asked_for_stays() -> None:
    memory = AugmentationMemory(recent=2)
    first, second, third, *_ = FOUND
    memory.keep({first: FOUND[first], second: FOUND[second]}, on_disk=True)
    memory.find([first])
    memory.keep({third: FOUND[third]}, on_disk=True)
    assert set(memory.find(FOUND)) == {first, third}
