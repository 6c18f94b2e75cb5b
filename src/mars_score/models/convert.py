"""Converters: a fetched file -> the files that are loaded. Heavy libraries are imported when one runs."""

from __future__ import annotations

import bz2
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from mars_score.errors import missing_extra
from mars_score.models.tokenizer import quiet

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


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
