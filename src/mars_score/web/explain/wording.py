"""Explanations in plain words: numbers, shares and names."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mars_score.web.explain.data import ExplainedCandidate, ExplainedWord


DECIMALS = 3
MINUS = "\N{MINUS SIGN}"
REST = "what else the formula does"


def number(value: float, decimals: int = DECIMALS) -> str:
    """Show a number with a true minus sign; what rounds to zero has none."""
    return f"{round(value, decimals) + 0.0:.{decimals}f}".replace("-", MINUS)


def signed(value: float, decimals: int = DECIMALS) -> str:
    """Show a number that is added or taken away."""
    shown = number(value, decimals)
    return shown if shown.startswith(MINUS) else f"+{shown}"


def shown_score(candidate: ExplainedCandidate, decimals: int = 2) -> str:
    """Show a score on the scale that was asked for."""
    return number(candidate.score, decimals) if candidate.percent is None else f"{candidate.percent:.0f}%"


def percent(value: float) -> str:
    """Show a share of 1."""
    return f"{value:.0%}"


def share_of(value: float) -> str:
    """Show a share as what it is of something: ``none of``, ``37% of``, ``all of``."""
    shown = percent(value)
    return {"0%": "none", "100%": "all"}.get(shown, shown) + " of"


def counted(count: int, one: str, many: str = "") -> str:
    """Return ``1 row`` or ``2 rows``."""
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def letter(place: int) -> str:
    """Name the candidates of an item A, B, ..., Z, AA, AB, ..."""
    before, last = divmod(place, 26)
    return (letter(before - 1) if before else "") + chr(ord("A") + last)


def variant_name(ratio: float) -> str:
    """Name a reference at a masking ratio."""
    return f"the {percent(ratio)} reference" if ratio else "the reference itself"


def shown_name(name: str) -> str:
    """Name a part of a score."""
    return {"rest": REST, "relevance": "context"}.get(name, name.replace("_", " "))


def listed(parts: list[str]) -> str:
    """Return ``a, b and c``."""
    return " and ".join(part for part in (", ".join(parts[:-1]), parts[-1] if parts else "") if part)


def word_tip(word: ExplainedWord) -> str:
    """Say what decided about a word."""
    shared = ", as the context has it too" if word.shared else ""
    masked = f"masked at {listed([percent(ratio) for ratio in word.masked_at])}" if word.masked_at else "kept"
    return (
        f"{word.text}: {word.part_of_speech}, IDF {word.idf:.2f}, priority {word.priority:.3f}, "
        f"cost {word.cost}{shared}; {masked}"
    )


def rank_sentence(candidate: ExplainedCandidate) -> str:
    """Say whether people and the metric see a candidate alike; empty where nobody rated it."""
    if candidate.human is None:
        return ""
    told = f"People gave it {number(candidate.human, 2)}"
    if candidate.human_rank is None or candidate.score_rank is None or candidate.disagreement is None:
        return f"{told}."
    verdict = "about as high as people do"
    if abs(candidate.disagreement) >= 0.1:
        verdict = "higher than people do" if candidate.disagreement > 0 else "lower than people do"
    return (
        f"{told}, more than {share_of(candidate.human_rank)} the other rated candidates got; its score is higher "
        f"than that of {share_of(candidate.score_rank).removesuffix(' of')}. The metric ranks it {verdict}."
    )
