"""What augmented references are kept under: the models behind them by name, and the signature made of that."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from mars_score.augmentations.pack_format import Header, Names
from mars_score.augmentations.pack_settings import fitting_names
from mars_score.errors import ConfigError
from mars_score.fingerprint import made_with
from mars_score.masking.idf import BackgroundIdf
from mars_score.signature import augmentation_signature

if TYPE_CHECKING:
    from mars_score.augmentations.pack_reading import Pack
    from mars_score.config import MarsConfig
    from mars_score.masking.idf import Idf
    from mars_score.parts import Parts


@dataclass(frozen=True, slots=True)
class Naming:
    """Names for a configuration: the models are those of the pack, or those that are found here."""

    config: MarsConfig
    parts: Parts
    pack: Pack | None

    def names(self, idf: Idf | None = None) -> Names:
        """The models; without an IDF source, a corpus has no name of its own."""
        if self.pack is not None:
            return fitting_names(self.pack, self.config, self.parts.store.catalogue, corpus=idf)
        masking, infilling = self.config.masking, self.config.infilling
        source = "corpus" if masking.idf == "corpus" else BackgroundIdf().name
        return Names(
            lm=self.parts.infilling_name(infilling),
            tagger=self.parts.tagger_name(masking.tagger),
            idf=f"idf-{source if idf is None else idf.name}",
        )

    def header(self, idf: Idf) -> Header:
        """What a pack says of itself."""
        names = self.names(idf)
        return Header(names, augmentation_signature(self.config, **asdict(names)), made_with())

    def kept_as(self, idf: Idf) -> str:
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
