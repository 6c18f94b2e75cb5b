"""Which words carry a text's content: not punctuation, and not the small words of English grammar."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

from mars_score.text.languages import ENGLISH, common_words, joined_marks

_LIST = """
    a an the this that these those such same both each every either neither another other any some no
    i me my mine myself you your yours yourself yourselves he him his himself she her hers herself
    it its itself we us our ours ourselves they them their theirs themselves one's
    who whom whose which what when where why how whether while
    and or but nor so yet if then than as because since until unless although though however
    of in on at by for with about against between into through during before after above below
    to from up down out off over under again further upon onto within without toward towards
    am is are was were be been being have has had having do does did doing
    will would shall should can could may might must not
    there here just too very also only own more most few
    'm 're 've 'll 'd 's i'm i've i'll i'd you're you've you'll you'd he's he'll he'd she's she'll she'd
    it's it'll it'd we're we've we'll we'd they're they've they'll they'd that's there's who's what's
    isn't aren't wasn't weren't hasn't haven't hadn't don't doesn't didn't won't wouldn't shan't
    shouldn't can't cannot couldn't mustn't mightn't n't
"""
FUNCTION_WORDS = frozenset(_LIST.split())
"""Articles, pronouns, prepositions, conjunctions, auxiliaries and their contractions."""
VERSION = "english1"
"""For signatures: raised whenever the list or the rule changes."""


@lru_cache(maxsize=1 << 16)
def is_punctuation(word: str) -> bool:
    """Whether a word is made of punctuation and signs such as ``$`` or ``+`` alone. An emoji is a word."""
    kinds = {unicodedata.category(character) for character in word}
    return all(kind[0] == "P" or kind in {"Sm", "Sc", "Sk"} for kind in kinds)


def is_function_word(word: str, language: str = ENGLISH) -> bool:
    """Whether a word, in whatever case, is of the list above; in other languages, one of the commonest words."""
    plain = word.replace("\u2019", "'").lower()
    return plain in FUNCTION_WORDS if language == ENGLISH else joined_marks(plain) in common_words(language)
