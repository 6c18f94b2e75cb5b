"""File names and anchors for names that strangers chose."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

LONGEST = 60


def slugs(names: Iterable[str]) -> list[str]:
    """Return a name of lower-case letters, digits and underscores for each name, no two alike."""
    found: list[str] = []
    for name in names:
        base = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:LONGEST] or "unnamed"
        slug, count = base, 1
        while slug in found:
            count += 1
            slug = f"{base}_{count}"
        found.append(slug)
    return found
