"""The engine against the sequential reference, and against itself in other company."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
from transformers import AutoModelForCausalLM

from mars_score.config import InfillingConfig
from mars_score.infilling import choosing
from mars_score.infilling.engine import Engine
from mars_score.models.quiet import quiet

from .cases import jobs_of
from .sequential import Sequential

if TYPE_CHECKING:
    from pathlib import Path

    from mars_score.infilling.language_model import LanguageModel


def load(folder: Path) -> Any:
    """The model as the library runs it."""
    with quiet():
        return AutoModelForCausalLM.from_pretrained(folder)


CONFIGS = {
    "default": InfillingConfig(),
    "plain": InfillingConfig(planner="off"),
    "planned only": InfillingConfig(rival=False, eta=0.05),
    "probability": InfillingConfig(reward="probability", eta=0.05),
    "paper's judge": InfillingConfig(judge_window=0, judge_keep=0, sigma=2),
    "whole vocabulary, all future words": InfillingConfig(shortlist=0, horizon=0, decay=1.0, no_repeat=False),
    "no context": InfillingConfig(context=False),
}


@pytest.mark.parametrize("name", CONFIGS)
def test_engine_equals_sequential_reference(name: str, tiny: LanguageModel, tiny_folder: Path) -> None:
    config = CONFIGS[name]
    jobs = jobs_of(tiny, config)
    reference = Sequential(load(tiny_folder), tiny.vocabulary, config)
    assert Engine(tiny, config).run(jobs) == [reference.fill(job) for job in jobs]


def test_default_model_equals_sequential_reference(language_model: LanguageModel, smollm: Path) -> None:
    config = InfillingConfig()
    jobs = jobs_of(language_model, config)[1::5]  # two templates: the plain way takes its time
    reference = Sequential(load(smollm), language_model.vocabulary, config)
    assert Engine(language_model, config).run(jobs) == [reference.fill(job) for job in jobs]


@pytest.mark.parametrize(
    "limits",
    [{"max_rows": 1}, {"max_rows": 3}, {"memory": 1}, {"memory": 400_000}],
    ids=["one row", "three rows", "no memory", "little memory"],
)
def test_company_does_not_matter(limits: dict[str, int], tiny: LanguageModel) -> None:
    config = InfillingConfig(eta=0.05)
    jobs = jobs_of(tiny, config)
    together = dict(zip(jobs, Engine(tiny, config).run(jobs), strict=True))
    shuffled = random.Random(3).sample([*jobs, *jobs[:2]], len(jobs) + 2)
    assert Engine(tiny, config, **limits).run(shuffled) == [together[job] for job in shuffled]


def test_company_does_not_matter_with_the_default_model(language_model: LanguageModel) -> None:
    config = InfillingConfig()
    jobs = jobs_of(language_model, config)
    together = Engine(language_model, config).run(jobs)
    alone = [Engine(language_model, config).run([job])[0] for job in jobs]
    assert together == alone
    assert Engine(language_model, config, max_rows=3).run(jobs[::-1]) == together[::-1]


def test_near_ties_are_decoded_alone(tiny: LanguageModel, monkeypatch: pytest.MonkeyPatch) -> None:
    config = InfillingConfig()
    jobs = jobs_of(tiny, config)
    usual = Engine(tiny, config).run(jobs)
    monkeypatch.setitem(choosing.TIE, "float32", 1e9)
    engine = Engine(tiny, config)
    assert engine.run(jobs) == usual
    assert engine.counts.repeated == len(set(jobs))


def test_a_context_is_read_once_for_all_its_templates(tiny: LanguageModel) -> None:
    config = InfillingConfig()
    jobs = jobs_of(tiny, config)
    engine = Engine(tiny, config)
    engine.run([*jobs, *jobs])
    assert engine.counts.rows - engine.counts.repeated == len(set(jobs))
    alone = {job.context for job in jobs}
    assert engine.counts.prefilled >= sum(len(context) for context in alone)
    if not engine.counts.repeated:
        assert engine.counts.prefilled == sum(len(context) for context in alone)


def test_progress_reaches_the_total(tiny: LanguageModel) -> None:
    config = InfillingConfig()
    seen: list[tuple[int, int]] = []
    jobs = jobs_of(tiny, config)
    Engine(tiny, config).run(jobs, lambda finished, total: seen.append((finished, total)))
    assert [finished for finished, _ in seen] == sorted(finished for finished, _ in seen)
    assert seen[-1] == (len(set(jobs)), len(set(jobs)))


def test_nothing_to_do(tiny: LanguageModel) -> None:
    assert Engine(tiny, InfillingConfig()).run([]) == []
