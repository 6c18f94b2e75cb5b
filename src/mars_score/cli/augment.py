"""``mars-score augment``: the augmented references themselves, as JSON lines or as a pack."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from mars_score.cli.interrupts import stoppable
from mars_score.cli.options import (
    dry_run_option,
    engine_options,
    input_options,
    read_files,
    restart_option,
    scorer_options,
    signature_option,
    take_engine,
    take_input,
    take_scorer,
)
from mars_score.cli.reporting import CostReport, counted, shown_signature, tell_augmenting
from mars_score.cli.running import (
    CHUNK,
    Batches,
    Checked,
    Origin,
    check,
    check_kept_rows,
    chunk_size,
    refuse_other_signatures,
    run,
)
from mars_score.errors import OutputError
from mars_score.io.examples import distinct_references
from mars_score.io.fields import Kept
from mars_score.io.output import OUTPUTS, check_writable, format_of, output_file, sidecar_of, write_signatures
from mars_score.io.writers import json_objects, left_over, open_lines
from mars_score.metrics.registry import settings_fingerprint
from mars_score.run.work import Augmented, AugmentWork, ScorerRecipe, augmented_content
from mars_score.storage.pack import SUFFIX, pack_writer
from mars_score.types import Augmentation, Example, Pair

if TYPE_CHECKING:
    from mars_score.mars.scorer import MarsScorer
    from mars_score.run.base import Engine


@click.command()
@input_options
@scorer_options
@engine_options
@click.option(
    "-o", "--output", required=True, metavar="FILE",
    help=f"A .jsonl file, or a pack ({SUFFIX}) for score --pack; - is standard output.",
)  # fmt: skip
@signature_option
@restart_option
@dry_run_option
def augment(output: str, restart: bool, dry_run: bool, whole_signature: bool, **values: Any) -> None:
    """Write the augmented references of FILE, one for each context and reference.

    Candidates play no part: the result serves every system that is scored on the same references. Run the same
    command again to resume an unfinished output.
    """
    inputs = read_files(values)
    source, engine, scorer = take_input(values), take_engine(values), take_scorer(values)
    form = format_of(output, None, OUTPUTS)
    if form not in (None, "jsonl"):
        raise OutputError(f"{output}: augmented references are no {form}\n  remedy: name a .jsonl file, or -")
    check_writable(output, "jsonl", inputs=inputs, results=not output.endswith(SUFFIX))
    augmenting = Augmenting(scorer, engine, check(source), whole_signature)
    if scorer.config.masking.idf == "corpus":
        scorer.corpus = list(augmenting.checked.read())  # what is masked depends on every row of the file
    if dry_run:
        tell_augmenting(augmenting.checked, scorer, augmenting.kept(output, restart=restart).rows)
        return
    try:
        if output.endswith(SUFFIX):
            augmenting.pack(output)
        else:
            augmenting.save(output, restart=restart)
    finally:
        augmenting.bill.learn(scorer)
    augmenting.bill.show()


@dataclass(frozen=True, slots=True)
class Augmenting:
    """One run."""

    scorer: MarsScorer
    engine: Engine
    checked: Checked
    whole: bool
    """Whether the signature is printed whole."""
    bill: CostReport = field(default_factory=CostReport)

    def save(self, output: str, *, restart: bool) -> None:
        """Write all references that the output does not have yet as JSON lines."""
        # This finds every model: a wrong name is known before anything is computed.
        signatures = {"mars": self.scorer.signature}
        with stoppable(output if sidecar_of(output) else None) as stop:
            kept, total = self.kept(output, restart=restart), self._count()
            if kept.rows == total:
                click.echo(f"all {total} references are in {output}; there is nothing to compute", err=True)
            elif kept.rows:
                click.echo(f"resuming after {kept.rows} of {total} references in {output}", err=True)
            with open_lines(output_file(output), _json, kept) as writer:
                stop.writer = writer
                # Before the first row, so that the rows of a run that is killed have it.
                write_signatures(output, signatures, self._origin().facts())
                for number, (pair, augmentation) in enumerate(self._rows(kept.rows, total), kept.rows + 1):
                    writer.write(_Row(f"reference {number}", pair, augmentation))
            write_signatures(output, signatures, self._origin().facts(references=total))
        self._summarise(total)

    def pack(self, output: str) -> None:
        """Write a pack, which appears when it is complete; what was done before comes from the cache."""
        with stoppable(output):
            total = self._count()
            with pack_writer(output, self.scorer.pack_header) as writer:
                for pair, augmentation in self._rows(0, total):
                    writer.add(pair, augmentation)
        self._summarise(total)

    def kept(self, output: str, *, restart: bool) -> Kept:
        """What is left to resume; an output of another run is refused."""
        left = None if restart or output.endswith(SUFFIX) else left_over(output, "jsonl")
        if left is None:
            return Kept()
        signatures = self._origin().known(output, left)
        refuse_other_signatures(signatures, {"mars": self.scorer.signature}, left)
        return check_kept_rows(
            json_objects(left), distinct_references(self.checked.read()), _same_reference, left
        )

    def _rows(self, after: int, total: int) -> Iterator[Augmented]:
        if after == total:
            return iter(())
        work = AugmentWork(ScorerRecipe.of(self.scorer))
        rest = islice(distinct_references(self.checked.read()), after, None)
        size = chunk_size(self.engine, total - after, CHUNK)
        return run(self.engine, work, Batches(rest, size, total - after), self.bill, "references")

    def _count(self) -> int:
        return sum(1 for _ in distinct_references(self.checked.read()))

    def _summarise(self, total: int) -> None:
        click.echo(f"{counted(total, 'reference')} augmented", err=True)
        click.echo(f"signature: {shown_signature(self.scorer.signature, whole=self.whole)}", err=True)

    def _origin(self) -> Origin:
        return Origin(self.checked, settings_fingerprint(["mars"], self.scorer).hex())


def _same_reference(row: dict[str, Any], example: Example) -> bool:
    return (row.get("context"), row.get("reference")) == (example.context, example.references[0])


@dataclass(frozen=True, slots=True)
class _Row:
    """The augmented references of one context and reference."""

    id: str
    pair: Pair
    augmentation: Augmentation


def _json(row: _Row) -> str:
    return json.dumps(augmented_content(row.pair, row.augmentation), ensure_ascii=False) + "\n"
