"""Agreement with people of formulas, on sets that took no part in choosing their weights.

    cd tools
    python -m accuracy features DATA FOLDER [--rows 300] [--human-only] [--only SETS]
    python -m accuracy compare FOLDER
    python -m accuracy attacks DATA [--rows 40]
    python -m accuracy languages DATA [--rows 120]

`features` measures what formulas are made of, once for each row (rows are sampled by item). `compare` prints the tables
of docs/accuracy.md in seconds. With `--human-only`, references are not augmented. `attacks` spoils candidates and asks
every metric; `languages` does all of it for preset multilingual, in every language of two sets.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from accuracy.attacks import attack_table
from accuracy.compare import report
from accuracy.features import SETS, measure
from accuracy.languages import language_lines
from mars_score.cli.options import setting_value
from mars_score.config import preset
from mars_score.mars.scorer import MarsScorer


def main() -> None:
    """Parse the command line and do it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=("features", "compare", "attacks", "languages"))
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--rows", type=int, help="rows of each set, about")
    parser.add_argument("--human-only", action="store_true", help="without augmented references")
    parser.add_argument(
        "--set", action="append", default=[], metavar="NAME=VALUE", help="a setting of the score"
    )
    parser.add_argument("--preset", default="thorough")
    parser.add_argument("--only", default="", help="sets, joined by commas")
    options = parser.parse_args()
    if options.command == "compare":
        print(report(options.folders[0]))
        return
    if options.command == "languages":
        language_lines(options.folders[0], options.rows or 120, options.only)
        return
    pairs = [text.split("=", 1) for text in options.set]
    settings = {name: setting_value(preset(options.preset), name, value) for name, value in pairs}
    if options.human_only:
        settings["ratios"] = ()
    scorer = MarsScorer(config=preset(options.preset).with_options(**settings))
    sets = options.only.split(",") if options.only else SETS
    if options.command == "attacks":
        print(attack_table(options.folders[0], options.rows or 40, scorer, sets))
        return
    source, target = options.folders
    target.mkdir(parents=True, exist_ok=True)
    for name in sets:
        measure(source, target, name, options.rows or 300, scorer)
        print(f"{name} done", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
