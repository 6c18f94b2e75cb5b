"""The models that metrics are made of, each loaded when it is first needed, once for all that use it; and their names.

By these names augmented references are kept, and a pack is found to fit the settings or not.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, TypeVar

from mars_score.encoders.fluency import PLAIN, VERSION, fluency_hash, has_head
from mars_score.errors import ConfigError, InputError
from mars_score.fingerprint import made_with
from mars_score.masking.tagging import BUILT_IN, SpacyTagger, Tagger
from mars_score.models.catalogue import ENCODER, LANGUAGE_MODEL, MASKED_LM, SIMILARITY, TAGGER, WORDNET, Roles
from mars_score.models.resolve import ResolvedModel, catalogue_hash, check_device, resolve, source_of
from mars_score.models.store import ModelStore
from mars_score.signature import augmentation_signature
from mars_score.storage.lru import LRUCache
from mars_score.storage.pack import Header, Names
from mars_score.text.frequency import BackgroundIdf

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mars_score.config import InfillingConfig, MarsConfig, ScoringConfig
    from mars_score.encoders.base import Encoder
    from mars_score.encoders.layers import TokenEncoder
    from mars_score.encoders.word_vectors import WordVectorEncoder
    from mars_score.infilling.guided import GuidedInfiller
    from mars_score.lm.causal import LanguageModel
    from mars_score.lm.likelihood import Likelihood
    from mars_score.mars.augment import Infiller
    from mars_score.models.catalogue import Catalogue
    from mars_score.storage.pack import Pack
    from mars_score.text.frequency import Idf


Made = TypeVar("Made")


class ModelRegistry:
    """Finds and loads models, and keeps them."""

    def __init__(
        self, store: ModelStore | None = None, *, device: str = "cpu", memory: int = 2 << 30
    ) -> None:
        """Take models from a store to a device; the decoder's caches may have so many bytes of memory."""
        self.store = store or ModelStore()
        self.device, self.memory = device, memory
        self._resolved: dict[tuple[str, Roles], ResolvedModel] = {}
        self._sound: set[str] = set()
        self._made: dict[tuple[object, ...], object] = {}
        self.lock = RLock()
        """Held by whoever uses the models: their memories are not made for several threads at once."""

    def check(self, config: MarsConfig) -> None:
        """Refuse a wrong name before any model is fetched."""
        if config.infilling.infiller == "naive":
            source_of(config.infilling.masked_lm, MASKED_LM, self.store)
        else:
            source_of(config.infilling.lm, LANGUAGE_MODEL, self.store)
        source_of(config.scoring.encoder, SIMILARITY, self.store)
        if config.scoring.reads:
            source_of(config.scoring.reader, ENCODER, self.store)
        if config.masking.used_tagger not in BUILT_IN:
            source_of(config.masking.used_tagger, TAGGER, self.store)

    def find(self, name: str, roles: Roles) -> ResolvedModel:
        """Find a model, and fetch it if it is absent."""
        if (name, roles) not in self._resolved:
            self._resolved[name, roles] = resolve(name, roles, self.store)
        return self._resolved[name, roles]

    def verified(self, name: str, roles: Roles) -> ResolvedModel:
        """Find a model to load it: one of the store is compared with its record first, once a process.

        The weights of a folder or of the hub are hashed for their name, which then is another one.
        """
        resolved = self.find(name, roles)
        if resolved.source == "store" and name not in self._sound:
            self.store.verified(name)
            self._sound.add(name)
        return resolved

    def name(self, name: str, roles: Roles) -> str:
        """Name a model as signatures do: with a hash of its weights."""
        resolved = self.find(name, roles)
        return f"{resolved.name.rstrip('/').rsplit('/', 1)[-1]}@{resolved.weights_hash}"

    def infilling_name(self, config: InfillingConfig) -> str:
        """Name the model that fills blanks, as signatures do; a head that ships with the package is part of it."""
        if config.infiller == "guided":
            return self.name(config.lm, LANGUAGE_MODEL)
        from mars_score.lm.masked import fits, head_hash

        body, resolved = self.name(config.masked_lm, MASKED_LM), self.find(config.masked_lm, MASKED_LM)
        return f"{body}+head@{head_hash()}" if fits(Path(resolved.location)) else body

    def tagger_name(self, name: str) -> str:
        """Name a tagger as signatures do; the one that is made of rules has no weights."""
        return name if name in BUILT_IN else self.name(name, TAGGER)

    def tagger(self, name: str) -> Tagger:
        """A part-of-speech tagger."""
        if name in BUILT_IN:
            return BUILT_IN[name]()
        return self._once(("tagger", name), lambda: SpacyTagger(self.verified(name, TAGGER).location))

    def language_model(self, config: InfillingConfig) -> LanguageModel:
        """The language model of these settings."""
        from mars_score.lm.causal import LanguageModel

        gradients = config.planner == "kv"
        resolved = self.verified(config.lm, LANGUAGE_MODEL)
        return self._once(
            ("language model", config.lm, config.dtype, gradients),
            lambda: LanguageModel(
                resolved.location,
                start_token=resolved.start_token,
                device=self.device,
                dtype=config.dtype,
                differentiable=gradients,
            ),
        )

    def infiller(self, config: InfillingConfig) -> Infiller:
        """What fills blanks by these settings."""
        return self.guided(config) if config.infiller == "guided" else self._naive(config)

    def guided(self, config: InfillingConfig) -> GuidedInfiller:
        """The language model with its decoding engine."""
        from mars_score.infilling.decoder.engine import DecodingEngine
        from mars_score.infilling.guided import GuidedInfiller

        model = self.language_model(config)
        return self._once(
            ("infiller", config),
            lambda: GuidedInfiller(model, config, DecodingEngine(model, config, memory=self.memory)),
        )

    def _naive(self, config: InfillingConfig) -> Infiller:
        from mars_score.infilling.naive import NaiveInfiller
        from mars_score.lm.masked import MaskedModel

        resolved = self.verified(config.masked_lm, MASKED_LM)
        model = self._once(
            ("masked model", config.masked_lm, config.dtype),
            lambda: MaskedModel(resolved.location, device=self.device, dtype=config.dtype),
        )
        return NaiveInfiller(model, context=config.context, max_context=config.max_context)

    def likelihood(self, config: InfillingConfig) -> Likelihood:
        """The language model as a reader."""
        from mars_score.lm.likelihood import Likelihood

        model = self.language_model(config)
        return self._once(
            ("likelihood", config),
            lambda: Likelihood(model, max_context=config.max_context, memory=self.memory // 4),
        )

    def encoder(self, name: str, dtype: str = "float32") -> Encoder:
        """A sentence encoder, or averaged word vectors."""
        resolved = self.verified(name, SIMILARITY)
        if resolved.role == "word-vectors":
            return self.word_vectors(name)
        from mars_score.encoders.sentence import SentenceEncoder

        return self._once(
            ("encoder", name, dtype),
            lambda: SentenceEncoder(resolved.location, device=self.device, dtype=dtype),
        )

    def scoring_encoder(self, config: ScoringConfig) -> Encoder:
        """What encodes whole texts, and reads them closely where these settings ask for it."""
        if not config.reads:
            return self.encoder(config.encoder, config.dtype)
        from mars_score.encoders.token_level import PairedEncoder, TokenLevelEncoder

        resolved = self.verified(config.reader, ENCODER)
        reader = self._once(
            ("reader", config.reader, config.dtype),
            lambda: TokenLevelEncoder(
                resolved.location, device=self.device, dtype=config.dtype, fluency=bool(config.fluency)
            ),
        )
        if config.encoder == config.reader:
            return reader
        return PairedEncoder(self.encoder(config.encoder, config.dtype), reader)

    def reader_name(self, config: ScoringConfig) -> str:
        """Name the close reader as signatures do, with its head and the rule of its weights."""
        if not config.reads:
            return ""
        name = self.name(config.reader, ENCODER)
        head = config.fluency or has_head(Path(self.find(config.reader, ENCODER).location))
        return f"{name}+head@{fluency_hash()}.{VERSION}" if head else f"{name}.{PLAIN}"

    def judge_name(self, config: InfillingConfig) -> str:
        """Name what tells how probable a candidate is, as signatures do."""
        return f"{self.name(config.lm, LANGUAGE_MODEL)}.head{config.max_context}"

    def token_encoder(self, name: str, dtype: str = "float32") -> TokenEncoder:
        """The network of a sentence encoder, token by token."""
        from mars_score.encoders.layers import TokenEncoder

        resolved = self.verified(name, ENCODER)
        return self._once(
            ("tokens", name, dtype), lambda: TokenEncoder(resolved.location, device=self.device, dtype=dtype)
        )

    def word_vectors(self, name: str) -> WordVectorEncoder:
        """Word vectors."""
        from mars_score.encoders.word_vectors import WordVectorEncoder

        resolved = self.verified(name, SIMILARITY)
        return self._once(("word vectors", name), lambda: WordVectorEncoder(resolved.location))

    def wordnet(self, name: str) -> Path:
        """The folder of a word net."""
        return Path(self.verified(name, WORDNET).location)

    def forget(self) -> None:
        """Let the models forget what they wrote and read; so the next score costs what the first one did."""
        for made in self._made.values():
            for memory in (getattr(made, "memory", None), getattr(made, "contexts", None)):
                if isinstance(memory, LRUCache):
                    memory.clear()

    def _once(self, key: tuple[object, ...], make: Callable[[], Made]) -> Made:
        if key not in self._made:
            if not self._made:
                check_device(self.device)  # in our own words, and before the first model is loaded
            self._made[key] = make()
        return self._made[key]  # type: ignore[return-value]  # what was made under this key


# Does a pack fit the settings? Names and numbers alone decide: no model is needed or looked for.

_HEAD = "+head@"
"""Before the hash of a head that ships with this package."""
_ALGORITHM = "mars"
"""The part of a signature that names algorithms."""


def fitting_names(pack: Pack, config: MarsConfig, catalogue: Catalogue, corpus: Idf | None = None) -> Names:
    """Return the names of the models behind a pack; settings that it was not made with are an error.

    So is, where words are counted in a corpus, another corpus.

    The publisher of a pack decides on the word frequencies and, for models outside the catalogue, the weights:
    their names go from the pack into the signature of every score.
    """
    names, parts = pack.header.names, pack.header.parts
    here = augmentation_signature(config, lm=names.lm, tagger=names.tagger, idf=names.idf)
    made_by, computed_by = parts.get(_ALGORITHM, "one that has no name"), here[_ALGORITHM]
    if made_by != computed_by and config.infilling.infiller == _infiller(parts):
        raise InputError(
            f"the pack was made by algorithm {made_by}; this version of mars-score has {computed_by}, "
            "and scores of the two must not be mixed",
            path=pack.path,
            remedy="make the pack again: mars-score augment DATA -o refs.marspack; "
            f"or install a version of mars-score that has {made_by}",
        )
    differing = [
        f"{part} is {parts.get(part, 'absent')} in the pack and {here.get(part, 'absent')} here"
        for part in {**parts, **here}
        if parts.get(part) != here.get(part)
    ]
    infilling = config.infilling
    model = infilling.lm if infilling.infiller == "guided" else infilling.masked_lm
    for kind, wanted, in_pack in (
        ("lm", model, names.lm),
        ("tagger", config.masking.used_tagger, names.tagger),
    ):
        if not _same_model(wanted, in_pack, catalogue):
            differing.append(f"{kind} is {in_pack} in the pack and {_shown(wanted, catalogue)} here")
        elif _HEAD in in_pack and (head := _head_hash()) != in_pack.partition(_HEAD)[2]:
            differing.append(f"{kind} is {in_pack} in the pack and has the head {head} here")
    if names.idf.startswith("idf-corpus") != (config.masking.idf == "corpus"):
        differing.append(f"idf is {names.idf} in the pack and {config.masking.idf} here")
    elif corpus is not None and config.masking.idf == "corpus" and names.idf != f"idf-{corpus.name}":
        differing.append(f"idf is {names.idf} in the pack and idf-{corpus.name} here, of other references")
    if differing:
        raise InputError(
            f"the pack was made with other settings: {'; '.join(differing)}",
            path=pack.path,
            remedy="score with the preset and the settings that the pack was made with, "
            "or make a pack with yours: mars-score augment DATA -o refs.marspack",
        )
    return names


def _infiller(parts: Mapping[str, str]) -> str:
    """What filled the blanks of a pack."""
    return "naive" if parts.get("decode") == "masked" else "guided"


def _head_hash() -> str:
    from mars_score.lm.masked import head_hash

    return head_hash()


def _same_model(wanted: str, in_pack: str, catalogue: Catalogue) -> bool:
    in_pack = in_pack.partition(_HEAD)[0]
    if wanted in catalogue:
        return in_pack == _shown(wanted, catalogue)
    return in_pack.partition("@")[0] == _shown(wanted, catalogue)


def _shown(name: str, catalogue: Catalogue) -> str:
    """A model's name as signatures spell it, as far as it is known without the model."""
    return (
        f"{name}@{catalogue_hash(name, catalogue)}"
        if name in catalogue
        else name.rstrip("/").rsplit("/", 1)[-1]
    )


# What augmented references are kept under: the models behind them by name, and the signature made of that.


@dataclass(frozen=True, slots=True)
class Naming:
    """Names for a configuration: the models are those of the pack, or those that are found here."""

    config: MarsConfig
    parts: ModelRegistry
    pack: Pack | None

    def names(self, idf: Idf | None = None) -> Names:
        """The models; without an IDF source, a corpus has no name of its own."""
        if self.pack is not None:
            return fitting_names(self.pack, self.config, self.parts.store.catalogue, corpus=idf)
        masking, infilling = self.config.masking, self.config.infilling
        source = "corpus" if masking.idf == "corpus" else BackgroundIdf(masking.language).name
        return Names(
            lm=self.parts.infilling_name(infilling),
            tagger=self.parts.tagger_name(masking.used_tagger),
            idf=f"idf-{source if idf is None else idf.name}",
        )

    def header(self, idf: Idf) -> Header:
        """What a pack says of itself."""
        names = self.names(idf)
        return Header(names, augmentation_signature(self.config, **asdict(names)), made_with())

    def cache_namespace(self, idf: Idf) -> str:
        """What rows of the cache depend on beside their texts: the augmentation signature, and the kind of device.

        A device's rounding may decide a near-tie. A pack goes by its signature alone.
        """
        signature = self.header(idf).signature
        if self.pack is not None:
            return signature
        return f"{signature}|device:{self.parts.device.partition(':')[0]}"


def check_corpus(config: MarsConfig, *, known: bool) -> None:
    """Refuse to name a corpus that is not known."""
    if config.masking.idf == "corpus" and not known:
        raise ConfigError(
            'with idf="corpus" augmented references belong to a corpus; set scorer.corpus first'
        )
