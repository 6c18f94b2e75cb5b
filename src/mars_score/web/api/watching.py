"""Templates told of as they are filled, for the page that shows them grow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from mars_score.infilling.decoder.engine import DecodingEngine
from mars_score.infilling.guided import GuidedInfiller
from mars_score.progress import Progress, silent
from mars_score.types import AugmentedReference

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mars_score.infilling.decoder.batch import BatchRow
    from mars_score.infilling.decoder.state import Job
    from mars_score.types import Block, Infilled, InfillingRequest, Template


class WatchedEngine(DecodingEngine):
    """Tells of every row when it is decoded; a row that is decoded again is told of again."""

    filled: Callable[[BatchRow], None]

    def _decode(self, groups: list[list[Job]]) -> Iterator[BatchRow]:
        for row in super()._decode(groups):
            self.filled(row)
            yield row


class WatchedInfiller(GuidedInfiller):
    """Fills as another infiller does, and shares what that one remembers."""

    def __init__(self, other: GuidedInfiller, tell: Callable[[dict[str, Any]], None]) -> None:
        engine = WatchedEngine(
            other.model, other.config, memory=other.engine.memory, max_rows=other.engine.max_rows
        )
        super().__init__(other.model, other.config, engine)
        self.memory = other.memory
        self._tell = tell
        self._number = 0

    def fill(self, requests: Sequence[InfillingRequest], progress: Progress = silent) -> list[Infilled]:
        """Fill every template, and tell of the templates before and after."""
        templates = [
            template
            for request in requests
            for template in request.templates
            for _ in range(self.config.samples)
            if template.blanks
        ]
        places: dict[Job, list[tuple[int, Template]]] = {}
        for job, template in zip(self.jobs(requests), templates, strict=True):
            places.setdefault(job, []).append((self._number, template))
            self._tell(
                {
                    "event": "template",
                    "number": self._number,
                    "ratio": template.ratio,
                    "pieces": pieces(template.blocks),
                }
            )
            self._number += 1

        def filled(row: BatchRow) -> None:
            texts = tuple(map(self.model.decode, row.texts.fills[0]))
            for number, template in places.get(row.job, []):
                segments = AugmentedReference(template, texts).segments
                self._tell({"event": "filled", "number": number, "pieces": pieces(segments)})

        assert isinstance(self.engine, WatchedEngine)
        self.engine.filled = filled
        return super().fill(requests, progress)


def pieces(blocks: Sequence[Block]) -> list[dict[str, Any]]:
    """Return blocks as plain data."""
    return [{"text": block.text, "blank": block.blank} for block in blocks]
