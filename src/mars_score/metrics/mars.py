"""MARS in one screen: mask -> infill -> score."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from mars_score.metrics.augmenting import augment
from mars_score.metrics.comparing import Against
from mars_score.metrics.likely import read

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mars_score.config import MarsConfig
    from mars_score.infilling.base import Infiller
    from mars_score.infilling.likelihood import Likelihood
    from mars_score.masking.idf import Idf
    from mars_score.masking.tagging import Tagger
    from mars_score.progress import StageProgress
    from mars_score.similarity.base import Encoder, Encoding
    from mars_score.similarity.memory import EncodingMemory
    from mars_score.types import Augmentation, Example, ItemScore, Pair


@dataclass(frozen=True, slots=True)
class Mars:
    """The metric, given its parts: `augment` needs no candidate, `score` no language model unless asked for it."""

    config: MarsConfig

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
        scoring = self.config.scoring
        references = dict.fromkeys(one.text for found in augmented.values() for one in found.augmented)
        contexts = dict.fromkeys(one.context for one in examples if scoring.adjusts and one.context.strip())
        candidates = dict.fromkeys(example.candidate for example in examples)
        encodings = _encode([*candidates, *references, *contexts], encoder, memory, progress)
        for text in (*references, *contexts):  # the next system has them too; its candidates are its own
            memory.keep(text, encodings[text])
        for text in candidates:
            if text not in references and text not in contexts:
                memory.keep_for_now(text, encodings[text])
        likely = {} if likelihood is None else read(examples, likelihood, progress)
        items: list[ItemScore] = []
        places: dict[tuple[Pair, ...], Against] = {}
        for example in examples:
            pairs = example.pairs
            if pairs not in places:
                own = [augmented[pair] for pair in pairs]
                places[pairs] = Against.of(example, own, encodings, likely, scoring)
            items.append(places[pairs].score(example, encodings[example.candidate]))
        return items


def _encode(
    texts: Sequence[str], encoder: Encoder, memory: EncodingMemory, progress: StageProgress
) -> dict[str, Encoding]:
    """Encode what is not in memory, all of it together."""
    known = {text: found for text in texts if (found := memory.get(text)) is not None}
    new = list(dict.fromkeys(text for text in texts if text not in known))
    return known | dict(zip(new, encoder.encode(new, partial(progress, "encoding")), strict=True))
