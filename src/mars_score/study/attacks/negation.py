"""Negation by rule: each sentence says the opposite, where one of these rules fits."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from mars_score.study.attacks.base import sentence_spans
from mars_score.types import Example

if TYPE_CHECKING:
    from random import Random


# English verb forms, as far as negation by rule needs them: from "walked" to "did ... walk".

_LIST = """
arose:arise ate:eat beat:beat became:become began:begin bent:bend bit:bite blew:blow broke:break brought:bring
built:build burst:burst bought:buy came:come caught:catch chose:choose clung:cling cost:cost crept:creep cut:cut
dealt:deal dealt:deal dug:dig drank:drink drew:draw drove:drive fed:feed fell:fall felt:feel fled:flee flew:fly
forgave:forgive forgot:forget fought:fight found:find froze:freeze gave:give got:get grew:grow heard:hear held:hold
hid:hide hit:hit hung:hang hurt:hurt kept:keep knew:know laid:lay led:lead left:leave lent:lend let:let lost:lose
made:make meant:mean met:meet overcame:overcome paid:pay put:put quit:quit ran:run rang:ring read:read rode:ride
rose:rise said:say sang:sing sank:sink sat:sit saw:see sent:send set:set shook:shake shone:shine shot:shoot shut:shut
slept:sleep slid:slide sold:sell sought:seek spent:spend split:split spoke:speak spread:spread sprang:spring
stole:steal stood:stand struck:strike stuck:stick stung:sting swam:swim swept:sweep swore:swear swung:swing
taught:teach thought:think threw:throw told:tell took:take tore:tear understood:understand woke:wake won:win wore:wear
went:go wept:weep withdrew:withdraw wrote:write
"""
PAST = dict(pair.split(":") for pair in _LIST.split())
"""Irregular past forms, to their base. Be, have and do are auxiliaries, and have rules of their own."""

_OTHERS = """
been done had gone come become seen taken given known shown grown thrown flown drawn begun run drunk sung swum sunk
eaten fallen forgotten gotten written broken chosen driven hidden risen spoken stolen worn torn born beaten bitten
frozen forgiven ridden shaken woken sworn
"""
PARTICIPLES = frozenset([*_OTHERS.split(), *PAST]) - {
    "went",
    "came",
    "took",
    "gave",
    "knew",
    "saw",
    "ran",
    "ate",
}

_EXCEPTIONS = {"added": "add", "breathed": "breathe", "bathed": "bathe", "pasted": "paste"}
_NO_PAST = re.compile(
    r".*eed|hundred|sacred|naked|wicked|bed|red|shed|wed|kindred|hatred|rugged|beloved|embed"
)
# A regular verb of one short syllable doubles its last letter (stop, stopped), so "cared" is of "care".
_SHORT = re.compile(r"[^aeiou]*[aeiou][^aeiouwxy]")


def past_base(word: str) -> str | None:
    """Return the base of a past form, "walk" for "walked"; ``None`` for what is no past form."""
    if word in PAST:
        return PAST[word]
    if len(word) < 4 or not word.endswith("ed") or _NO_PAST.fullmatch(word):
        return None
    if word in _EXCEPTIONS:
        return _EXCEPTIONS[word]
    stem = word[:-2]
    if stem.endswith("i"):
        return f"{stem}e" if len(stem) < 3 else f"{stem[:-1]}y"
    if _SHORT.fullmatch(stem):
        return f"{stem}e"
    doubled = [stem[:-1]] if len(stem) > 2 and stem[-1] == stem[-2] and stem[-1] not in "aeiou" else []
    return _commonest([stem, f"{stem}e", *doubled])


def third_person_base(word: str) -> str | None:
    """Return the base of a third person, "walk" for "walks"; ``None`` for what is no such form."""
    if len(word) < 3 or not word.endswith("s") or word.endswith(("ss", "us", "is", "'s")):
        return None
    if word.endswith("ies"):
        return f"{word[:-3]}y" if len(word) > 4 else word[:-1]
    if re.search(r"(?:ss|sh|ch|x|zz|o)es$", word):
        return word[:-2]
    return _commonest([word[:-1]])


def is_participle(word: str) -> bool:
    """Tell whether a word after "have" makes a perfect of it."""
    return word in PARTICIPLES or (word.endswith("ed") and not _NO_PAST.fullmatch(word))


@cache
def _frequency(word: str) -> float:
    from wordfreq import zipf_frequency

    return float(zipf_frequency(word, "en"))


def _commonest(words: list[str]) -> str | None:
    """Return the commonest of some spellings, if it is a word at all; of equals, the first."""
    best = max(words, key=_frequency)
    return best if _frequency(best) > 1.5 else None


# The rules; the first that fits a sentence is used.

_WORDS = {
    "auxiliaries": "am is are was were can could will would shall should may might must",
    "only subjects": "i he she we they",
    "adverbs": "also always already even ever just often only once quickly really simply soon still then",
    "before nouns": "a an the my your his her its our their this these those no some any",
    "no subjects": "to of in on at by for from with without into onto over under about after before through during "
    "than as and or but nor if when while because that which who be been being have has had do does did not get got "
    "getting very so too more most well newly neither nobody none nothing",
}
_LISTS = {name: frozenset(listed.split()) for name, listed in _WORDS.items()}
_AUXILIARIES = _LISTS["auxiliaries"]
_ONLY_SUBJECTS = _LISTS["only subjects"]
_ADVERBS = _LISTS["adverbs"]
_BEFORE_NOUNS = _LISTS["before nouns"]
"""After these comes a noun or an adjective: "the will", "her broken arm"."""
_NO_SUBJECTS = _LISTS["no subjects"] | _AUXILIARIES | _BEFORE_NOUNS
"""What no finite verb follows directly, or what makes a participle of it."""
_DO_FORMS = {"do": "do", "does": "does", "did": "did", "have": "do", "has": "does", "had": "did"}

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
_SHORT_NOT = re.compile(
    r"\b(ca|wo|sha|do|does|did|is|are|was|were|has|have|had|could|would|should|might|must|need)\s?n['\u2019]t\b",
    re.IGNORECASE,
)
_WHOLE = {"ca": "can", "wo": "will", "sha": "shall"}
_NOT = re.compile(
    r"(?<=[\w,])(?<!\bor)(?<!\bif)(?<!\bwhy)(?<!\bthan)\s+(?:not|never)\b(?!\s+(?:only|just|long|far))",
    re.IGNORECASE,
)
_CLITIC = re.compile(
    r"\b(?:i|you|he|she|it|we|they|that|there|who|what)\s?['\u2019](?:m|re|s|ll)\b", re.IGNORECASE
)
_ANSWER = re.compile(r"(yes|no)(?=\s*(?:[,.!;]|$)|\s+(?:i|you|he|she|it|we|they|there)\b)", re.IGNORECASE)


class _Word(NamedTuple):
    text: str
    """In lower case."""
    start: int
    end: int


def negate(example: Example, random: Random) -> str | None:
    """Negate each sentence that a rule fits."""
    text, at, parts = example.candidate, 0, []
    for start, end in sentence_spans(text):
        parts += [text[at:start], _opposite(text[start:end])]
        at = end
    negated = "".join([*parts, text[at:]])
    return negated if negated != text else None


def _opposite(sentence: str) -> str:
    answer = _ANSWER.match(sentence)
    if answer is None:
        return _negated(sentence)
    other = "no" if answer[0].lower() == "yes" else "yes"
    return (other.capitalize() if answer[0][0].isupper() else other) + _negated(sentence[answer.end() :])


def _negated(sentence: str) -> str:
    for rule in (_without_negation, _with_not, _with_do):
        if (changed := rule(sentence)) is not None:
            return changed
    return sentence


def _without_negation(sentence: str) -> str | None:
    if match := _SHORT_NOT.search(sentence):
        whole = _WHOLE.get(match[1].lower(), match[1])
        whole = whole.capitalize() if match[1][0].isupper() else whole
    elif match := re.search(r"\b(can)not\b", sentence, re.IGNORECASE):
        whole = match[1]
    elif match := _NOT.search(sentence):
        whole = ""
    else:
        return None
    return sentence[: match.start()] + whole + sentence[match.end() :]


def _with_not(sentence: str) -> str | None:
    """Put "not" behind the first auxiliary that a subject stands before."""
    places = [match.end() for match in _CLITIC.finditer(sentence)]
    words = _words(sentence)
    for index, word in enumerate(words[1:], 1):
        before, rest = words[index - 1], words[index + 1 :]
        if before.text in _BEFORE_NOUNS or before.text == "to":
            continue
        ends = not rest or re.search(r"[,.;:!?]", sentence[word.end : rest[0].start]) is not None
        if word.text in _AUXILIARIES or (word.text in ("do", "does", "did") and ends):
            places.append(word.end)
        elif word.text in ("have", "has", "had") and before.text not in _AUXILIARIES:
            verb = next((later.text for later in rest if not _is_adverb(later.text)), "")
            if is_participle(verb):
                places.append(word.end)
    return f"{sentence[: min(places)]} not{sentence[min(places) :]}" if places else None


def _with_do(sentence: str) -> str | None:
    """Put a form of "do" and "not" before the first finite verb, and the verb into its base form."""
    words = _words(sentence)
    for index in range(1, len(words)):
        word, first = words[index], index
        while first > 1 and _is_adverb(words[first - 1].text):
            first -= 1
        subject = words[first - 1]
        # A verb does not follow a comma, a bracket or a quotation mark directly; its subject does.
        if _is_adverb(word.text) or sentence[subject.end : words[first].start].strip(" ]"):
            continue
        support = _support(subject.text, word, opens=first == 1)
        if support is not None and sentence[word.start].islower():
            between = sentence[words[first].start : word.start]
            start = words[first].start
            return f"{sentence[:start]}{support[0]} not {between}{support[1]}{sentence[word.end :]}"
    return None


def _support(subject: str, word: _Word, *, opens: bool) -> tuple[str, str] | None:
    """Return the form of "do" and the base form for a word that follows a possible subject."""
    if subject in _NO_SUBJECTS:
        return None
    if word.text in _DO_FORMS:
        return _DO_FORMS[word.text], "have" if word.text.startswith("h") else "do"
    if base := past_base(word.text):
        return "did", base
    # Without a past form, only a subject pronoun tells a verb from a noun.
    if subject in _ONLY_SUBJECTS or (subject in ("it", "you") and opens):
        if subject in ("he", "she", "it"):
            base = third_person_base(word.text)
            return ("does", base) if base else None
        return None if word.text in _NO_SUBJECTS else ("do", word.text)
    return None


def _is_adverb(word: str) -> bool:
    return word in _ADVERBS or (len(word) > 4 and word.endswith("ly"))


def _words(sentence: str) -> list[_Word]:
    return [_Word(match[0].lower(), *match.span()) for match in _WORD.finditer(sentence)]
