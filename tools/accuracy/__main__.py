"""Choose settings on the tune halves, judge them on the test halves.

    cd tools
    python -m accuracy halves DATA FOLDER    split the human-judged files of DATA
    python -m accuracy tune FOLDER           try every setting on the tune halves
    python -m accuracy test FOLDER           judge presets, ablations and baselines on the test halves

Scores are kept in FOLDER/scores, so what was interrupted goes on; augmentations in the usual cache.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from accuracy.halves import DATA_SETS, make_halves
from accuracy.scores import Half
from accuracy.settings import ABLATIONS, BASELINES, GENERAL, JUDGED, READ, READ_OPTIONS, SENTINELS, TASKS
from accuracy.tables import judged, sweep


def main() -> None:
    """Parse the command line and do it."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("command", choices=("halves", "tune", "test"))
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--only", default="", help="test: sets, joined by commas")
    parser.add_argument(
        "--without", default="", help="test: settings and metrics to leave out, joined by semicolons"
    )
    options = parser.parse_args()
    if options.command == "halves":
        make_halves(*options.folders)
    elif options.command == "tune":
        _tune(options.folders[0])
    else:
        _test(options.folders[0], set(filter(None, options.only.split(","))), options.without.split(";"))


def _tune(folder: Path) -> None:
    general = {data.name: Half(folder, "tune", data, preset="general") for data in DATA_SETS}
    for key, half in general.items():
        for name, options in GENERAL.items():
            half.add(name, options)
        print(f"general: {key} done", file=sys.stderr, flush=True)
    print(f"## general\n\n{sweep(general, GENERAL)}")
    for task, settings in TASKS.items():
        own = {data.name: Half(folder, "tune", data) for data in DATA_SETS if data.preset == task}
        for half in own.values():
            for name, options in settings.items():
                half.add(name, options)
        print(f"## {task}\n\n{sweep(own, settings)}", flush=True)


def _test(folder: Path, only: set[str], without: list[str]) -> None:
    halves: dict[str, Half] = {}
    for data in DATA_SETS:
        if only and data.name not in only:
            continue
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
