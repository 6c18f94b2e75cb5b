"""How long things take on this machine, learned from the runs that it has seen."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mars_score.fingerprint import digest
from mars_score.io.output import replacing
from mars_score.storage.cache import cache_folder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mars_score.mars.scorer import MarsScorer

FILE = "rates.json"
_MOST = 200
"""Rates that are kept; the oldest go first."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Seconds that a number of units took."""

    seconds: float
    units: float

    def of(self, units: float) -> float:
        """Seconds for so many units."""
        return self.seconds * units / self.units


def augmenting(scorer: MarsScorer) -> str:
    """Name the rate of augmenting with these settings; its units are sizes."""
    return _name(
        "augmenting", repr(scorer.config.masking), repr(scorer.config.infilling), scorer.parts.device
    )


def scoring(metrics: Sequence[str], scorer: MarsScorer) -> str:
    """Name the rate of everything else; its units are rows."""
    settings = [repr(scorer.config.scoring), scorer.config.infilling.lm, scorer.parts.device]
    return _name("scoring", list(metrics), settings)


def known(name: str) -> Rate | None:
    """Return what was learned last, if anything was."""
    entry = _read().get(name)
    try:
        rate = Rate(float(entry["seconds"]), float(entry["units"])) if entry else None
    except (TypeError, KeyError, ValueError):
        return None
    return rate if rate is not None and rate.seconds > 0 and rate.units > 0 else None


def learn(name: str, rate: Rate) -> None:
    """Remember a rate in place of an older one. Where nothing can be written, nothing is learned."""
    if rate.seconds <= 0 or rate.units <= 0:
        return
    rates = _read()
    rates.pop(name, None)
    rates[name] = {"seconds": rate.seconds, "units": rate.units}
    try:
        _file().parent.mkdir(parents=True, exist_ok=True)
        with replacing(_file()) as temporary:
            temporary.write_text(json.dumps(dict(list(rates.items())[-_MOST:]), indent=1), encoding="utf-8")
    except OSError:
        return


def _read() -> dict[str, Any]:
    try:
        rates = json.loads(_file().read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return rates if isinstance(rates, dict) else {}


def _file() -> Path:
    return cache_folder() / FILE


def _name(*parts: object) -> str:
    return digest(*parts).hex()[:24]
