"""A hook of mkdocs: the finished site loads nothing from elsewhere, or the build fails.

The theme's scripts name two libraries of a content network that they would load for diagrams and for pages opened as
files; our pages need neither, so the addresses are taken out. Links to other sites stay: they are followed by people.
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

NETWORK = re.compile(r"https?://(?:unpkg\.com|cdn\.jsdelivr\.net|cdnjs\.cloudflare\.com)/[^\"'`\s)]*")
STYLE = re.compile(r"(?:url\(|@import\s+)\s*[\"']?(https?:)?//")
LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src", "audio": "src"}
LOADED_LINKS = frozenset(
    ["stylesheet", "icon", "preload", "preconnect", "dns-prefetch", "modulepreload", "manifest"]
)


class _Loads(HTMLParser):
    """Gathers what a page loads from elsewhere."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Look at one tag."""
        given = dict(attrs)
        address = given.get(LOADED.get(tag, "")) or ""
        if tag == "link" and LOADED_LINKS & set((given.get("rel") or "").split()):
            address = given.get("href") or ""
        if re.match(r"(https?:)?//", address):
            self.addresses.append(address)


def loads_from_elsewhere(site: Path) -> list[str]:
    """Return what the files of a site load from elsewhere, with their names."""
    loaded = []
    for path in sorted(site.rglob("*")):
        if path.suffix not in (".html", ".css", ".js"):
            continue
        text = path.read_text("utf-8")
        if path.suffix == ".html":
            page = _Loads()
            page.feed(text)
            addresses = page.addresses + [match[0] for match in STYLE.finditer(text)]
        elif path.suffix == ".css":
            addresses = [match[0] for match in STYLE.finditer(text)]
        else:
            addresses = NETWORK.findall(text)
        loaded += [f"{path.relative_to(site)}: {address}" for address in addresses]
    return loaded


def on_post_build(config: Any) -> None:
    """Take out what the theme would load, then look at everything."""
    site = Path(config["site_dir"])
    for path in site.rglob("*.js"):
        text = path.read_text("utf-8")
        if NETWORK.search(text):
            path.write_text(NETWORK.sub("", text), "utf-8")
    for path in site.rglob("*.map"):
        path.unlink()
    if loaded := loads_from_elsewhere(site):
        sys.exit("the site loads from elsewhere:\n  " + "\n  ".join(loaded))
