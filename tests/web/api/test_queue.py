"""Fairness, batches, bounds: the queue by itself, then with a worker."""

from __future__ import annotations

import pytest

from mars_score.types import Example
from mars_score.web.api import scorers
from mars_score.web.api.queue import (
    FEWEST,
    FIRST,
    MOST,
    Pace,
    Queue,
    RequestSettings,
    ServerLimits,
    Ticket,
    TicketOutcome,
)
from mars_score.web.api.scorers import Worker
from mars_score.web.errors import HttpError
from tests.web.api.fake import BAD, BROKEN, FakeService
from tests.web.api.running import until

STORY, QA = RequestSettings("story"), RequestSettings("qa")


def ticket(
    name: str, rows: int, settings: RequestSettings = STORY, *, whole: bool = False, text: str = "x"
) -> Ticket:
    return Ticket(settings, [Example(f"{name}{i}", text, ("r",)) for i in range(rows)], whole=whole)


def queue_of(*tickets: Ticket, limits: ServerLimits | None = None, rows: int = 8) -> Queue:
    pace = Pace()
    pace.rows = rows
    queue = Queue(limits or ServerLimits(), pace)
    for one in tickets:
        queue.submit(one)
    return queue


def take(queue: Queue) -> list[str]:
    batch = queue.take()
    assert batch is not None
    batch.deliver(TicketOutcome([None] * len(batch.examples), {}))  # type: ignore[list-item]
    return [example.id for example in batch.examples]


def names(ids: list[str]) -> str:
    """Whose rows they are, in runs."""
    return "".join(dict.fromkeys(name[0] for name in ids))


def test_requests_that_ask_for_the_same_share_a_batch() -> None:
    queue = queue_of(ticket("a", 1), ticket("b", 2), ticket("c", 1, QA), ticket("d", 1))
    assert take(queue) == ["a0", "b0", "b1", "d0"]
    assert take(queue) == ["c0"]
    assert queue.rows == 0


def test_a_large_request_is_cut_and_lets_small_ones_in() -> None:
    large, small = ticket("l", 20), ticket("s", 2)
    queue = queue_of(large, small)
    assert take(queue) == ["l0", "l1", "l2", "l3", "l4", "l5", "s0", "s1"]
    assert small.state == "done"
    assert take(queue) == [f"l{i}" for i in range(6, 14)]
    assert take(queue) == [f"l{i}" for i in range(14, 20)]
    assert large.state == "done"
    assert len(large.rows) == 20


def test_a_large_request_of_another_kind_does_not_bar_the_way() -> None:
    queue = queue_of(ticket("l", 24), ticket("s", 1, QA))
    assert names(take(queue)) == "l"
    assert names(take(queue)) == "s"
    assert names(take(queue)) == "l"


def test_two_large_requests_share_every_batch() -> None:
    queue = queue_of(ticket("a", 12), ticket("b", 12))
    assert [name[0] for name in take(queue)] == list("aaaabbbb")


def test_more_requests_than_rows_in_a_batch() -> None:
    queue = queue_of(*(ticket(name, 3) for name in "abcdef"), rows=4)
    assert take(queue) == ["a0", "b0", "c0", "d0"]
    assert take(queue) == ["e0", "f0", "a1", "b1"]


def test_what_must_be_whole_is_neither_cut_nor_joined() -> None:
    queue = queue_of(ticket("w", 20, whole=True), ticket("a", 1), ticket("v", 2, whole=True))
    assert names(take(queue)) == "w"
    assert take(queue) == ["a0"]
    assert take(queue) == ["v0", "v1"]


def test_the_queue_is_bounded_in_requests_and_rows() -> None:
    queue = queue_of(ticket("a", 1), ticket("b", 1), limits=ServerLimits(queue_requests=2))
    with pytest.raises(HttpError, match="2 requests with 2 rows are waiting") as refused:
        queue.submit(ticket("c", 1))
    assert refused.value.status == 429
    assert int(refused.value.headers["Retry-After"]) >= 1
    queue = queue_of(ticket("a", 30), limits=ServerLimits(queue_rows=40))  # alone, any size will do
    with pytest.raises(HttpError, match="30 rows are waiting"):
        queue.submit(ticket("b", 11))
    queue.submit(ticket("c", 10))


def test_a_request_that_is_being_worked_on_counts() -> None:
    queue = queue_of(ticket("a", 1), limits=ServerLimits(queue_requests=1))
    assert queue.take() is not None
    assert (queue.requests, queue.rows) == (1, 0)
    with pytest.raises(HttpError):
        queue.submit(ticket("b", 1))


def test_a_cancelled_request_leaves_the_line() -> None:
    first, second = ticket("a", 20), ticket("b", 1)
    queue = queue_of(first, second)
    take(queue)
    queue.cancel(first)
    assert (queue.rows, first.state) == (0, "cancelled")
    queue.cancel(second)
    assert second.state == "done"


def test_the_end_sends_away_what_was_not_started() -> None:
    started, fresh = ticket("a", 20), ticket("b", 1, QA)
    queue = queue_of(started, fresh)
    take(queue)
    queue.close()
    assert isinstance(fresh.error, HttpError)
    assert fresh.error.status == 503
    with pytest.raises(HttpError, match="stopping"):
        queue.submit(ticket("c", 1))
    while started.state != "done":
        take(queue)
    assert queue.take() is None


def test_pace_follows_the_clock() -> None:
    pace = Pace()
    pace.learn(FIRST, 10.0, 1.5)
    assert pace.rows == FIRST  # somebody else was busy
    pace.learn(FIRST, 10.0, 10.0)
    assert pace.rows == FIRST // 2
    for _ in range(10):
        pace.learn(pace.rows, 60.0, 60.0)
    assert pace.rows == FEWEST
    assert pace.wait(10_000) == 60
    pace.learn(1, 0.001, 0.001)  # a lone row says nothing about a full batch
    assert pace.rows == FEWEST
    for _ in range(20):
        pace.learn(pace.rows, 0.001, 0.001)
    assert pace.rows == MOST
    assert pace.wait(1) == 1


def worked(service: FakeService, *tickets: Ticket) -> None:
    """Let the first request be in work while the others queue up; then let all finish."""
    queue = Queue(ServerLimits(), Pace())
    worker = Worker(service, queue, Pace())
    service.open.clear()
    worker.start()
    queue.submit(tickets[0])
    until(service.begun.is_set)
    for one in tickets[1:]:
        queue.submit(one)
    service.open.set()
    until(lambda: all(one.over for one in tickets))
    queue.close()
    worker.join(5)
    assert worker.ended.is_set()


def test_what_waits_is_worked_on_together(service: FakeService) -> None:
    worked(service, ticket("a", 1), ticket("b", 1), ticket("c", 2), ticket("d", 1))
    assert service.batches == [["a0"], ["b0", "c0", "c1", "d0"]]


@pytest.mark.parametrize("text", [BAD, BROKEN])
def test_one_bad_request_spoils_no_other(service: FakeService, text: str) -> None:
    good, bad, other = ticket("g", 1), ticket("b", 2, text=text), ticket("o", 1)
    worked(service, ticket("a", 1), good, bad, other)
    assert [one.state for one in (good, bad, other)] == ["done", "failed", "done"]
    assert isinstance(bad.error, HttpError)
    assert bad.error.status == (422 if text == BAD else 500)


def test_work_that_nobody_wants_is_broken_off(service: FakeService) -> None:
    queue, pace = Queue(ServerLimits(), Pace()), Pace()
    worker = Worker(service, queue, pace)
    service.open.clear()
    worker.start()
    unwanted, next_one = ticket("u", 1), ticket("n", 1)
    queue.submit(unwanted)
    until(service.begun.is_set)
    queue.submit(next_one)
    service.begun.clear()
    queue.cancel(unwanted)
    until(service.begun.is_set)  # the gate is still shut, but the worker has gone on
    assert service.batches == [["u0"], ["n0"]]
    service.open.set()
    queue.close()
    worker.join(5)
    assert (unwanted.rows, next_one.state) == ([], "done")
    assert worker.ended.is_set()


def test_free_memory_is_given_back_after_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """The C library keeps what a batch needed: a server of half a gigabyte once kept as much again."""
    given: list[int] = []
    service, pace = FakeService(), Pace()
    monkeypatch.setattr(scorers, "malloc_trim", lambda: given.append(len(service.batches)))
    queue = Queue(ServerLimits(), pace)
    worker = Worker(service, queue, pace)
    for name in ("one", "two"):
        queue.submit(Ticket(RequestSettings("general"), [Example(name, "c", ("r",), "")], whole=True))
    worker.start()
    until(lambda: len(service.batches) == 2)
    queue.close()
    worker.join(20)
    assert given[:1] == [1]
    assert len(given) <= 2, "to give back takes time, so it is done once a second at most"
