"""How our pages are put together: one style, one script, every text escaped, nothing fetched from elsewhere."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING
from unicodedata import bidirectional

from mars_score.text.languages import RIGHT_TO_LEFT, UNKNOWN, language_of

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_COLOURS = {
    "paper": ("#ffffff", "#14171b"),
    "raised": ("#f5f6f8", "#1d2126"),
    "ink": ("#1b1f24", "#e8eaed"),
    "soft": ("#58606b", "#a4acb7"),
    "line": ("#d5d9df", "#363c45"),
    "accent": ("#00588a", "#6fc0f5"),
    "best": ("#e3f1fa", "#123650"),
    "warn": ("#8a4b00", "#f2b464"),
    "written": ("#fdeccb", "#4d3a12"),
    "sure": ("#00694c", "#2ec99c"),
    "matched": ("#d3efe2", "#124534"),
    "doubted": ("#ffdcc4", "#66330f"),
    "system-0": ("#0072b2", "#4fa9e6"),
    "system-1": ("#d55e00", "#ff8b47"),
    "system-2": ("#009e73", "#2ec99c"),
    "system-3": ("#b8578f", "#e59bc6"),
    "system-4": ("#b07900", "#f0bb45"),
    "system-5": ("#3a9bd9", "#9ad8ff"),
    "system-6": ("#6b6b6b", "#b5b5b5"),
    "heat-0": ("#c2500a", "#d9692a"),
    "heat-1": ("#e07b3c", "#a9531f"),
    "heat-2": ("#f0aa80", "#74401f"),
    "heat-3": ("#f7d8c6", "#4a3126"),
    "heat-4": ("#eceef1", "#2b3036"),
    "heat-5": ("#cfe2f1", "#20394d"),
    "heat-6": ("#98c4e4", "#1f4e72"),
    "heat-7": ("#4f98cb", "#22689a"),
    "heat-8": ("#0a6aa8", "#2f86c4"),
    "on-heat": ("#1b1f24", "#e8eaed"),
    "on-strong-heat": ("#ffffff", "#ffffff"),
}
"""Of page and figures: light, dark."""
LIGHT = {name: light for name, (light, _) in _COLOURS.items()}
DARK = {name: dark for name, (_, dark) in _COLOURS.items()}
SYSTEM_COLOURS, HEAT_STEPS = 7, 9
HERE = "mars_score.io"
TOLD_BY = 1000
"""Characters of a text that tell its language."""


# Control characters but for tab and line feed, halves of surrogate pairs, and the two that XML forbids.
UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def printable(text: str) -> str:
    """Replace what cannot be encoded by the replacement character."""
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


@lru_cache(maxsize=1 << 12)
def written_in(text: str) -> Markup:
    """Return the attributes ``lang`` and ``dir`` of an element that holds a text; by the text's own first letter,
    where its language is not known.

    Browsers choose fonts by the first, and screen readers voices. The second says on which side a text begins that
    opens with a word of another script.
    """
    from markupsafe import Markup

    language = language_of(text[:TOLD_BY])
    if language == UNKNOWN:
        return Markup(' dir="auto"')
    return Markup(f' lang="{language}" dir="{"rtl" if language in RIGHT_TO_LEFT else "ltr"}"')


def isolated(text: str) -> str:
    """Keep the letters of a right-to-left text from turning round what stands beside it in a sentence."""
    return f"\u2068{text}\u2069" if any(map(_from_right, text)) else text


def _from_right(letter: str) -> bool:
    return bidirectional(letter) in ("R", "AL")


def environment(package: str) -> Environment:
    """Return what renders the templates of a package (and ours). Texts are escaped, undefined names are errors."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined
    from markupsafe import Markup

    templates = Environment(
        autoescape=True,
        loader=ChoiceLoader([PackageLoader(package), PackageLoader(HERE)]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        # Templates print untrusted texts; markup is a string too, and is left as it is.
        finalize=lambda value: printable(value) if type(value) is str else value,
    )
    # Only our own files are marked as safe: style and script.
    templates.filters.update(one_line=one_line, shortened=shortened, ours=Markup, written_in=written_in)
    return templates


@dataclass(frozen=True, slots=True)
class Assets:
    """A page's style and script."""

    style: str
    script: str

    @property
    def policy(self) -> str:
        """The Content-Security-Policy of a page that stands alone: its own style and script, and nothing else."""
        return (
            f"default-src 'none'; style-src '{csp_hash(self.style)}'; script-src '{csp_hash(self.script)}'; "
            "img-src data:; base-uri 'none'; form-action 'none'"
        )


def assets(package: str, *names: str) -> Assets:
    """Join our common style and script with a package's own files, in the order given."""
    styles = [template_text(package, name) for name in names if name.endswith(".css")]
    scripts = [template_text(package, name) for name in names if name.endswith(".js")]
    return Assets(
        "\n".join([colours(), template_text(HERE, "page.css"), *styles]),
        "\n".join([*scripts, template_text(HERE, "theme.js")]),
    )


def colours() -> str:
    """Return the colours: dark for readers whose system is dark, unless they choose otherwise; never on paper."""
    light, dark = ("".join(f"--{name}:{value};" for name, value in theme.items()) for theme in (LIGHT, DARK))
    return (
        f":root{{{light}}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{color-scheme:dark;{dark}}}}}\n"
        f"@media screen{{:root[data-theme=dark]{{color-scheme:dark;{dark}}}}}"
    )


def template_text(package: str, name: str) -> str:
    """Return one of the files that pages are made of."""
    return files(package).joinpath("templates").joinpath(name).read_text(encoding="utf-8")


def csp_hash(text: str) -> str:
    """Return the hash by which a browser knows that a style or script is ours."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
