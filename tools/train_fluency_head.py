"""Train the fluency head that ships with the package, or measure it.

python tools/train_fluency_head.py FOLDER              train, measure, write head.safetensors and card.json
python tools/train_fluency_head.py FOLDER --evaluate   measure the head that is there

FOLDER holds the two packages that the text comes from; what is not there is downloaded. No human judgement of
any text is used: the head learns from sentences that a program has spoilt. Training takes about half an hour
on one core.
"""

from __future__ import annotations

import argparse
import json
import random as rnd
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
import transformers
from fluency_head.spoiling import Spoilt, drop, leave, passages, reorder, repeat, replacing, swap
from fluency_head.training import Body, Head, Settings, train
from masked_head.text import SOURCES, TEST, VALIDATION, Texts, fetch
from safetensors.torch import load_file, save_file

from mars_score.encoders.fluency import FILE, FOLDER
from mars_score.models.manifest import sha256_of
from mars_score.models.store import ModelStore

BODY = "minilm-l6"
CARD = FOLDER / "card.json"
JUDGED = 1000
"""Texts of each held-out file."""


def main() -> None:
    """Parse the command line and do it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--evaluate", action="store_true")
    parser.add_argument("--texts", type=int, default=Settings().texts, help="to try it out")
    options = parser.parse_args()
    location = ModelStore().ensure(BODY)
    body, texts = Body(location), fetch(options.folder)
    if options.evaluate:
        print(json.dumps(_measure(body, _shipped(body), texts), indent=2))
        return
    _train(location, body, texts, Settings(texts=options.texts))


def _train(location: Path, body: Body, texts: Texts, settings: Settings) -> None:
    random = rnd.Random(settings.seed)
    held_out = (*TEST, *VALIDATION)
    stock = [
        words for name, text in texts.items() if name not in held_out for words in passages(text, random)
    ]
    random.shuffle(stock)
    begun = time.process_time()

    def report(step: int, steps: int, loss: float) -> None:
        if step % 100 == 0:
            minutes = (time.process_time() - begun) / 60
            print(f"step {step} of {steps}, {minutes:.1f} min, loss {loss:.3f}", file=sys.stderr, flush=True)

    head = train(body, stock, settings, report)
    minutes = round((time.process_time() - begun) / 60, 1)
    FOLDER.mkdir(exist_ok=True)
    record = {"name": BODY, "body_sha256": sha256_of(location / "model.safetensors")}
    save_file(head.tensors(), FILE, metadata=record)
    card = {
        "about": "Tells which words of a text are out of place, from the states of the sentence encoder "
        "all-MiniLM-L6-v2; see mars_score/similarity/fluency.py. Made by tools/train_fluency_head.py.",
        "body": record,
        "head": {"file": FILE.name, "bytes": FILE.stat().st_size, "sha256": sha256_of(FILE)},
        "text": [
            {"package": source.requirement, "files": [each.path for each in source.members]}
            for source in SOURCES
        ],
        "held out": list(held_out),
        "texts at hand": len(stock),
        "settings": asdict(settings),
        "minutes_on_one_core": minutes,
        "made_with": {"torch": torch.__version__, "transformers": transformers.__version__},
        "how it does": _measure(body, _shipped(body), texts),
    }
    CARD.write_text(json.dumps(card, indent=2) + "\n", "utf-8")
    print(json.dumps(card["how it does"], indent=2))


def _shipped(body: Body) -> Head:
    """The head as the package has it: in half precision on disk."""
    tensors = {name: each.float() for name, each in load_file(FILE).items()}
    head = Head(tensors["norm.weight"].shape[0], tensors["dense.weight"].shape[0])
    head.load_state_dict(tensors)
    head.eval()
    return head


def _measure(body: Body, head: Head, texts: Texts) -> dict[str, Any]:
    """How often a text of the held-out files has a better value than the same text spoilt."""
    report: dict[str, Any] = {
        "how": "share of texts (5 words or more) whose value falls when they are spoilt"
    }
    for name in TEST:
        random = rnd.Random(1)
        pieces = [words for words in passages(texts[name], random) if len(words) >= 5]
        random.shuffle(pieces)
        pieces = pieces[:JUDGED]
        stock = [word for words in pieces for word in words]
        before = _values(body, head, [leave(words, random) for words in pieces])
        ways = {"reorder": reorder, "swap": swap, "drop": drop, "repeat": repeat, "replace": replacing(stock)}
        report[name] = {"texts": len(pieces)}
        for way, spoil in ways.items():
            spoilt = [spoil(words, random) for words in pieces]
            after = _values(body, head, spoilt)
            fell = [
                old > new for old, new, text in zip(before, after, spoilt, strict=True) if any(text.wrong)
            ]
            report[name][way] = round(sum(fell) / len(fell), 4)
    return report


def _values(body: Body, head: Head, spoilt: list[Spoilt]) -> list[float]:
    """Mean log-probability that a word is in its place."""
    order = sorted(range(len(spoilt)), key=lambda index: len(spoilt[index].words))
    values = dict[int, float]()
    for start in range(0, len(order), 32):
        places = order[start : start + 32]
        states, _, real = body.read([spoilt[index] for index in places])
        with torch.no_grad():
            log_probabilities = torch.nn.functional.logsigmoid(-head(states)) * real
        values |= dict(zip(places, (log_probabilities.sum(1) / real.sum(1)).tolist(), strict=True))
    return [values[index] for index in range(len(spoilt))]


if __name__ == "__main__":
    main()
