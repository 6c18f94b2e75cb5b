"""Finished tickets as answers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.responses import JSONResponse, Response

from mars_score.files.render import Table, json_line
from mars_score.files.rows import ResultRow
from mars_score.serving.ticket import AugmentedRow

if TYPE_CHECKING:
    from mars_score.serving.ticket import Ticket

FORMATS = {
    "json": "application/json",
    "jsonl": "application/x-ndjson",
    "csv": "text/csv; charset=utf-8",
}


def scores(ticket: Ticket) -> dict[str, Any]:
    """The answer to a request for scores."""
    content: dict[str, Any] = {
        "preset": ticket.settings.preset,
        "signatures": ticket.signatures,
        "results": [
            {"id": row.id, "scores": row.numbers(), "flags": list(row.flags)} for row in _result_rows(ticket)
        ],
    }
    if ticket.settings.explain:
        from mars_score.explaining.explanation import as_dict  # noqa: PLC0415

        content["explanations"] = [as_dict(item) for item in ticket.explained]
    return content


def augmentations(ticket: Ticket) -> dict[str, Any]:
    """The answer to a request for augmented references."""
    return {
        "preset": ticket.settings.preset,
        "signatures": ticket.signatures,
        "results": [_augmented(row) for row in ticket.rows if isinstance(row, AugmentedRow)],
    }


def download(ticket: Ticket, form: str) -> Response:
    """The scores of a job as a file, the same to the byte as the command line writes."""
    if form == "json":
        return JSONResponse(scores(ticket))
    render = json_line if form == "jsonl" else Table(",")
    text = "".join(render(row) for row in _result_rows(ticket))
    named = {"Content-Disposition": f'attachment; filename="scores.{form}"'}
    return Response(text, headers=named, media_type=FORMATS[form])


def _result_rows(ticket: Ticket) -> list[ResultRow]:
    return [row for row in ticket.rows if isinstance(row, ResultRow)]


def _augmented(row: AugmentedRow) -> dict[str, Any]:
    return {
        "id": row.id,
        "references": [
            {
                "context": pair.context,
                "reference": pair.reference,
                "augmented": [
                    {"ratio": one.ratio, "template": str(one.template), "text": one.text}
                    for one in found.augmented
                ],
                "flags": list(found.flags),
            }
            for pair, found in row.found
        ],
    }
