"""Train the masked head that ships with the package, or measure it.

python tools/train_masked_head.py FOLDER              train, measure, write head.safetensors and card.json
python tools/train_masked_head.py FOLDER --evaluate   measure the head that is there; exit 1 if the card says else

FOLDER holds the two packages that the text comes from; what is not there is downloaded. Training takes about
an hour on one core and gives the same head again on the same kind of processor with OMP_NUM_THREADS=1.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
import transformers
from masked_head.accuracy import SEED, SHARE, EncoderAlone, accuracy
from masked_head.masking import Masker
from masked_head.text import SOURCES, TEST, VALIDATION, fetch
from masked_head.training import Settings, train
from safetensors.torch import save_file

from mars_score.lm.masked import FILE, FOLDER, HeadedEncoder
from mars_score.models.manifest import sha256_of
from mars_score.models.store import ModelStore

if TYPE_CHECKING:
    from masked_head.accuracy import Network
    from masked_head.masking import Rows
    from masked_head.text import Texts

BODY = "minilm-l6"
CARD = FOLDER / "card.json"
JUDGED = (64, 256)
"""Pieces in the rows that are judged, [CLS] and [SEP] included."""
JUDGED_PIECES = 100_000
"""Of a longer text, rows spread over it are judged."""
ROUGHLY = 0.002
"""Accuracies that differ by less are the same on another processor."""


def main() -> None:
    """Parse the command line and do it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--evaluate", action="store_true")
    parser.add_argument("--steps", type=int, default=Settings().steps, help="to try it out")
    options = parser.parse_args()
    location = ModelStore().ensure(BODY)
    masker = Masker(transformers.AutoTokenizer.from_pretrained(location))
    texts = fetch(options.folder)
    if options.evaluate:
        sys.exit(_compare(json.loads(CARD.read_text("utf-8")), _measure(location, masker, texts)))
    _train(location, masker, texts, Settings(steps=options.steps))


def _train(location: Path, masker: Masker, texts: Texts, settings: Settings) -> None:
    held_out = (*TEST, *VALIDATION)
    paragraphs = [each for name, text in texts.items() if name not in held_out for each in text]
    rows = masker.rows(paragraphs, settings.length - 2)
    begun = time.process_time()

    def report(step: int, loss: float) -> None:
        if step % 100 == 0:
            minutes = (time.process_time() - begun) / 60
            print(
                f"step {step} of {settings.steps}, {minutes:.1f} min, loss {loss:.3f}",
                file=sys.stderr,
                flush=True,
            )

    learnt = train(str(location), masker, rows, settings, report)
    minutes = round((time.process_time() - begun) / 60, 1)
    FOLDER.mkdir(exist_ok=True)
    body = {"name": BODY, "body_sha256": sha256_of(location / "model.safetensors")}
    save_file(learnt, FILE, metadata=body)
    card = {
        "about": "What makes the sentence encoder all-MiniLM-L6-v2 a masked language model; "
        "see mars_score/lm/masked.py. Made by tools/train_masked_head.py.",
        "body": body,
        "head": {"file": FILE.name, "bytes": FILE.stat().st_size, "sha256": sha256_of(FILE)},
        "text": _text_card(),
        "pieces": int(rows.size),
        "settings": asdict(settings),
        "minutes_on_one_core": minutes,
        "made_with": {"torch": torch.__version__, "transformers": transformers.__version__},
        "accuracy": _measure(location, masker, texts),
    }  # fmt: skip
    CARD.write_text(json.dumps(card, indent=2) + "\n", "utf-8")
    print(json.dumps(card["accuracy"], indent=2))


def _text_card() -> list[dict[str, Any]]:
    """Every file with its hash and what it was used for."""
    use = dict.fromkeys(TEST, "test") | dict.fromkeys(VALIDATION, "validation")
    return [
        {"package": source.requirement, "file": each.path, "sha256": each.sha256, "use": use.get(each.file, "training")}
        for source in SOURCES
        for each in source.members
    ]  # fmt: skip


def _measure(location: Path, masker: Masker, texts: Texts) -> dict[str, Any]:
    """The head beside the encoder's own embeddings, on the texts that it was not trained on."""
    networks: dict[str, Network] = {
        "head": HeadedEncoder(str(location), torch.device("cpu"), "float32"),
        "encoder alone, tied embeddings": EncoderAlone(str(location)),
    }
    return {
        "how": f"{SHARE:.0%} of the words hidden at once, whole words, seed {SEED}; a word counts if all its "
        "pieces are right (top1) or among the five best (top5)",
        **{
            f"{name}, rows of {length}": {
                who: asdict(accuracy(network, masker, _spread(masker.rows(texts[name], length - 2))))
                for who, network in networks.items()
            }
            for name in TEST
            for length in JUDGED
        },
    }


def _spread(rows: Rows) -> Rows:
    return rows[:: max(1, round(rows.size / JUDGED_PIECES))]


def _compare(card: dict[str, Any], measured: dict[str, Any]) -> int:
    """Print what was measured; 1 if it is not what the card says."""
    print(json.dumps(measured, indent=2))
    same = all(
        abs(value - card["accuracy"][where][who][name]) <= ROUGHLY
        for where, result in measured.items()
        if where != "how"
        for who, numbers in result.items()
        for name, value in numbers.items()
    )
    print("as on the card" if same else "NOT as on the card", file=sys.stderr)
    return 0 if same else 1


if __name__ == "__main__":
    main()
