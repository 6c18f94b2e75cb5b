"""Facts of a candidate that its sources do not bear out, or that contradict them: numbers, names, negations, opposites.

The sources are the context and the references. A number or name is borne out if one of them has it. One that is not
contradicts them if they have another beside the same word. A sentence that is about the same as one of theirs
contradicts it by another number, by another name in the same place, by denying what it says, by saying what it denies,
and by the opposite of a word (there is a list below). A question contradicts nothing. All of it is lookup in texts:
nothing is learnt, and each finding says what it found. In other languages than English only digits are numbers,
negations and opposites are not known, and in German, where every noun has a capital, names neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import pairwise, permutations

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
"""The share of a sentence's words and numbers that a sentence of the sources must have to be about the same thing."""
RARE = 2.5
"""Words that open a sentence and are more common than this are no names: People, Today."""
CAPITAL_NOUNS = frozenset({"de"})
"""Languages in which a capital does not tell a name."""
FEW = 2
"""Words and numbers that the two must share at least."""
EXCHANGED = 3
"""Words in a row that may be exchanged for as many; what differs in more says something else."""
_CLOSING = " \"'\u2019\u201d)]"
_PLACEHOLDER = re.compile(r"\[[A-Z_]+\]")
"""[UNK] or [MALE], which stand for a word and are none."""


# Common words that exclude each other. The list need not be complete: a word that is not in it costs nothing.

_PAIRS = """
open:shut open:closed opened:closed before:after with:without more:less more:fewer most:least first:last early:late
earlier:later up:down above:below inside:outside left:right near:far north:south north:east north:west south:east
south:west east:west northern:southern eastern:western rise:fall rose:fell risen:fallen rise:sink increase:decrease
increase:reduce gain:lose grow:shrink grew:shrank improve:worsen win:lose won:lost find:lose found:lost buy:sell
bought:sold borrow:lend import:export begin:end began:ended start:end start:finish start:stop begin:stop
arrive:leave arrive:depart came:left enter:leave enter:exit stay:leave remain:leave accept:reject accept:refuse
approve:reject agree:refuse agree:disagree allow:forbid allow:ban allow:prevent support:oppose attack:defend
succeed:fail pass:fail love:hate like:dislike remember:forget remembered:forgot teach:learn push:pull hire:fire
cheap:expensive free:expensive safe:dangerous hot:cold warm:cold wet:dry sunny:cloudy sunny:rainy big:small
large:small high:low higher:lower long:short longer:shorter old:new old:young older:younger good:bad better:worse
best:worst happy:sad happy:unhappy rich:poor strong:weak strong:light heavy:light dark:light thick:thin wide:narrow
deep:shallow clean:dirty healthy:sick healthy:ill full:empty easy:difficult easy:hard fast:slow quick:slow
quickly:slowly loud:quiet true:false right:wrong guilty:innocent legal:illegal possible:impossible likely:unlikely
able:unable known:unknown public:private alive:dead live:die same:different minimum:maximum advantage:disadvantage
success:failure male:female man:woman men:women boy:girl father:mother husband:wife brother:sister son:daughter
uncle:aunt king:queen married:divorced married:single day:night morning:evening morning:night summer:winter
spring:autumn everyone:nobody everything:nothing all:none yes:no
"""
_KINDS = (
    "monday tuesday wednesday thursday friday saturday sunday",
    "january february april june july august september october november december",
    "red green blue yellow black white brown pink purple orange grey",
)
"""Of each of these a thing is only one. March and May are verbs as well."""


def stem(word: str) -> str:
    """A word without a common English ending: `snapped` and `snap` are the same."""
    for ending in ("'s", "ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            cut = word[: -len(ending)]
            doubled = ending in ("ing", "ed") and cut[-1] == cut[-2] and cut[-1] not in "lsz"
            return cut[:-1] if doubled else cut
    return word


def _excluded() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for group in (*(pair.split(":") for pair in _PAIRS.split()), *(kind.split() for kind in _KINDS)):
        for one, other in permutations(map(stem, group), 2):
            found.setdefault(one, set()).add(other)
    return {word: frozenset(others) for word, others in found.items()}


OPPOSITES = _excluded()
"""By stem, the stems of the words that exclude it."""


# Texts as their sentences and tokens.


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
        return stem(self.text.lower().replace("\u2019", "'"))

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

    @property
    def tells(self) -> bool:
        """Whether it is a word for something: neither grammar nor negation nor number."""
        return not (self.negates or self.number or is_function_word(self.text))


@dataclass(frozen=True)
class Sentence:
    """A sentence as its tokens."""

    tokens: tuple[Token, ...]
    asks: bool = False
    """Whether it is a question, which states nothing."""

    @cached_property
    def content(self) -> frozenset[str]:
        """Its words for something, and those that have an opposite."""
        return frozenset(
            token.word
            for token in self.tokens
            if token.tells or (token.word in OPPOSITES and not token.negates)
        )

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The numbers that it names."""
        return frozenset(token.number for token in self.tokens if token.number)

    @cached_property
    def reach(self) -> frozenset[str]:
        """Its words and their opposites: a sentence that has them is about the same."""
        return self.content.union(*(OPPOSITES.get(word, ()) for word in self.content))

    @cached_property
    def denied(self) -> dict[str, Token]:
        """Words that follow a negation, each with it; what is negated twice is not negated."""
        found: dict[str, Token] = {}
        last, count = None, 0
        for token, following in pairwise((*self.tokens, None)):
            assert token is not None
            if token.text.lower() in ("and", "but"):
                last, count = None, 0
            elif token.negates and not _is_idle(token, following):
                last, count = token, count + 1
            elif last and token.tells:
                if count % 2:
                    found.setdefault(token.word, last)
                last = None
        return found

    def shared(self, other: Sentence) -> int:
        """How much of it another sentence has: words or their opposites, and as many numbers."""
        return len(self.content & other.reach) + min(len(self.numbers), len(other.numbers))


def _is_idle(token: Token, following: Token | None) -> bool:
    """Whether a negation negates nothing: "no," and "not only"."""
    if following is None:
        return False
    return following.text.lower() == "only" or (
        token.text.lower() == "no" and following.start - token.end > 1
    )


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
        told = [sentence for sentence in self.sentences if not sentence.asks]
        self.denied = {word for sentence in told for word in sentence.denied}
        self.affirmed = {word for sentence in told for word in sentence.content - sentence.denied.keys()}
        self.beside: dict[tuple[str, str], str] = {}
        """What stands beside a word: numbers before what they count, and the other part of a name."""
        for one, other in (pair for sentence in self.sentences for pair in pairwise(sentence.tokens)):
            both = f"{one.text} {other.text}"
            if one.number and other.tells:
                self.beside.setdefault(("number before", other.word), both)
            elif is_capital(one) and is_capital(other):
                self.beside.setdefault(("name before", other.word), both)
                self.beside.setdefault(("name after", one.word), both)

    def unsupported(self, candidate: str) -> tuple[Fact, ...]:
        """The facts of a candidate that are not borne out, in its order; of each word one, best a contradiction."""
        found: dict[int, Fact] = {}
        for sentence in read(candidate):
            alike = None if sentence.asks else self._alike(sentence)
            facts = [*self._unknown(sentence, alike)]
            if alike:
                facts += self._exchanged(sentence, alike)
            if alike and self.language == ENGLISH:
                facts += [*self._opposites(sentence, alike), *self._negations(sentence, alike)]
            for fact in facts:
                if fact.start not in found or fact.contradicts > found[fact.start].contradicts:
                    found[fact.start] = fact
        return tuple(found[start] for start in sorted(found))

    def _unknown(self, sentence: Sentence, alike: Sentence | None) -> Iterator[Fact]:
        """Numbers and names that the sources do not have."""
        for before, token, after in zip(
            (None, *sentence.tokens), sentence.tokens, (*sentence.tokens[1:], None), strict=False
        ):
            others: Iterator[str] = iter(())
            if self._is_unknown_number(token):
                kind, beside = "number", [("number before", after)]
                if alike:
                    others = (t.text for t in alike.tokens if t.number and t.number not in sentence.numbers)
            elif self._is_unknown_name(token):
                kind, beside = "name", [("name before", after), ("name after", before)]
                beside = [(place, word) for place, word in beside if word and is_capital(word)]
            else:
                continue
            near = (self.beside.get((place, word.word)) for place, word in beside if word)
            there = None if sentence.asks else next(filter(None, near), None) or next(others, None)
            if there:
                yield _contradiction(kind, token, f"where this stands, the sources have {there}")
            else:
                yield _fact(kind, token, f"neither context nor references have this {kind}")

    def _is_unknown_number(self, token: Token) -> bool:
        known = token.number is None or token.number in self.numbers
        return not known and (self.language == ENGLISH or token.text[0].isdigit())

    def _is_unknown_name(self, token: Token) -> bool:
        known = not self.names or token.word in self.words
        return not known and is_capital(token) and not token.opens and len(token.text) > 1

    def _exchanged(self, sentence: Sentence, other: Sentence) -> Iterator[Fact]:
        """Names of a sentence that stand where the other has another name, with the words around them alike."""
        ours, theirs = sentence.tokens, other.tokens
        matcher = SequenceMatcher(None, [t.word for t in theirs], [t.word for t in ours], autojunk=False)
        for kind, first, last, start, end in matcher.get_opcodes() if self.names else ():
            if kind != "replace" or last - first != end - start or last - first > EXCHANGED:
                continue
            for here, there in zip(ours[start:end], theirs[first:last], strict=True):
                new = is_capital(here) and not here.opens and here.word not in other.content
                if there.word in self.names and (new or here.word in self.names):
                    yield _contradiction("name", here, f"where this stands, the sources have {there.text}")

    def _opposites(self, sentence: Sentence, other: Sentence) -> Iterator[Fact]:
        """Words that the sources have not, where the other sentence has the opposite. Denied, it is the same."""
        words = {token.word for token in sentence.tokens}
        for token in sentence.tokens:
            opposite = (OPPOSITES.get(token.word, frozenset()) & other.content) - words - other.denied.keys()
            if opposite and token.word not in self.words and token.word not in sentence.denied:
                there = next(t.text for t in other.tokens if t.word in opposite)
                yield _contradiction("opposite", token, f"the sources have {there}")

    def _negations(self, sentence: Sentence, other: Sentence) -> Iterator[Fact]:
        """Words of both sentences that one denies and no source does, or that all sources deny."""
        told = " ".join(token.text for token in other.tokens[:8])
        for token in sentence.tokens:
            negation = sentence.denied.get(token.word)
            said = self.denied if negation else self.affirmed
            if token.tells and token.word in other.content and token.word not in said:
                reason = f"the sources say the opposite: {told} ..."
                yield _contradiction("negation", negation or token, reason)

    def _alike(self, sentence: Sentence) -> Sentence | None:
        """The sentence of the sources that has most of a sentence, if it is about the same thing."""

        def likeness(other: Sentence) -> tuple[int, int, int, bool]:
            """What a source says word for word is never held against a sentence."""
            exact = len(sentence.content & other.content)
            same = [token.word for token in other.tokens] == [token.word for token in sentence.tokens]
            return sentence.shared(other), exact, -len(other.content), same

        told = (other for other in self.sentences if not other.asks)
        best = max(told, key=likeness, default=None)
        size = len(sentence.content) + len(sentence.numbers)
        if best is None or sentence.shared(best) < max(FEW, SIMILAR * size):
            return None
        return best


def read(text: str) -> list[Sentence]:
    """The sentences of a text, with the places of their tokens in it."""
    found, place = [], 0
    for sentence in sentences(text):
        start = text.index(sentence, place)
        place = start + len(sentence)
        shape = _PLACEHOLDER.sub(lambda found: " " * len(found[0]), sentence)
        tokens = tuple(
            Token(match[0], start + match.start(), start + match.end(), opens=number == 0)
            for number, match in enumerate(_TOKEN.finditer(shape))
        )
        if tokens:
            found.append(Sentence(tokens, asks=sentence.rstrip(_CLOSING).endswith("?")))
    return found


def is_capital(token: Token) -> bool:
    """Whether a word is written with a capital and could be a name."""
    return token.text[0].isupper() and not is_function_word(token.text) and not token.number


def _fact(kind: str, token: Token, reason: str) -> Fact:
    return Fact(kind, token.text, token.start, token.end, reason)


def _contradiction(kind: str, token: Token, reason: str) -> Fact:
    return Fact(kind, token.text, token.start, token.end, reason, contradicts=True)
