"""No acknowledged rating is lost, however the server ends."""

from __future__ import annotations

import random
import re
import threading
import time
from typing import TYPE_CHECKING

import httpx
import pytest

from mars_score.study.augmentation_ratings import QUESTIONS
from mars_score.web.rating.questions import order_for
from mars_score.web.rating.sheet import read_sheet
from mars_score.web.rating.storage import RatingStore
from tests.web.rating.samples import rows, write_sheet
from tests.web.rating.server import Server

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

RATERS = ("Ida", "Tomas", "Rosa", "Emil")
TEXTS = 21


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    made = Server(write_sheet(tmp_path, rows(7), key=False))
    yield made
    made.close()


class Rater(threading.Thread):
    """Answers as fast as the server takes it, and remembers what was acknowledged."""

    def __init__(self, server: Server, name: str, acknowledged: dict[tuple[str, int, str], int]) -> None:
        super().__init__()
        self.server, self.rater, self.acknowledged = server, name, acknowledged

    def run(self) -> None:
        chance = random.Random(self.rater)
        try:
            with httpx.Client(base_url=self.server.url, follow_redirects=True, trust_env=False) as client:
                page = client.post("/start", data={"rater": self.rater, "again": "yes"})
                number = int(page.url.params["n"])
                mark = re.findall('name="sheet" value="([0-9a-f]+)"', page.text)[0]
                for index in range(number, TEXTS + 1):
                    for question in QUESTIONS:
                        asked = self.rater, index, question
                        if asked in self.acknowledged:
                            continue
                        rating = chance.randint(1, 7)
                        sent = {"rater": self.rater, "n": index, "sheet": mark}
                        answer = client.post("/answer", data={**sent, "question": question, "rating": rating})
                        if answer.status_code == 200:
                            self.acknowledged[asked] = rating
        except httpx.HTTPError:
            pass  # the server is dead


def test_kill_and_go_on(server: Server) -> None:
    acknowledged: dict[tuple[str, int, str], int] = {}
    counts = []
    for enough in (20, 90):
        server.start()
        raters = [Rater(server, name, acknowledged) for name in RATERS]
        for rater in raters:
            rater.start()
        late = time.monotonic() + 30
        while len(acknowledged) < enough and time.monotonic() < late:
            time.sleep(0.001)
        server.kill()  # in the middle of whatever it does
        for rater in raters:
            rater.join()
        counts.append(len(acknowledged))
        assert acknowledged.items() <= stored(server).items()
    assert 20 <= counts[0] < 90 <= counts[1] < len(RATERS) * TEXTS * 3, counts
    server.start()
    raters = [Rater(server, name, acknowledged) for name in RATERS]
    for rater in raters:
        rater.start()
    for rater in raters:
        rater.join()
    assert server.stop() == 0
    result = stored(server)
    assert len(result) == len(RATERS) * TEXTS * 3
    assert acknowledged.items() <= result.items()
    # An answer on its way when the server was killed may be there without having been acknowledged.
    assert len(result) - len(acknowledged) <= 2 * len(RATERS)


def stored(server: Server) -> dict[tuple[str, int, str], int]:
    """Read the file as another process does."""
    sheet = read_sheet(server.sheet)
    with RatingStore(server.sheet.with_name("sheet.ratings.sqlite"), sheet, make=False) as store:
        places = {
            (rater, text.code): number
            for rater in RATERS
            for number, text in enumerate(order_for(sheet, rater), 1)
        }
        return {
            (answer.rater, places[answer.rater, answer.code], answer.question): answer.rating
            for answer in store.answers()
        }
