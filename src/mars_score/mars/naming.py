"""What augmented references are kept under, and whether a pack fits the settings."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from mars_score.errors import ConfigError, InputError
from mars_score.fingerprint import made_with
from mars_score.models.resolve import catalogue_hash
from mars_score.signature import augmentation_signature
from mars_score.storage.pack import Header, Names
from mars_score.text.frequency import BackgroundIdf

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mars_score.config import MarsConfig
    from mars_score.mars.models import ModelRegistry
    from mars_score.models.catalogue import Catalogue
    from mars_score.storage.pack import Pack
    from mars_score.text.frequency import Idf


# Does a pack fit the settings? Told from names and numbers alone: no model is needed, and none is looked
# for.

_HEAD = "+head@"
"""Before the hash of a head that ships with this package."""
_ALGORITHM = "mars"
"""The part of a signature that names algorithms."""


def fitting_names(pack: Pack, config: MarsConfig, catalogue: Catalogue, corpus: Idf | None = None) -> Names:
    """Return the names of the models behind a pack; settings that it was not made with are an error.

    So is, where words are counted in a corpus, another corpus.

    Whoever publishes a pack decides about the word frequencies and, for models outside the catalogue, the weights:
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
    for kind, wanted, found in (
        ("lm", model, names.lm),
        ("tagger", config.masking.used_tagger, names.tagger),
    ):
        if not _same_model(wanted, found, catalogue):
            differing.append(f"{kind} is {found} in the pack and {_shown(wanted, catalogue)} here")
        elif _HEAD in found and (head := _head_hash()) != found.partition(_HEAD)[2]:
            differing.append(f"{kind} is {found} in the pack and has the head {head} here")
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


def _same_model(wanted: str, found: str, catalogue: Catalogue) -> bool:
    found = found.partition(_HEAD)[0]
    if wanted in catalogue:
        return found == _shown(wanted, catalogue)
    return found.partition("@")[0] == _shown(wanted, catalogue)


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
