"""Sheets of our own writing, as the command writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.study.augmentation_ratings import VARIANTS, SheetRow, key_path, key_text, sheet_text

if TYPE_CHECKING:
    from pathlib import Path

PLACES = (
    "harbour",
    "orchard",
    "library",
    "station",
    "bakery",
    "lighthouse",
    "market",
    "quarry",
    "mill",
    "chapel",
)
PEOPLE = ("Ida", "Tomas", "Rosa", "Emil", "Greta", "Anton", "Klara", "Oskar", "Marta", "Leo")
ENDINGS = {
    "original": "went home before the rain, and told nobody what the stranger had said.",
    "naive": "went home before the door, and told the rain of the the stranger.",
    "mars": "went home in the rain, and kept what the stranger had said to herself.",
}


def context(item: int, sentences: int = 1) -> str:
    person, position = PEOPLE[item % 10], PLACES[item // 10 % 10]
    first = f"{person} came to the {position} early on day {item + 1}. A stranger stood there and asked for the keeper."
    more = [
        f"{number} boats lay at the quay that morning, and not one of them had its sails up."
        for number in range(2, sentences + 1)
    ]
    return "\n".join([first, *more])


def rows(items: int = 4, *, sentences: int = 1) -> list[SheetRow]:
    """Three texts an item; codes that say nothing."""
    made = [
        SheetRow(
            f"{(item * 3 + index) * 2654435761 % 2**32:08x}",
            f"day-{item + 1}",
            variant,
            context(item, sentences),
            f"{PEOPLE[item % 10]} {ENDINGS[variant]}",
        )
        for item in range(items)
        for index, variant in enumerate(VARIANTS)
    ]
    return sorted(made, key=lambda row: row.code)


def write_sheet(folder: Path, made: list[SheetRow], name: str = "sheet", *, key: bool = True) -> Path:
    """Write a sheet and its key, and return the sheet."""
    path = folder / f"{name}.csv"
    path.write_text(sheet_text(made), encoding="utf-8", newline="")
    if key:
        key_path(path).write_text(key_text(made), encoding="utf-8", newline="")
    return path
