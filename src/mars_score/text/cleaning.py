"""The paper's pre-processing: hashtags, links and control characters go; punctuation and stop words stay."""

from __future__ import annotations

import re

_CONTROL = r"[\x00-\x08\x0b-\x1f\x7f-\x9f]"
# A link ends before white space, a quotation mark, an angle bracket or text of a script without spaces, and
# gives back the punctuation of the sentence that it stands in.
_IN_LINK = r"[^\s<>\"“”\x00-\x1f\x7f-\x9f\u3000-\u9fff\uff00-\uffef]"
_CLOSING = r".,;:!?)\]}'\"\u2019”…"
_LINK = rf"(?:https?://|\bwww\.(?!\.)){_IN_LINK}*(?![{_CLOSING}]){_IN_LINK}"
# A hashtag has a letter: '####' stands for a number, '#1' is a rank and '&#39;' is markup. Python's \w leaves
# out combining marks; the ranges are those of the scripts whose words need them.
_MARKS = (
    r"\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0900-\u0963\u0966-\u109f\u1780-\u17d3\u200c\u200d"
)
_HASHTAGS = rf"(?<![\w#&])(?:#\w*[^\W\d_][\w{_MARKS}]*)+"
# Most texts have nothing that could be removed, and one look shows it.
_SUSPECT = re.compile(rf"{_CONTROL}|[\ud800-\udfff#]|https?://|www\.", re.IGNORECASE)


def clean(text: str) -> str:
    """Remove hashtags, links and control characters with the space that they leave.

    Text with nothing to remove comes back unchanged. So do hashtags and links where no word would be left.
    """
    if not _SUSPECT.search(text):
        return text
    readable = _without(_CONTROL, _repair(text).replace("\r\n", "\n"))
    if not readable.strip():
        return text
    plain = _without(f"(?:{_LINK}|{_HASHTAGS})", readable)
    return plain if re.search(r"\w", plain) else readable


def _repair(text: str) -> str:
    """Join surrogate pairs, and put U+FFFD for a lone surrogate, which no encoding can write."""
    if not re.search("[\ud800-\udfff]", text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


_PHRASE_END = re.compile(rf"[{_CLOSING}]*(?:\s|\Z)")


def _without(unwanted: str, text: str) -> str:
    """Remove every match, with the space before it; at the start of a line, with the space after it.

    What stood around a match is joined by one space, unless a line or a phrase starts or ends there. So the
    two sides cannot make a new link or hashtag, and cleaning twice is cleaning once.
    """
    # The look-behind lets a match start only at the first of many spaces, which would otherwise take quadratic time.
    run = rf"(?<![ \t])(?:[ \t]*{unwanted})+"

    def gap(match: re.Match[str]) -> str:
        return "" if match["line_start"] or _PHRASE_END.match(text, match.end()) else " "

    return re.sub(rf"(?P<line_start>^{run}[ \t]*)|{run}", gap, text, flags=re.MULTILINE | re.IGNORECASE)
