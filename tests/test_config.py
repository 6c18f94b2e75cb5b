"""Settings: presets, options by name, values that have no meaning, and the signature that tells them all."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import FrozenInstanceError, fields
from typing import TYPE_CHECKING, Any

import pytest

from mars_score.config import (
    PAPER_FORMULA,
    PRESETS,
    InfillingConfig,
    MarsConfig,
    MaskingConfig,
    ScoringConfig,
    option_names,
    preset,
    ratios_up_to,
)
from mars_score.encoders.fluency import fluency_hash
from mars_score.errors import ConfigError
from mars_score.mars import models, scorer
from mars_score.mars.scorer import MarsScorer
from mars_score.models.resolve import ResolvedModel
from mars_score.models.store import ModelStore
from mars_score.signature import signature

if TYPE_CHECKING:
    from pathlib import Path

PARTS = {"masking": MaskingConfig, "infilling": InfillingConfig, "scoring": ScoringConfig}
OPTIONS = [f"{part}.{item.name}" for part, kind in PARTS.items() for item in fields(kind)]
"""Every setting there is."""
CHOICES = {
    "masking.idf": "corpus",
    "masking.tagger": "pattern",
    "masking.language": "fr",
    "infilling.infiller": "naive",
    "infilling.masked_lm": "mpnet-base",
    "infilling.lm": "gemma3-270m",
    "infilling.planner": "kv",
    "infilling.search": "beam",
    "infilling.reward": "probability",
    "infilling.dtype": "bfloat16",
    "scoring.encoder": "glove-50d",
    "scoring.references": "mean",
    "scoring.match": "recall",
    "scoring.scale": "percent",
    "scoring.reader": "mpnet-base",
    "scoring.dtype": "float16",
}
"""Another value for each setting that is a word."""
ONLY_SAMPLED = ("infilling.samples", "infilling.seed")
"""What matters only where tokens are drawn, at a temperature above 0."""
ONLY_SEARCHED = tuple(
    f"infilling.{name}"
    for name in ("beams", "proposals", "strands", "token_reward", "context_reward", "revise")
)
"""What matters only where a whole text is searched for."""
ONLY_NAIVE = {"infiller": "naive", "likelihood": 0.0}
"""What the masked language model matters for."""
ONLY_PLANNED = tuple(
    f"infilling.{name}"
    for name in ("reward", "steps", "eta", "xi", "horizon", "decay", "shortlist", "compare_unplanned")
)
"""What matters only with a planner."""
BEYOND_THE_PAPER = ("words", "relevance", "fluency", "facts", "likelihood", "unlikely", "cap")
"""The weights of what the paper's formula does not have."""


def where_it_matters(option: str) -> dict[str, Any]:
    """The other settings without which this one changes nothing."""
    if option in ONLY_SAMPLED:
        return {"search": "greedy", "temperature": 0.5}
    if option in ("infilling.search", "infilling.temperature", "infilling.judge_keep"):
        return {"search": "greedy"}
    if option in ONLY_SEARCHED:
        return {"search": "beam"}
    if option == "scoring.unlikely":
        return {"fluency": 0.0}
    return ONLY_NAIVE if option == "infilling.masked_lm" else {}


def value_of(config: MarsConfig, option: str) -> Any:
    part, name = option.split(".")
    return getattr(getattr(config, part), name)


def another(config: MarsConfig, option: str) -> Any:
    """Return a valid value that a setting does not have."""
    value = value_of(config, option)
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, float):
        return value / 2 if value else 0.5
    return value[:-1] if isinstance(value, tuple) else CHOICES[option]


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Models are found by their names alone."""

    def found(name: str, role: str | tuple[str, ...], store: object) -> ResolvedModel:
        return ResolvedModel(name, "store", "nowhere", "01234567")

    monkeypatch.setattr(models, "resolve", found)


class TestPresets:
    @pytest.mark.parametrize("name", ["general", "story", "summary", "paper-formula", "paper"])
    def test_up_to_60_percent(self, name: str) -> None:
        assert preset(name).masking.ratios == (0.2, 0.4, 0.6)

    def test_answers_up_to_20_percent(self) -> None:
        assert preset("qa").masking.ratios == (0.2,)

    def test_the_general_one_is_the_default(self) -> None:
        assert preset("general") == MarsConfig()

    @pytest.mark.parametrize("name", ["story", "summary", "qa"])
    def test_tasks_share_the_models_and_how_blanks_are_filled(self, name: str) -> None:
        """So one server, and one cache of augmented references, can serve them all."""
        found, usual = preset(name), ScoringConfig()
        assert found.infilling == InfillingConfig()
        assert (found.scoring.encoder, found.scoring.reader) == (usual.encoder, usual.reader)

    def test_one_formula_for_all_tasks(self) -> None:
        assert preset("story") == preset("summary") == MarsConfig()
        assert preset("qa") == MarsConfig().with_options(ratios=(0.2,))

    @pytest.mark.parametrize("name", ["paper-formula", "paper"])
    def test_the_formula_of_the_paper_adds_nothing(self, name: str) -> None:
        scoring = preset(name).scoring
        assert [getattr(scoring, weight) for weight in BEYOND_THE_PAPER] == [0.0] * 7
        assert (scoring.adjusts, scoring.reads) == (False, False)
        assert preset("paper-formula") == MarsConfig(scoring=PAPER_FORMULA)

    @pytest.mark.parametrize("name", ["general", "story", "summary", "qa"])
    def test_the_others_add_something(self, name: str) -> None:
        assert preset(name).scoring.adjusts
        assert preset(name).scoring.reads

    def test_the_paper(self) -> None:
        paper = preset("paper")
        assert paper.masking.idf == "corpus"
        assert paper.infilling.lm == "openai-community/gpt2-large"
        assert (paper.infilling.compare_unplanned, paper.infilling.horizon, paper.infilling.judge_window) == (
            False,
            0,
            0,
        )

    def test_names(self) -> None:
        assert sorted(PRESETS) == [
            "fast",
            "general",
            "multilingual",
            "paper",
            "paper-formula",
            "qa",
            "story",
            "summary",
        ]
        with pytest.raises(
            ConfigError, match=r"unknown preset 'storys'; there are general, .*Did you mean 'story'\?"
        ):
            preset("storys")
        with pytest.raises(ConfigError, match=r"paper\.$"):
            preset("zzz")
        with pytest.raises(ConfigError, match="unknown preset 'storys'"):
            MarsScorer("storys")


class TestOptions:
    @pytest.mark.parametrize("option", OPTIONS)
    def test_each_by_its_full_name(self, option: str) -> None:
        config = MarsConfig().with_options(**where_it_matters(option))
        changed = config.with_options(**{option: another(config, option)})
        assert value_of(changed, option) == another(config, option) != value_of(config, option)
        assert [other for other in OPTIONS if value_of(changed, other) != value_of(config, other)] == [option]

    @pytest.mark.parametrize("option", [option for option in OPTIONS if option != "scoring.dtype"])
    def test_each_by_its_plain_name(self, option: str) -> None:
        config = MarsConfig().with_options(**where_it_matters(option))
        value = another(config, option)
        plain = config.with_options(**{option.split(".")[1]: value})
        assert plain == config.with_options(**{option: value}) != config

    def test_several_at_once_and_the_others_stay(self) -> None:
        changed = preset("qa").with_options(q=0.5, steps=1, noun=9.0)
        assert (changed.scoring.q, changed.infilling.steps, changed.masking.noun) == (0.5, 1, 9.0)
        assert changed.masking.ratios == (0.2,)
        assert preset("qa").scoring.q == 0.8

    def test_none_changes_nothing(self) -> None:
        assert preset("paper").with_options() == preset("paper")

    def test_an_unknown_one(self) -> None:
        with pytest.raises(ConfigError, match=r"unknown option 'horizn'\. Did you mean 'horizon'\?"):
            MarsConfig().with_options(horizn=3)
        with pytest.raises(ConfigError, match=r"unknown option 'zzz'\.$"):
            MarsScorer(zzz=3)

    def test_names_are_all_settings(self) -> None:
        assert {name for name in option_names() if "." in name} == set(OPTIONS)
        assert option_names()["dtype"] == "infilling"

    def test_settings_cannot_be_changed_in_place(self) -> None:
        with pytest.raises(FrozenInstanceError):
            preset("qa").scoring.q = 0.5  # type: ignore[misc]

    def test_ratios(self) -> None:
        assert ratios_up_to(1.0) == (0.2, 0.4, 0.6, 0.8, 1.0)
        assert ratios_up_to(0.3, 0.1) == (0.1, 0.2, 0.3)
        assert ratios_up_to(0.1) == ()


NAMES = {
    "lm": "lm@1",
    "encoder": "enc@2",
    "reader": "read@5",
    "tagger": "tag@3",
    "idf": "idf-4",
    "judge": "judge@6",
}
"""Models as signatures name them."""
RULES: dict[str, list[dict[str, Any]]] = {
    "ratios must rise and lie above 0 and at most 1": [
        {"ratios": ratios} for ratios in ((0.0, 0.2), (-0.2,), (0.2, 1.1), (0.4, 0.2), (0.2, 0.2))
    ],
    "adjective, adverb, noun and other must be above 0": [
        {name: value} for name in ("adjective", "adverb", "noun", "other") for value in (0.0, -1.0)
    ],
    "shared_cost and max_words must be at least 1": [{"shared_cost": 0}, {"max_words": 0}],
    "idf must be background or corpus": [{"idf": "none"}],
    "planner must be hidden, kv or off": [{"planner": "none"}],
    "reward must be probability or similarity": [{"reward": "none"}],
    "steps, eta, horizon, shortlist, sigma, judge_window and judge_keep must not be negative": [
        {name: -1} for name in ("steps", "eta", "horizon", "shortlist", "sigma", "judge_window", "judge_keep")
    ],
    "xi must be above 0": [{"xi": 0.0}, {"xi": -1.0}],
    "decay must lie above 0 and at most 1": [{"decay": 0.0}, {"decay": 1.1}],
    "max_context must be at least 1": [{"max_context": 0}],
    "temperature must not be negative": [{"temperature": -0.1}],
    "search must be beam or greedy": [{"search": "wide"}],
    "beams, proposals and strands must be at least 1": [{"beams": 0}, {"proposals": 0}, {"strands": 0}],
    "token_reward, context_reward and seam_weight must not be negative": [
        {"token_reward": -0.5},
        {"seam_weight": -1.0},
        {"context_reward": -0.5},
    ],
    "merge_gaps and keep_words must not be negative": [{"merge_gaps": -1}, {"keep_words": -1}],
    "a temperature needs search=greedy": [{"temperature": 0.5, "search": "beam"}],
    "samples must be at least 1, and above 1 only with a temperature or with as many beams": [
        {"samples": 5, "search": "beam"},
        {"samples": 0},
        {"samples": 2, "search": "greedy"},
        {"samples": 0, "temperature": 1.0, "search": "greedy"},
    ],
    "q must lie above 0 and at most 1": [{"q": 0.0}, {"q": 1.1}],
    "references must be best or mean": [{"references": "worst"}],
    "words must lie between 0 and 1": [{"words": -0.1}, {"words": 1.1}],
    "match must be balanced, recall, either or coverage": [{"match": "precision"}],
    "relevance, fluency, facts, likelihood and unlikely must not be negative": [
        {name: -0.1} for name in ("relevance", "fluency", "facts", "likelihood", "unlikely")
    ],
    "fluency and unlikely are two ways to notice the same: one of them must be 0": [{"unlikely": 0.1}],
    "dtype must be float32, bfloat16 or float16": [{"dtype": "float64"}, {"scoring.dtype": "int8"}],
}


@pytest.mark.parametrize(
    ("rule", "options"), [(rule, options) for rule, cases in RULES.items() for options in cases], ids=str
)
def test_values_that_have_no_meaning(rule: str, options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError) as caught:
        MarsConfig().with_options(**options)
    assert str(caught.value) == rule


@pytest.mark.parametrize(
    "options",
    [
        {"q": float("nan")}, {"q": "0.9"}, {"eta": float("inf")}, {"steps": 2.5}, {"no_repeat": "no"}, {"no_repeat": 1},
        {"ratios": [0.2]}, {"ratios": (float("nan"),)}, {"lm": None}, {"seed": True},
    ],
    ids=str,
)  # fmt: skip
def test_values_of_another_type(options: dict[str, Any]) -> None:
    (name,) = options
    with pytest.raises(ConfigError, match=f"^{name}=.*: expected a value like"):
        MarsConfig().with_options(**options)


def test_numbers_in_signatures_lose_no_digit() -> None:
    def line(q: float) -> str:
        return signature(MarsConfig().with_options(q=q), lm="a", encoder="b", reader="r", tagger="c", idf="d")

    assert line(0.8) != line(0.8000001)
    assert "|q:0.8|" in line(0.8)


def test_values_at_the_border_are_good() -> None:
    MarsConfig().with_options(ratios=(), shared_cost=1, max_words=1, steps=0, eta=0.0, horizon=0, shortlist=0)
    MarsConfig().with_options(sigma=0, judge_window=0, judge_keep=0, decay=1.0, q=1.0, max_context=1)
    MarsConfig().with_options(ratios=(1.0,), samples=2, temperature=0.1, search="greedy")
    MarsConfig().with_options(words=1.0, relevance=9.0, facts=0.0)
    MarsConfig().with_options(merge_gaps=0, token_reward=0.0, context_reward=0.0)


def test_a_bad_value_in_a_part_is_refused_too() -> None:
    with pytest.raises(ConfigError, match="q must lie"):
        MarsConfig(scoring=ScoringConfig(q=2.0))


FILLING = (
    "|mask:tag@3.4/3/2/1.idf-4.lcs10.max400.gaps1.keep3|lm:lm@1|ctx:head1024"
    "|plan:hidden.similarity.k3.eta0.01.xi1.3.next6.decay0.7.top256.unplanned|judge:s4.w4.sum1.5+1.5.seam2"
    "|decode:beam4.p24.s8.norepeat"
)
"""How references are masked and filled by default, as a signature has it."""


@pytest.mark.usefixtures("named")
class TestSignature:
    @pytest.mark.parametrize("option", OPTIONS)
    def test_changes_with_every_setting(self, option: str) -> None:
        config = MarsConfig().with_options(**where_it_matters(option))
        changed = config.with_options(**{option: another(config, option)})
        assert MarsScorer(config=changed).signature != MarsScorer(config=config).signature

    def test_does_not_change_with_the_seed_of_a_greedy_choice(self) -> None:
        assert MarsScorer(seed=5).signature == MarsScorer().signature

    @pytest.mark.parametrize("option", ONLY_PLANNED)
    def test_does_not_change_with_the_plan_where_there_is_none(self, option: str) -> None:
        config = MarsConfig().with_options(planner="off")
        changed = config.with_options(**{option: another(config, option)})
        assert MarsScorer(config=changed).signature == MarsScorer(config=config).signature

    def test_of_the_naive_infiller_names_its_own_settings_alone(self) -> None:
        naive = MarsConfig().with_options(**ONLY_NAIVE)
        found = MarsScorer(config=naive).signature
        assert "|lm:minilm-l6@" in found
        assert "|ctx:head1024|decode:masked|" in found
        for option in ("lm", "planner", "sigma", "no_repeat", "eta"):
            changed = naive.with_options(**{option: another(naive, f"infilling.{option}")})
            assert MarsScorer(config=changed).signature == found

    @pytest.mark.parametrize("option", ["match", "reader"])
    def test_does_not_change_with_what_the_formula_of_the_paper_never_uses(self, option: str) -> None:
        config = preset("paper-formula")
        changed = config.with_options(**{option: another(config, f"scoring.{option}")})
        assert MarsScorer(config=changed).signature == MarsScorer(config=config).signature

    def test_does_not_change_with_the_reader_where_nothing_is_read_closely(self) -> None:
        config = MarsConfig().with_options(words=0.0, fluency=0.0, likelihood=0.0)
        found = MarsScorer(config=config).signature
        assert MarsScorer(config=config.with_options(reader="mpnet-base")).signature == found
        assert "|adjust:relevance0.8+facts0.1+cap|dtype:" in found

    def test_names_the_reader_with_its_head_and_the_rule_of_its_weights(self) -> None:
        assert f"|read:minilm-l6@01234567+head@{fluency_hash()}.zipf1|" in MarsScorer().signature

    def test_no_two_presets_share_one_but_those_that_are_the_same(self) -> None:
        found = {name: MarsScorer(name).signature for name in PRESETS}
        assert found["story"] == found["summary"] == found["general"]
        assert len(set(found.values())) == len(PRESETS) - 2

    @pytest.mark.parametrize(
        ("name", "ratios"),
        [
            ("general", "0+0.2+0.4+0.6"),
            ("story", "0+0.2+0.4+0.6"),
            ("summary", "0+0.2+0.4+0.6"),
            ("qa", "0+0.2"),
        ],
    )
    def test_is_written_out(self, name: str, ratios: str) -> None:
        assert signature(preset(name), **NAMES) == (
            f"mars:augment.v5+score.v7|ratios:{ratios}{FILLING}"
            "|enc:enc@2|q:0.8|refs:best|adjust:words.coverage0.7+relevance0.8+fluency0.2+facts0.1+likelihood0.25+cap|read:read@5"
            "|likely:judge@6"
            "|dtype:float32/float32"
        )

    def test_of_the_formula_of_the_paper_names_no_adjustment(self) -> None:
        assert signature(preset("paper-formula"), **NAMES) == (
            f"mars:augment.v5+score.v7|ratios:0+0.2+0.4+0.6{FILLING}"
            "|enc:enc@2|q:0.8|refs:best|dtype:float32/float32"
        )

    def test_of_the_paper_names_its_own_way_of_masking_and_filling(self) -> None:
        assert signature(preset("paper"), **NAMES) == (
            "mars:augment.v5+score.v7|ratios:0+0.2+0.4+0.6|mask:tag@3.4/3/2/1.idf-4.lcs10.max400.marks|lm:lm@1"
            "|ctx:head900|plan:hidden.similarity.k3.eta0.01.xi1.3.all.decay1|judge:s4.w0.k0|decode:greedy.repeat"
            "|enc:enc@2|q:0.8|refs:best|dtype:float32/float32"
        )

    def test_tells_how_fills_are_drawn(self) -> None:
        sampled = preset("qa").with_options(
            search="greedy", temperature=0.7, samples=4, seed=9, context=False, planner="off"
        )
        assert "|ctx:none|plan:off|judge:s4.w4.k3|decode:t0.7.n4.seed9.norepeat|" in signature(
            sampled, **NAMES
        )

    def test_does_not_change_with_the_machine(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        expected = MarsScorer().signature
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("MARS_SCORE_HOME", str(tmp_path / "elsewhere"))
        monkeypatch.setattr(
            scorer, "check_device", lambda device: device
        )  # this machine may have no such device
        assert MarsScorer(device="cuda", memory=1).signature == expected
        assert MarsScorer(store=ModelStore(tmp_path)).signature == expected


@pytest.mark.parametrize("weights", [b"weights", b"others!"])
def test_a_model_in_a_folder_is_its_name_and_its_weights(tmp_path: Path, weights: bytes) -> None:
    found = []
    for place in ("here", "far/away"):
        folder = tmp_path / place / "my-model"
        folder.mkdir(parents=True)
        (folder / "model.safetensors").write_bytes(weights if place == "here" else b"weights")
        (folder / "README.md").write_text(place)
        made = MarsScorer(lm=f"{folder}{os.sep}", encoder=str(folder), tagger="pattern")
        found.append(made.signature)
    assert (found[0] == found[1]) == (weights == b"weights")
    assert "|lm:my-model@" in found[0]
    assert "|enc:my-model@" in found[0]
    assert str(tmp_path) not in found[0]


def test_the_signature_is_the_same_in_another_process() -> None:
    code = (
        "from mars_score.config import preset\n"
        "from mars_score.signature import signature\n"
        "print(signature(preset('paper'), lm='a', encoder='b', reader='r', tagger='c', idf='d'))\n"
    )
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(sys.path),
        "PYTHONHASHSEED": "7",
        "TZ": "Asia/Tokyo",
    }
    done = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, env=environment
    )
    assert done.stdout.strip() == signature(
        preset("paper"), lm="a", encoder="b", reader="r", tagger="c", idf="d"
    )
