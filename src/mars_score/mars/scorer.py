"""`MarsScorer`: mask -> infill -> score, with the models loaded when they are first needed."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING, Any

from mars_score import flags
from mars_score.config import MarsConfig, preset
from mars_score.encoders.base import EncodingMemory
from mars_score.errors import InputError
from mars_score.io.examples import (
    References,
    Texts,
    check_arguments,
    clean_examples,
    make_examples,
    refuse_without_references,
)
from mars_score.mars.augment import augment
from mars_score.mars.models import ModelRegistry, Naming, check_corpus
from mars_score.mars.score import Comparator
from mars_score.masking.templates import WordPlan, explain_words
from mars_score.models.catalogue import SIMILARITY
from mars_score.models.resolve import check_device
from mars_score.progress import StageProgress, showing, silent_stages
from mars_score.signature import signature
from mars_score.storage.augmentations import Augmentations, Costs, size_of, tokens_generated
from mars_score.storage.cache import cache_at
from mars_score.storage.pack import Pack
from mars_score.text.cleaning import clean
from mars_score.text.frequency import BackgroundIdf, CorpusIdf, Idf
from mars_score.text.languages import mismatch
from mars_score.types import Augmentation, Example, ItemScore, Pair, ScoreResult

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from mars_score.config import InfillingConfig, MaskingConfig, ScoringConfig
    from mars_score.encoders.base import Encoder
    from mars_score.infilling.guided import GuidedInfiller
    from mars_score.lm.likelihood import Likelihood
    from mars_score.mars.augment import Infiller
    from mars_score.masking.tagging import Tagger
    from mars_score.models.store import ModelStore
    from mars_score.storage.pack import Header


_ABSENT: Texts = ()


class MarsScorer:
    """Scores candidates; keeps the augmented references, so that a second system costs next to nothing.

    Threads may share one: they take turns at the models. Pickles and copies have its settings.
    """

    def __init__(
        self,
        preset: str = "general",
        *,
        config: MarsConfig | None = None,
        store: ModelStore | None = None,
        device: str = "cpu",
        memory: int = 2 << 30,
        cache: bool | str | Path | None = True,
        pack: str | Path | None = None,
        corpus: Sequence[Example] | None = None,
        **options: Any,
    ) -> None:
        """Choose settings: a preset or a whole configuration, then single options by name (``q=0.9``).

        `cache` is where augmented references are kept between runs: ``True`` for the user's folder, a folder, or
        ``None``. `pack` is a file of them: then no language model is needed. With `idf="corpus"`, `corpus` holds the
        examples whose references are counted; by default those of each call are.
        """
        self.config = (config or _preset(preset)).with_options(**options)
        self.parts = ModelRegistry(store, device=check_device(device), memory=memory)
        if pack is None:
            self.parts.check(self.config)  # a wrong name is known now, not after an hour
        self.corpus = corpus
        self._comparator = Comparator(self.config.scoring, self.config.masking.language)
        self.augmentations = Augmentations(cache_at(cache), None if pack is None else Pack(pack))
        self._memories: dict[tuple[object, ...], EncodingMemory] = {}
        self._signatures: dict[str, str] = {}
        """By the name of the IDF source."""
        self._counted: tuple[Sequence[Example], CorpusIdf] | None = None
        """The corpus whose words were counted last."""

    def with_corpus(self, corpus: Sequence[Example]) -> MarsScorer:
        """Return a scorer that counts words in this corpus, with everything else shared."""
        other = self.with_options()
        other.corpus = corpus
        return other

    def with_options(self, **options: Any) -> MarsScorer:
        """Return a scorer with some settings changed, which shares all that does not depend on them."""
        other = object.__new__(MarsScorer)
        other.config = self.config.with_options(**options)
        if options and self.augmentations.pack is None:
            self.parts.check(other.config)
        other.parts, other.augmentations, other.corpus = self.parts, self.augmentations, self.corpus
        other._comparator = Comparator(other.config.scoring, other.config.masking.language)
        other._memories, other._signatures, other._counted = self._memories, {}, None
        return other

    def __deepcopy__(self, memo: dict[int, Any]) -> MarsScorer:
        """Return a scorer with the same settings; models do not change, so the two share them."""
        return self.with_options()

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the settings alone: the process that unpickles it loads the models when they are needed."""
        cache, pack = self.augmentations.cache, self.augmentations.pack
        options = {
            "config": self.config, "store": self.parts.store, "device": self.parts.device, "memory": self.parts.memory,
            "cache": None if cache is None else cache.database.path.parent, "pack": None if pack is None else pack.path,
            "corpus": self.corpus,
        }  # fmt: skip
        return _unpickled, (options,)

    def score(
        self,
        candidates: Texts = _ABSENT,
        references: References | None = None,
        contexts: Texts | None = None,
        questions: Texts | None = None,
        *,
        ids: Iterable[str] | None = None,
        progress: bool | StageProgress = False,
        **wrong: Any,
    ) -> ScoreResult:
        """Score columns of texts; each item's references are one text or a list of texts.

        A column is anything ordered: a list, an array, a generator, or a column of a data frame or data set.
        `progress=True` shows a bar on a terminal or in a notebook.
        """
        check_arguments(wrong, "score")
        if candidates is _ABSENT:
            raise TypeError("score() needs candidates: score(candidates, references, contexts)")
        examples = make_examples(candidates, references, contexts, ids, questions)
        with showing(progress) as report:
            return self.score_examples(examples, progress=report)

    def score_examples(
        self, examples: Sequence[Example], *, progress: StageProgress = silent_stages, strict: bool = False
    ) -> ScoreResult:
        """Score examples in order. With `strict`, a flagged example is an error."""
        cleaned = clean_examples(examples)
        result = self.score_cleaned(cleaned, progress=progress)
        by_rows = self.config.masking.idf == "corpus" and self.corpus is None
        scorer = self.with_corpus(examples) if by_rows else self
        items = tuple(
            replace(
                item,
                flags=item.flags if before == after else tuple(sorted({*item.flags, flags.CLEANED})),
                example=before,
                scorer=scorer,
            )
            for item, before, after in zip(result, examples, cleaned, strict=True)
        )
        if strict:
            flags.refuse(items)
        return replace(result, items=items)

    def score_cleaned(
        self, examples: Sequence[Example], *, progress: StageProgress = silent_stages
    ) -> ScoreResult:
        """Score examples whose texts are clean: augment what is new, encode, compare."""
        refuse_without_references(examples, "mars")
        with self.parts.lock:
            idf = self.idf_for(examples)
            signature = self._signature(
                idf
            )  # finds all the models: one that is missing is known before any work
            encoder = self.encoder  # and one that does not fit is refused
            augmented = self._augment(examples, idf, progress)
            memory = self._memories.setdefault(_encoding(self.config.scoring), EncodingMemory())
            items = self._comparator.score(examples, augmented, encoder, memory, progress, self._likelihood)
            return ScoreResult(tuple(map(self._with_language, items, examples)), signature)

    def _with_language(self, item: ItemScore, example: Example) -> ItemScore:
        """Flag a row whose context or references are not in the language of the settings."""
        if not any(
            mismatch(self.config.masking.language, pair.reference, pair.context) for pair in example.pairs
        ):
            return item
        return replace(item, flags=tuple(sorted({*item.flags, flags.LANGUAGE_MISMATCH})))

    def augment_examples(
        self, examples: Sequence[Example], *, progress: StageProgress = silent_stages
    ) -> dict[Pair, Augmentation]:
        """Return the augmented references of every (context, reference) pair; new pairs are computed."""
        cleaned = clean_examples(examples)
        with self.parts.lock:
            return self._augment(cleaned, self.idf_for(cleaned), progress)

    def add_augmentations(self, augmented: Mapping[Pair, Augmentation]) -> None:
        """Take over augmented references that `augment_examples` found earlier, with the same settings.

        With `idf="corpus"` they belong to a corpus: set `corpus` first.
        """
        check_corpus(self.config, known=self.corpus is not None)
        ratios = {0.0, *self.config.masking.ratios}
        for pair, augmentation in augmented.items():
            if {variant.ratio for variant in augmentation.augmented} != ratios:
                raise InputError(
                    f"the augmentation of {pair.reference!r} was made with other masking ratios",
                    remedy="add augmentations that were made with this scorer's settings",
                )
        memory = self.augmentations.memory(self._settings(self.idf_for([])))
        memory.keep({Pair(*map(clean, pair)): augmentation for pair, augmentation in augmented.items()})

    def to_augment(self, examples: Sequence[Example]) -> list[Pair]:
        """Return the pairs that would have to be augmented, as neither memory nor cache nor pack has them."""
        cleaned = clean_examples(examples)
        idf = self.idf_for(cleaned)
        pairs = list(dict.fromkeys(pair for example in cleaned for pair in example.pairs))
        return self.augmentations.absent(
            pairs, self._settings(idf), lambda: self._naming.cache_namespace(idf)
        )

    def _augment(
        self, cleaned: Sequence[Example], idf: Idf, progress: StageProgress
    ) -> dict[Pair, Augmentation]:
        rows: dict[Pair, str] = {}
        for example in cleaned:
            for pair in example.pairs:
                rows.setdefault(pair, example.id)

        def compute(pairs: Sequence[Pair]) -> list[Augmentation]:
            costs, begun = self.costs, perf_counter()
            tagger, before = self.tagger, tokens_generated(self.infiller)
            loaded = perf_counter()
            augmentations = augment(pairs, self.config.masking, tagger, idf, self.infiller, progress)
            costs.loading += loaded - begun
            costs.seconds += perf_counter() - loaded
            costs.size += sum(map(size_of, pairs))
            costs.augmented += len(augmentations)
            costs.generated += tokens_generated(self.infiller) - before
            return augmentations

        return self.augmentations.find(
            rows, self._settings(idf), lambda: self._naming.cache_namespace(idf), compute, progress
        )

    def _settings(self, idf: Idf) -> tuple[MaskingConfig, InfillingConfig, str]:
        """What augmentation depends on: the settings, and the name of the IDF source."""
        return self.config.masking, self.config.infilling, idf.name

    def explain_words(self, example: Example) -> dict[str, tuple[WordPlan, ...]]:
        """Return, for each reference of an example, what decides which of its words are masked."""
        (example,) = clean_examples([example])
        with self.parts.lock:
            idf = self.idf_for([example])
            return {
                reference: explain_words(example.context, reference, self.config.masking, self.tagger, idf)
                for reference in example.references
            }

    @property
    def signature(self) -> str:
        """Algorithms, settings and models in one line: equal signature and equal input mean equal score.

        With `idf="corpus"` the corpus is in it by its hash: in the signature of a result always, and in this one
        as soon as `corpus` is set.
        """
        unknown = self.config.masking.idf == "corpus" and self.corpus is None
        return self._signature(None if unknown else self.idf_for([]))

    def _signature(self, idf: Idf | None) -> str:
        source = "" if idf is None else idf.name
        if source not in self._signatures:
            self._signatures[source] = self._made_signature(idf)
        return self._signatures[source]

    def _made_signature(self, idf: Idf | None) -> str:
        scoring = self.config.scoring
        if self.augmentations.pack is None:
            self.parts.check(self.config)
        names = self._naming.names(idf)
        return signature(
            self.config,
            lm=names.lm,
            encoder=self.parts.name(scoring.encoder, SIMILARITY),
            reader=self.parts.reader_name(scoring),
            judge=self.parts.judge_name(self.config.infilling) if scoring.reads_likelihoods else "",
            tagger=names.tagger,
            idf=names.idf,
        )

    @property
    def augmentation_signature(self) -> str:
        """The part of the configuration that augmented references depend on; a corpus is in it by its hash."""
        return self.pack_header.signature

    @property
    def pack_header(self) -> Header:
        """What a pack of this scorer's augmented references says of itself."""
        check_corpus(self.config, known=self.corpus is not None)
        return self._naming.header(self.idf_for([]))

    @property
    def _naming(self) -> Naming:
        return Naming(self.config, self.parts, self.augmentations.pack)

    @property
    def costs(self) -> Costs:
        """What this scorer and its siblings have computed and found so far."""
        return self.augmentations.costs

    def idf_for(self, examples: Sequence[Example]) -> Idf:
        """The IDF source: a fixed table, or the references at hand."""
        if self.config.masking.idf == "background":
            return BackgroundIdf(self.config.masking.language)
        if self.corpus is None:
            return _counted(examples, self.config.masking.language)
        if self._counted is None or self._counted[0] is not self.corpus:
            self._counted = self.corpus, _counted(clean_examples(self.corpus), self.config.masking.language)
        return self._counted[1]

    @cached_property
    def tagger(self) -> Tagger:
        """The part-of-speech tagger."""
        return self.parts.tagger(self.config.masking.used_tagger)

    @cached_property
    def infiller(self) -> Infiller:
        """What fills blanks."""
        return self.parts.infiller(self.config.infilling)

    @property
    def guided(self) -> GuidedInfiller:
        """The causal language model with its decoding engine."""
        return self.parts.guided(self.config.infilling)

    @property
    def _likelihood(self) -> Likelihood | None:
        """The language model as a reader of candidates, where the settings ask for it."""
        asked = self.config.scoring.reads_likelihoods
        return self.parts.likelihood(self.config.infilling) if asked else None

    @cached_property
    def encoder(self) -> Encoder:
        """The sentence encoder, or averaged word vectors; where the settings ask for it, a close reader too."""
        return self.parts.scoring_encoder(self.config.scoring)


def _counted(examples: Sequence[Example], language: str) -> CorpusIdf:
    references = dict.fromkeys(reference for example in examples for reference in example.references)
    return CorpusIdf(references, language)


def _encoding(scoring: ScoringConfig) -> tuple[object, ...]:
    """The settings that encodings depend on."""
    return scoring.encoder, scoring.dtype, scoring.reader if scoring.reads else None


def _unpickled(options: dict[str, Any]) -> MarsScorer:
    return MarsScorer(**options)


_preset = preset  # the constructor's argument has the same name
