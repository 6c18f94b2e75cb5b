"""`MarsScorer`: the metric with its models, loaded when they are first needed."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from mars_score import flags
from mars_score.config import MarsConfig, preset
from mars_score.errors import ConfigError, InputError
from mars_score.examples import make_examples
from mars_score.masking.idf import BackgroundIdf, CorpusIdf, Idf
from mars_score.masking.tagging import PatternTagger, SpacyTagger, Tagger
from mars_score.masking.templates import WordPlan, explain_words
from mars_score.metrics.mars import Mars
from mars_score.models.resolve import ResolvedModel, resolve, source_of
from mars_score.models.store import ModelStore
from mars_score.progress import StageProgress, silent_stages
from mars_score.signature import signature
from mars_score.similarity.memory import EncodingMemory
from mars_score.text import clean
from mars_score.types import Augmentation, Example, ItemScore, Pair, ScoreResult

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mars_score.infilling.guided import GuidedInfiller
    from mars_score.similarity.base import Encoder


LANGUAGE_MODEL, ENCODER, TAGGER = ("causal-lm",), ("encoder", "word-vectors"), ("tagger",)
"""The roles of the catalogue that each part of the metric takes."""


class MarsScorer:
    """Scores candidates; keeps the augmented references, so that a second system costs next to nothing."""

    def __init__(
        self,
        preset: str = "general",
        *,
        config: MarsConfig | None = None,
        store: ModelStore | None = None,
        device: str = "cpu",
        memory: int = 2 << 30,
        **options: Any,
    ) -> None:
        """Choose settings: a preset or a whole configuration, then single options by name (``q=0.9``)."""
        self.config = (config or _preset(preset)).with_options(**options)
        self.store = store or ModelStore()
        self.device, self.memory = device, memory
        self.mars = Mars(self.config)
        self.corpus: Sequence[Example] | None = None
        """With `idf="corpus"`: the examples whose references count; by default those of each call."""
        self._augmented: dict[tuple[str, Pair], Augmentation] = {}
        self._encodings = EncodingMemory()

    def score(
        self,
        *,
        candidates: Sequence[str],
        references: Sequence[str | Sequence[str]],
        contexts: Sequence[str] | None = None,
        ids: Sequence[str] | None = None,
    ) -> ScoreResult:
        """Score parallel lists; each item's references are one text or a list of texts."""
        return self.score_examples(make_examples(candidates, references, contexts, ids))

    def score_examples(
        self, examples: Sequence[Example], *, progress: StageProgress = silent_stages, strict: bool = False
    ) -> ScoreResult:
        """Score examples in order. With `strict`, a flagged example is an error."""
        signature = self.signature  # finds all the models: one that is missing is known before any work
        cleaned = _cleaned(examples)
        augmented = self._augment(cleaned, progress)
        items = self.mars.score(cleaned, augmented, self.encoder, self._encodings, progress)
        items = [
            _flag_cleaned(item, before, after)
            for item, before, after in zip(items, examples, cleaned, strict=True)
        ]
        if strict:
            _refuse_flags(items)
        return ScoreResult(tuple(items), signature)

    def augment_examples(
        self, examples: Sequence[Example], *, progress: StageProgress = silent_stages
    ) -> dict[Pair, Augmentation]:
        """Return the augmented references of every (context, reference) pair; new pairs are computed."""
        return self._augment(_cleaned(examples), progress)

    def add_augmentations(self, augmented: Mapping[Pair, Augmentation]) -> None:
        """Take over augmented references that `augment_examples` found earlier, with the same settings.

        With `idf="corpus"` they belong to a corpus: set `corpus` first.
        """
        if self.config.masking.idf == "corpus" and self.corpus is None:
            raise ConfigError(
                'add_augmentations() with idf="corpus" needs to know the corpus; set scorer.corpus first'
            )
        ratios = {0.0, *self.config.masking.ratios}
        for pair, found in augmented.items():
            if {one.ratio for one in found.augmented} != ratios:
                raise InputError(
                    f"the augmentation of {pair.reference!r} was made with other masking ratios",
                    remedy="add augmentations that were made with this scorer's settings",
                )
        idf = self.idf_for([]).name
        self._augmented |= {(idf, Pair(*map(clean, pair))): found for pair, found in augmented.items()}

    def _augment(self, cleaned: Sequence[Example], progress: StageProgress) -> dict[Pair, Augmentation]:
        pairs = list(dict.fromkeys(pair for example in cleaned for pair in example.pairs))
        idf = self.idf_for(cleaned)
        name = idf.name  # not in the loop: a version is looked up
        new = [pair for pair in pairs if (name, pair) not in self._augmented]
        if new:
            found = self.mars.augment(new, self.tagger, idf, self.infiller, progress)
            self._augmented |= {(name, pair): each for pair, each in zip(new, found, strict=True)}
        return {pair: self._augmented[name, pair] for pair in pairs}

    def explain_words(self, example: Example) -> dict[str, tuple[WordPlan, ...]]:
        """Return, for each reference of an example, what decides which of its words are masked."""
        (example,) = _cleaned([example])
        idf = self.idf_for([example])
        return {
            reference: explain_words(example.context, reference, self.config.masking, self.tagger, idf)
            for reference in example.references
        }

    @cached_property
    def signature(self) -> str:
        """The configuration in one line: equal signature and equal input mean equal score."""
        tagger = self.config.masking.tagger
        self._check_names()
        idf = "idf-corpus" if self.config.masking.idf == "corpus" else f"idf-{BackgroundIdf().name}"
        return signature(
            self.config,
            lm=_name(self._lm),
            encoder=_name(self._encoder),
            tagger=tagger if tagger == PatternTagger.name else _name(self._tagger),
            idf=idf,
        )

    def idf_for(self, examples: Sequence[Example]) -> Idf:
        """The IDF source: a fixed table, or the references at hand."""
        if self.config.masking.idf == "background":
            return BackgroundIdf()
        corpus = examples if self.corpus is None else _cleaned(self.corpus)
        return CorpusIdf(dict.fromkeys(ref for example in corpus for ref in example.references))

    @cached_property
    def tagger(self) -> Tagger:
        """The part-of-speech tagger."""
        if self.config.masking.tagger == PatternTagger.name:
            return PatternTagger()
        return SpacyTagger(self._tagger.location)

    @cached_property
    def infiller(self) -> GuidedInfiller:
        """The language model and its decoding engine."""
        from mars_score.infilling.engine import Engine  # noqa: PLC0415  (loads torch)
        from mars_score.infilling.guided import GuidedInfiller  # noqa: PLC0415
        from mars_score.infilling.language_model import LanguageModel  # noqa: PLC0415

        config = self.config.infilling
        model = LanguageModel(
            self._lm.location,
            start_token=self._lm.start_token,
            device=self.device,
            dtype=config.dtype,
            differentiable=config.planner == "kv",
        )
        return GuidedInfiller(model, config, Engine(model, config, memory=self.memory))

    @cached_property
    def encoder(self) -> Encoder:
        """The sentence encoder, or averaged word vectors."""
        if self._encoder.role == "word-vectors":
            from mars_score.similarity.words import WordVectorEncoder  # noqa: PLC0415

            return WordVectorEncoder(self._encoder.location)
        from mars_score.similarity.sentence import SentenceEncoder  # noqa: PLC0415  (loads torch)

        return SentenceEncoder(self._encoder.location, device=self.device, dtype=self.config.scoring.dtype)

    def _check_names(self) -> None:
        """Refuse a wrong name before any model is fetched."""
        source_of(self.config.infilling.lm, LANGUAGE_MODEL, self.store)
        source_of(self.config.scoring.encoder, ENCODER, self.store)
        if self.config.masking.tagger != PatternTagger.name:
            source_of(self.config.masking.tagger, TAGGER, self.store)

    @cached_property
    def _lm(self) -> ResolvedModel:
        return resolve(self.config.infilling.lm, LANGUAGE_MODEL, self.store)

    @cached_property
    def _encoder(self) -> ResolvedModel:
        return resolve(self.config.scoring.encoder, ENCODER, self.store)

    @cached_property
    def _tagger(self) -> ResolvedModel:
        return resolve(self.config.masking.tagger, TAGGER, self.store)


_preset = preset  # the constructor's argument has the same name


def _name(model: ResolvedModel) -> str:
    return f"{model.name.rstrip('/').rsplit('/', 1)[-1]}@{model.weights_hash}"


def _cleaned(examples: Sequence[Example]) -> list[Example]:
    """Apply the paper's pre-processing to every text of the examples."""
    tidy = cache(clean)  # contexts and references come again with every candidate
    return [
        Example(
            example.id,
            tidy(example.candidate),
            tuple(tidy(reference) for reference in example.references),
            tidy(example.context),
            tidy(example.question),
        )
        for example in examples
    ]


def _flag_cleaned(item: ItemScore, before: Example, after: Example) -> ItemScore:
    return item if before == after else replace(item, flags=tuple(sorted({*item.flags, flags.CLEANED})))


def _refuse_flags(items: Sequence[ItemScore]) -> None:
    """Turn the first flagged item into an error."""
    for item in items:
        if item.flags:
            meanings = "; ".join(f"{flag}: {flags.MEANING[flag]}" for flag in item.flags)
            raise InputError(
                f"item {item.id!r} is flagged ({meanings})",
                remedy="change the item, or run without --strict (strict=True) to score it all the same",
            )
