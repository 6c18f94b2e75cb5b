"""The search against its plain form, and against itself in other company."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from transformers import AutoModelForCausalLM

from mars_score.config import InfillingConfig
from mars_score.infilling import planning
from mars_score.infilling.decoder import search_state
from mars_score.infilling.decoder.engine import DecodingEngine
from mars_score.infilling.decoder.search_batch import SearchRow
from mars_score.infilling.decoder.state import END, FoundTexts
from mars_score.infilling.guided import GuidedInfiller
from mars_score.lm.causal import LanguageModel
from mars_score.models.tokenizer import quiet
from mars_score.types import InfillingRequest

from .cases import FERRY, REQUESTS, jobs_of, template
from .sequential_search import SequentialSearch

if TYPE_CHECKING:
    from pathlib import Path


def load(folder: Path) -> Any:
    """The model as the library runs it."""
    with quiet():
        return AutoModelForCausalLM.from_pretrained(folder)


CONFIGS = {
    "default": InfillingConfig(search="beam"),
    "plain": InfillingConfig(search="beam", planner="off"),
    "revised": InfillingConfig(search="beam", revise=True),
    "planned only": InfillingConfig(search="beam", compare_unplanned=False, eta=0.05, revise=True),
    "planned hard": InfillingConfig(search="beam", eta=0.2, reward="probability", beams=2, proposals=3),
    "whole window": InfillingConfig(search="beam", judge_window=0, token_reward=0.0, no_repeat=False),
    "narrow window": InfillingConfig(search="beam", judge_window=1, strands=3, sigma=1, revise=True),
    "no context": InfillingConfig(search="beam", context=False),
    "much of the context": InfillingConfig(context_reward=6.0),
    "nothing of the context": InfillingConfig(context_reward=0.0),
}


@pytest.mark.parametrize("name", CONFIGS)
def test_equals_the_plain_form(name: str, tiny: LanguageModel, tiny_folder: Path) -> None:
    """Each setting on some of the templates, so that the plain form's whole forwards stay affordable."""
    config = CONFIGS[name]
    jobs = jobs_of(tiny, config)
    jobs = jobs if name == "default" else jobs[list(CONFIGS).index(name) % 3 :: 3]
    plain = SequentialSearch(load(tiny_folder), tiny.vocabulary, config)
    assert DecodingEngine(tiny, config).texts(jobs) == [plain.fill(job) for job in jobs]


def test_a_word_of_the_context_wins_where_it_is_rewarded(tiny: LanguageModel) -> None:
    """The fill that is most probable anyway counts as uninformative; of the others, a later one brings a word."""
    config = InfillingConfig(planner="off")
    (found, *_) = DecodingEngine(tiny, config).texts(jobs_of(tiny, replace(config, context_reward=0.0)))
    first, *others = found.fills
    job = jobs_of(tiny, replace(config, context_reward=0.0))[0]
    word = next(token for fills in others for fill in fills for token in fill if token not in sum(first, ()))
    job = replace(job, informative=(word,))

    def best_fills(reward: float) -> tuple[tuple[int, ...], ...]:
        return DecodingEngine(tiny, replace(config, context_reward=reward)).texts([job])[0].fills[0]

    assert best_fills(0.0) == first
    assert word in sum(best_fills(50.0), ())


def test_a_word_is_rewarded_once_in_a_fill(tiny: LanguageModel, tiny_folder: Path) -> None:
    config = InfillingConfig(token_reward=0.0, context_reward=2.0)
    job = replace(jobs_of(tiny, config)[0], informative=(7, 9))
    row = SearchRow(job, search_state.SearchLimits.of(config), tiny.decode, 0, 0, 0, None)
    assert [row._reward(fill, 1) for fill in ((5,), (7,), (7, 5, 7), (7, 9), ())] == [0, 2, 2, 4, 0]


def test_informative_words_are_content_words_that_the_reference_lacks(tiny: LanguageModel) -> None:
    def rewarded(context: str, marked: str, config: InfillingConfig) -> set[int]:
        (job,) = GuidedInfiller(tiny, config).jobs([InfillingRequest(context, (template(marked),))])
        return set(job.informative)

    beam, marked = InfillingConfig(), "The captain[ slowed] down."
    expected = {tiny.encode(f" {word}")[0] for word in ("fog", "buoys")}
    assert rewarded("The Captain, in fog, by no buoys.", marked, beam) == expected
    assert rewarded("", marked, beam) == set()
    for config in (
        replace(beam, context_reward=0.0),
        replace(beam, search="greedy"),
        replace(beam, context=False),
    ):
        assert rewarded("The Captain, in fog, by no buoys.", marked, config) == set()


def test_default_model_equals_the_plain_form(language_model: LanguageModel, smollm: Path) -> None:
    config = InfillingConfig(search="beam", beams=2, strands=3, proposals=3, sigma=1)
    jobs = jobs_of(language_model, config)[7:8]  # one short template without a context: the plain way is slow
    plain = SequentialSearch(load(smollm), language_model.vocabulary, config)
    assert DecodingEngine(language_model, config).texts(jobs) == [plain.fill(job) for job in jobs]


@pytest.mark.parametrize("limits", [{"max_rows": 1}, {"max_rows": 3}, {"memory": 1}, {"memory": 4_000_000}])
def test_company_does_not_matter(limits: dict[str, int], tiny: LanguageModel) -> None:
    config = CONFIGS["default"]
    jobs = jobs_of(tiny, config)
    together = dict(zip(jobs, DecodingEngine(tiny, config).texts(jobs), strict=True))
    shuffled = random.Random(3).sample([*jobs, *jobs[:2]], len(jobs) + 2)
    assert DecodingEngine(tiny, config, **limits).texts(shuffled) == [together[job] for job in shuffled]


def test_company_does_not_matter_with_the_default_model(language_model: LanguageModel) -> None:
    config = CONFIGS["default"]
    jobs = jobs_of(language_model, config)[5:]
    together = DecodingEngine(language_model, config).texts(jobs)
    assert DecodingEngine(language_model, config, max_rows=1).texts(jobs[::-1]) == together[::-1]


@pytest.mark.parametrize("ties", [planning.TIE, search_state.TIE], ids=["tokens", "sums"])
def test_near_ties_are_decoded_alone(
    ties: dict[str, float], tiny: LanguageModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = CONFIGS["plain"]
    jobs = jobs_of(tiny, config)
    usual = DecodingEngine(tiny, config).texts(jobs)
    monkeypatch.setitem(ties, "float32", 1e9)
    engine = DecodingEngine(tiny, config)
    assert engine.texts(jobs) == usual
    assert engine.counts.repeated == len(set(jobs))


def test_columns_stay_within_what_was_allotted(tiny: LanguageModel, monkeypatch: pytest.MonkeyPatch) -> None:
    rows: list[SearchRow] = []
    made = SearchRow.__post_init__

    def noted(row: SearchRow) -> None:
        rows.append(row)
        made(row)

    monkeypatch.setattr(SearchRow, "__post_init__", noted)
    config = CONFIGS["default"]
    engine = DecodingEngine(tiny, config)
    engine.run(jobs_of(tiny, config))
    assert rows
    for row in rows:
        assert 0 < row.pool.count <= engine.columns(row.job)
        longest = max(
            len(text) + sum(map(len, fills)) for fills in row.texts.fills for text in [row.job.blocks[0].ids]
        )
        assert longest <= engine.positions(row.job)


def test_planning_through_the_cache_runs(tiny_folder: Path) -> None:
    model = LanguageModel(str(tiny_folder), start_token=0, differentiable=True)
    fills = {}
    for planner in ("kv", "off"):
        config = InfillingConfig(
            search="beam", planner=planner, compare_unplanned=False, eta=0.2, beams=2, strands=2
        )
        jobs = jobs_of(model, config)[:2]
        fills[planner] = DecodingEngine(model, config).texts(jobs)
    assert fills["kv"] != fills["off"]


def test_revising_never_makes_a_text_less_probable(
    tiny: LanguageModel, tiny_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A first try with a single strand leaves something to revise."""
    monkeypatch.setattr(SearchRow, "_strands", property(lambda row: 6 if row.starts else 1))
    config = InfillingConfig(search="beam", planner="off", beams=1, token_reward=0.0, revise=True)
    jobs = jobs_of(tiny, config)
    plain = SequentialSearch(load(tiny_folder), tiny.vocabulary, config)
    revised, unrevised = (
        DecodingEngine(tiny, config).run(jobs),
        DecodingEngine(tiny, replace(config, revise=False)).run(jobs),
    )
    for job, *both in zip(jobs, revised, unrevised, strict=True):
        end = (END,) if job.blocks[-1].blank else ()
        worth = [
            plain.value(job, list(fills), len(job.blocks))
            + plain.log_p(
                job, plain.joined(job, list(fills), 0, len(job.blocks)), end, (plain.end,) * len(end)
            )
            for fills in both
        ]
        assert worth[0] >= worth[1] - 1e-3
    assert revised != unrevised


def test_texts_of_a_reference_differ_from_it_and_from_each_other(tiny: LanguageModel) -> None:
    one = template("The captain[ slowed] down and rang[ the] bell.", 0.2)
    again = template("The captain[ slowed] down and rang[ the] bell.", 0.4)
    (answer,) = GuidedInfiller(tiny, CONFIGS["default"]).fill([InfillingRequest(FERRY, (one, again))])
    texts = [augmented.text for augmented in answer.augmented]
    assert len({*texts, one.source}) == 3


def test_samples_come_from_the_beams(tiny: LanguageModel) -> None:
    config = InfillingConfig(search="beam", samples=3)
    for request, answer in zip(REQUESTS, GuidedInfiller(tiny, config).fill(REQUESTS), strict=True):
        assert len(answer.augmented) == 3 * len(request.templates)
        first = [augmented.text for augmented in answer.augmented[:3]]
        assert len(set(first)) == 3


def test_masked_words_stay_where_nothing_else_fits_as_well(language_model: LanguageModel) -> None:
    """The one idiom keeps its word; the article beside it, which may be another, gives way."""
    marked = template("Sorry to hear[ that]; did you report it[ to] the police?")
    (job,) = GuidedInfiller(language_model, InfillingConfig()).jobs([InfillingRequest("", (marked,))])
    (found,) = DecodingEngine(language_model, InfillingConfig()).texts([job])
    assert job.masked not in found.fills
    assert any(
        fill == masked for fills in found.fills for fill, masked in zip(fills, job.masked, strict=True)
    )


def test_texts_far_below_the_reference_are_poor(language_model: LanguageModel) -> None:
    """There is one way to count these days, and many ways to spend one."""
    one_way = template("A leap year has three hundred[ and] sixty-six days.")
    many = template("We spent the day[ at home] and went to bed early.")
    infiller = GuidedInfiller(language_model, InfillingConfig())
    jobs = infiller.jobs([InfillingRequest("", (one_way,)), InfillingRequest("", (many,))])
    counted, spent = DecodingEngine(language_model, InfillingConfig()).texts(jobs)
    assert counted.good == 0
    assert counted.fills
    assert spent.good > 0


def test_a_search_may_have_nothing_but_poor_texts(tiny: LanguageModel) -> None:
    job = jobs_of(tiny, CONFIGS["plain"])[0]
    row = SearchRow(
        job, search_state.SearchLimits.of(CONFIGS["plain"]), tiny.decode, 0, 0, 0, None,
    )  # fmt: skip
    beams = [search_state.Beam((), (), ((i,),), -float(i), 0.0, None) for i in (1, 4, 9)]
    for bar, good in ((-99.0, 3), (-4.5, 2), (0.0, 0)):
        row._rank(beams, bar)
        assert row.texts == FoundTexts((((1,),), ((4,),), ((9,),)), good)
