"""From a reference to its augmentations: mask, then infill. All that a cached augmentation follows from is here."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from mars_score import flags
from mars_score.masking.tagging import NoTagger
from mars_score.masking.templates import make_templates
from mars_score.progress import Progress, silent
from mars_score.text.languages import ENGLISH, is_foreign, resolved
from mars_score.text.words import first_words
from mars_score.types import Augmentation, InfillingRequest, Pair, human_reference

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.config import MaskingConfig
    from mars_score.masking.tagging import Tagger
    from mars_score.progress import StageProgress
    from mars_score.text.frequency import Idf
    from mars_score.types import Infilled


class Infiller(Protocol):
    """Fills blanks."""

    def fill(self, requests: Sequence[InfillingRequest], progress: Progress = silent) -> list[Infilled]:
        """Answer each request, in order."""


@runtime_checkable
class Preparable(Protocol):
    """Has work that can be done before the first text is there, once."""

    def prepare(self) -> None:
        """Do it, if it is not done."""


def prepare(tagger: Tagger, infiller: Infiller) -> None:
    """Load the tagger, which is Python, while the language model's weights are laid out, which is not."""
    with ThreadPoolExecutor(1) as beside:
        laid_out = beside.submit(infiller.prepare) if isinstance(infiller, Preparable) else None
        if isinstance(tagger, Preparable):
            tagger.prepare()
        if laid_out:
            laid_out.result()


def augment(
    pairs: Sequence[Pair],
    config: MaskingConfig,
    tagger: Tagger,
    idf: Idf,
    infiller: Infiller,
    progress: StageProgress,
) -> list[Augmentation]:
    """Mask each reference at every ratio, then fill the blanks in the light of its context."""
    prepare(tagger, infiller)
    languages = [resolved(config.language, pair.reference, pair.context) for pair in pairs]
    references = [
        first_words(pair.reference, config.max_words, language)
        for pair, language in zip(pairs, languages, strict=True)
    ]
    requests = []
    for done, (pair, reference, language) in enumerate(zip(pairs, references, languages, strict=True), 1):
        templates = make_templates(pair.context, reference, replace(config, language=language), tagger, idf)
        # The writer would go on in a context's own language, so it sees none in another. By default all is English.
        hidden = config.language != ENGLISH and is_foreign(pair.context, language)
        context, question = ("", "") if hidden else (pair.context, pair.question)
        requests.append(InfillingRequest(context, templates, question, language))
        progress("masking", done, len(pairs))
    answers = infiller.fill(requests, partial(progress, "infilling"))
    return [
        Augmentation(
            (human_reference(reference), *answer.augmented),
            flags.raised(
                {
                    flags.CONTEXT_TRUNCATED: answer.context_truncated,
                    flags.REFERENCE_TRUNCATED: len(reference) < len(pair.reference),
                    flags.NOTHING_MASKABLE: not any(template.blanks for template in request.templates),
                    flags.NO_TAGGER: config.tagger != NoTagger.name and tagger.language != request.language,
                }
            ),
        )
        for pair, reference, request, answer in zip(pairs, references, requests, answers, strict=True)
    ]
