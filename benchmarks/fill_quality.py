"""How good the augmented references are, judged by a language model that took no part in writing them.

    python -m benchmarks.fill_quality DATA [--sets NAMES] [--count 60] [--setting NAME] [--set NAME=VALUE] [--read N]

DATA is a folder of data sets, one JSON object a line. For each set, setting and masking ratio, one JSON line:

seam        mean surprise (-log p, nats) of the three tokens after each blank, less that of the human text at its place
surprise    mean surprise of a token of the whole text given its context, less that of the human text
slor        log p of the text given its context, less that of its words by themselves, for each token; the human text's
            is subtracted
equal       share of texts that are equal to the reference, or to the text of another ratio
edits       mean share of words that differ from the reference
brought     mean number of content words of the context that a text has and its reference has not

With --read, so many texts of the default setting are printed for reading instead, drawn with a fixed seed. The judge is
the opt-in model gemma3-270m.
"""

from __future__ import annotations

import argparse
import json
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby, islice
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

from mars_score.cli.options import setting_value
from mars_score.config import MarsConfig, ratios_up_to
from mars_score.lm.causal import LanguageModel
from mars_score.lm.likelihood import Likelihood
from mars_score.mars.scorer import MarsScorer
from mars_score.models.resolve import resolve
from mars_score.models.store import ModelStore
from mars_score.text.frequency import BackgroundIdf
from mars_score.text.words import is_function_word
from mars_score.types import Augmentation, AugmentedReference, Block, Example, Pair

STORIES = "storycloze2016_val"
SETS = (STORIES, "huse_summarization", "usr_personachat", "dialsummeval", "newsroom")
RATIOS = ratios_up_to(0.8)
AFTER = 3
"""Tokens after a blank that tell whether the fill has led to them."""
SETTINGS: dict[str, dict[str, Any]] = {
    "search": {},
    "greedy": {"search": "greedy", "marks": True, "merge_gaps": 0},
    "no planning": {"planner": "off"},
    "no context": {"context": False},
    "neither": {"planner": "off", "context": False},
    "no rewards": {"token_reward": 0.0, "context_reward": 0.0},
    "gemma writes": {"lm": "gemma3-270m"},
}
"""`greedy` is how version 0.1.0 filled blanks."""
PAGE = Path(__file__).parents[1] / "docs" / "fills.md"
_BLOCK = re.compile(r"(<!--fills-->\n).*?(<!--/fills-->)", re.DOTALL)
_WORD = re.compile(r"\w+")


def pairs(path: Path, count: int) -> list[Pair]:
    """The first contexts and references of a set, each once."""
    found: dict[Pair, None] = {}
    with path.open(encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            reference = row["right_ending"] if "right_ending" in row else row["references"][0]
            if row["context"] and reference.strip() and not row.get("is_reference"):
                found[Pair(row["context"].strip(), reference.strip(), row.get("question") or "")] = None
    return list(islice(found, count))


class Judge:
    """The surprise at each token of a text given its context, under a language model."""

    def __init__(self, name: str = "gemma3-270m") -> None:
        """Load the model."""
        model = resolve(name, "causal-lm", ModelStore())
        self.model = LanguageModel(model.location, start_token=model.start_token)
        self.likelihood = Likelihood(self.model)

    def read(self, texts: Sequence[tuple[str, str]]) -> dict[tuple[str, str], tuple[list[int], list[float]]]:
        """For each (context, text): where its tokens start, and their surprise."""
        readings = self.likelihood.read(texts)
        return {
            pair: (self._starts(pair[1]), [-p for p in reading.log_probs])
            for pair, reading in zip(texts, readings, strict=True)
        }

    def _starts(self, text: str) -> list[int]:
        """The first character of each token; the space before a word belongs to its token."""
        ids = self.model.encode(f" {text}")
        lengths = [len(self.model.decode(ids[:end])) for end in range(len(ids))]
        return [max(0, length - 1) for length in lengths]


def seams(segments: Sequence[Block]) -> list[int]:
    """Where the text after each blank begins; a blank at the end has none."""
    whole = "".join(block.text for block in segments)
    margin = len(whole) - len(whole.lstrip())
    places, at = [], -margin
    for block, following in zip(segments, [*segments[1:], None], strict=True):
        at += len(block.text)
        if block.blank and following is not None and following.text.strip():
            places.append(at)
    return places


def after(places: Iterable[int], starts: Sequence[int], surprises: Sequence[float]) -> list[float]:
    """The mean surprise of the tokens after each place."""
    means = []
    for place in places:
        first = next((i for i, start in enumerate(starts) if start >= place), len(starts))
        if surprises[first : first + AFTER]:
            means.append(fmean(surprises[first : first + AFTER]))
    return means


def log_unigram(text: str) -> float:
    """The log-probability of a text's words by themselves, by their frequencies."""
    idf = BackgroundIdf()
    # The table's IDF is of documents of 20 words: -log(1 - (1 - f)^20), which is turned round here.
    return sum(math.log(-math.expm1(math.log1p(-math.exp(-idf(word))) / 20)) for word in _WORD.findall(text))


def content_words(text: str) -> set[str]:
    """The words of a text that say something."""
    return {word for word in _WORD.findall(text.lower()) if len(word) > 2 and not is_function_word(word)}


def measure(augmented: dict[Pair, Augmentation], judge: Judge) -> Iterator[dict[str, Any]]:
    """A line for each ratio."""
    texts = [(pair.context, one.text) for pair, each in augmented.items() for one in each.augmented]
    read = judge.read(list(dict.fromkeys(texts)))
    for place, ratio in enumerate(RATIOS, 1):
        rows = [(pair, each, each.augmented[place]) for pair, each in augmented.items()]
        lines = [row(pair, each, one, read) for pair, each, one in rows]
        names = ("seam", "surprise", "slor", "equal", "edits", "brought")
        means = {name: fmean(v for line in lines for v in line[name]) for name in names}
        yield {"ratio": ratio, "texts": len(lines), **{name: round(mean, 3) for name, mean in means.items()}}


def row(
    pair: Pair, each: Augmentation, one: AugmentedReference, read: dict[Any, Any]
) -> dict[str, list[float]]:
    """The measures of one text, beside its reference's."""
    human = each.augmented[0].text
    (starts, ours), (places, theirs) = read[pair.context, one.text], read[pair.context, human]
    ours_after = after(seams(one.segments), starts, ours)
    theirs_after = after(seams(one.template.blocks), places, theirs)
    others = [other.text for other in each.augmented if other is not one]
    same = SequenceMatcher(None, _WORD.findall(one.text), _WORD.findall(human), autojunk=False).ratio()
    slor = (-sum(ours) - log_unigram(one.text)) / len(ours) - (-sum(theirs) - log_unigram(human)) / len(
        theirs
    )
    brought = content_words(one.text) & content_words(pair.context) - content_words(human)
    return {
        "seam": [a - b for a, b in zip(ours_after, theirs_after, strict=False)],
        "surprise": [fmean(ours) - fmean(theirs)],
        "slor": [slor],
        "equal": [float(one.text in others)],
        "edits": [1 - same],
        "brought": [float(len(brought))],
    }


def augment(scorer: MarsScorer, items: Sequence[Pair]) -> dict[Pair, Augmentation]:
    """Augmented references of each pair."""
    examples = [Example(str(i), "", (pair.reference,), pair.context) for i, pair in enumerate(items)]
    return scorer.augment_examples(examples)


def show(texts: list[tuple[str, Augmentation]], count: int) -> None:
    """Print texts for reading, drawn with a fixed seed: set, ratio, template, text."""
    drawn = [(name, one) for name, each in texts for one in each.augmented[1:] if one.template.blanks]
    for number, (name, one) in enumerate(Random(0).sample(drawn, count), 1):
        shown = "".join(f"[{block.text}]" if block.blank else block.text for block in one.segments)
        print(f"{number}\t{name}\t{one.ratio:.0%}\t{' '.join(shown.split())}", flush=True)


def main() -> None:
    """Print a line for each set, setting and ratio."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--sets", default=",".join(SETS), help="joined by commas")
    parser.add_argument("--count", type=int, default=60, help="references of each set (of stories 40 more)")
    parser.add_argument(
        "--setting", action="append", choices=SETTINGS, help="search, greedy, ...; default: both"
    )
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="an option for all of them"
    )
    parser.add_argument("--read", type=int, default=0, help="print so many texts instead")
    parser.add_argument("--write", action="store_true", help="put the table into docs/fills.md too")
    options = parser.parse_args()
    named = [text.split("=", 1) for text in options.set]
    also = {name: setting_value(MarsConfig(), name, value) for name, value in named}
    judge = None if options.read else Judge()
    texts: list[tuple[str, Augmentation]] = []
    lines: list[dict[str, Any]] = []
    for setting in options.setting or (["search"] if options.read else ["search", "greedy"]):
        scorer = MarsScorer(config=MarsConfig().with_options(ratios=RATIOS, **SETTINGS[setting], **also))
        for name in options.sets.split(","):
            count = options.count + (40 if name == STORIES and options.count == 60 else 0)
            augmented = augment(scorer, pairs(options.data / f"{name}.jsonl", count))
            texts += [(name, each) for each in augmented.values()]
            for line in measure(augmented, judge) if judge else ():
                lines.append({"set": name, "setting": setting, **line})
                print(json.dumps(lines[-1]), flush=True)
    if options.read:
        show(texts, options.read)
    elif options.write:
        page = PAGE.read_text("utf-8")
        PAGE.write_text(_BLOCK.sub(lambda found: f"{found[1]}{table(lines)}\n{found[2]}", page), "utf-8")


def table(lines: Sequence[dict[str, Any]]) -> str:
    """A row for each set and setting, with the values of all ratios."""
    names = ("seam", "surprise", "equal", "brought")
    ratios = ", ".join(f"{ratio:.0%}" for ratio in RATIOS)
    rows = [f"| set | setting | seam at {ratios} | text | equal | brought |", "|---|---|---|---|---|---|"]
    for key, group in groupby(lines, key=lambda line: (line["set"], line["setting"])):
        some = list(group)
        cells = [", ".join(f"{line[name]:.2f}" for line in some) for name in names]
        rows.append(f"| {' | '.join([*key, *cells])} |")
    return "\n".join(rows)


if __name__ == "__main__":
    main()
