"""Choose settings on the tune halves, judge them on the test halves.

    cd tools
    python -m accuracy halves DATA FOLDER    split the human-judged files of DATA
    python -m accuracy tune FOLDER           try every setting on the tune halves
    python -m accuracy written FOLDER        try other ways of augmenting on the tune halves of two small sets
    python -m accuracy test FOLDER           judge presets, ablations and baselines on the test halves

Scores are kept in FOLDER/scores, so what was interrupted goes on; augmentations in the usual cache.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from accuracy.halves import DATA_SETS, DataSet, make_halves
from accuracy.scores import Half
from accuracy.settings import (
    ABLATIONS,
    BASELINES,
    FORMULA_OF,
    GENERAL,
    JUDGED,
    READ,
    READ_OPTIONS,
    SENTINELS,
    TASKS,
    WRITTEN,
    WRITTEN_SETS,
)
from accuracy.tables import judged, sweep, written
from mars_score.config import FORMULA


def main() -> None:
    """Parse the command line and do it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=("halves", "tune", "written", "test"))
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--only", default="", help="sets, joined by commas")
    parser.add_argument(
        "--without", default="", help="test: settings and metrics to leave out, joined by semicolons"
    )
    options = parser.parse_args()
    if options.command == "halves":
        make_halves(*options.folders)
        return
    folder, only = options.folders[0], set(filter(None, options.only.split(",")))
    chosen = [data for data in DATA_SETS if not only or data.name in only]
    if options.command == "tune":
        _tune(folder, chosen)
    elif options.command == "written":
        _written(folder, chosen if only else [data for data in DATA_SETS if data.name in WRITTEN_SETS])
    else:
        _test(folder, chosen, options.without.split(";"))


def _tune(folder: Path, chosen: list[DataSet]) -> None:
    general = {data.name: Half(folder, "tune", data, preset="general") for data in chosen}
    for key, half in general.items():
        for name, options in GENERAL.items():
            half.add(name, options)
        print(f"general: {key} done", file=sys.stderr, flush=True)
    print(f"## general\n\n{sweep(general, GENERAL)}")
    for task, settings in TASKS.items():
        own = {data.name: Half(folder, "tune", data) for data in chosen if data.preset == task}
        for half in own.values():
            for name, options in settings.items():
                half.add(name, options)
        if own:
            print(f"## {task}\n\n{sweep(own, settings)}", flush=True)


def _written(folder: Path, chosen: list[DataSet]) -> None:
    halves = {data.name: Half(folder, "tune", data) for data in chosen}
    for key, half in halves.items():
        for name, options in WRITTEN.items():
            half.add(name, options, attacks=False)
            half.add(FORMULA_OF + name, options | FORMULA, attacks=False)
            print(f"{key}: {name} done", file=sys.stderr, flush=True)
    print(written(halves))


def _test(folder: Path, chosen: list[DataSet], without: list[str]) -> None:
    halves: dict[str, Half] = {}
    for data in chosen:
        half = halves[data.name] = Half(folder, "test", data)
        for name, options in (JUDGED | ABLATIONS | {READ: READ_OPTIONS.get(data.preset, {})}).items():
            if name not in without:
                half.add(name, options)
        for metric in (*BASELINES, *SENTINELS):
            if metric not in without:
                half.add_metric(metric)
        print(f"{data.name} done", file=sys.stderr, flush=True)
    print(judged(halves))


if __name__ == "__main__":
    main()
