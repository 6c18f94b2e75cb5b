"""The attacks by name."""

from __future__ import annotations

from mars_score.errors import ConfigError, did_you_mean
from mars_score.study.attacks.base import Attack, row_by_row
from mars_score.study.attacks.edits import (
    copy_context,
    copy_reference,
    reorder,
    repeat,
    retrieve,
    swap_names,
    swap_numbers,
    truncate,
    unrelated,
)
from mars_score.study.attacks.negation import negate

ATTACKS = {
    "reorder": row_by_row("half of the tokens change places (Table 4)", reorder),
    "retrieve": row_by_row("a sentence of the context takes the candidate's place (Table 4)", retrieve),
    "negation": row_by_row("each sentence says the opposite where a rule can make it so", negate),
    "number_swap": row_by_row("every number becomes another number", swap_numbers),
    "name_swap": row_by_row("every name becomes another name of the row", swap_names),
    "truncation": row_by_row("the second half of the tokens is dropped", truncate),
    "repetition": row_by_row("a sentence, or the first half of the only one, is said twice", repeat),
    "copy_context": row_by_row("the first words of the context, as many as a reference has", copy_context),
    "unrelated": Attack("what the same system wrote for another item", unrelated),
    "copy_reference": row_by_row("a reference takes the candidate's place", copy_reference, harmful=False),
}
PAPER_ATTACKS = ("reorder", "retrieve")


def find_attack(name: str) -> Attack:
    """Return the attack of this name."""
    if name not in ATTACKS:
        raise ConfigError(
            f"unknown attack {name!r}; there are {', '.join(ATTACKS)}.{did_you_mean(name, ATTACKS)}"
        )
    return ATTACKS[name]
