"""A quantised GGUF file -> float32 safetensors, config and tokenizer in the Hugging Face layout.

Dequantising takes twenty seconds at every load; the converted folder loads in less than one.
"""

from __future__ import annotations

import io
import warnings
from contextlib import contextmanager, redirect_stderr
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def convert(source: Path, folder: Path) -> None:
    """Write the model and its tokenizer into the folder."""
    import torch  # noqa: PLC0415  (heavy: only when a model is converted)
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig  # noqa: PLC0415

    with _quiet():
        tokenizer = AutoTokenizer.from_pretrained(source.parent, gguf_file=source.name)
        loaded = AutoModelForCausalLM.from_pretrained(
            source.parent,
            gguf_file=source.name,
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


@contextmanager
def _quiet() -> Iterator[None]:
    """Silence the libraries' own bars and notes: the store reports for itself."""
    from transformers.utils import logging  # noqa: PLC0415

    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        # One bar is tqdm's own and knows no switch, hence the redirection.
        with warnings.catch_warnings(), redirect_stderr(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()
