"""The engine against the sequential reference, and against itself in other company."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
import torch
from transformers import AutoModelForCausalLM

from mars_score.config import InfillingConfig
from mars_score.errors import ModelError
from mars_score.infilling import planning
from mars_score.infilling.decoder.engine import DecodingEngine
from mars_score.infilling.decoder.kv_cache import Cache
from mars_score.infilling.decoder.state import Job, TokenBlock
from mars_score.lm.causal import LanguageModel
from mars_score.models.tokenizer import quiet

from .cases import jobs_of
from .sequential import Sequential

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from mars_score.infilling.decoder.state import NewTokens
    from mars_score.models.store import ModelStore


def load(folder: Path) -> Any:
    """The model as the library runs it."""
    with quiet():
        return AutoModelForCausalLM.from_pretrained(folder)


CONFIGS = {
    "default": InfillingConfig(search="greedy"),
    "plain": InfillingConfig(search="greedy", planner="off"),
    "planned only": InfillingConfig(search="greedy", compare_unplanned=False, eta=0.05),
    "probability": InfillingConfig(search="greedy", reward="probability", eta=0.05),
    "paper's judge": InfillingConfig(search="greedy", judge_window=0, judge_keep=0, sigma=2),
    "whole vocabulary, all future words": InfillingConfig(
        search="greedy", shortlist=0, horizon=0, decay=1.0, no_repeat=False
    ),
    "no context": InfillingConfig(search="greedy", context=False),
}


@pytest.mark.numeric
@pytest.mark.parametrize("name", CONFIGS)
def test_engine_equals_sequential_reference(name: str, tiny: LanguageModel, tiny_folder: Path) -> None:
    config = CONFIGS[name]
    jobs = jobs_of(tiny, config)
    reference = Sequential(load(tiny_folder), tiny.vocabulary, config)
    assert DecodingEngine(tiny, config).run(jobs) == [reference.fill(job) for job in jobs]


def test_default_model_equals_sequential_reference(language_model: LanguageModel, smollm: Path) -> None:
    config = InfillingConfig(search="greedy")
    jobs = jobs_of(language_model, config)[1::5]  # two templates: the plain way takes its time
    reference = Sequential(load(smollm), language_model.vocabulary, config)
    assert DecodingEngine(language_model, config).run(jobs) == [reference.fill(job) for job in jobs]


def test_gemma_equals_sequential_reference(store: ModelStore) -> None:
    if {each.entry.name: each.state for each in store.status()}["gemma3-270m"] == "absent":
        pytest.skip("gemma3-270m is not in the store, and its terms are yours to accept: run `make gemma`")
    folder = store.path("gemma3-270m")
    config = InfillingConfig(search="greedy")
    model = LanguageModel(str(folder), start_token=store.catalogue["gemma3-270m"].start_token)
    jobs = jobs_of(model, config)
    found = dict(zip(jobs, DecodingEngine(model, config).run(jobs), strict=True))
    reference = Sequential(load(folder), model.vocabulary, config)
    assert [found[job] for job in jobs[1::5]] == [reference.fill(job) for job in jobs[1::5]]


@pytest.mark.numeric
@pytest.mark.parametrize(
    "limits",
    [{"max_rows": 1}, {"max_rows": 3}, {"memory": 1}, {"memory": 400_000}],
    ids=["one row", "three rows", "no memory", "little memory"],
)
def test_company_does_not_matter(limits: dict[str, int], tiny: LanguageModel) -> None:
    config = InfillingConfig(search="greedy", eta=0.05)
    jobs = jobs_of(tiny, config)
    together = dict(zip(jobs, DecodingEngine(tiny, config).run(jobs), strict=True))
    shuffled = random.Random(3).sample([*jobs, *jobs[:2]], len(jobs) + 2)
    assert DecodingEngine(tiny, config, **limits).run(shuffled) == [together[job] for job in shuffled]


@pytest.mark.numeric
def test_company_does_not_matter_with_the_default_model(language_model: LanguageModel) -> None:
    config = InfillingConfig(search="greedy")
    jobs = jobs_of(language_model, config)
    together = DecodingEngine(language_model, config).run(jobs)
    alone = [DecodingEngine(language_model, config).run([job])[0] for job in jobs]
    assert together == alone
    assert DecodingEngine(language_model, config, max_rows=3).run(jobs[::-1]) == together[::-1]


def test_goes_on_with_fewer_rows_when_memory_runs_out(
    tiny: LanguageModel, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    config = InfillingConfig(search="greedy", eta=0.05)
    jobs = jobs_of(tiny, config)
    expected = DecodingEngine(tiny, config).run(jobs)
    step = Cache.step

    def scarce(cache: Cache, batch: Sequence[NewTokens[Any]]) -> Any:
        if len(batch) > 2:
            raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 1 bytes.")
        return step(cache, batch)

    monkeypatch.setattr(Cache, "step", scarce)
    engine = DecodingEngine(tiny, config)
    assert engine.run(jobs) == expected
    assert engine.max_rows == 2
    assert "going on with 2 rows" in caplog.text


def test_says_what_to_do_when_not_even_one_row_fits(
    tiny: LanguageModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def none_left(*_: Any) -> Any:
        raise torch.OutOfMemoryError

    monkeypatch.setattr(Cache, "step", none_left)
    with pytest.raises(ModelError, match=r"memory ran out .* alone"):
        DecodingEngine(tiny, InfillingConfig(search="greedy")).run(
            jobs_of(tiny, InfillingConfig(search="greedy"))
        )


def test_other_errors_are_not_taken_for_want_of_memory(
    tiny: LanguageModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> Any:
        raise RuntimeError("shapes cannot be multiplied")

    monkeypatch.setattr(Cache, "step", broken)
    with pytest.raises(RuntimeError, match="shapes"):
        DecodingEngine(tiny, InfillingConfig(search="greedy")).run(
            jobs_of(tiny, InfillingConfig(search="greedy"))
        )


def test_jobs_of_unlike_size_do_not_share_a_batch(tiny: LanguageModel) -> None:
    def job(tokens: int, number: int) -> Job:
        return Job(
            (0, tokens, number), (TokenBlock(tuple([5] * tokens), blank=False), TokenBlock((6,), blank=True))
        )

    small, large = [job(10, i) for i in range(8)], [job(900, i) for i in range(8)]
    config = InfillingConfig(search="greedy")
    batches = DecodingEngine(tiny, config, max_rows=4)._batches([*large, *small])
    assert [[one for group in batch for one in group] for batch in batches] == [small, large]
    # Too few to fill the slots of a batch of their own: the next size takes them along, long ones first.
    middle = [job(180, i) for i in range(2)]
    (batch,) = DecodingEngine(tiny, config, max_rows=16)._batches([*small, *middle])
    assert {one for group in batch for one in group} == {*middle, *small}


def test_near_ties_are_decoded_alone(tiny: LanguageModel, monkeypatch: pytest.MonkeyPatch) -> None:
    config = InfillingConfig(search="greedy")
    jobs = jobs_of(tiny, config)
    usual = DecodingEngine(tiny, config).run(jobs)
    monkeypatch.setitem(planning.TIE, "float32", 1e9)
    engine = DecodingEngine(tiny, config)
    assert engine.run(jobs) == usual
    assert engine.counts.repeated == len(set(jobs))


def test_a_context_is_read_once_for_all_its_templates(tiny: LanguageModel) -> None:
    config = InfillingConfig(search="greedy")
    jobs = jobs_of(tiny, config)
    engine = DecodingEngine(tiny, config)
    engine.run([*jobs, *jobs])
    assert engine.counts.rows - engine.counts.repeated == len(set(jobs))
    alone = {job.context for job in jobs}
    assert engine.counts.prefilled >= sum(len(context) for context in alone)
    if not engine.counts.repeated:
        assert engine.counts.prefilled == sum(len(context) for context in alone)


def test_progress_reaches_the_total(tiny: LanguageModel) -> None:
    config = InfillingConfig(search="greedy")
    seen: list[tuple[int, int]] = []
    jobs = jobs_of(tiny, config)
    DecodingEngine(tiny, config).run(jobs, lambda finished, total: seen.append((finished, total)))
    assert [finished for finished, _ in seen] == sorted(finished for finished, _ in seen)
    assert seen[-1] == (len(set(jobs)), len(set(jobs)))


def test_nothing_to_do(tiny: LanguageModel) -> None:
    assert DecodingEngine(tiny, InfillingConfig(search="greedy")).run([]) == []


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_half_precision_runs_through_the_same_code(dtype: str, tiny_folder: Path) -> None:
    model = LanguageModel(str(tiny_folder), start_token=0, dtype=dtype)
    config = InfillingConfig(search="greedy", dtype=dtype)
    jobs = jobs_of(model, config)
    fills = DecodingEngine(model, config).run(jobs)
    assert [len(fill) for fill in fills] == [sum(block.blank for block in job.blocks) for job in jobs]
    assert DecodingEngine(model, config, max_rows=3).run(jobs[::-1]) == fills[::-1]
