"""``mars-score compare``: which of my systems is better, and is it more than chance?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mars_score.cli.options import scorer_options, take_scorer, tell_mapping
from mars_score.cli.reporting import bars, counted, decimals
from mars_score.errors import ConfigError, InputError
from mars_score.metrics.base import score_all
from mars_score.metrics.registry import METRICS, make_metric
from mars_score.web.explain.wording import letter

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import Console

    from mars_score.study.systems import ItemScores, SystemComparison

WHY = (
    "The interval draws other items like these; p boot. asks whether the difference would be 0 on them, p rand. "
    "whether swapping the two systems at random would do as well. They make different assumptions, so near 0.05 one "
    "may say yes and the other no: then call it undecided, or score more items."
)


@click.command()
@click.argument("systems", nargs=-1, required=True, metavar="A B [C...]")
@click.option("--study", "folder", metavar="DIR", help="Take A, B, ... for names of systems in this study.")
@click.option("--metric", help="Compare by this metric; by default the only one of the scores, or mars.")
@click.option("--dataset", help="Which data set of the study, if it has several.")
@click.option("--draws", default=1000, show_default=True, type=click.IntRange(min=1))
@click.option("--seed", default=0, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@scorer_options
def compare(
    systems: tuple[str, ...], folder: str | None, metric: str | None, dataset: str | None, draws: int, seed: int,
    as_json: bool, **values: Any,
) -> None:  # fmt: skip
    """Compare systems by their scores of the same items.

    A, B, ... are files that mars-score score wrote, or with --study names of systems. Files of rows, and what other
    tools save, are scored first; one such file is enough if its ids name the systems, as in item/system. Each two are
    compared by paired bootstrap and by approximate randomisation; p-values are two-sided, and corrected by Holm if
    there are several pairs.
    """
    from mars_score.study.results_file import to_json
    from mars_score.study.systems import compare_all

    if len(set(systems)) < max(2 if folder else 1, len(systems)):
        raise ConfigError("name at least two systems, each of them once")
    if folder is None:
        if dataset:
            raise ConfigError("--dataset is for systems of a study; name its folder with --study")
        chosen, scores = _of_files(systems, metric, values)
        higher = METRICS[chosen].higher_is_better if chosen in METRICS else True
    else:
        chosen, higher, scores = _of_study(systems, folder, metric, dataset)
    comparisons = compare_all(scores, higher_is_better=higher, draws=draws, seed=seed)
    if as_json:
        content = {"metric": chosen, "higher_is_better": higher, "draws": draws, "seed": seed}
        click.echo(json.dumps({**content, "comparisons": to_json(comparisons)}, indent=2, ensure_ascii=False))
        return
    _print(comparisons, chosen, higher_is_better=higher)


def _of_files(
    paths: Sequence[str], metric: str | None, values: dict[str, Any]
) -> tuple[str, dict[str, ItemScores]]:
    from mars_score.study.systems import by_system, choose_metric, holds_scores, read_scores, same_items

    for path in paths:
        if not Path(path).exists():
            raise InputError(
                "no such file", path=path,
                remedy="give files that mars-score score wrote, files of rows, or --study DIR and names of its systems",
            )  # fmt: skip
    files = {path: read_scores(path) for path in paths if holds_scores(path)}
    chosen = choose_metric(files, metric) if files else metric or "mars"
    scores: dict[str, ItemScores] = {
        path: {key: row.get(chosen) for key, row in rows.items()} for path, rows in files.items()
    }
    if unscored := [path for path in paths if path not in files]:
        scores |= _scored(unscored, chosen, values)
    if len(paths) == 1:
        scores = by_system(scores[paths[0]], paths[0])
    same_items(scores)
    return chosen, {name: scores[name] for name in (paths if len(paths) > 1 else scores)}


def _scored(paths: Sequence[str], metric: str, values: dict[str, Any]) -> dict[str, ItemScores]:
    """Score rows as mars-score score would. All are read before a model is loaded."""
    from mars_score.io.readers import read_examples

    rows = {path: list(read_examples(path, tell=tell_mapping)) for path in paths}
    scorer = take_scorer(values)
    if scorer.config.masking.idf == "corpus":
        raise ConfigError("idf=corpus makes scores depend on their file, so that files cannot be compared")
    measure, scores = make_metric(metric, scorer), {}
    with bars(sum(map(len, rows.values())), "rows") as show:
        for path, examples in rows.items():
            scores[path] = {row.id: row.scores[metric] for row in score_all([measure], examples, show.stage)}
            show.rows(len(examples))
    return scores


def _of_study(
    names: Sequence[str], folder: str, metric: str | None, dataset: str | None
) -> tuple[str, bool, dict[str, ItemScores]]:
    from mars_score.study.results_file import read_results
    from mars_score.study.systems import pick, systems_of_study

    study = read_results(folder)
    directions = {entry.name: entry.higher_is_better for entry in study.metrics}
    chosen = pick(list(directions), metric, f"the systems of {folder}")
    return chosen, directions[chosen], systems_of_study(study, names, chosen, dataset)


def _print(comparisons: Sequence[SystemComparison], metric: str, *, higher_is_better: bool) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    console = Console(highlight=False)
    console.print(f"{metric}, {'higher' if higher_is_better else 'lower'} is better")
    means: dict[str, float | None] = {}
    for pair in comparisons:
        means.setdefault(pair.first, pair.mean_first)
        means.setdefault(pair.second, pair.mean_second)
    letters = {name: letter(rank) for rank, name in enumerate(means)}
    largest = [score for pair in comparisons for item in pair.largest for score in (item.first, item.second)]
    digits = decimals([*means.values(), *largest])
    systems = Table(box=None, padding=(0, 2, 0, 0), show_header=False)
    for name, mean in means.items():
        systems.add_row(letters[name], Text(name, overflow="fold"), f"mean {_shown(mean, digits)}")
    console.print(systems, "")
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    corrected = ["p Holm"] if len(comparisons) > 1 else []
    # In 80 columns: that a pair's items were won, tied and lost is how many there are of them.
    for name in ("", "differ by", "95% interval", "p boot.", "p rand.", *corrected, "won/tied/lost"):
        table.add_column(name, justify="right" if name else "left", no_wrap=True)
    for pair in comparisons:
        cells = [_shown(pair.difference, digits), _interval(pair, min(digits, 3))]
        cells += [_p(pair.p_bootstrap), _p(pair.p_randomisation)]
        cells += [_p(pair.p_corrected)] if corrected else []
        table.add_row(
            f"{letters[pair.first]} - {letters[pair.second]}",
            *cells,
            f"{pair.wins}/{pair.ties}/{pair.losses}",
        )
    console.print(table, "")
    console.print(WHY, style="dim")
    for pair in comparisons:
        _print_largest(console, pair, letters, digits)


def _print_largest(console: Console, pair: SystemComparison, letters: Mapping[str, str], digits: int) -> None:
    from rich.table import Table
    from rich.text import Text

    first, second = letters[pair.first], letters[pair.second]
    if pair.left_out:
        verb = "has" if pair.left_out == 1 else "have"
        console.print(f"{counted(pair.left_out, 'item')} {verb} no score of {first} or of {second}")
    largest = Table(box=None, padding=(0, 2, 0, 0))
    largest.add_column("largest differences", overflow="fold")
    for name in (first, second, f"{first} - {second}"):
        largest.add_column(name, justify="right")
    for item in pair.largest:
        values = (item.first, item.second, item.first - item.second)
        largest.add_row(Text(item.item), *(_shown(value, digits) for value in values))
    console.print("", largest)


def _interval(pair: SystemComparison, digits: int) -> str:
    if pair.low is None or pair.high is None:
        return "-"
    return f"{pair.low:.{digits}f} to {pair.high:.{digits}f}"


def _p(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _shown(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
