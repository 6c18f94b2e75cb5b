"""``mars-score study``: every table and figure of the paper, on your data sets and with your metrics."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mars_score.cli.interrupts import EXIT_INTERRUPTED, explain_sudden_end, terminated_like_interrupted
from mars_score.cli.options import engine_options, pair, scorer_options, take_engine, take_scorer
from mars_score.cli.reporting import bars
from mars_score.errors import ConfigError, did_you_mean
from mars_score.metrics.registry import metric_names

if TYPE_CHECKING:
    from mars_score.io.datasets.base import Dataset
    from mars_score.study.judges import ExternalScores
    from mars_score.study.plan import StudySettings
    from mars_score.study.results import Study


@click.command()
@click.argument("data", nargs=-1, required=True, metavar="DATA...")
@click.option(
    "--metrics",
    "names",
    default="all",
    show_default=True,
    metavar="NAME[,NAME...]",
    help="Which metrics; mars-score metrics lists them.",
)
@click.option("--out", "folder", required=True, metavar="DIR", help="Where scores, results and report go.")
@click.option("--format", "form", metavar="FORMAT", help="rows, newsroom, mocha or roc; found from the file.")
@click.option(
    "--field",
    "fields",
    multiple=True,
    metavar="OURS=THEIRS",
    help="A file's name for a field, e.g. human=score.",
)
@click.option("--references", metavar="FILE", help="Newsroom's release, for its human evaluation (csv).")
@click.option(
    "--systems",
    metavar="NAME[,NAME...]",
    help="Only these systems; a data set that has none of them is taken whole.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    metavar="N",
    help="For a trial: at most N rows of a data set, by whole items.",
)
@click.option(
    "--attacks",
    default="all",
    show_default=True,
    metavar="all|none|NAME[,NAME...]",
    help="How candidates are spoilt to test metrics.",
)
@click.option(
    "--attack-rows",
    default=100,
    show_default=True,
    type=click.IntRange(min=0),
    metavar="N",
    help="Attack a random sample of N rows of a data set, by whole items; 0 for all.",
)
@click.option(
    "--sweep/--no-sweep",
    default=True,
    show_default=True,
    help="Try masking ratios up to 80% and several q (with the metric mars).",
)
@click.option("--draws", default=1000, show_default=True, help="Of each bootstrap.")
@click.option("--seed", default=0, show_default=True, help="Of attacks and statistics.")
@click.option(
    "--ratings", metavar="FILE", help="Ratings of augmented references; see mars-score rating-sheet."
)
@click.option(
    "--scores",
    multiple=True,
    metavar="FILE|FIELD",
    help="Scores from elsewhere, as of an LLM judge: a file with ids, or a field of the rows. May be repeated.",
)
@click.option(
    "--own-system", default="", metavar="NAME", help="The judge's own system, to test for self-preference."
)
@click.option("--no-report", is_flag=True, help="Write results.json only.")
@scorer_options
@engine_options
def study(data: tuple[str, ...], folder: str, ratings: str | None, no_report: bool, **values: Any) -> None:
    """Compare metrics with people on the rated data sets DATA.

    Scores are kept in DIR: running the same command again resumes where it stopped, and a further metric or
    data set computes only itself.
    """  # fmt: skip
    from mars_score.study.augmentation_ratings import augmentation_study, read_ratings
    from mars_score.study.results_file import RESULTS, write_results

    external = _external(values.pop("scores"), data, values.pop("own_system"))
    files = [ratings, values["references"], values["pack"], *(path for path, _ in external)]
    _check_folder(Path(folder), [*data, *filter(None, files)])
    settings = _settings(values)
    datasets = _datasets(data, values)
    values["external"] = [column for _, columns in external for column in columns]
    rated = augmentation_study(read_ratings(ratings)) if ratings else None
    try:
        with terminated_like_interrupted():
            outcome = replace(_run(datasets, settings, folder, values), augmentations=rated)
    except KeyboardInterrupt:
        click.echo(
            f"interrupted; what was computed is in {folder}. Run the same command again to resume.", err=True
        )
        sys.exit(EXIT_INTERRUPTED)
    results = Path(folder) / RESULTS
    write_results(outcome, results)
    click.echo(f"results: {results}", err=True)
    if not no_report:
        from mars_score.study.report.page import write_report

        write_report(outcome, Path(folder))
        click.echo(f"report: {Path(folder) / 'report.html'}", err=True)


def _check_folder(folder: Path, inputs: Sequence[str]) -> None:
    """Refuse inputs that are where a study writes, and a folder with a name that cannot be."""
    from mars_score.io.output import check_name, failed
    from mars_score.study.results_file import RESULTS
    from mars_score.study.store import FILE

    check_name(folder / f"{FILE}.damaged-1")
    outputs = [folder / name for name in (RESULTS, "report.html", FILE)]
    outputs += [path for name in ("tables", "figures") for path in (folder / name).glob("*")]
    for path in inputs:
        if any(output.exists() and Path(path).exists() and output.samefile(path) for output in outputs):
            raise failed(
                path, f"the study in {folder} would overwrite this input", "name another folder with --out"
            )


def _settings(values: dict[str, Any]) -> StudySettings:
    from mars_score.study.plan import StudySettings, attack_names

    return StudySettings(
        metrics=tuple(metric_names(values.pop("names"))),
        attacks=attack_names(values.pop("attacks")),
        attack_rows=values.pop("attack_rows") or None,
        draws=values.pop("draws"),
        seed=values.pop("seed"),
        sweep=values.pop("sweep"),
    )


def _run(datasets: Sequence[Dataset], settings: StudySettings, folder: str, values: dict[str, Any]) -> Study:
    from mars_score.study import run
    from mars_score.study.judges import join
    from mars_score.study.scoring import count_missing, score_works
    from mars_score.study.store import ScoreStore

    external, engine, scorer = values.pop("external"), take_engine(values), take_scorer(values)
    works = run.plan(datasets, scorer, settings)
    with ScoreStore(folder) as store:
        if store.notice:
            click.echo(f"warning: {store.notice}", err=True)
        missing = sum(count_missing(work, store) for work in works)
        status = f"{missing} scores to compute" if missing else "all scores are known"
        click.echo(f"{sum(map(len, datasets))} rows, {len(settings.metrics)} metrics: {status}", err=True)
        # A likelihood takes a thousand times what ROUGE takes.
        with explain_sudden_end(engine), bars(missing, "scores", alike=False) as show:
            scores = join(score_works(works, store, show.stage, show.rows, engine), external)
        with bars(len(scores), "data sets", alike=False) as show:
            return run.analyse(scores, settings, store, progress=show.stage, finished=show.rows)


def _external(
    names: Sequence[str], data: Sequence[str], own_system: str
) -> list[tuple[str, list[ExternalScores]]]:
    """Read every file or field of scores, and say what was read."""
    from mars_score.io.output import INPUTS, format_of
    from mars_score.study.judges import read_external

    files = []
    for name in names:
        is_file = Path(name).exists() or format_of(name, None, INPUTS) is not None
        for path in [name] if is_file else data:
            columns = read_external(path, None if is_file else name, own_system)
            files.append((path, columns))
            for column in columns:
                click.echo(
                    f"{column.name}: scores of {len(column.judgements)} rows, from {column.source}", err=True
                )
    return files


def _datasets(paths: Sequence[str], values: dict[str, Any]) -> list[Dataset]:
    from mars_score.io.datasets.loading import detect, load_dataset
    from mars_score.io.source import check_readable
    from mars_score.study.plan import first_items

    form, references, systems = values.pop("form"), values.pop("references"), values.pop("systems")
    fields, limit = (
        dict(pair(text, "--field", "OURS=THEIRS") for text in values.pop("fields")),
        values.pop("limit"),
    )
    datasets = []
    for path in paths:
        check_readable(path)
        kind = form or detect(path)
        datasets.append(
            load_dataset(
                path,
                form,
                fields=fields if kind == "rows" else None,
                references=references if kind == "newsroom" else None,
            )
        )
    if systems is not None:
        datasets = _of_systems(datasets, [name.strip() for name in systems.split(",") if name.strip()])
    return [first_items(dataset, limit) for dataset in datasets] if limit else datasets


def _of_systems(datasets: Sequence[Dataset], names: Sequence[str]) -> list[Dataset]:
    """Keep these systems; each must be in some data set: a misspelt name must not leave out rows silently."""
    from mars_score.io.datasets.base import select

    available = sorted({system for dataset in datasets for system in dataset.systems})
    if not names:
        raise ConfigError(f"--systems names none; there are {', '.join(available)}")
    for name in names:
        if name not in available:
            raise ConfigError(
                f"no data set has a system {name!r}; there are {', '.join(available)}.{did_you_mean(name, available)}"
            )
    chosen = [[name for name in names if name in dataset.systems] for dataset in datasets]
    return [
        select(dataset, systems) if systems else dataset
        for dataset, systems in zip(datasets, chosen, strict=True)
    ]
