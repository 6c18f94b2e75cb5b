"""Texts of strangers, without the characters that no file format can hold."""

from __future__ import annotations

import re

# Control characters but for tab and line feed, halves of surrogate pairs, and the two that XML forbids.
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def printable(text: str) -> str:
    """Put a replacement character in the place of what cannot be written down."""
    return UNPRINTABLE.sub("\N{REPLACEMENT CHARACTER}", text.replace("\r\n", "\n"))


def one_line(text: str) -> str:
    """Turn any white space into single spaces."""
    return " ".join(printable(text).split())


def shortened(text: str, longest: int) -> str:
    """Cut a text at a word, and say that it was cut."""
    line = one_line(text)
    if len(line) <= longest:
        return line
    head = line[:longest].rsplit(" ", 1)[0] if " " in line[:longest] else line[:longest]
    return f"{head} \N{HORIZONTAL ELLIPSIS}"
