"""Facts of a candidate that its sources do not bear out: numbers, names and negations.

The sources are the context and the references. A number is borne out if one of them has it; a name too, and it must
stand where the most similar sentence of the sources has it; a sentence must be negated if that sentence is, and only
then. All of it is lookup in texts: nothing is learnt, and each finding says what it found. In other languages than
English only digits are numbers, negations are not known, and in German, where every noun has a capital, names neither.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property

from mars_score.text.frequency import rarity
from mars_score.text.languages import ENGLISH
from mars_score.text.words import is_function_word, sentences
from mars_score.types import Fact

_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
NUMBER_WORDS = {word: str(value) for value, word in enumerate(_UNITS.split())} | {
    word: str(10 * value) for value, word in enumerate(_TENS.split(), 2)
}
NEGATIONS = frozenset(
    ["not", "no", "never", "none", "nobody", "nothing", "neither", "nor", "nowhere", "cannot"]
)
SIMILAR = 0.5
"""The share of a sentence's content words that a sentence of the sources must have to be about the same thing."""
RARE = 2.5
"""Words that open a sentence and are more common than this are no names: People, Today."""
CAPITAL_NOUNS = frozenset({"de"})
"""Languages in which a capital does not tell a name."""
FEW = 2
"""Content words that the two must share at least."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word or number of a text."""

    text: str
    start: int
    end: int
    opens: bool
    """Whether it opens a sentence, where a capital says nothing."""

    @property
    def word(self) -> str:
        """In lower case, without an ending that only inflects it."""
        return _stem(self.text.lower().replace("\u2019", "'"))

    @property
    def number(self) -> str | None:
        """The number that it names; `one` is seldom a number."""
        if self.text[0].isdigit():
            return self.text.replace(",", "").rstrip(".")
        lower = self.text.lower()
        return None if lower == "one" else NUMBER_WORDS.get(lower)

    @property
    def negates(self) -> bool:
        """Whether it turns a sentence into its opposite."""
        lower = self.text.lower().replace("\u2019", "'")
        return lower in NEGATIONS or lower.endswith("n't")


@dataclass(frozen=True)
class Sentence:
    """A sentence as its tokens."""

    tokens: tuple[Token, ...]

    @cached_property
    def content(self) -> frozenset[str]:
        """Its words that are neither grammar nor negation."""
        return frozenset(
            token.word for token in self.tokens if not token.negates and not is_function_word(token.text)
        )

    @cached_property
    def negated(self) -> bool:
        """Whether an odd number of words negates it."""
        return sum(token.negates for token in self.tokens) % 2 == 1


class Sources:
    """What a candidate may draw on, ready to be looked up."""

    def __init__(self, texts: Sequence[str], language: str = ENGLISH) -> None:
        """Read the context and the references, which are in some language."""
        self.language = language
        self.sentences = tuple(sentence for text in texts for sentence in read(text))
        tokens = [token for sentence in self.sentences for token in sentence.tokens]
        self.numbers = {token.number for token in tokens if token.number}
        self.words = {token.word for token in tokens}
        # A text without any capital does not tell what is a name.
        cased = (read(text) for text in texts if any(map(str.isupper, text)))
        small = {
            t.word for each in cased for sentence in each for t in sentence.tokens if t.text[0].islower()
        }
        capital = [token for token in tokens if is_capital(token)]
        self.names: set[str] = set()
        """What the sources always write with a capital."""
        if language not in CAPITAL_NOUNS:
            self.names = {t.word for t in capital if not t.opens or rarity(t.text.lower()) > RARE} - small

    def unsupported(self, candidate: str) -> tuple[Fact, ...]:
        """The facts of a candidate that are not borne out, in its order."""
        facts = [
            fact
            for sentence in read(candidate)
            for fact in (*self._numbers(sentence), *self._names(sentence), *self._negation(sentence))
        ]
        return tuple(sorted(facts, key=lambda fact: fact.start))

    def _numbers(self, sentence: Sentence) -> list[Fact]:
        return [
            _fact("number", token, "neither context nor references have this number")
            for token in sentence.tokens
            if token.number
            and token.number not in self.numbers
            and (self.language == ENGLISH or token.text[0].isdigit())
        ]

    def _names(self, sentence: Sentence) -> list[Fact]:
        unknown = [
            token
            for token in sentence.tokens
            if is_capital(token) and not token.opens and token.word not in self.words and len(token.text) > 1
        ]
        facts = [
            _fact("name", token, "neither context nor references have this name")
            for token in unknown
            if self.names
        ]
        if self.names and (other := self._most_similar(sentence)):
            facts += [
                _fact("name", here, f"where this stands, the sources have {there.text}")
                for here, there in self._exchanged(sentence, other)
                if here not in unknown
            ]
        return facts

    def _exchanged(self, sentence: Sentence, other: Sentence) -> list[tuple[Token, Token]]:
        """Names of a sentence that stand where the other has another name, with the words around them alike."""
        ours, theirs = sentence.tokens, other.tokens
        matcher = SequenceMatcher(None, [t.word for t in theirs], [t.word for t in ours], autojunk=False)
        return [
            (ours[here], theirs[there])
            for kind, first, last, start, end in matcher.get_opcodes()
            if kind == "replace" and last - first == end - start
            for there, here in zip(range(first, last), range(start, end), strict=True)
            if (
                is_capital(ours[here])
                and theirs[there].word in self.names
                and ours[here].word not in other.content
            )
            or (ours[here].word in self.names and theirs[there].word in self.names)
        ]

    def _negation(self, sentence: Sentence) -> list[Fact]:
        other = self._most_similar(sentence) if self.language == ENGLISH else None
        if other is None or other.negated == sentence.negated:
            return []
        token = next((token for token in sentence.tokens if token.negates), sentence.tokens[0])
        told = " ".join(token.text for token in other.tokens[:8])
        return [_fact("negation", token, f"the sources say the opposite: {told} ...")]

    def _most_similar(self, sentence: Sentence) -> Sentence | None:
        """The sentence of the sources that shares most content words, if it is about the same thing."""
        words = sentence.content
        if not words:
            return None

        def shared(other: Sentence) -> tuple[int, int, bool, bool]:
            """What a source says word for word, or as well as its opposite, is never held against a sentence."""
            common = len(words & other.content)
            same = [token.word for token in other.tokens] == [token.word for token in sentence.tokens]
            return common, -len(other.content), same, other.negated == sentence.negated

        best = max(self.sentences, key=shared, default=None)
        if best is None or shared(best)[0] < max(FEW, SIMILAR * len(words)):
            return None
        return best


def read(text: str) -> list[Sentence]:
    """The sentences of a text, with the places of their tokens in it."""
    found, place = [], 0
    for sentence in sentences(text):
        start = text.index(sentence, place)
        place = start + len(sentence)
        tokens = tuple(
            Token(match[0], start + match.start(), start + match.end(), opens=number == 0)
            for number, match in enumerate(_TOKEN.finditer(sentence))
        )
        if tokens:
            found.append(Sentence(tokens))
    return found


def is_capital(token: Token) -> bool:
    """Whether a word is written with a capital and could be a name."""
    return token.text[0].isupper() and not is_function_word(token.text) and not token.number


def _stem(word: str) -> str:
    """A word without a common English ending."""
    for ending in ("'s", "ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def _fact(kind: str, token: Token, reason: str) -> Fact:
    return Fact(kind, token.text, token.start, token.end, reason)
