"""MARS in one screen: mask -> infill -> score."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from mars_score.metrics.augmenting import augment
from mars_score.metrics.comparing import Against
from mars_score.metrics.likely import read
from mars_score.recent import Recent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mars_score.config import MarsConfig
    from mars_score.infilling.base import Infiller
    from mars_score.lm.likelihood import Likelihood
    from mars_score.masking.idf import Idf
    from mars_score.masking.tagging import Tagger
    from mars_score.progress import StageProgress
    from mars_score.similarity.base import Encoder, Encoding
    from mars_score.similarity.memory import EncodingMemory
    from mars_score.types import Augmentation, Example, ItemScore, Pair


PLACES = 64 << 20
"""Bytes of what candidates are held against that are kept for the next system, about."""
ENTRY = 200
"""Bytes of a word, a run of words, a text or a template, about."""


@dataclass(frozen=True, slots=True)
class Mars:
    """The metric, given its parts: `augment` needs no candidate, `score` no language model unless asked for it."""

    config: MarsConfig
    places: Recent[tuple[Pair, ...], Against] = field(default_factory=lambda: Recent(PLACES, _size))
    """By context and references, for the next candidates."""

    def augment(
        self, pairs: Sequence[Pair], tagger: Tagger, idf: Idf, infiller: Infiller, progress: StageProgress
    ) -> list[Augmentation]:
        """Mask each reference at every ratio, then fill the blanks in the light of its context."""
        return augment(pairs, self.config.masking, tagger, idf, infiller, progress)

    def score(
        self, examples: Sequence[Example], augmented: Mapping[Pair, Augmentation], encoder: Encoder,
        memory: EncodingMemory, progress: StageProgress, likelihood: Likelihood | None = None,
    ) -> list[ItemScore]:  # fmt: skip
        """Compare each candidate with its references and their augmentations (Eq. 7), then adjust."""
        from mars_score.similarity.side_by_side import one_thread_each  # noqa: PLC0415  (heavy)

        scoring = self.config.scoring
        firsts: dict[tuple[Pair, ...], Example] = {}
        for example in examples:
            firsts.setdefault(example.pairs, example)
        places = {pairs: self._place(pairs, augmented) for pairs in firsts}
        references = dict.fromkeys(text for place in places.values() for text in place.texts)
        contexts = dict.fromkeys(one.context for one in examples if scoring.adjusts and one.context.strip())
        candidates = dict.fromkeys(example.candidate for example in examples)
        encodings = _encode([*candidates, *references, *contexts], encoder, memory, progress)
        for text in (*references, *contexts):  # the next system has them too; its candidates are its own
            memory.keep(text, encodings[text])
        for text in candidates:
            if text not in references and text not in contexts:
                memory.keep_for_now(text, encodings[text])
        likely = {} if likelihood is None else read(examples, likelihood, progress)
        with one_thread_each():
            for pairs, place in places.items():
                if self.places.get(pairs) is not place:
                    places[pairs] = place.measured(firsts[pairs], encodings, likely)
                    self.places.keep(pairs, places[pairs])
            return [places[example.pairs].score(example, encodings, likely) for example in examples]

    def _place(self, pairs: tuple[Pair, ...], augmented: Mapping[Pair, Augmentation]) -> Against:
        """What was measured before, or what is to be measured once all is encoded."""
        own = tuple(augmented[pair] for pair in pairs)
        known = self.places.get(pairs)
        return known if known and known.augmentations == own else Against.of(own, self.config.scoring)


def _size(pairs: tuple[Pair, ...], place: Against) -> int:
    """The bytes of a place, about: its words and runs of words are most of them."""
    source = place.usual.source if place.usual else None
    parts = len(source.words) + len(source.runs) if source else 0
    return ENTRY * (10 + len(pairs) + 4 * len(place.texts) + parts)


def _encode(
    texts: Sequence[str], encoder: Encoder, memory: EncodingMemory, progress: StageProgress
) -> dict[str, Encoding]:
    """Encode what is not in memory, all of it together."""
    known = {text: found for text in texts if (found := memory.get(text)) is not None}
    new = list(dict.fromkeys(text for text in texts if text not in known))
    return known | dict(zip(new, encoder.encode(new, partial(progress, "encoding")), strict=True))
