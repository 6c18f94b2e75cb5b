"""How an outline becomes a text: who is in it, what its slots hold, and the words that must agree with them.

In an outline, ``{name}`` is the main person and ``{he}``, ``{him}``, ``{his}``, ``{himself}`` are that
person's pronouns, masculine or feminine; a capital (``{He}``, ``{His}``) begins a sentence. ``{friend}`` is a
second person of the other sex, so that no pronoun is ambiguous, with ``{f_he}``, ``{f_him}``, ``{f_his}``. Any
other name is a slot of the outline. ``{slot:a}`` puts the right indefinite article before it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Prime lengths: whatever the stride, a walk through a list meets every name before it meets one again.
WOMEN = (
    *("Ada", "Astrid", "Alma", "Amina", "Anita", "Beatriz", "Bella", "Carla", "Celia", "Chloe", "Daria"),
    *("Edith", "Elena", "Emma", "Esther", "Farah", "Fiona", "Gloria", "Greta", "Hanna", "Helen", "Ida"),
    *("Irene", "Jana", "Julia", "Karin", "Laila", "Laura", "Lena", "Lucy", "Maria", "Marta", "Maya"),
    *("Mei", "Nadia", "Nora", "Olga", "Paula", "Priya", "Rosa", "Ruth", "Sara", "Sofia", "Tara", "Vera"),
    *("Wanda", "Zoe"),
)
MEN = (
    *("Adam", "Ahmed", "Albert", "Anton", "Arthur", "Ben", "Bruno", "Carl", "Daniel", "David", "Diego"),
    *("Emil", "Eric", "Felix", "Frank", "George", "Hassan", "Henry", "Hugo", "Ivan", "Jack", "Jakob"),
    *("Jamal", "Joseph", "Karim", "Kenji", "Leo", "Luca", "Mark", "Martin", "Milan", "Nathan", "Oliver"),
    *("Omar", "Oscar", "Paul", "Peter", "Ravi", "Robert", "Samuel", "Simon", "Victor", "Walter"),
)
SURNAMES = (
    *("Lindgren", "Okafor", "Petrov", "Hartmann", "Moreau", "Castell", "Brandt", "Novak", "Sorensen"),
    *("Whitfield", "Tanaka", "Duarte", "Kowalski"),
)
SHE = {"he": "she", "him": "her", "his": "her", "himself": "herself"}
HE = {"he": "he", "him": "him", "his": "his", "himself": "himself"}


class Phrase(str):
    """What a slot holds; ``{slot:a}`` shows it with its indefinite article."""

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        if spec == "a":
            return f"{'an' if self[0] in 'aeiou' else 'a'} {self}"
        return super().__format__(spec)


def people(number: int, *, woman: bool) -> dict[str, str]:
    """The two persons of a text: their names and pronouns."""
    first, second = (WOMEN, MEN) if woman else (MEN, WOMEN)
    pronouns, other = (SHE, HE) if woman else (HE, SHE)
    return {
        "name": first[number % len(first)],
        "surname": SURNAMES[number % len(SURNAMES)],
        **pronouns,
        "He": pronouns["he"].capitalize(),
        "His": pronouns["his"].capitalize(),
        "friend": second[(5 * number + 3) % len(second)],
        "f_surname": SURNAMES[(number + 6) % len(SURNAMES)],
        **{f"f_{key}": word for key, word in other.items()},
        "f_He": other["he"].capitalize(),
    }


def chosen(slots: Mapping[str, Sequence[str]], variation: int, persons: dict[str, str]) -> dict[str, Phrase]:
    """What every slot and person name of an outline holds in one of its variations.

    All slots move on with each variation, so that neighbours share as little as possible. Slots of different
    (coprime) lengths meet in new combinations until their lengths' common multiple.
    """
    held = {key: values[variation % len(values)].format_map(persons) for key, values in slots.items()}
    return {key: Phrase(text) for key, text in (persons | held).items()}
