"""How our pages are put together: one style, one script, every text escaped, nothing asked of anybody."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING

from mars_score.pages.palette import DARK, LIGHT, variables
from mars_score.pages.printable import one_line, printable, shortened

if TYPE_CHECKING:
    from jinja2 import Environment

HERE = "mars_score.pages"


def environment(package: str) -> Environment:
    """Return what renders the templates of a package (and ours). Texts are escaped, undefined names are errors."""
    from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined  # noqa: PLC0415  (heavy)
    from markupsafe import Markup  # noqa: PLC0415

    made = Environment(
        autoescape=True,
        loader=ChoiceLoader([PackageLoader(package), PackageLoader(HERE)]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        finalize=_finalize,
    )
    # Only our own files are marked as safe: style and script.
    made.filters.update(one_line=one_line, shortened=shortened, ours=Markup)
    return made


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
    dark = variables(DARK)
    return (
        f":root{{{variables(LIGHT)}}}\n"
        f"@media screen and (prefers-color-scheme:dark){{:root:not([data-theme=light]){{color-scheme:dark;{dark}}}}}\n"
        f"@media screen{{:root[data-theme=dark]{{color-scheme:dark;{dark}}}}}"
    )


def template_text(package: str, name: str) -> str:
    """Return one of the files that pages are made of."""
    return files(package).joinpath("templates").joinpath(name).read_text(encoding="utf-8")


def csp_hash(text: str) -> str:
    """Return the hash by which a browser knows that a style or script is ours."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _finalize(value: object) -> object:
    # Templates print texts of strangers; markup is a string too, and is left as it is.
    return printable(value) if type(value) is str else value
