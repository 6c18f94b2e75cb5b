"""Silence for the model libraries: we report progress ourselves, and a pipe must stay clean."""

from __future__ import annotations

import io
import warnings
from contextlib import contextmanager, redirect_stderr
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def quiet() -> Iterator[None]:
    """Silence the libraries' own bars and notes while the block runs."""
    from transformers.utils import logging

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
