"""Many raters save at once, and the form is killed in between: `kill -9`, and the same command again.

    python -m benchmarks.faults.many_raters [RATERS] [KILLS]

many_raters_lost       answers that were acknowledged and are not in the file; at most 0
many_raters_doubled    answers that are in the file twice; at most 0
many_raters_saving     answers a second that all raters got acknowledged, with the time to the acknowledgement

Each rater is a client of its own over HTTP, gives 51 answers (17 of 18 texts, three questions each) and sends an
answer again until it is acknowledged, as the form's script does. 16 raters and 3 kills by default.
"""

from __future__ import annotations

import csv
import random
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from benchmarks.timing import report
from mars_score.study.augmentation_ratings import QUESTIONS
from mars_score.web.rating.questions import order_for
from mars_score.web.rating.sheet import read_sheet
from mars_score.web.rating.storage import RatingStore

RATERS, KILLS, ITEMS, TEXTS = 16, 3, 6, 17
PATIENCE = 120.0

Asked = tuple[str, int, str]


class Form:
    """The form as a process; it comes back on the port that it had."""

    def __init__(self, sheet: Path) -> None:
        """Start it."""
        self.sheet, self.port = sheet, 0
        self.start()

    def start(self) -> None:
        """Start, and wait until requests are answered."""
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "mars_score",
                "rate",
                str(self.sheet),
                "--serve",
                "--port",
                str(self.port),
            ],
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        assert self.process.stderr is not None
        address = next(
            filter(None, (re.search(r"127\.0\.0\.1:(\d+)/", line) for line in self.process.stderr))
        )
        self.port = int(address[1])

    def kill(self) -> None:
        """End it as a crash would."""
        self.process.kill()
        self.process.communicate()


@dataclass
class Ledger:
    """What raters were told."""

    acknowledged: dict[Asked, int] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    again: int = 0
    """Answers that had to be sent again."""


def main(raters: int = RATERS, kills: int = KILLS) -> None:
    """Print what became of the answers."""
    with tempfile.TemporaryDirectory() as folder:
        sheet = Path(folder, "sheet.csv")
        write_sheet(sheet)
        ledger = collect(sheet, raters, kills)
        lost, doubled, stored = compare(sheet, ledger, raters)
        report(
            "many_raters_lost",
            lost,
            at_most=0,
            acknowledged=len(ledger.acknowledged),
            stored=stored,
            kills=kills,
        )
        report("many_raters_doubled", doubled, at_most=0, sent_again=ledger.again)
        times = _times(ledger, raters)
        report("many_raters_saving", times.pop("answers_a_second"), **times)


def write_sheet(path: Path) -> None:
    """A sheet of our own writing: three texts an item."""
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["code", "context", "text"])
        for item in range(ITEMS):
            for index in range(3):
                code = f"{(3 * item + index + 1) * 2654435761 % 2**32:08x}"
                writer.writerow(
                    [
                        code,
                        f"Day {item + 1} at the ferry was cold.",
                        f"Boat {index + 1} left at {item + 6} o'clock.",
                    ]
                )


def collect(sheet: Path, raters: int, kills: int) -> Ledger:
    """Let everybody answer everything, and kill the form so many times on the way."""
    ledger, form = Ledger(), Form(sheet)
    total = raters * TEXTS * len(QUESTIONS)
    threads = [
        threading.Thread(target=_rate, args=(form, f"Rater {number}", ledger)) for number in range(raters)
    ]
    try:
        for thread in threads:
            thread.start()
        late = time.monotonic() + PATIENCE
        for number in range(1, kills + 1):
            while len(ledger.acknowledged) < number * total // (kills + 1) and time.monotonic() < late:
                time.sleep(0.001)
            form.kill()
            form.start()
        for thread in threads:
            thread.join()
    finally:
        form.kill()
    return ledger


def _rate(form: Form, rater: str, ledger: Ledger) -> None:
    chance = random.Random(rater)
    late = time.monotonic() + PATIENCE
    mark = ""
    with httpx.Client(
        base_url=f"http://127.0.0.1:{form.port}", follow_redirects=True, trust_env=False
    ) as client:
        for index in range(1, TEXTS + 1):
            for question in QUESTIONS:
                rating, tries = chance.randint(1, 7), 0
                while time.monotonic() < late:
                    tries += 1
                    sent = time.perf_counter()
                    try:
                        if not mark:
                            page = client.post("/start", data={"rater": rater, "again": "yes"})
                            mark = re.findall('name="sheet" value="([0-9a-f]+)"', page.text)[0]
                        answer = client.post(
                            "/answer",
                            data={
                                "rater": rater,
                                "n": index,
                                "sheet": mark,
                                "question": question,
                                "rating": rating,
                            },
                        )
                    except httpx.HTTPError:
                        time.sleep(0.05)  # the form is dead, and will be back
                        continue
                    if answer.status_code == 200:
                        ledger.acknowledged[rater, index, question] = rating
                        ledger.seconds.append(time.perf_counter() - sent)
                        break
                ledger.again += tries - 1


def _times(ledger: Ledger, raters: int) -> dict[str, float]:
    """Times to the acknowledgement."""
    ordered = sorted(ledger.seconds)
    return {
        "answers_a_second": raters * len(ordered) / sum(ordered),
        "p50_ms": 1000 * ordered[len(ordered) // 2],
        "p99_ms": 1000 * ordered[int(0.99 * len(ordered))],
    }


def compare(path: Path, ledger: Ledger, raters: int) -> tuple[int, int, int]:
    """Count the answers that were lost, those that are there twice, and those that are there."""
    sheet = read_sheet(path)
    names = [f"Rater {number}" for number in range(raters)]
    with RatingStore(path.with_name("sheet.ratings.sqlite"), sheet, make=False) as store:
        places = {
            (rater, text.code): number
            for rater in names
            for number, text in enumerate(order_for(sheet, rater), 1)
        }
        history = [
            ((answer.rater, places[answer.rater, answer.code], answer.question), answer.rating)
            for answer in store.history()
        ]
    stored = dict(history)
    lost = sum(stored.get(asked) != rating for asked, rating in ledger.acknowledged.items())
    doubled = sum(count - 1 for count in Counter(asked for asked, _ in history).values())
    return lost, doubled, len(stored)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:3]))
