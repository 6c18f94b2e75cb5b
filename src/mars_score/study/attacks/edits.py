"""Attacks that copy, rearrange, repeat or cut texts, and those that swap their numbers and names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from mars_score.mars.facts import NUMBER_WORDS
from mars_score.study.attacks.base import Perturb, one_of, passage, sentence_spans, shuffled, token_spans
from mars_score.text.words import is_function_word, sentences, words
from mars_score.types import Example

if TYPE_CHECKING:
    from random import Random

    from mars_score.io.datasets.base import Rated


def copy_reference(example: Example, random: Random) -> str | None:
    """Draw one of the references."""
    return one_of(sorted(set(example.references)), random)


def copy_context(example: Example, random: Random) -> str | None:
    """Take the first tokens of the context, as many as the longest reference has.

    The whole context would be an attack on how metrics treat length. The question is not copied.
    """
    text = passage(example)
    spans = token_spans(text)
    count = max(len(token_spans(reference)) for reference in example.references)
    return text[: spans[min(count, len(spans)) - 1][1]] if spans and count else None


def echo_prompt(example: Example, random: Random) -> str | None:
    """Say again what was asked: the question, or the last sentence of the context."""
    asked = example.question.strip() or ["", *sentences(passage(example), all_scripts=True)][-1]
    return asked or None


REFUSAL = "As an AI language model, I cannot help with that request. Please ask a professional for advice."


def refuse(example: Example, random: Random) -> str | None:
    """Decline to answer, politely and fluently."""
    return REFUSAL


def list_keywords(example: Example, random: Random) -> str | None:
    """Name the content words of a reference and say nothing with them."""
    reference = one_of(sorted(set(example.references)), random)
    listed = dict.fromkeys(
        word.text for word in words(reference) if word.text[0].isalnum() and not is_function_word(word.text)
    )
    return ", ".join(listed) or None


# Reorder (Table 4): "randomly reorders 50% of tokens in the candidates".

_TRIES = 20
"""Equal tokens may change places without a trace; other tokens are drawn then."""


def reorder(example: Example, random: Random) -> str | None:
    """Move half of the tokens, rounded up and at least two, in a ring: each takes the place of another."""
    text = example.candidate
    spans = token_spans(text)
    tokens = [text[start:end] for start, end in spans]
    if len(set(tokens)) < 2:
        return None
    for _ in range(_TRIES):
        chosen = shuffled(range(len(tokens)), random)[: max(2, (len(tokens) + 1) // 2)]
        moved = tokens.copy()
        for target, source in zip(chosen, chosen[1:] + chosen[:1], strict=True):
            moved[target] = tokens[source]
        if moved != tokens:
            return _replace_tokens(text, spans, moved)
    return None


def _replace_tokens(text: str, spans: list[tuple[int, int]], tokens: list[str]) -> str:
    """Put tokens into the places of the old ones; the white space stays."""
    parts, at = [], 0
    for (start, end), token in zip(spans, tokens, strict=True):
        parts += [text[at:start], token]
        at = end
    return "".join([*parts, text[at:]])


def repeat(example: Example, random: Random) -> str | None:
    """Say a sentence again, right after it; in a text of one sentence, say the first half of its tokens again."""
    text = example.candidate
    spans = sentence_spans(text)
    if len(spans) > 1:
        start, end = one_of(spans, random)
    else:
        tokens = token_spans(text)
        if not tokens:
            return None
        start, end = tokens[0][0], tokens[(len(tokens) + 1) // 2 - 1][1]
    return f"{text[:end]} {text[start:end]}{text[end:]}"


# Retrieve (Table 4): "randomly retrieves a sentence from the context as a candidate".


def retrieve(example: Example, random: Random) -> str | None:
    """Draw a sentence of the context. The question is no part of what can be retrieved."""
    drawn = dict.fromkeys(sentences(passage(example), all_scripts=True))
    candidates = [text for text in drawn if re.search(r"\w", text)]
    others = [text for text in candidates if text != example.candidate.strip()]
    return one_of(others, random) if others else None


def truncate(example: Example, random: Random) -> str | None:
    """Keep the first half of the tokens, rounded up."""
    spans = token_spans(example.candidate)
    if len(spans) < 2:
        return None
    return example.candidate[: spans[(len(spans) + 1) // 2 - 1][1]]


# Unrelated: what the same system wrote about something else. It is as fluent, and beside the point.

_DRAWS = 10


def unrelated(rows: Sequence[Rated]) -> Perturb:
    """Draw a candidate of the same system for another item, and for another passage where there is one."""
    by_id = {row.id: (row.system, row.item) for row in rows}
    by_system: dict[str, list[tuple[str, str, str]]] = {}
    # By text, so that the draw depends neither on the order of rows nor on which ids they have.
    for row in sorted(rows, key=lambda row: (row.example.candidate, row.item)):
        if row.example.candidate.strip():
            other = row.item, passage(row.example), row.example.candidate
            by_system.setdefault(row.system, []).append(other)

    def perturb(example: Example, random: Random) -> str | None:
        system, item = by_id[example.id]
        source = passage(example)

        def fits(row: tuple[str, str, str]) -> bool:
            other, about, candidate = row
            return (
                other != item
                and (about != source or not source)
                and candidate.strip() != example.candidate.strip()
            )

        pool = by_system.get(system, [])
        # Nearly every row fits, so a few draws save looking through all of them for each of them.
        drawn = (one_of(pool, random) for _ in range(_DRAWS if pool else 0))
        drawn_row = next(filter(fits, drawn), None)
        if drawn_row is None:
            others = list(filter(fits, pool))
            drawn_row = one_of(others, random) if others else None
        return drawn_row[2] if drawn_row else None

    return perturb


# Number swap: every number becomes another one of the same kind.

_WORDS = """
two three four five six seven eight nine ten eleven twelve
thirteen fourteen fifteen sixteen seventeen eighteen nineteen
twenty thirty forty fifty sixty seventy eighty ninety
"""
KINDS = {word: line.split() for line in _WORDS.splitlines() for word in line.split()}
"""Words of a line stand for one another. "One" is left alone: it is seldom a number ("no one", "one day")."""

_NUMBER = re.compile(rf"[0-9]+|\b(?:{'|'.join(KINDS)})\b", re.IGNORECASE)


def swap_numbers(example: Example, random: Random) -> str | None:
    """Change each run of digits to as many other digits, and each number word to another.

    A number that is there twice is changed to the same number twice. All else stays as it is, and so does a number that
    neither context nor references have: another one would be no more wrong.
    """
    swapped: dict[str, str] = {}
    given = {
        _value(match[0])
        for text in (passage(example), *example.references)
        for match in _NUMBER.finditer(text)
    }

    def swap(match: re.Match[str]) -> str:
        old = match[0].lower()
        if _value(old) not in given:
            return match[0]
        if old not in swapped:
            swapped[old] = _other_digits(old, random) if old.isdigit() else _other_word(old, random)
        new = swapped[old]
        return new.capitalize() if match[0][0].isupper() else new

    text = _NUMBER.sub(swap, example.candidate)
    return text if swapped else None


def _value(number: str) -> str:
    """The same for 2 and two."""
    return NUMBER_WORDS.get(number.lower(), number.lower())


def _other_word(word: str, random: Random) -> str:
    return one_of([other for other in KINDS[word] if other != word], random)


def _other_digits(digits: str, random: Random) -> str:
    """Change the first digit and draw the others: 1984 does not become 1985, which is nearly right."""
    first = [digit for digit in "123456789" if digit != digits[0]]
    return one_of(first, random) + "".join(one_of("0123456789", random) for _ in digits[1:])


_WORD = re.compile(r"[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_PLACEHOLDER = re.compile(r"\[UNK\]|\bUNK\b|\bUNKNOWN\b")
_POSSESSIVE = re.compile(r"['\u2019]s?$", re.IGNORECASE)
_LIST = (
    "a an the this that these those i you he she it we they my your his her its our their me him them us who "
    "what when where why how which there here and or but nor so yet if then because while although though "
    "since until unless after before as at by for from in into of off on onto out over to under up with without "
    "about above across again against all also always another any anyone are both can could did do does each "
    "either even every everyone everything few finally first had has have however is just last later let many "
    "may maybe meanwhile might more most much must neither never next no nobody none not nothing now often once "
    "one only other perhaps please she'd shall should some somehow someone something sometimes soon still such "
    "suddenly thank thanks today tomorrow tonight too very was well were will would yes yesterday "
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june july august "
    "september october november december mr mrs ms dr unk unknown "
    "according among despite during earlier inside like whether"
)
NOT_NAMES = frozenset(_LIST.split())
"""Opening words of sentences, and capitalised words that are no names of anybody: I, days, months, titles."""


def swap_names(example: Example, random: Random) -> str | None:
    """Give each name of the candidate another name of the context or the candidate, the same one throughout."""
    text, given = example.candidate, [passage(example), *example.references]
    if _PLACEHOLDER.sub("", text) == _PLACEHOLDER.sub("", text).lower():
        # A system that writes no capitals: its names are those that the context has and never writes small.
        row = Capitalisation(given)
        names = {name.lower(): None for name in row.names(given[0]) if row.only_capital(name)}
    else:
        row = Capitalisation([text, *given])
        names = dict.fromkeys([*row.names(text), *row.names(given[0])])
    present = [name for name in names if re.search(_whole(name), text)]
    pairs = _paired(present, list(names), random)
    if not pairs:
        return None
    # Longer names first, so that a part of a name is not taken for a name of its own.
    either = "|".join(_whole(name) for name in sorted(pairs, key=lambda name: (-len(name), name)))
    return re.sub(either, lambda match: pairs[match[0]], text)


class Capitalisation:
    """How the words of a row are written."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._written: set[str] = set()
        pairs: set[tuple[str, str]] = set()
        for text in texts:
            words = [_POSSESSIVE.sub("", match[0]) for match in _WORD.finditer(text)]
            self._written.update(words)
            pairs.update(zip(words, [*words[1:], ""], strict=False))
        # Before different words, since a sentence that is copied tells no more than it did before.
        self._places = Counter(word for word, _ in pairs)

    def names(self, text: str) -> list[str]:
        """Return the names in a text, in their order, as often as they are there."""
        names = []
        for start, end in sentence_spans(text):
            run: list[str] = []
            last = start
            for match in _WORD.finditer(text, start, end):
                word = _POSSESSIVE.sub("", match[0])
                joined = text[last : match.start()] == " "
                first = not re.search(r"\w", text[start : match.start()])
                if run and not (joined and self._is_name(word, first=False)):
                    names.append(" ".join(run))
                    run = []
                if self._is_name(word, first=first):
                    run.append(word)
                # The 's of a possessive ends a name.
                last = match.end() if word == match[0] else -1
            names += [" ".join(run)] if run else []
        return names

    def only_capital(self, name: str) -> bool:
        """Tell whether no word of a name is ever written in lower case."""
        return not any(word.lower() in self._written for word in name.split())

    def _is_name(self, word: str, *, first: bool) -> bool:
        if not word[0].isupper() or len(word) < 2 or word.split("'", maxsplit=1)[0].lower() in NOT_NAMES:
            return False
        return not first or (self._places[word] > 1 and self.only_capital(word))


def _paired(present: list[str], names: list[str], random: Random) -> dict[str, str]:
    """Give each name another one; names are used up before one is used again."""
    pool = shuffled(sorted(names), random)
    pairs = {}
    for name in present:
        # Neither part of the other: "Ann Lee" for "Lee" would still be the right person.
        others = [other for other in pool if not {*other.split()} & {*name.split()}]
        if others:
            pairs[name] = others[0]
            pool.remove(others[0])
            pool.append(others[0])
    return pairs


def _whole(name: str) -> str:
    return rf"(?<!\w){re.escape(name)}(?!\w)"
