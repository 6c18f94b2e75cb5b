"""Does self-planning write better fills? Judged by a language model that took no part in writing them.

For each setting and masking ratio: bits per byte of the augmented reference given its context, under
Gemma-3-270M (lower is better), over human endings of stories. Needs the opt-in model gemma3-270m.

    python benchmarks/planning_quality.py STORIES.jsonl [--endings 60] [--skip 0] [--set eta=0.01 ...]

The file has one story a line: {"context": ..., "right_ending": ...}.
"""

from __future__ import annotations

import argparse
import json
import math
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from mars_score.cli.options import setting_value
from mars_score.config import MarsConfig, ratios_up_to
from mars_score.lm.attention import Prefill
from mars_score.lm.causal import LanguageModel
from mars_score.mars.scorer import MarsScorer
from mars_score.models.resolve import resolve
from mars_score.models.store import ModelStore
from mars_score.types import Example, Pair

if TYPE_CHECKING:
    from collections.abc import Sequence


RATIOS = ratios_up_to(0.8)


class Judge:
    """Bits per byte of a text given its context."""

    def __init__(self, name: str = "gemma3-270m") -> None:
        model = resolve(name, "causal-lm", ModelStore())
        self.model = LanguageModel(model.location, start_token=model.start_token)

    def bits_per_byte(self, context: str, text: str) -> float:
        """-log2 p(text | context) / bytes."""
        before = [self.model.start, *self.model.encode(context.strip())]
        after = self.model.encode(f" {text}")
        ids = torch.tensor(before + after)
        layers, heads, size = self.model.kv_shape
        store = torch.empty(layers, 2, 1, heads, len(ids), size)
        with torch.no_grad():
            hidden = self.model.hidden(ids, torch.arange(len(ids)), Prefill([len(ids)], store.unbind(2)))
        logits = self.model.logits(hidden[len(before) - 1 : -1])
        loss = torch.nn.functional.cross_entropy(logits, ids[len(before) :], reduction="sum")
        return float(loss) / math.log(2) / len(text.encode())


def stories(path: Path, count: int, skip: int = 0) -> list[Pair]:
    """Contexts and human endings, after so many that are left out."""
    with path.open(encoding="utf-8") as lines:
        rows = [json.loads(line) for line in islice(lines, skip, skip + count)]
    return [Pair(row["context"], row["right_ending"]) for row in rows]


def measure(config: MarsConfig, pairs: Sequence[Pair], judge: Judge) -> dict[str, float]:
    """Mean bits per byte at each ratio, and the share of templates that the reference did not survive whole."""
    scorer = MarsScorer(config=config.with_options(ratios=RATIOS))
    examples = [Example(str(i), "", (reference,), context) for i, (context, reference, _) in enumerate(pairs)]
    augmented = scorer.augment_examples(examples)
    result: dict[str, float] = {}
    for index, ratio in enumerate(RATIOS, 1):
        texts = [(pair[0], augmentation.augmented[index].text) for pair, augmentation in augmented.items()]
        result[f"{ratio:.0%}"] = sum(judge.bits_per_byte(*text) for text in texts) / len(texts)
    return result


def main() -> None:
    """Print one JSON line for each setting."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("stories", type=Path)
    parser.add_argument("--endings", type=int, default=60)
    parser.add_argument("--skip", type=int, default=0, help="stories to leave out at the beginning")
    parser.add_argument(
        "--set", action="append", default=[], metavar="OPTION=VALUE;...", help="a further setting to measure"
    )
    arguments = parser.parse_args()
    pairs, judge, default = (
        stories(arguments.stories, arguments.endings, arguments.skip),
        Judge(),
        MarsConfig(),
    )
    settings: dict[str, dict[str, Any]] = {"planning off": {"planner": "off"}, "default": {}}
    for text in arguments.set:
        options = dict(part.split("=") for part in text.split(";"))
        settings[text] = {name: setting_value(default, name, value) for name, value in options.items()}
    human = sum(judge.bits_per_byte(pair.context, pair.reference) for pair in pairs) / len(pairs)
    print(
        json.dumps({"setting": "human endings", "endings": len(pairs), "bits_per_byte": round(human, 4)}),
        flush=True,
    )
    for name, options in settings.items():
        result = measure(default.with_options(**options), pairs, judge)
        print(
            json.dumps({"setting": name, **{key: round(value, 4) for key, value in result.items()}}),
            flush=True,
        )


if __name__ == "__main__":
    main()
