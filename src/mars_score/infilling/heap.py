"""Memory that is free goes back to the system.

Decoding allocates and frees tensors of ever other sizes. The C library keeps what was freed, in holes between what
is in use, and a long job would hold a few hundred megabytes that nobody needs.
"""

from __future__ import annotations

import ctypes
import sys


def give_back() -> None:
    """Return free pages, where the C library can (glibc); elsewhere nothing happens."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)
