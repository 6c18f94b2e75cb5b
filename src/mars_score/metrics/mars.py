"""MARS: mask -> infill -> score."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from mars_score import flags
from mars_score.infilling.base import Request
from mars_score.masking.templates import make_templates
from mars_score.masking.words import words
from mars_score.similarity.base import Encoding, cosine
from mars_score.types import (
    Augmentation,
    AugmentedReference,
    Block,
    Comparison,
    Example,
    ItemScore,
    Pair,
    Template,
)

if TYPE_CHECKING:
    from mars_score.config import MarsConfig
    from mars_score.infilling.base import Infiller
    from mars_score.masking.idf import Idf
    from mars_score.masking.tagging import Tagger
    from mars_score.similarity.base import Encoder

Progress = Callable[[str, int, int], None]
"""Told (stage, finished, total)."""


@dataclass(frozen=True, slots=True)
class Mars:
    """The metric, given its parts."""

    config: MarsConfig

    def augment(
        self, pairs: Sequence[Pair], tagger: Tagger, idf: Idf, infiller: Infiller, progress: Progress
    ) -> list[Augmentation]:
        """Mask each reference at every ratio, then fill the blanks in the light of its context."""
        cut = [self._cut(pair.reference) for pair in pairs]
        requests = []
        for done, (pair, reference) in enumerate(zip(pairs, cut, strict=True), 1):
            templates = make_templates(pair.context, reference, self.config.masking, tagger, idf)
            requests.append(Request(pair.context, templates, pair.question))
            progress("masking", done, len(pairs))
        answers = infiller.fill(requests, partial(progress, "infilling"))
        return [
            Augmentation(
                (human_reference(reference), *answer.augmented),
                _raised(
                    {
                        flags.CONTEXT_TRUNCATED: answer.context_truncated,
                        flags.REFERENCE_TRUNCATED: len(reference) < len(pair.reference),
                        flags.NOTHING_MASKABLE: not any(template.blanks for template in request.templates),
                    }
                ),
            )
            for pair, reference, request, answer in zip(pairs, cut, requests, answers, strict=True)
        ]

    def score(
        self,
        examples: Sequence[Example],
        augmented: Mapping[Pair, Augmentation],
        encoder: Encoder,
        progress: Progress,
    ) -> list[ItemScore]:
        """Compare each candidate with its references and their augmentations (Eq. 7)."""
        texts = [example.candidate for example in examples]
        texts += [one.text for found in augmented.values() for one in found.augmented]
        unique = list(dict.fromkeys(texts))
        encodings = dict(zip(unique, encoder.encode(unique, partial(progress, "encoding")), strict=True))
        return [self._score(example, augmented, encodings) for example in examples]

    def weights(self, augmented: Sequence[AugmentedReference]) -> list[float]:
        """Geometric weights over the ratios, shared by the samples of a ratio; they sum to 1."""
        ratios = list(dict.fromkeys(one.ratio for one in augmented))
        raw = [
            self.config.scoring.q ** ratios.index(one.ratio)
            / sum(other.ratio == one.ratio for other in augmented)
            for one in augmented
        ]
        return [weight / sum(raw) for weight in raw]

    def _score(
        self, example: Example, augmented: Mapping[Pair, Augmentation], encodings: Mapping[str, Encoding]
    ) -> ItemScore:
        candidate = encodings[example.candidate]
        found = [augmented[pair] for pair in example.pairs]
        compared = [
            tuple(
                Comparison(one, cosine(candidate, encodings[one.text]), weight)
                for one, weight in zip(each.augmented, self.weights(each.augmented), strict=True)
            )
            for each in found
        ]
        totals = [sum(term.weight * term.cosine for term in terms) for terms in compared]
        raised = _raised(
            {
                flags.EMPTY_CANDIDATE: not example.candidate.strip(),
                flags.OUT_OF_VOCABULARY: bool(example.candidate.strip()) and not candidate.vector.any(),
                flags.NO_CONTEXT: not example.context.strip(),
                flags.CANDIDATE_TRUNCATED: candidate.truncated,
                flags.REFERENCE_TRUNCATED: any(
                    encodings[one.text].truncated for each in found for one in each.augmented
                ),
            }
        )
        raised = tuple(sorted({*raised, *(flag for each in found for flag in each.flags)}))
        if self.config.scoring.references == "mean":
            terms = tuple(
                Comparison(term.augmented, term.cosine, term.weight / len(compared))
                for each in compared
                for term in each
            )
            return ItemScore(example.id, sum(totals) / len(totals), terms, raised)
        best = max(range(len(totals)), key=lambda i: (totals[i], -i))
        return ItemScore(example.id, totals[best], compared[best], raised)

    def _cut(self, reference: str) -> str:
        """The reference up to its longest allowed length in words."""
        found = words(reference)
        return (
            reference
            if len(found) <= self.config.masking.max_words
            else reference[: found[self.config.masking.max_words - 1].end]
        )


def human_reference(reference: str) -> AugmentedReference:
    """The reference itself, as the augmentation of ratio 0."""
    return AugmentedReference(Template(0.0, (Block(reference, blank=False),)), ())


def _raised(conditions: Mapping[str, bool]) -> tuple[str, ...]:
    return tuple(flag for flag, holds in conditions.items() if holds)
