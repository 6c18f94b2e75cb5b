"""Agreement with people of formulas, on sets that took no part in choosing their weights.

    cd tools
    python -m accuracy features DATA FOLDER [--rows 300] [--human-only] [--only SETS] [--no-baselines]
    python -m accuracy compare FOLDER [--write]
    python -m accuracy encoders FOLDER OTHER [--write]
    python -m accuracy augmented FOLDER... [--write]
    python -m accuracy attacks DATA [--rows 40] [--write]
    python -m accuracy languages DATA FOLDER [--items 20] [--fills 20] [--human-only] [--write]

`features` measures what formulas are made of, once for each row (rows are sampled by item). `compare` prints the tables
of docs/accuracy.md in seconds. With `--human-only`, references are not augmented. `encoders` holds two folders of
measurements beside each other, the second with `--set encoder=NAME`, on the rows that both have; `augmented` does so
with ways to augment references, the first without (`--human-only`), named as their folders are. `attacks` spoils
candidates and asks every metric; `languages` does all of it for preset multilingual, in every language of two sets,
for docs/languages.md.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from accuracy.attacks import attack_table
from accuracy.beside import augmented_table, encoder_table
from accuracy.compare import report, write
from accuracy.features import SETS, measure
from accuracy.languages import language_table, measure_languages
from mars_score.cli.options import setting_value
from mars_score.config import preset
from mars_score.mars.scorer import MarsScorer

ROOT = Path(__file__).parents[2]
COMMANDS = ("features", "compare", "encoders", "augmented", "attacks", "languages")


def main() -> None:
    """Parse the command line and do it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=COMMANDS)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--rows", type=int, help="rows of each set, about")
    parser.add_argument("--items", type=int, default=20, help="references of each language")
    parser.add_argument(
        "--fills", type=int, default=20, help="references of each language whose fills are tested"
    )
    parser.add_argument("--no-baselines", action="store_true", help="measure the score alone")
    parser.add_argument("--human-only", action="store_true", help="without augmented references")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the score"
    )
    parser.add_argument("--preset", default="general")
    parser.add_argument("--only", default="", help="sets, joined by commas")
    parser.add_argument(
        "--write", action="store_true", help="put the tables into the pages of docs/ and the README"
    )
    options = parser.parse_args()
    if options.command == "compare":
        compared = report(options.folders[0])
        print(compared.tables, compared.summary, sep="\n\n")
        if options.write:
            write(compared.tables, ROOT / "docs" / "accuracy.md", "compare")
            write(compared.summary, ROOT / "README.md", "agreement")
        return
    if options.command in ("encoders", "augmented"):
        both = options.command == "encoders"
        table = encoder_table(*options.folders) if both else augmented_table(options.folders)
        print(table)
        if options.write:
            write(table, ROOT / "docs" / "accuracy.md", options.command)
        return
    if options.command == "languages":
        source, target = options.folders
        measure_languages(
            source, target, options.items, options.fills, options.only, human_only=options.human_only
        )
        table = language_table(target, source)
        print(table)
        if options.write:
            write(table, ROOT / "docs" / "languages.md", "languages")
        return
    pairs = [text.split("=", 1) for text in options.set]
    settings = {name: setting_value(preset(options.preset), name, value) for name, value in pairs}
    if options.human_only:
        settings["ratios"] = ()
    scorer = MarsScorer(config=preset(options.preset).with_options(**settings))
    sets = options.only.split(",") if options.only else SETS
    if options.command == "attacks":
        table = attack_table(options.folders[0], options.rows or 40, scorer, sets)
        print(table)
        if options.write:
            write(table, ROOT / "docs" / "accuracy.md", "attacks")
        return
    source, target = options.folders
    target.mkdir(parents=True, exist_ok=True)
    for name in sets:
        measure(source, target, name, options.rows or 300, scorer, baselines=not options.no_baselines)
        print(f"{name} done", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
