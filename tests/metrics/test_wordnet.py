"""WordNet is loaded once, may be asked from threads and forked processes, and needs no connection."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from mars_score.metrics import meteor as module
from mars_score.metrics.meteor import WordNet

from ..test_import import loaded_after

if TYPE_CHECKING:
    from pathlib import Path

WORDS = ["dog", "ran", "lovely", "boats", "quickly", "xyzzy", "set", "went", "better", "", "ice_cream", "été"]


def names(reader: WordNet, word: str) -> list[str]:
    return [lemma.name() for synset in reader.synsets(word) for lemma in synset.lemmas()]


def test_threads(wordnet: Path) -> None:
    words = [word for word in WORDS for _ in range(20)]
    module._reader.cache_clear()  # the threads load it and read every line from its files; first in this file
    before = module._reader.cache_info().misses
    with ThreadPoolExecutor(8) as pool:
        result = list(pool.map(lambda word: names(WordNet(wordnet), word), words))
    assert module._reader.cache_info().misses == before + 1
    assert result == [names(WordNet(wordnet), word) for word in words]


def test_meanings_of_any_part_of_speech(wordnet: Path) -> None:
    reader = WordNet(wordnet)
    assert {"hound", "dog", "chase", "trail"} <= set(names(reader, "dogs"))
    assert names(reader, "xyzzy") == []


def test_one_folder_is_loaded_once(wordnet: Path) -> None:
    WordNet(wordnet).synsets("dog")
    before = module._reader.cache_info().misses
    assert WordNet(wordnet).synsets("dog")[0] is WordNet(wordnet / "." / "").synsets("dog")[0]
    assert module._reader.cache_info().misses == before


FORKING = """
import os
import warnings
from pathlib import Path
from mars_score.metrics.meteor import WordNet

wordnet = WordNet(Path(sys.argv[1]))
cat = wordnet.synsets("cat")[0]
with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # some versions of Python warn of threads, which numpy may have started
    child = os.fork()
if child:
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert wordnet.synsets("cat")[0] is cat
else:
    # Another object: the child has opened files of its own, whose place it does not share with its parent.
    os._exit(wordnet.synsets("cat")[0] is cat)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_offline(wordnet: Path) -> None:
    assert "nltk" in loaded_after(FORKING, str(wordnet))
