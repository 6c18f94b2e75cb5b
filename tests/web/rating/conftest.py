"""A sheet, its ratings, and the form, in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from starlette.testclient import TestClient

from mars_score.web.rating.app import make_rating_app
from mars_score.web.rating.sheet import Sheet, read_sheet
from mars_score.web.rating.storage import RatingStore
from tests.cli.conftest import cli
from tests.web.rating.samples import rows, write_sheet

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["cli"]


@pytest.fixture
def sheet(tmp_path: Path) -> Sheet:
    """Four items, twelve texts, and no key: the form does without."""
    return read_sheet(write_sheet(tmp_path, rows(), key=False))


@pytest.fixture
def store(sheet: Sheet) -> Iterator[RatingStore]:
    with RatingStore(sheet.path.with_name("ratings.sqlite"), sheet, make=True, patience=5) as opened:
        yield opened


@pytest.fixture
def client(sheet: Sheet, store: RatingStore) -> Iterator[TestClient]:
    app = make_rating_app(sheet, store)
    with TestClient(app, base_url="http://127.0.0.1", follow_redirects=False) as made:
        yield made
