"""English verb forms, as far as negation by rule needs them: from "walked" to "did ... walk"."""

from __future__ import annotations

import re
from functools import cache

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
    from wordfreq import zipf_frequency  # noqa: PLC0415  # it reads its table when imported

    return float(zipf_frequency(word, "en"))


def _commonest(words: list[str]) -> str | None:
    """Return the commonest of some spellings, if it is a word at all; of equals, the first."""
    best = max(words, key=_frequency)
    return best if _frequency(best) > 1.5 else None
