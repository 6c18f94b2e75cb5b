"""The closed form of self-planning against autograd, and what it is for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st

from mars_score.config import InfillingConfig, PlannerKind, RewardKind
from mars_score.errors import ModelError
from mars_score.infilling.decoder.engine import DecodingEngine
from mars_score.infilling.planning import Goals, Tables, _slope, plan, reward_of, shortlist
from mars_score.lm.causal import LanguageModel

from .cases import jobs_of

if TYPE_CHECKING:
    from pathlib import Path

V, H = 50, 16
KINDS: tuple[RewardKind, ...] = ("probability", "similarity")
PLANNERS: tuple[PlannerKind, ...] = ("off", "hidden", "kv")


def tables(seed: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Hidden states (3, H), output table (V, H) and embeddings (V, H)."""
    generator = torch.Generator().manual_seed(seed)
    return (
        torch.randn(3, H, generator=generator),
        torch.randn(V, H, generator=generator),
        torch.randn(V, H, generator=generator),
    )


@pytest.mark.parametrize("kind", KINDS)
@given(
    seed=st.integers(0, 10_000),
    xi=st.floats(0.5, 2.0),
    goal=st.lists(st.integers(0, V - 1), min_size=1, max_size=5),
)
@settings(max_examples=40, deadline=None)
def test_closed_form_gradient_is_autograds(kind: RewardKind, seed: int, xi: float, goal: list[int]) -> None:
    hidden, output, embeddings = tables(seed)
    weights = 0.7 ** torch.arange(len(goal))
    h = hidden[0].clone().requires_grad_(True)
    target = torch.tensor(goal)
    (expected,) = torch.autograd.grad(reward_of(output @ h / xi, target, weights, embeddings, kind), h)

    p = (hidden[:1] @ output.T / xi).softmax(-1)
    if kind == "probability":
        reward = F.one_hot(target, V).float()[None]
    else:
        vectors = F.normalize(embeddings, dim=-1)
        reward = ((1 + vectors[target] @ vectors.T) / 2)[None]
    closed = _slope(p, reward, weights[None], kind) @ output / xi
    torch.testing.assert_close(closed[0], expected, atol=1e-5, rtol=1e-4)


def planned_scores(
    hidden: torch.Tensor, logits: torch.Tensor, goals: Goals, tables: Tables, config: InfillingConfig
) -> tuple[torch.Tensor, torch.Tensor]:
    """Planned scores and the token ids that they belong to."""
    ids, scores = shortlist(logits, torch.arange(len(logits)), goals, config.shortlist)
    return plan(hidden, ids, scores, goals, tables, config), ids


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("kind", KINDS)
def test_a_shortlist_of_everything_changes_nothing(kind: RewardKind, tied: bool) -> None:
    hidden, output, embeddings = tables(1)
    goals = Goals(torch.tensor([[3, 4], [5, 5], [0, 0]]), torch.tensor([[1.0, 0.5], [1.0, 0.5], [0.0, 0.0]]))
    logits = hidden @ output.T
    both = Tables(output, output if tied else embeddings)
    whole, _ = planned_scores(
        hidden, logits, goals, both, InfillingConfig(search="greedy", reward=kind, eta=0.1, shortlist=0)
    )
    short, ids = planned_scores(
        hidden, logits, goals, both, InfillingConfig(search="greedy", reward=kind, eta=0.1, shortlist=V - 1)
    )
    best = ids.gather(1, short.argmax(-1, keepdim=True))[:, 0]
    assert best.tolist() == whole.argmax(-1).tolist()


def test_planning_raises_what_it_rewards() -> None:
    hidden, output, embeddings = tables(2)
    logits = hidden @ output.T
    goals = Goals(torch.tensor([[7], [8], [9]]), torch.tensor([[1.0], [1.0], [0.0]]))
    config = InfillingConfig(search="greedy", reward="probability", eta=0.05, shortlist=0)
    planned, _ = planned_scores(hidden, logits, goals, Tables(output, embeddings), config)
    before, after = logits.log_softmax(-1), planned.log_softmax(-1)
    assert after[0, 7] > before[0, 7]
    assert after[1, 8] > before[1, 8]
    torch.testing.assert_close(planned[2], logits[2])  # nothing to plan for


def test_tokens_that_must_not_be_written_stay_out() -> None:
    hidden, output, embeddings = tables(3)
    logits = (hidden @ output.T).index_fill(1, torch.tensor([7, 8]), float("-inf"))
    goals = Goals(torch.tensor([[7], [8], [9]]), torch.ones(3, 1))
    for size in (0, 10):
        for kind in KINDS:
            config = InfillingConfig(search="greedy", reward=kind, eta=0.5, shortlist=size)
            planned, ids = planned_scores(hidden, logits, goals, Tables(output, embeddings), config)
            chosen = ids.gather(1, planned.argmax(-1, keepdim=True))
            assert not set(chosen.flatten().tolist()) & {7, 8}
            assert not planned.isnan().any()


def test_a_model_without_gradients_is_refused(tiny: LanguageModel) -> None:
    with pytest.raises(ModelError, match="differentiable"):
        DecodingEngine(tiny, InfillingConfig(search="greedy", planner="kv"))


def test_both_planners_run_on_the_default_model(smollm: Path) -> None:
    language_model = LanguageModel(str(smollm), differentiable=True)
    plain = InfillingConfig(search="greedy", planner="off")
    jobs = jobs_of(language_model, plain)[:1]
    fills = {}
    for planner in PLANNERS:
        config = InfillingConfig(search="greedy", planner=planner, compare_unplanned=False, eta=0.02)
        fills[planner] = DecodingEngine(language_model, config).run(jobs)[0]
        assert len(fills[planner]) == 2
    assert fills["hidden"] != fills["off"]
    assert fills["kv"] != fills["off"]


def test_planning_through_the_cache_makes_future_words_likelier(tiny_folder: Path) -> None:
    from mars_score.infilling.decoder.greedy import GreedyBatch
    from mars_score.infilling.decoder.state import Phase
    from mars_score.infilling.planning import past_of, plan_through_cache

    tiny = LanguageModel(str(tiny_folder), start_token=0, differentiable=True)
    config = InfillingConfig(search="greedy", planner="kv", reward="probability", eta=0.02)
    engine = DecodingEngine(tiny, config)
    (job,) = jobs_of(tiny, config)[:1]
    with torch.no_grad():
        batch = GreedyBatch(engine, [[job]])
        batch._admit()
        batch._round()  # reads the text before the first blank
        (row,) = batch.active
        assert row.phase is Phase.GENERATE
        past = [past_of(batch.cache, row, row.strands[0])]
        planned = plan_through_cache(tiny, past, config)[0]
        unmoved = plan_through_cache(tiny, past, InfillingConfig(search="greedy", steps=0))[0]
        plain = tiny.logits(row.hidden[:1])[0]
    torch.testing.assert_close(unmoved, plain, atol=1e-3, rtol=1e-3)
    goal = torch.tensor(row.goal)
    weights = config.decay ** torch.arange(len(row.goal))
    table = tiny.network.embeddings
    before = reward_of(plain, goal, weights, table, "probability")
    assert reward_of(planned, goal, weights, table, "probability") > before
