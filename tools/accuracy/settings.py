"""What is tried: the product's presets, the paper's formula, ablations, and everything between."""

from __future__ import annotations

from typing import Any

from mars_score.config import FORMULA

Options = dict[str, Any]

JUDGED: dict[str, Options] = {
    "mars": {},
    "mars, paper's formula": FORMULA,
    "human reference alone": FORMULA | {"ratios": ()},
    "mars, human reference alone": {"ratios": ()},
    "no planning": {"planner": "off"},
    "no context": {"context": False},
    "paper's formula, no planning": FORMULA | {"planner": "off"},
    "paper's formula, no context": FORMULA | {"context": False},
}
"""Judged on the test halves, each on top of its task's preset."""

READ = "mars, candidates read"
READ_OPTIONS: dict[str, Options] = {"story": {"likelihood": 0.1}, "summary": {"likelihood": 0.1}}
"""The slow variant, judged too: by preset, what is set where the language model reads candidates. Others are `mars`."""

ABLATIONS: dict[str, Options] = {
    "without single words": {"words": 0.0},
    "without relevance": {"relevance": 0.0},
    "without fluency": {"fluency": 0.0},
    "without copying and echo": {"copying": 0.0, "echo": 0.0},
    "without copying": {"copying": 0.0},
    "without echo": {"echo": 0.0},
    "without cap": {"cap": False},
}

BASELINES = ("bleu1", "meteor", "rougeL", "sentence_mover", "moverscore", "bertscore", "perplexity", "naive")
SENTINELS = ("candidate_length", "context_cosine")

GENERAL: dict[str, Options] = {
    "general": {},
    "paper's formula": FORMULA,
    **{f"only words {value}": FORMULA | {"words": value} for value in (0.25, 0.5, 0.75, 1.0)},
    **{f"only relevance {value}": FORMULA | {"relevance": value} for value in (0.2, 0.4, 0.6)},
    **{f"only fluency {value}": FORMULA | {"fluency": value} for value in (0.2, 0.5, 1.0)},
    **{f"only copying {value}": FORMULA | {"copying": value} for value in (0.5, 1.0)},
    **{f"only echo {value}": FORMULA | {"echo": value} for value in (0.5, 1.0)},
    **{f"words {value}": {"words": value} for value in (0.25, 0.75, 1.0)},
    **{f"match {value}": {"match": value} for value in ("recall", "either")},
    **{f"relevance {value}": {"relevance": value} for value in (0.2, 0.3, 0.6, 1.0)},
    **{f"fluency {value}": {"fluency": value} for value in (0.2, 0.3, 0.7, 1.0)},
    **{f"copying {value}": {"copying": value} for value in (0.3, 0.5, 2.0)},
    **{f"echo {value}": {"echo": value} for value in (1.0, 2.0)},
    **{f"slack {value}": {"slack": value} for value in (0.1, 0.3)},
    **{f"q {value}": {"q": value} for value in (0.6, 1.0)},
    **ABLATIONS,
}
"""Tried on the tune halves, all sets with the general preset."""

LIKELIHOODS = (0.05, 0.1, 0.15, 0.2)
TASKS: dict[str, dict[str, Options]] = {
    "summary": {
        "general": {"match": "balanced", "relevance": 0.4, "copying": 1.0, "echo": 0.5},
        "summary": {},
        **{f"relevance {value}": {"relevance": value} for value in (0.4, 0.8, 1.2, 2.0)},
        **{f"copying {value}": {"copying": value} for value in (0.0, 1.0)},
        **{f"echo {value}": {"echo": value} for value in (0.5, 2.0)},
        **{f"match {value}": {"match": value} for value in ("balanced", "either")},
        **{f"words {value}": {"words": value} for value in (0.0, 1.0)},
        **{f"likelihood {value}": {"likelihood": value} for value in LIKELIHOODS},
    },
    "story": {
        "general": {"relevance": 0.4},
        "story": {},
        **{f"relevance {value}": {"relevance": value} for value in (0.8, 1.0)},
        **{f"words {value}": {"words": value} for value in (0.0, 0.25, 1.0)},
        **{f"likelihood {value}": {"likelihood": value} for value in LIKELIHOODS},
    },
    "qa": {
        "general": {"words": 0.5, "match": "balanced", "relevance": 0.4, "fluency": 0.5},
        "qa": {},
        **{f"match {value}": {"match": value} for value in ("balanced", "recall")},
        **{f"words {value}": {"words": value} for value in (0.5, 1.0)},
        **{f"relevance {value}": {"relevance": value} for value in (0.1, 0.2)},
        **{f"fluency {value}": {"fluency": value} for value in (0.1, 0.2, 0.5)},
    },
}
"""Tried on the tune halves of a task, on top of its preset."""

WRITTEN: dict[str, Options] = {
    "mars": {},
    "no planning": {"planner": "off"},
    "no context": {"context": False},
    "three sampled fills of each template": {"temperature": 0.8, "samples": 3},
    "all words alike, whatever their part of speech": {
        "adjective": 1.0,
        "adverb": 1.0,
        "noun": 1.0,
        "other": 1.0,
    },
    "fills no longer than what was masked": {"sigma": 0},
    "fills of up to 8 tokens more": {"sigma": 8},
    "Gemma-3-270M writes": {"lm": "gemma3-270m"},
    "mpnet compares whole texts": {"encoder": "mpnet-base"},
}
"""Other ways to augment and to compare, tried on the tune halves of a few sets, by `mars` and the paper's formula."""
WRITTEN_SETS = ("huse_summarization", "usr_personachat")
FORMULA_OF = "paper's formula: "
"""Before the name of a setting that is judged by the paper's formula."""
