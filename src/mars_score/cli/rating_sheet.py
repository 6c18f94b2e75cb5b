"""``mars-score rating-sheet``: a blinded sheet on which people rate augmented references."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from mars_score.cli.options import read_files, scorer_options, take_scorer
from mars_score.cli.reporting import bars
from mars_score.errors import ConfigError


@click.command("rating-sheet")
@click.argument("data", metavar="DATA")
@click.option("--out", "output", required=True, metavar="FILE.csv", help="The sheet; its key goes beside it.")
@click.option("--format", "form", metavar="FORMAT", help="rows, newsroom, mocha or roc; found from the file.")
@click.option(
    "--items",
    "count",
    default=20,
    show_default=True,
    type=click.IntRange(min=1),
    help="How many items; each gives three texts.",
)
@click.option(
    "--seed", default=0, show_default=True, help="Of the choice of items, of codes and of their order."
)
@scorer_options
def rating_sheet(data: str, output: str, form: str | None, count: int, seed: int, **values: Any) -> None:
    """Write a sheet of texts to rate from 1 to 7: references as written, refilled by MARS, and by the baseline.

    Raters see a code, the context and the text. The key (FILE.key.csv) says what the codes stand for: keep it
    from them. Fill in rater, relevance, readability and overall, one row a rater and text, then give the sheet
    to mars-score study --ratings, with the key beside it.
    """  # fmt: skip
    from mars_score.io.datasets.loading import load_dataset
    from mars_score.io.output import check_writable, replacing, unwritable
    from mars_score.study.augmentation_ratings import choose_items, key_path, key_text, sheet_rows, sheet_text

    if Path(output).suffix.lower() != ".csv":
        raise ConfigError(f"--out {output}: a rating sheet is a .csv file")
    dataset = load_dataset(data, form)
    for path in (output, key_path(output)):
        check_writable(path, "csv", inputs=[data, *read_files(values)], results=False)
    examples = choose_items(dataset, count, seed)
    scorer = take_scorer(values)
    with bars(len(examples), "items") as show:
        rows = sheet_rows(examples, scorer, seed, show.stage)
    for path, text in ((Path(output), sheet_text(rows)), (key_path(output), key_text(rows))):
        try:
            with replacing(path) as temporary:
                temporary.write_text(text, encoding="utf-8", newline="")
        except OSError as error:
            raise unwritable(path, error) from error
    click.echo(f"{len(rows)} texts of {len(examples)} items: {output}", err=True)
    click.echo(f"key: {key_path(output)}", err=True)
