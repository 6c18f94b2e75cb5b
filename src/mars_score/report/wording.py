"""Numbers as readers see them."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mars_score.report.table import Column, Entry

MINUS = "\N{MINUS SIGN}"
UNDEFINED = "undefined"
NOT_COMPUTED = "\N{EN DASH}"
SMALLEST_P = 0.001


def number(value: float, decimals: int = 3) -> str:
    """Round a number; what rounds to zero has no sign."""
    return f"{round(value, decimals) + 0.0:,.{decimals}f}"


def measure(value: float, digits: int = 3) -> str:
    """Show the first digits that count, and all of a whole number: 0.0123, 1.23, 12,345."""
    decimals = digits - 1 - math.floor(math.log10(abs(value))) if value else 0
    return number(value, min(max(decimals, 0), 6))


def p_value(value: float, decimals: int = 3) -> str:
    """Show a p-value; tiny ones as a bound."""
    return f"<{SMALLEST_P:.3f}" if value < SMALLEST_P else number(value, max(3, decimals))


def percent(value: float, decimals: int = 0) -> str:
    """Show a share of 1 as per cent."""
    return f"{number(100 * value, decimals)}%"


def main_text(column: Column, entry: Entry) -> str:
    """Return the entry without its interval."""
    if column.kind == "text":
        return entry.text
    if entry.value is None:
        return UNDEFINED if entry.reason else NOT_COMPUTED
    shown = _number(column, entry.value)
    return f"{entry.mark} {shown}" if entry.mark else shown


def interval(column: Column, entry: Entry) -> str:
    """Return the interval in brackets; empty where there is none."""
    if entry.value is None or entry.low is None or entry.high is None:
        return ""
    return f"[{_number(column, entry.low)}, {_number(column, entry.high)}]"


def typeset_minus(text: str) -> str:
    """Put true minus signs in front of numbers."""
    return text.replace("-", MINUS)


def counted(count: int, one: str, many: str = "") -> str:
    """Return ``1 row`` or ``2 rows``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def listed(names: list[str], limit: int = 6) -> str:
    """Return ``a, b and c``; a long list ends with how many more there are."""
    if len(names) > limit:
        return f"{', '.join(names[: limit - 1])} and {len(names) - limit + 1} more"
    return " and ".join(part for part in (", ".join(names[:-1]), names[-1] if names else "") if part)


def _number(column: Column, value: float) -> str:
    if column.kind == "p":
        return p_value(value, column.decimals)
    if column.kind == "percent":
        return percent(value, column.decimals)
    if column.kind == "measure":
        return measure(value)
    return number(value, column.decimals)
