"""Workers of a Ray cluster, or of a Ray that is started here for the length of a run.

Each worker is an actor, a process of its own with one thread for torch unless told otherwise. It calls `make` once,
when its first batch arrives. Scheduling is by hand and small: a worker has at most two batches, one that it does
and one that waits, so that it is never idle; a batch whose worker died goes to the next worker that is free.
"""

from __future__ import annotations

import os
import secrets
import signal
import socket
import threading
import uuid
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from operator import length_hint
from typing import TYPE_CHECKING, Any

from mars_score.errors import EngineError, MarsError
from mars_score.progress import StageProgress, silent_stages

if TYPE_CHECKING:
    from mars_score.run.base import Batch, Result, Worker

TRIES = 4
"""Workers that may die over the same batch; by then it is hardly bad luck."""
QUEUE = 2
"""Batches that a worker has at a time."""
AHEAD = 4
"""Batches for each worker that may be taken before the first of them is consumed: the bound on what is held."""
KNOCK = 10.0
"""Seconds in which a cluster must answer."""
PATIENCE = 300.0
"""Seconds to wait for a first worker to start."""

TOKENS = (
    "RAY_AUTH_MODE must be token or disabled here as where the cluster was started (Ray says which when it starts), "
    "and with tokens ray get-auth-token must print the same one"
)
LONGEST = 600
"""Characters of what Ray says of a death, which may be a whole traceback."""


class RayEngine:
    """Runs batches on the workers of a cluster; without an address, on processes of this machine."""

    def __init__(
        self, address: str | None = None, workers: int | None = None, *, threads: int = 1, gpus: float = 0
    ) -> None:
        """Ask for so many workers, by default as many as there are processors (or GPUs, if a worker needs any)."""
        self.address, self.workers, self.threads, self.gpus = address, workers, threads, gpus

    def run(
        self,
        make: Callable[[StageProgress], Worker[Batch, Result]],
        batches: Iterable[Batch],
        progress: StageProgress,
    ) -> Generator[Result, None, None]:
        """Yield results in order; what was started for it is stopped after the last one, or when the caller stops."""
        with self._connected() as ray:
            workers = _Workers(ray, make, self._count(ray), self._needs())
            try:
                yield from _in_order(workers, batches, progress)
            finally:
                workers.stop()

    @contextmanager
    def _connected(self) -> Iterator[Any]:
        """Ray, connected: to the address, to what the process is connected to already, or to one of its own."""
        if self.address is None:
            # Read when Ray is imported. Without it Ray listens on all interfaces, whatever address it is given.
            os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
            if os.environ.setdefault("RAY_AUTH_MODE", "token") == "token":
                # For this process and its children. Ray would make one, save it for good and print a line.
                os.environ.setdefault("RAY_AUTH_TOKEN", secrets.token_hex(32))
            # Ray gives way to all other work of the machine; a run without it would not.
            os.environ.setdefault("RAY_worker_niceness", "0")
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        # Ray tells of every death on standard output, where results may go. Read when Ray is imported, too.
        os.environ.setdefault("RAY_DEDUP_LOGS_SKIP_REGEX", ".")
        import ray

        if ray.is_initialized():
            yield ray
            return
        quiet: dict[str, Any] = {"log_to_driver": False, "configure_logging": False, "logging_level": "error"}
        try:
            with _signal_handlers_kept():
                if self.address is None:
                    ray.init(
                        address="local",  # never one that somebody else has started on this machine
                        num_cpus=self.threads * (self.workers or max(1, _processors() // self.threads)),
                        include_dashboard=False,
                        _node_ip_address="127.0.0.1",
                        **quiet,
                    )
                else:
                    _check_address(self.address)
                    ray.init(address=self.address, **quiet)
        except (ConnectionError, RuntimeError, ValueError, OSError, ray.exceptions.RayError) as error:
            where, remedy = "Ray does not start", "look at its logs, in /tmp/ray/session_latest/logs"
            if self.address is not None:
                where = f"no Ray cluster at {self.address}"
                remedy = (
                    "ray start --head on one machine prints the address; this machine must have joined too; "
                    + TOKENS
                )
            raise EngineError(f"{where}: {_describe(error)}\n  remedy: {remedy}") from error
        try:
            yield ray
        finally:
            ray.shutdown()

    def _count(self, ray: Any) -> int:
        if self.workers:
            return self.workers
        has = ray.cluster_resources()
        places = has.get("GPU", 0.0) / self.gpus if self.gpus else has.get("CPU", 0.0) / self.threads
        return max(1, int(places))

    def _needs(self) -> dict[str, Any]:
        threads = {"OMP_NUM_THREADS": str(self.threads)}  # must be there before torch is loaded
        return {"num_cpus": self.threads, "num_gpus": self.gpus, "runtime_env": {"env_vars": threads}}


@dataclass(slots=True)
class _Task:
    """A batch and its result."""

    number: int
    batch: Any
    alone: bool = False
    """Whether it was with a worker that died: then it gets one to itself, so that it is known whose fault it is."""
    deaths: int = 0
    """Workers that died while they had nothing else to do."""


@dataclass(frozen=True, slots=True)
class _Done:
    """What comes back for a batch: its result, or the error that stands in its place."""

    result: Any = None
    error: Exception | None = None


class _Actor:
    """Lives in a process of the cluster."""

    def __init__(self, make: Callable[[StageProgress], Worker[Any, Any]]) -> None:
        self._make = make
        self._worker: Worker[Any, Any] | None = None

    def ready(self) -> None:
        """Answer, which shows that the process has started."""

    def do(self, batch: Any) -> _Done:
        """Do a batch. Errors of our own come back as values: Ray would wrap them."""
        try:
            if self._worker is None:
                self._worker = self._make(silent_stages)
            return _Done(self._worker(batch))
        except MarsError as error:
            return _Done(error=error)


@dataclass(slots=True, eq=False)
class _WorkerState:
    """A worker and its tasks."""

    actor: Any
    starting: Any
    """What it answers once it has started; ``None`` afterwards."""
    tasks: deque[tuple[Any, _Task]] = field(default_factory=deque)
    """What it does, and then what waits; each with the reference to its answer."""


class _Workers:
    """Hands out tasks to workers and replaces dead ones."""

    def __init__(
        self, ray: Any, make: Callable[[StageProgress], Worker[Any, Any]], count: int, needs: dict[str, Any]
    ) -> None:
        self.ray, self.count = ray, count
        self._make = ray.put(make)  # once, however many workers take it
        self._actor = ray.remote(_Actor)
        self._options = {"max_restarts": 0, "max_task_retries": 0, **needs}
        self._name = f"mars-score-{uuid.uuid4().hex[:8]}"
        self._hired = self._stillborn = 0
        self._members = [self._start_worker() for _ in range(count)]

    def free(self, most: int) -> _WorkerState | None:
        """The started worker with the fewest tasks, if it has fewer than `most`."""
        able = [member for member in self._members if member.starting is None and len(member.tasks) < most]
        return min(
            (member for member in able if not any(task.alone for _, task in member.tasks)),
            key=lambda member: len(member.tasks),
            default=None,
        )

    def assign(self, member: _WorkerState, task: _Task) -> None:
        """Have a worker do a task when it has done those before."""
        member.tasks.append((member.actor.do.remote(task.batch), task))

    def wait(self) -> tuple[list[tuple[_Task, _Done]], list[_Task]]:
        """Wait until something happens; return what is done, and what was lost and must be done again."""
        watched = {member.starting if member.starting is not None else member.tasks[0][0]: member
                   for member in self._members if member.starting is not None or member.tasks}  # fmt: skip
        nobody = all(member.starting is not None for member in self._members)
        happened, _ = self.ray.wait(list(watched), timeout=PATIENCE if nobody else None)
        if not happened:
            has = self.ray.cluster_resources()
            raise EngineError(
                f"no worker has started in {PATIENCE:.0f} s; the cluster has {has.get('CPU', 0):g} CPUs and "
                f"{has.get('GPU', 0):g} GPUs\n  remedy: end other jobs on it, or start more machines"
            )
        done: list[tuple[_Task, _Done]] = []
        lost: list[_Task] = []
        for ref in happened:
            member = watched[ref]
            try:
                result = self.ray.get(ref)
            except self.ray.exceptions.RayTaskError as error:  # whatever went wrong in the work itself
                result = _Done(error=error)
            except self.ray.exceptions.RayError as error:  # a worker, its machine or its answer is gone
                lost += self._replace(member, error, done)
                continue
            if member.starting is not None:
                member.starting, self._stillborn = None, 0
            else:
                done.append((member.tasks.popleft()[1], result))
        return done, lost

    def stop(self) -> None:
        """End all workers."""
        for member in self._members:
            self.ray.kill(member.actor)

    def _start_worker(self) -> _WorkerState:
        self._hired += 1
        named = self._actor.options(name=f"{self._name}-{self._hired}", **self._options)
        try:
            actor = named.remote(self._make)
            return _WorkerState(actor, actor.ready.remote())
        except self.ray.exceptions.RayError as error:
            raise EngineError(f"the cluster takes no work: {_describe(error)}\n  remedy: {TOKENS}") from error

    def _replace(
        self, member: _WorkerState, error: Exception, done: list[tuple[_Task, _Done]]
    ) -> list[_Task]:
        """Replace a dead worker; return its tasks, unless one of them has ended too many workers."""
        self.ray.kill(member.actor)  # one that is only out of reach must not come back
        self._members[self._members.index(member)] = self._start_worker()
        if member.starting is not None:
            self._stillborn += 1
            if self._stillborn > TRIES * self.count:
                raise EngineError(f"no worker starts: {_describe(error)}\n  remedy: {TOKENS}") from error
        tasks = [task for _, task in member.tasks]
        for task in tasks:
            task.alone = True
        if len(tasks) != 1:  # the answer to the first may have died with the worker, on its way
            return tasks
        tasks[0].deaths += 1
        if tasks[0].deaths < TRIES:
            return tasks
        problem = f"batch {tasks[0].number + 1} ended its worker {TRIES} times, the last time so: {_describe(error)}"
        remedy = "give a worker more memory (--workers for fewer of them), or look at the rows of that batch"
        done.append((tasks[0], _Done(error=EngineError(f"{problem}\n  remedy: {remedy}"))))
        return []


def _in_order(workers: _Workers, batches: Iterable[Any], progress: StageProgress) -> Iterator[Any]:
    """Give out batches as results are consumed; a result that is early waits for its turn."""
    expected = length_hint(batches)
    source = enumerate(batches)
    waiting: deque[_Task] = deque()
    early: dict[int, _Done] = {}
    taken = finished = turn = 0
    more = True
    while True:
        while more and taken - turn < AHEAD * workers.count:
            try:
                task = next((_Task(*numbered_batch) for numbered_batch in source), None)
            except Exception as error:  # raised in its turn, after the results before it
                early[taken], task = _Done(error=error), None
                taken += 1
            if task is None:
                more = False
                break
            taken += 1
            waiting.append(task)
        while waiting:
            # Few batches left: nobody gets a second one that another worker could begin now.
            second = len(waiting) > workers.count and not waiting[0].alone
            if (member := workers.free(QUEUE if second else 1)) is None:
                break
            workers.assign(member, waiting.popleft())
        if turn in early:
            answer = early.pop(turn)
            turn += 1
            if answer.error is not None:
                raise answer.error
            yield answer.result
            continue
        if not more and turn == taken:
            return
        done, lost = workers.wait()
        waiting.extendleft(reversed(lost))  # the oldest first: others wait for it
        for task, answer in done:
            early[task.number] = answer
            finished += 1
            progress("batches", finished, max(taken, expected))


@contextmanager
def _signal_handlers_kept() -> Iterator[None]:
    """Keep what the program does on SIGTERM: Ray would leave it on the spot."""
    if threading.current_thread() is not threading.main_thread():
        yield  # Ray sets nothing then, and only the main thread may
        return
    before = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _check_address(address: str) -> None:
    """Check whether the address answers: Ray itself would keep trying for minutes."""
    host, colon, port = address.rpartition(":")
    if colon and port.isdigit() and "/" not in host:
        socket.create_connection((host, int(port)), timeout=KNOCK).close()


def _processors() -> int:
    """Those that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _describe(error: BaseException) -> str:
    """What an error says, in a line that is not too long."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
