"""The MARS infiller: text templates to token jobs, through the engine, and back to text."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import TYPE_CHECKING

from mars_score.infilling.decoder.engine import DecodingEngine
from mars_score.infilling.decoder.state import FoundTexts, Job, TokenBlock
from mars_score.infilling.seams import SENTENCE_END, Seam
from mars_score.progress import Progress, silent
from mars_score.storage.lru import LRUCache
from mars_score.text.languages import ENGLISH, is_foreign
from mars_score.text.words import is_function_word, without_spaces, words
from mars_score.types import AugmentedReference, Infilled

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from mars_score.config import InfillingConfig
    from mars_score.lm.causal import LanguageModel
    from mars_score.types import InfillingRequest, Template


KEPT = 100_000
"""Templates whose fills are remembered: some 50 MB."""


class GuidedInfiller:
    """Fills blanks by self-planned generation with a causal language model."""

    def __init__(
        self, model: LanguageModel, config: InfillingConfig, engine: DecodingEngine | None = None
    ) -> None:
        """Use the given engine, or one of the default size."""
        self.model, self.config = model, config
        self.engine = engine or DecodingEngine(model, config)
        self.memory: LRUCache[bytes, FoundTexts] = LRUCache(KEPT)
        """A further masking ratio leaves the templates of the others as they were; they are not filled again."""
        self._tokens: dict[str, int] = {}

    def prepare(self) -> None:
        """Make what every template needs of the language model."""
        self.engine.prepare()

    def fill(self, requests: Sequence[InfillingRequest], progress: Progress = silent) -> list[Infilled]:
        """Fill every template of every request; identical ones once."""
        prepared = [self._template_jobs(request) for request in requests]
        ranked = self._ranked(
            [job for template_jobs, _ in prepared for _, job in template_jobs if job], progress
        )
        return [
            Infilled(self._augmented(template_jobs, ranked, request.language), context_truncated=cut)
            for request, (template_jobs, cut) in zip(requests, prepared, strict=True)
        ]

    def _augmented(
        self,
        template_jobs: Sequence[tuple[Template, Job | None]],
        ranked: Mapping[Job, FoundTexts],
        language: str,
    ) -> tuple[AugmentedReference, ...]:
        """One text for each of a reference's templates."""
        good: list[list[AugmentedReference]] = []
        poor: list[list[AugmentedReference]] = []
        for template, job in template_jobs:
            texts = ranked[job] if job else FoundTexts(((),), 1)  # nothing is masked: the reference itself
            variants = [
                AugmentedReference(template, tuple(map(self.model.decode, fills))) for fills in texts.fills
            ]
            strays = [variant for variant in variants if _strays(variant, language)]
            good.append([variant for variant in variants[: texts.good] if variant not in strays])
            others = [variant for variant in variants[texts.good :] if variant not in strays]
            poor.append([*others, *strays])
        chosen = _distinct(good, poor, {template.source.strip() for template, _ in template_jobs})
        return tuple(
            AugmentedReference(replace(variant.template, ratio=template.ratio), variant.fills)
            for variant, (template, _) in zip(chosen, template_jobs, strict=True)
        )

    def _ranked(self, jobs: Sequence[Job], progress: Progress) -> dict[Job, FoundTexts]:
        """What the engine writes, or wrote before."""
        keys = {job: _digest(job) for job in jobs}
        ranked = {job: fills for job, key in keys.items() if (fills := self.memory.get(key)) is not None}
        new = [job for job in keys if job not in ranked]
        for job, fills in zip(new, self.engine.texts(new, progress), strict=True):
            ranked[job] = fills
            self.memory.keep(keys[job], fills)
        return ranked

    def jobs(self, requests: Sequence[InfillingRequest]) -> list[Job]:
        """What the engine is given for these requests: a job for each template that has a blank."""
        return [job for request in requests for _, job in self._template_jobs(request)[0] if job]

    def _template_jobs(self, request: InfillingRequest) -> tuple[list[tuple[Template, Job | None]], bool]:
        """The templates of a request, `samples` times each, with their jobs; whether the context was cut."""
        context, cut = self._context(request)
        around = request.context if self.config.context else ""
        return [
            (
                template,
                self._job(context, template, sample, around, request.language) if template.blanks else None,
            )
            for template in request.templates
            for sample in range(self.config.samples)
        ], cut

    def _context(self, request: InfillingRequest) -> tuple[tuple[int, ...], bool]:
        """The start token and as much of the context as the model can hold beside the longest template."""
        if not self.config.context or not request.context.strip():
            return (self.model.start,), False
        ids = self.model.encode(request.context.strip())
        end = self.model.encode("\n") if _begins_line(request.context) else []
        templates = [self._job((), template, 0) for template in request.templates if template.blanks]
        need = max((self.engine.positions(job) for job in templates), default=0)
        room = max(0, min(self.config.max_context, self.model.max_positions - need - 1) - len(end))
        if len(ids) <= room:
            return (self.model.start, *ids, *end), False
        question = self.model.encode(f"\n{request.question}") if request.question else []
        return (self.model.start, *ids[: max(0, room - len(question))], *question[:room], *end), True

    def _job(
        self,
        context: tuple[int, ...],
        template: Template,
        sample: int,
        around: str = "",
        language: str = ENGLISH,
    ) -> Job:
        """Tokenize a template's blocks one by one, so that its text is never changed by what is filled in."""
        blocks: list[TokenBlock] = []
        before = "." if len(context) > 1 else ""  # the context's end; it always counts as a finished word
        for index, block in enumerate(template.blocks):
            text = block.text
            if index == 0 and before:
                text = text.lstrip() if _begins_line(around) else f" {text.lstrip()}"
            ids = tuple(self.model.encode(text))
            needs_break = block.blank and _needs_break(before, text)
            seam = None
            if block.blank and self.config.search == "beam":
                seam = Seam.at(template, index, around, needs_break=needs_break, language=language)
            blocks.append(TokenBlock(ids, block.blank, needs_break, seam))
            before = text
        salt = hashlib.sha256(repr((self.config.seed, sample, context, blocks)).encode()).digest()
        seed = int.from_bytes(salt[:7], "big") if self.config.temperature else 0
        return Job(context, tuple(blocks), seed, self._informative(around, template.source, language))

    def _informative(self, context: str, reference: str, language: str) -> tuple[int, ...]:
        """The first tokens of the content words that the context has and the reference does not."""
        if self.config.search != "beam" or not self.config.context_reward:
            return ()
        reference_words = {word.text.casefold() for word in words(reference, language)}
        new = dict.fromkeys(
            word.text for word in words(context, language) if word.text.casefold() not in reference_words
        )
        return self._first_tokens(tuple(word for word in new if _is_content(word, language)))

    def _first_tokens(self, new: tuple[str, ...]) -> tuple[int, ...]:
        """Of each word, as it stands within a text."""
        for word in new:
            if word not in self._tokens:
                apart = "" if without_spaces(word) else " "
                self._tokens[word] = self.model.encode(f"{apart}{word}")[0]
        return tuple(sorted({self._tokens[word] for word in new}))


def _is_content(word: str, language: str) -> bool:
    """Whether a word says something: letters or digits, no word of grammar, and more than a letter or two."""
    long_enough = len(word) > (1 if without_spaces(word) else 2)
    return long_enough and any(map(str.isalnum, word)) and not is_function_word(word, language)


def _distinct(
    good: Sequence[Sequence[AugmentedReference]], poor: Sequence[Sequence[AugmentedReference]], seen: set[str]
) -> list[AugmentedReference]:
    """One text for each template: its best that differs from what was seen and from the others.

    A template that has no good one left, as where its only blank has but one fill, or where nothing is masked, takes
    one of the template next to it; then a poor one of its own; and at last one that is there already.
    """

    def unused(variants: Iterable[AugmentedReference]) -> AugmentedReference | None:
        found = next((variant for variant in variants if variant.text not in seen), None)
        if found:
            seen.add(found.text)
        return found

    chosen = [unused(variants) for variants in good]
    texts: list[AugmentedReference] = []
    for place, variant in enumerate(chosen):
        nearest = sorted(range(len(good)), key=lambda other: abs(other - place))
        others = (other for number in nearest for other in good[number])
        texts.append(variant or unused(others) or unused(poor[place]) or [*good[place], *poor[place]][0])
    return texts


def _strays(augmented: AugmentedReference, language: str) -> bool:
    """Whether a text was filled in another language than its own."""
    return language != ENGLISH and any(is_foreign(fill, language) for fill in augmented.fills)


def _begins_line(context: str) -> bool:
    """Whether a reference begins a line of its own: after turns of a dialogue, or what is not a finished sentence."""
    context = context.strip()
    return "\n" in context or not SENTENCE_END.search(context)


def _digest(job: Job) -> bytes:
    """Stands for a job in memory, whose context would take far more room than its fills."""
    seams = [block.seam for block in job.blocks]
    return hashlib.blake2b(repr((job, seams)).encode(), digest_size=16).digest()


def _needs_break(before: str, blank: str) -> bool:
    """Whether a fill must start with a space or a mark, so that it does not lengthen the word before it.

    Scripts written without spaces have letters on both sides of the border; there, nothing is asked.
    """
    return bool(before) and (blank[:1].isspace() or (before[-1:].isalnum() and not blank[:1].isalnum()))
