"""What every registered metric promises, on the real models."""

from __future__ import annotations

import math
import random
from typing import TYPE_CHECKING

import pytest

from mars_score import flags
from mars_score.errors import ConfigError
from mars_score.metrics.base import score_all
from mars_score.metrics.registry import METRICS, make_metric, metric_names
from mars_score.types import Example

from .human_data import number

if TYPE_CHECKING:
    from mars_score.mars.scorer import MarsScorer
    from mars_score.metrics.base import Metric, Value

HARBOUR = (
    "The ferry to the islands was cancelled because of the wind. Dozens of people waited in the harbour. "
    "A fisherman offered to take six of them across."
)
REPAIR = "Nadia took her bicycle apart on the kitchen floor. One screw was missing when she was done."
HARBOUR_REFERENCES = (
    "Six passengers climbed into his small boat and crossed the rough water.",
    "Some of them accepted and reached the islands that evening.",
)
REPAIR_REFERENCE = "She searched under the stove and found the screw beside an old spoon."
EXAMPLES = [
    Example("harbour/good", "Six of the waiting people crossed in his boat.", HARBOUR_REFERENCES, HARBOUR),
    Example("harbour/copy", HARBOUR_REFERENCES[0], HARBOUR_REFERENCES, HARBOUR),
    Example("harbour/other", "The museum of clocks opens at nine.", HARBOUR_REFERENCES, HARBOUR),
    Example("repair/good", "It lay under the stove.", (REPAIR_REFERENCE,), REPAIR),
    Example("repair/empty", "", (REPAIR_REFERENCE,), REPAIR),
    Example("repair/alone", "It lay under the stove.", (REPAIR_REFERENCE,)),
]
EMPTY, ALONE = 4, 5
"""Rows without a candidate, and without a context."""
BLIND = {"perplexity", "perplexity_alone", "lm_likelihood", "lm_pmi", "lm_reference", "context_cosine",
         "mars_context", "candidate_length", "random"}  # fmt: skip
"""For these the reference itself is no perfect match: most never see it, and `lm_reference` asks how
predictable it is, which a repeated text is not always most."""
UNDEFINED_WHEN_EMPTY = {"perplexity", "perplexity_alone", "lm_likelihood", "lm_pmi", "lm_reference"}

every = pytest.mark.parametrize("name", METRICS)


@pytest.fixture(scope="module")
def metrics(scorer: MarsScorer) -> dict[str, Metric]:
    return {name: make_metric(name, scorer) for name in METRICS}


@pytest.fixture(scope="module")
def together(metrics: dict[str, Metric]) -> dict[str, list[Value]]:
    return {name: metric.score(EXAMPLES) for name, metric in metrics.items()}


@every
def test_the_list_says_what_is_true(name: str, metrics: dict[str, Metric]) -> None:
    entry, metric = METRICS[name], metrics[name]
    assert metric.name == name
    assert metric.higher_is_better == entry.higher_is_better
    assert ", ".join(metric.inputs) == entry.inputs
    assert entry.summary


@every
def test_order_company_and_repetition_do_not_matter(
    name: str, metrics: dict[str, Metric], together: dict[str, list[Value]]
) -> None:
    """To the last bit, whatever else is scored with a row."""
    wanted = dict(zip((example.id for example in EXAMPLES), together[name], strict=True))
    shuffled = random.Random(5).sample(EXAMPLES, len(EXAMPLES))
    for examples in (shuffled, EXAMPLES[3:4], [EXAMPLES[0], EXAMPLES[2], EXAMPLES[0]]):
        assert metrics[name].score(examples) == [wanted[example.id] for example in examples]


@every
def test_ids_do_not_matter(name: str, metrics: dict[str, Metric], together: dict[str, list[Value]]) -> None:
    renamed = [Example(f"row {i}", e.candidate, e.references, e.context) for i, e in enumerate(EXAMPLES)]
    assert metrics[name].score(renamed) == together[name]


@every
def test_the_order_of_references_does_not_matter(
    name: str, metrics: dict[str, Metric], together: dict[str, list[Value]]
) -> None:
    turned = [Example(e.id, e.candidate, e.references[::-1], e.context) for e in EXAMPLES[:3]]
    assert metrics[name].score(turned) == together[name][:3]


@pytest.mark.parametrize("name", [name for name in METRICS if name not in BLIND])
def test_a_perfect_match_is_the_best_score(name: str, together: dict[str, list[Value]]) -> None:
    good, copy, other = map(number, together[name][:3])
    sign = 1 if METRICS[name].higher_is_better else -1
    assert sign * copy > sign * good
    assert sign * copy > sign * other


@pytest.mark.parametrize("name", [name for name in METRICS if name not in {"random", "candidate_length"}])
def test_what_belongs_here_beats_what_does_not(name: str, together: dict[str, list[Value]]) -> None:
    good, _, other = map(number, together[name][:3])
    if name in {"perplexity_alone", "bleu4", "rouge2", "ter"}:
        return  # the first knows nothing of here, the next find no pair of words; TER likes a shorter text better
    assert good > other if METRICS[name].higher_is_better else good < other


@every
def test_numbers_are_finite_and_odd_rows_are_flagged(name: str, together: dict[str, list[Value]]) -> None:
    for value in together[name]:
        assert value.score is None or math.isfinite(value.score)
        assert value.score is not None or value.flags
        assert set(value.flags) <= set(flags.MEANING)
    empty = together[name][EMPTY]
    assert flags.EMPTY_CANDIDATE in empty.flags
    assert (empty.score is None) == (name in UNDEFINED_WHEN_EMPTY)
    if "context" in METRICS[name].inputs and name != "random":
        assert flags.NO_CONTEXT in together[name][ALONE].flags


@pytest.mark.parametrize(
    # A cosine may be below 0, which an empty candidate has: that of a text that has nothing to do with the context is.
    "name",
    [name for name in METRICS if name not in UNDEFINED_WHEN_EMPTY | {"random", "context_cosine"}],
)
def test_an_empty_candidate_beats_nobody(name: str, together: dict[str, list[Value]]) -> None:
    empty = number(together[name][EMPTY])
    for value in together[name]:
        if value.score is not None:
            assert value.score >= empty if METRICS[name].higher_is_better else value.score <= empty


@every
def test_the_signature_is_stable(name: str, metrics: dict[str, Metric], scorer: MarsScorer) -> None:
    """Two metrics made alike say the same, no two metrics do, and scoring changes nothing."""
    signature = metrics[name].signature
    assert make_metric(name, scorer).signature == signature
    assert signature not in {other.signature for key, other in metrics.items() if key != name}
    assert signature == signature.strip()
    assert "\n" not in signature


def test_all_metrics_in_one_table(metrics: dict[str, Metric], together: dict[str, list[Value]]) -> None:
    rows = score_all(list(metrics.values()), EXAMPLES)
    assert [row.id for row in rows] == [example.id for example in EXAMPLES]
    for i, row in enumerate(rows):
        assert row.scores == {name: values[i].score for name, values in together.items()}
        assert row.flags == tuple(sorted({flag for values in together.values() for flag in values[i].flags}))


def test_texts_are_cleaned_for_all_metrics_alike(metrics: dict[str, Metric]) -> None:
    chosen = [metrics[name] for name in ("rougeL", "candidate_length", "mars")]
    plain = Example("1", "The boat came back.", (HARBOUR_REFERENCES[0],), HARBOUR)
    tagged = Example("1", "The boat came back. #ferry", (HARBOUR_REFERENCES[0],), HARBOUR)
    (expected,), (row,) = score_all(chosen, [plain]), score_all(chosen, [tagged])
    assert row.scores == expected.scores
    assert row.flags == tuple(sorted({*expected.flags, flags.CLEANED}))


def test_names() -> None:
    assert metric_names("mars") == ["mars"]
    assert metric_names(" bleu1, mars,bleu1 ") == ["bleu1", "mars"]
    assert metric_names("all") == metric_names("mars,all") == list(METRICS)
    with pytest.raises(ConfigError, match=r"unknown metric 'rougel'.*Did you mean 'rougeL'"):
        metric_names("mars,rougel")
    with pytest.raises(ConfigError, match="no metric is named"):
        metric_names(" , ")


def test_variants_share_what_they_can(scorer: MarsScorer) -> None:
    glove, unplanned = scorer.with_options(encoder="glove-50d"), scorer.with_options(planner="off")
    scorer.augment_examples(EXAMPLES[:1])
    before = scorer.guided.engine.counts.rows
    glove.augment_examples(EXAMPLES[:1])
    assert scorer.guided.engine.counts.rows == before
    assert unplanned.guided.model is scorer.guided.model
    assert unplanned.encoder is scorer.encoder
    assert unplanned.tagger is scorer.tagger
