"""How much is done at once, so that nobody waits long for their turn; and how long a queue will take."""

from __future__ import annotations

FEWEST, FIRST, MOST = 4, 32, 256
"""Rows in a batch. New references take far longer than known ones, and nobody knows beforehand."""
SHORT, LONG = 1.0, 4.0
"""Seconds of the worker's own time that a batch should take. Small batches are dear, as a row costs a third of what it
does alone; what other programs do to the clock must not make them small."""
SMOOTHING = 0.3
LONGEST_WAIT = 60


class Pace:
    """Learns from every batch."""

    def __init__(self) -> None:
        """Begin in the middle."""
        self.rows = FIRST
        self.seconds_a_row = 0.05

    def learn(self, rows: int, seconds: float, busy: float) -> None:
        """Take note of how long a batch took, and for how much of that the worker was busy."""
        self.seconds_a_row += SMOOTHING * (seconds / max(rows, 1) - self.seconds_a_row)
        if busy > LONG:
            self.rows = max(self.rows // 2, FEWEST)
        elif busy < SHORT and rows >= self.rows:
            self.rows = min(self.rows * 2, MOST)

    def wait(self, rows: int) -> int:
        """Return the seconds after which so many rows may be done, within reason."""
        return max(1, min(LONGEST_WAIT, round(rows * self.seconds_a_row)))
