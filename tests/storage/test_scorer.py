"""The scorer with a cache and with packs: the same scores and signatures, and nothing done twice."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from mars_score.errors import ConfigError, InputError
from mars_score.fingerprint import ALGORITHM, made_with
from mars_score.mars.models import ModelRegistry
from mars_score.models.resolve import catalogue_hash
from mars_score.storage.pack import Header, Pack, pack_writer
from mars_score.types import Example

from .samples import rows
from .toys import NamedParts, toy_scorer

if TYPE_CHECKING:
    from pathlib import Path

    from mars_score.mars.scorer import MarsScorer

ROWS = rows(12)


def fills(scorer: MarsScorer) -> int:
    """How many references the scorer's model was given."""
    assert isinstance(scorer.parts, NamedParts)
    return scorer.parts.guided_fill.requests


def packed(path: Path, examples: list[Example] = ROWS, **options: Any) -> Path:
    scorer = toy_scorer(cache=None, **options)
    scorer.corpus = examples
    with pack_writer(path, scorer.pack_header) as pack:
        for pair, augmentation in scorer.augment_examples(examples).items():
            pack.add(pair, augmentation)
    return path


def test_a_second_process_computes_nothing(folder: Path) -> None:
    first, second, without = toy_scorer(), toy_scorer(), toy_scorer(cache=None)
    result = first.score_examples(ROWS)
    assert second.score_examples(ROWS) == result == without.score_examples(ROWS)
    assert (fills(first), fills(second), fills(without)) == (len(ROWS), 0, len(ROWS))
    assert (first.costs.augmented, first.costs.cached) == (len(ROWS), 0)
    assert (second.costs.augmented, second.costs.cached) == (0, len(ROWS))
    assert second.to_augment(ROWS) == []
    assert toy_scorer().to_augment([*ROWS, *rows(14)]) == [row.pairs[0] for row in rows(14)[12:]]
    assert [path.name for path in folder.iterdir() if path.suffix == ".sqlite"]


def test_nothing_is_made_without_a_cache(folder: Path) -> None:
    toy_scorer(cache=None).score_examples(ROWS)
    toy_scorer(cache=False).score_examples(ROWS)
    toy_scorer()
    assert not folder.exists()


@pytest.mark.parametrize(
    "options",
    [{"ratios": (0.4,)}, {"planner": "off"}, {"context": False}, {"infilling.dtype": "bfloat16"}, {"adjective": 1.0},
     {"idf": "corpus"}, {"infiller": "naive"}],
    ids=str,
)  # fmt: skip
def test_other_settings_find_nothing_of_each_other(options: dict[str, Any]) -> None:
    toy_scorer().score_examples(ROWS)
    other = toy_scorer(**options)
    assert len(other.to_augment(ROWS)) == len(ROWS)
    assert other.score_examples(ROWS) == toy_scorer(cache=None, **options).score_examples(ROWS)
    assert other.costs.augmented == len(ROWS)


def test_settings_that_play_no_part_share() -> None:
    toy_scorer().score_examples(ROWS)
    assert toy_scorer(q=0.3, references="mean").to_augment(ROWS) == []


def test_texts_that_differ_share_nothing() -> None:
    toy_scorer().score_examples(ROWS)
    changed = [
        *(replace(row, context=f"{row.context} More.") for row in ROWS),
        *(replace(row, question="Why?") for row in ROWS),
    ]
    assert len(toy_scorer().to_augment(changed)) == len(changed)
    assert toy_scorer().to_augment([replace(row, candidate="Other.", id=f"x{row.id}") for row in ROWS]) == []


def test_another_device_and_another_corpus_have_rows_of_their_own() -> None:
    toy_scorer(idf="corpus").score_examples(ROWS)
    assert toy_scorer(idf="corpus").to_augment(ROWS) == []
    assert len(toy_scorer(idf="corpus").to_augment(ROWS[:5])) == 5
    toy_scorer().score_examples(ROWS)
    elsewhere = toy_scorer()
    elsewhere.parts.device = "cuda:1"
    assert len(elsewhere.to_augment(ROWS)) == len(ROWS)


def test_siblings_share_the_cache_and_the_bill() -> None:
    scorer = toy_scorer()
    with_options = scorer.with_options(planner="off")
    with_options.score_examples(ROWS)
    assert scorer.costs.augmented == len(ROWS)
    assert toy_scorer(planner="off").to_augment(ROWS) == []


def test_what_a_user_adds_does_not_get_into_the_cache() -> None:
    scorer = toy_scorer()
    (pair,) = ROWS[0].pairs
    foreign = toy_scorer(cache=None).augment_examples(ROWS[1:2])[ROWS[1].pairs[0]]
    scorer.add_augmentations({pair: foreign})
    assert scorer.augment_examples(ROWS[:1]) == {pair: foreign}
    assert toy_scorer().to_augment(ROWS[:1]) == [pair]


def test_a_pack_needs_no_language_model_and_no_tagger(tmp_path: Path) -> None:
    path = packed(tmp_path / "refs.marspack")
    scorer = toy_scorer(pack=path)
    assert scorer.score_examples(ROWS) == toy_scorer(cache=None).score_examples(ROWS)
    assert isinstance(scorer.parts, NamedParts)
    assert scorer.parts.loaded == []
    assert (scorer.costs.packed, scorer.costs.augmented) == (len(ROWS), 0)
    assert scorer.augmentation_signature == toy_scorer(cache=None).augmentation_signature
    assert scorer.to_augment([*ROWS, *rows(13)]) == list(rows(13)[12].pairs)


def test_a_pack_of_a_model_that_is_not_known_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of the lab's own: its name and hash come from the pack."""
    with monkeypatch.context() as there:
        there.setattr(NamedParts, "infilling_name", lambda self, config: "our-lm@89abcdef")
        there.setattr(ModelRegistry, "check", lambda self, config: None)
        path = packed(tmp_path / "refs.marspack", lm="models/our-lm/")
    scorer = toy_scorer(pack=path, lm="lab/our-lm")
    assert "|lm:our-lm@89abcdef|" in scorer.score_examples(ROWS).signature
    with pytest.raises(InputError, match=r"lm is our-lm@89abcdef in the pack and your-lm here"):
        toy_scorer(pack=path, lm="lab/your-lm").score_examples(ROWS)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"ratios": (0.4,)}, r"ratios is 0\+0\.2\+0\.4\+0\.6 in the pack and 0\+0\.4 here"),
        ({"planner": "off"}, r"plan is hidden\..* in the pack and off here"),
        ({"infilling.dtype": "float16"}, "dtype is float32 in the pack and float16 here"),
        ({"lm": "gemma3-270m"}, r"lm is smollm2-135m@\w{8} in the pack and gemma3-270m@\w{8} here"),
        ({"tagger": "pattern"}, r"tagger is spacy-en-sm@\w{8} in the pack and pattern here"),
        ({"idf": "corpus"}, r"idf is idf-wordfreq@\w{8} in the pack and corpus here"),
        ({"infiller": "naive"}, "lm is smollm2"),
    ],
    ids=str,
)
def test_a_pack_of_other_settings_is_refused(tmp_path: Path, options: dict[str, Any], reason: str) -> None:
    scorer = toy_scorer(pack=packed(tmp_path / "refs.marspack"), **options)
    for use in (
        lambda: scorer.signature,
        lambda: scorer.score_examples(ROWS),
        lambda: scorer.augment_examples(ROWS),
    ):
        with pytest.raises(InputError, match=f"made with other settings: .*{reason}"):
            use()


@pytest.mark.parametrize(("infiller", "stage"), [("guided", "augment"), ("naive", "naive")])
def test_a_pack_of_another_algorithm_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, infiller: str, stage: str
) -> None:
    path = packed(tmp_path / "refs.marspack", infiller=infiller)
    was = ALGORITHM[stage]
    monkeypatch.setitem(ALGORITHM, stage, was + 1)
    both = rf"made by algorithm {stage}\.v{was}; this version of mars-score has {stage}\.v{was + 1}"
    with pytest.raises(InputError, match=both) as error:
        toy_scorer(pack=path, infiller=infiller).score_examples(ROWS)
    assert "make the pack again: mars-score augment" in str(error.value)


def test_a_pack_from_before_algorithms_had_numbers_is_refused(tmp_path: Path) -> None:
    header = toy_scorer(cache=None).pack_header
    old = Header(header.names, {**header.parts, "mars": "v0.1.0"})
    with pack_writer(tmp_path / "refs.marspack", old):
        pass
    with pytest.raises(
        InputError, match=r"made by algorithm v0\.1\.0; this version of mars-score has augment\.v"
    ):
        _ = toy_scorer(pack=tmp_path / "refs.marspack").signature


def test_a_release_with_the_same_algorithms_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither pack nor cache ends with a release, and how candidates are scored plays no part for them."""
    path = packed(tmp_path / "refs.marspack")
    made = toy_scorer().score_examples(ROWS)
    for module in [name for name in sys.modules if name.partition(".")[0] == "mars_score"]:
        if hasattr(sys.modules[module], "__version__"):
            monkeypatch.setattr(f"{module}.__version__", "9.9.9")
    assert made_with()["mars-score"] == "9.9.9"
    assert toy_scorer(pack=path).score_examples(ROWS) == made
    again = toy_scorer()
    assert again.score_examples(ROWS) == made
    assert again.costs.augmented == 0
    monkeypatch.setitem(ALGORITHM, "score", 99)
    assert toy_scorer(pack=path).score_examples(ROWS).scores == made.scores
    assert toy_scorer().to_augment(ROWS) == []


def test_a_pack_says_what_it_was_made_with(tmp_path: Path) -> None:
    assert Pack(packed(tmp_path / "refs.marspack")).header.made_with == made_with()
    assert {"mars-score", "torch", "spacy", "wordfreq"} <= made_with().keys()


def test_a_pack_with_another_head_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A head ships with the package: a name of the model behind it is not enough."""
    head = f"minilm-l6@{catalogue_hash('minilm-l6')}+head@01234567"
    with monkeypatch.context() as there:
        there.setattr(NamedParts, "infilling_name", lambda self, config: head)
        path = packed(tmp_path / "refs.marspack", infiller="naive")
    with pytest.raises(InputError, match=r"\+head@01234567 in the pack and has the head \w{8} here"):
        _ = toy_scorer(pack=path, infiller="naive").signature


def test_a_row_that_the_pack_does_not_have(tmp_path: Path) -> None:
    scorer = toy_scorer(pack=packed(tmp_path / "refs.marspack"))
    foreign = Example(
        "late-1", "A candidate.", ("A reference that came later, and that is long " * 3,), "Context 1."
    )
    with pytest.raises(
        InputError, match=r"does not have .*'A reference that came later.*…' of row 'late-1'"
    ) as error:
        scorer.score_examples([*ROWS, foreign])
    assert "mars-score augment" in str(error.value)


def test_a_pack_of_a_corpus_belongs_to_it(tmp_path: Path) -> None:
    path = packed(tmp_path / "refs.marspack", idf="corpus")
    expected = toy_scorer(cache=None, idf="corpus").score_examples(ROWS)
    assert toy_scorer(pack=path, idf="corpus").score_examples(ROWS) == expected
    assert re.search(rf"idf-corpus-{len(ROWS)}-[0-9a-f]{{8}}\.lcs", expected.signature)
    with pytest.raises(InputError, match="of other references"):
        toy_scorer(pack=path, idf="corpus").score_examples(ROWS[:5])
    with pytest.raises(ConfigError, match=r"set scorer\.corpus"):
        toy_scorer(idf="corpus").augmentation_signature  # noqa: B018
