"""The default score once more, in a few obvious lines, on the demonstration rows and the real models."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer
from wordfreq import zipf_frequency

from mars_score.config import preset
from mars_score.encoders.token_level import TokenLevelEncoder
from mars_score.io.readers import read_examples
from mars_score.mars.facts import Sources
from mars_score.models.store import ModelStore

from .plain_reading import plain_reader

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from mars_score.config import ScoringConfig
    from mars_score.mars.scorer import MarsScorer
    from mars_score.types import Augmentation, Example

    Read = Callable[[str], tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], float]]
    Probable = Callable[[str, str], tuple[float, int]]

DEMO = Path(__file__).parents[2] / "examples" / "demo.jsonl"
PRESETS = ["general", "fast", "qa"]


@pytest.fixture(scope="module")
def rows() -> list[Example]:
    return list(read_examples(DEMO))


@pytest.fixture(scope="module")
def read(scorer: MarsScorer) -> Read:
    """Encode a text alone: its vector, the vectors and weights of its pieces, and its fluency."""
    encoder = scorer.encoder
    assert isinstance(encoder, TokenLevelEncoder)
    assert encoder.head
    head = encoder.head.tensors
    folder = ModelStore().path("minilm-l6")
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder)

    @cache
    def one(
        text: str,
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64], float]:
        told = tokenizer(text, truncation=True, max_length=encoder.max_length, return_tensors="pt")
        with torch.inference_mode():
            layers = model(**told, output_hidden_states=True).hidden_states
            x = torch.cat(layers[1:], -1)[0, 1:-1]
            x = torch.nn.functional.layer_norm(x, x.shape[-1:], head["norm.weight"], head["norm.bias"])
            x = torch.nn.functional.gelu(x @ head["dense.weight"].T + head["dense.bias"])
            fluency = float(torch.sigmoid(-(x @ head["out.weight"].T + head["out.bias"])).log().mean())
        pieces = tokenizer.convert_ids_to_tokens(told.input_ids[0, 1:-1])
        vectors = layers[3][0, 1:-1].numpy().astype(np.float64)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        whole = layers[6][0].mean(0).numpy().astype(np.float64)
        weights = np.array(
            [
                0.01
                + (3 if p.startswith("##") else (8 - zipf_frequency(p, "en")) / 2 if p[0].isalnum() else 0)
                for p in pieces
            ]
        )
        return whole / np.linalg.norm(whole), vectors, weights / weights.sum(), fluency

    return one


@pytest.fixture(scope="module")
def probable(scorer: MarsScorer, smollm: Path) -> Probable:
    """Mean log-probability and number of a text's tokens after a context."""
    return plain_reader(smollm, scorer.guided.model.start)


def plain_score(
    example: Example, found: list[Augmentation], read: Read, probable: Probable, config: ScoringConfig
) -> float:
    """The definition in docs/metrics.md, for a candidate that is not blank."""
    whole, vectors, weights, fluency = read(example.candidate)
    totals = []
    for augmentation in found:
        texts = [one.text for one in augmentation.augmented]
        share = config.q ** np.arange(len(texts))
        cosines = share / share.sum() @ [whole @ read(text)[0] for text in texts]
        _, its_vectors, its_weights, _ = read(texts[0])
        alike = vectors @ its_vectors.T
        precision, recall = alike.max(1) @ weights, alike.max(0) @ its_weights
        either, square = max(precision, recall), len(its_weights) ** 2
        joined = {"balanced": (precision + recall) / 2, "recall": 0.3 * precision + 0.7 * recall,
                  "either": either, "coverage": (144 * either + square * recall) / (144 + square)}  # fmt: skip
        totals.append((1 - config.words) * cosines + config.words * joined[config.match])
    human = [augmentation.augmented[0].text for augmentation in found]
    facts = Sources([example.context, *human]).unsupported(example.candidate)
    score = max(totals) - config.facts * min(4, sum(2.5 if fact.contradicts else 1 for fact in facts))
    usual = min(max(-1.0, read(text)[3]) for text in human)
    score += config.fluency * min(0, max(-1.0, fluency) - usual)
    usually = np.mean([copied_share(text, example.context) for text in human])
    beyond = max(0.0, copied_share(example.candidate, example.context) - usually)
    if config.likelihood:
        mean, tokens = probable(example.context, example.candidate)
        best = max(probable(example.context, text)[0] for text in human)
        read_so = min(1.0, max(-2.0, mean - best)) * tokens / (tokens + 64)
        score += config.likelihood * read_so * (1 - beyond if read_so > 0 else 1)
    if not example.context:
        return float(score)
    texts = [one.text for augmentation in found for one in augmentation.augmented]
    context = read(example.context)[0]
    gain = whole @ context - np.mean([read(text)[0] @ context for text in texts])
    if gain > 0:
        gain *= 1 - beyond
    words = np.mean([len(re.findall(r"\w+|[^\w\s]", text)) for text in human])
    gain = min(0.2, max(-0.2, gain))
    return float(score + config.relevance * gain * words / (words + 10))


def copied_share(candidate: str, context: str) -> float:
    """The share of a candidate's words that stand in runs of three that the context has."""
    ours, theirs = ([*re.findall(r"\w+|[^\w\s]", text.lower())] for text in (candidate, context))
    known = [theirs[i : i + 3] for i in range(len(theirs) - 2)]
    inside = [
        any(0 <= j <= len(ours) - 3 and ours[j : j + 3] in known for j in (i - 2, i - 1, i))
        for i in range(len(ours))
    ]
    return sum(inside) / len(ours) if ours else 0.0


def capped_score(
    example: Example, found: list[Augmentation], read: Read, probable: Probable, config: ScoringConfig
) -> float:
    """No more than what a copy of the best human reference gets."""
    copies = [replace(example, candidate=augmentation.augmented[0].text) for augmentation in found]
    return min(
        plain_score(example, found, read, probable, config),
        max(plain_score(copy, found, read, probable, config) for copy in copies),
    )


@pytest.mark.numeric
@pytest.mark.parametrize("name", PRESETS)
def test_the_package_agrees_with_the_definition(
    name: str, scorer: MarsScorer, rows: list[Example], read: Read, probable: Probable
) -> None:
    scorer = scorer.with_options(**vars_of(preset(name).scoring), ratios=preset(name).masking.ratios)
    assert scorer.config == preset(name)
    augmented = scorer.augment_examples(rows)
    for example, item in zip(rows, scorer.score_examples(rows), strict=True):
        if example.candidate.strip():
            found = [augmented[pair] for pair in example.pairs]
            assert item.score == pytest.approx(
                capped_score(example, found, read, probable, scorer.config.scoring), abs=1e-5
            )


def vars_of(scoring: ScoringConfig) -> dict[str, float | str]:
    names = ("words", "match", "relevance", "fluency", "facts", "likelihood", "cap")
    return {name: getattr(scoring, name) for name in names}


@pytest.mark.parametrize("name", [*PRESETS, "paper-formula"])
@pytest.mark.parametrize("references", ["best", "mean"])
def test_every_score_is_explained_to_the_last_part(
    name: str, references: str, scorer: MarsScorer, rows: list[Example]
) -> None:
    scorer = scorer.with_options(
        **vars_of(preset(name).scoring), ratios=preset(name).masking.ratios, references=references
    )
    for item in scorer.score_examples(rows):
        compared = sum(term.weight * term.cosine for term in item.augmented)
        assert item.score == pytest.approx(compared + sum(one.amount for one in item.adjustments), abs=1e-9)


def test_the_metric_of_the_paper_is_its_preset(scorer: MarsScorer, rows: list[Example]) -> None:
    from mars_score.metrics.registry import make_metric

    metric = make_metric("mars_paper", scorer)
    other = scorer.with_options(**vars_of(preset("paper-formula").scoring))
    assert metric.signature == other.signature
    assert [value.score for value in metric.score(rows)] == other.score_examples(rows).scores
