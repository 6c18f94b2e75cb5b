"""Tokenizers and weights straight from a model's folder, without the library that knows every model.

Importing that library and letting it find out what a folder holds takes longer than scoring a row. For the
architectures that this package has networks for, `tokenizer.json` and `model.safetensors` say all there is to know.
"""

from __future__ import annotations

import io
import json
import warnings
from contextlib import contextmanager, redirect_stderr
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

WEIGHTS = "model.safetensors"
_TOKENIZER = "tokenizer.json"
_SETTINGS = "tokenizer_config.json"
_SPECIAL = ("bos_token", "eos_token", "unk_token", "sep_token", "pad_token", "cls_token", "mask_token")
_AS_THE_FILE_SAYS = ("TokenizersBackend", "PreTrainedTokenizerFast")
"""Classes of transformers that add nothing to `tokenizer.json`."""
_BERT = ("BertTokenizer", "BertTokenizerFast")
"""These do as `tokenizer.json` says if both agree on letter case."""


def settings_of(folder: Path, make: str, wanted: dict[str, tuple[object, ...]]) -> dict[str, Any] | None:
    """Return the settings of a model of this make whose weights are one file; otherwise None.

    `wanted` has, for settings that change what is computed, the values that the package's own network knows.
    """
    if not all((folder / name).is_file() for name in ("config.json", WEIGHTS, _TOKENIZER, _SETTINGS)):
        return None
    settings: dict[str, Any] = json.loads((folder / "config.json").read_text("utf-8"))
    fits = settings.get("model_type") == make and all(
        settings.get(name) in values for name, values in wanted.items()
    )
    return settings if fits else None


def load_weights(folder: Path) -> dict[str, Any]:
    """Return the tensors of a model; they stay in the file until they are read."""
    from safetensors import safe_open

    with safe_open(folder / WEIGHTS, "pt") as file:
        return {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  # it is no mapping


def load_tokenizer(folder: Path) -> Any:
    """Return a folder's tokenizer: a `FileTokenizer` where the files say all, else that of transformers."""
    if FileTokenizer.fits(folder):
        return FileTokenizer(folder)
    from transformers import AutoTokenizer

    with quiet():
        return AutoTokenizer.from_pretrained(str(folder), trust_remote_code=False)


class FileTokenizer:
    """What `tokenizer.json` describes, called as the tokenizers of transformers are."""

    def __init__(self, folder: Path) -> None:
        """Read the files."""
        self.path = folder / _TOKENIZER
        self.settings = json.loads((folder / _SETTINGS).read_text("utf-8"))
        self.backend = self._read()
        self.model_max_length = int(self.settings.get("model_max_length") or 1e30)
        names = {name: _content(self.settings.get(name)) for name in _SPECIAL}
        ids = {name: None if text is None else self.backend.token_to_id(text) for name, text in names.items()}
        self.bos_token_id, self.eos_token_id = ids["bos_token"], ids["eos_token"]
        self.unk_token_id = ids["unk_token"]
        self.all_special_ids = [*dict.fromkeys(number for number in ids.values() if number is not None)]

    @classmethod
    def fits(cls, folder: Path) -> bool:
        """Whether the files say all there is to know."""
        if not ((folder / _TOKENIZER).is_file() and (folder / _SETTINGS).is_file()):
            return False
        settings = json.loads((folder / _SETTINGS).read_text("utf-8"))
        if settings.get("additional_special_tokens") or settings.get("extra_special_tokens"):
            return False
        kind = settings.get("tokenizer_class")
        if kind in _BERT:
            normalizer = json.loads((folder / _TOKENIZER).read_text("utf-8")).get("normalizer") or {}
            return bool(normalizer.get("lowercase") == settings.get("do_lower_case", True))
        return kind in _AS_THE_FILE_SAYS

    def _read(self) -> Any:
        from tokenizers import Tokenizer

        backend = Tokenizer.from_file(str(self.path))
        backend.no_padding()
        backend.no_truncation()
        return backend

    @cached_property
    def _cutting(self) -> Any:
        """The same once more: to cut is a state of the whole tokenizer."""
        return self._read()

    def __call__(
        self, texts: str | Sequence[str], *, add_special_tokens: bool = True, truncation: bool = False,
        max_length: int | None = None, return_offsets_mapping: bool = False, verbose: bool = False,
    ) -> Any:  # fmt: skip
        """Return `input_ids` and, if asked for, `offset_mapping`: of one text, or of each."""
        backend = self.backend
        if truncation:
            backend = self._cutting
            backend.enable_truncation(max_length or self.model_max_length)
        is_single = isinstance(texts, str)
        encodings = backend.encode_batch(
            [texts] if is_single else list(texts), add_special_tokens=add_special_tokens
        )
        columns = {"input_ids": [encoding.ids for encoding in encodings]}
        if return_offsets_mapping:
            columns["offset_mapping"] = [encoding.offsets for encoding in encodings]
        return SimpleNamespace(**{name: rows[0] if is_single else rows for name, rows in columns.items()})

    def __len__(self) -> int:
        return int(self.backend.get_vocab_size())

    def decode(self, ids: Sequence[int]) -> str:
        """The text of tokens."""
        return str(self.backend.decode(list(ids), skip_special_tokens=False))

    def batch_decode(
        self, rows: Sequence[Sequence[int]], *, clean_up_tokenization_spaces: bool = False
    ) -> list[str]:
        """The text of each row of tokens, as it stands."""
        return list(self.backend.decode_batch([list(row) for row in rows], skip_special_tokens=False))

    def convert_ids_to_tokens(self, token: int) -> str:
        """A token as the vocabulary spells it."""
        return str(self.backend.id_to_token(token))


def _content(token: Any) -> str | None:
    """The text of a special token, which some files give with how it is matched."""
    text = token.get("content") if isinstance(token, dict) else token
    return text if isinstance(text, str) else None


@contextmanager
def quiet() -> Iterator[None]:
    """Silence the libraries' own bars and notes while the block runs: a pipe must stay clean."""
    from transformers.utils import logging

    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        # One bar of tqdm cannot be switched off, so standard error is redirected.
        with warnings.catch_warnings(), redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()
