"""The catalogue that comes with the package."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from mars_score.config import PRESETS, MarsConfig
from mars_score.errors import ModelError
from mars_score.masking.tagging import BUILT_IN
from mars_score.models.catalogue import ROLES, CatalogueEntry, default_catalogue, parse

from .fakes import TINY

ENTRIES = list(default_catalogue())


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_every_entry_is_sound(entry: CatalogueEntry) -> None:
    assert re.fullmatch(r"[a-z0-9]+([-.][a-z0-9]+)*", entry.name)
    assert entry.role in ROLES
    assert entry.title
    assert entry.licence
    assert entry.disk > 0
    assert (entry.start_token is not None) == (entry.role == "causal-lm")
    assert (entry.convert_file is not None) == (entry.converter != "copy")
    pinned = [item for source in entry.sources for item in source.files]
    pinned += entry.assembly.unzip if entry.assembly else ()
    assert all(re.fullmatch(r"[0-9a-f]{64}", item.sha256) and item.size > 0 for item in pinned)
    targets = [item.file for item in pinned]
    assert len(set(targets)) == len(targets)
    assert all(source.registry in ("pypi", "npm") and source.size > 0 for source in entry.sources)
    if entry.assembly:
        assert set(entry.assembly.parts) <= set(targets)
        assert re.fullmatch(r"[0-9a-f]{64}", entry.assembly.sha256)
    elif entry.convert_file:
        assert entry.convert_file in targets


def test_the_defaults_are_what_the_default_settings_name() -> None:
    config = MarsConfig()
    named = {config.infilling.lm, config.scoring.encoder, config.masking.tagger}
    assert {entry.name for entry in ENTRIES if entry.default} == named
    taggers = {preset.masking.tagger for preset in PRESETS.values()} - BUILT_IN.keys()
    assert all(name in default_catalogue() for name in taggers)


def test_models_with_terms_are_never_a_default() -> None:
    assert not [entry.name for entry in ENTRIES if entry.terms and entry.default]
    assert default_catalogue()["gemma3-270m"].terms


def test_no_pickle_is_ever_taken() -> None:
    names = [item.file for entry in ENTRIES for source in entry.sources for item in source.files]
    assert not [
        name for name in names if name.endswith((".pt", ".pth", ".pkl", ".pickle", "pytorch_model.bin"))
    ]


def test_the_hash_follows_the_members_and_not_the_notices() -> None:
    catalogue = parse(_TOML)
    assert catalogue["a"].hash == parse(_TOML.replace('"notice"', '"other-notice"'))["a"].hash
    assert catalogue["a"].hash != parse(_TOML.replace("00000000", "00000001"))["a"].hash
    assert catalogue["a"].hash != TINY.hash


@pytest.mark.parametrize("change", [("copy", "melt"), ("encoder", "toaster")])
def test_an_unknown_converter_or_role_is_refused(change: tuple[str, str]) -> None:
    with pytest.raises(ModelError, match=change[1]):
        parse(_TOML.replace(*change))


def test_importing_the_store_loads_no_framework() -> None:
    code = (
        "import sys, mars_score.models, mars_score.cli.models\n"
        "mars_score.models.ModelStore().status()\n"
        "print([n for n in ('torch', 'transformers', 'spacy', 'huggingface_hub') if n in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"


_TOML = f"""
[a]
role = "encoder"
title = "A"
licence = "MIT"
converter = "copy"
disk = 1

[[a.sources]]
registry = "pypi"
package = "a"
version = "1"
size = 1
members = [{{ path = "x", file = "x", size = 1, sha256 = "{"0" * 64}" }}]
notices = [{{ path = "notice", file = "LICENSE", size = 1, sha256 = "{"1" * 64}" }}]
"""
