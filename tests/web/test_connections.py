"""Clients that keep a server waiting, against a real one; an honest client is answered all the while."""

from __future__ import annotations

import contextlib
import json
import re
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from mars_score.web.connections import Connection, ConnectionLimits, ConnectionPhase, Connections
from tests.web.api.running import until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mars_score.web.errors import HttpError

resource = pytest.importorskip("resource", reason="counts open files as Unix does")
ROW = {"references": ["r"], "candidate": "c"}
LATE = 20.0
"""Seconds after which a server that should have hung up has not."""


class Server:
    """A process, its address and its memory."""

    def __init__(self, limits: dict[str, float]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.web.guarded_server", json.dumps(limits)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )
        assert self.process.stderr is not None
        address = re.search(r"127\.0\.0\.1:(\d+)/", self.process.stderr.readline())
        assert address is not None
        self.port = int(address[1])
        self.client = httpx.Client(
            base_url=f"http://127.0.0.1:{self.port}",
            trust_env=False,
            timeout=LATE,
            headers={"Connection": "close"},
        )
        until(lambda: self.client.get("/healthz").status_code == 200)

    def tell(self, word: str) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(word, file=self.process.stdin, flush=True)
        assert self.process.stdout.readline() == "yes\n"

    def connect(self, data: bytes = b"") -> socket.socket:
        made = socket.create_connection(("127.0.0.1", self.port), timeout=LATE)
        made.sendall(data)
        return made

    def score(self, **row: Any) -> httpx.Response:
        """Ask as an honest client does, on a connection of its own."""
        return self.client.post("/v1/score", json={"items": [ROW | row]})

    def memory(self) -> int:
        """Bytes."""
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        result = re.search(r"VmRSS:\s+(\d+)", status)
        assert result is not None
        return int(result[1]) << 10

    def close(self) -> None:
        self.client.close()
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def start() -> Iterator[Any]:
    with contextlib.ExitStack() as stack:

        def make(**limits: float) -> Server:
            server = Server(limits)
            stack.callback(server.close)
            return server

        yield make


@pytest.fixture
def many_files() -> Iterator[None]:
    """Let this process and the server have enough files open for a crowd."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    enough = 4096 if hard == resource.RLIM_INFINITY else min(4096, hard)
    if enough < 2048:
        pytest.skip(f"this system lets a process open {hard} files only")
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, enough), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def answer_of(connection: socket.socket) -> tuple[int, dict[str, str]]:
    """Read until the server hangs up; return the status and the error."""
    received = b""
    with contextlib.suppress(ConnectionError):
        while part := connection.recv(1 << 16):
            received += part
    assert received, "it hung up without a word"
    head, _, body = received.partition(b"\r\n\r\n")
    assert b"content-security-policy" in head.lower()
    return int(head.split()[1]), json.loads(body)["error"]


def post(path: str = "/v1/score", length: int | None = None, *more: str) -> bytes:
    lines = [f"POST {path} HTTP/1.1", "Host: 127.0.0.1", "Content-Type: application/json", *more]
    if length is not None:
        lines.append(f"Content-Length: {length}")
    return "\r\n".join([*lines, "", ""]).encode("latin-1")


def test_a_thousand_silent_connections_keep_nobody_out(start: Any, many_files: None) -> None:
    server = start()
    with contextlib.ExitStack() as stack:
        for number in range(1_100):
            # Some say nothing at all, some stop in the middle of their headers, some in the middle of a body.
            begun = (b"", b"GET / HTTP/1.1\r\nHost: 12", post(length=50) + b"{")[number % 3]
            with contextlib.suppress(ConnectionError):
                stack.enter_context(server.connect()).sendall(begun)
        for _ in range(5):
            answer = server.score()
            assert (answer.status_code, answer.json()["results"][0]["id"]) == (200, "1")
        assert server.client.get("/healthz").json()["status"] == "ready"


@pytest.mark.parametrize("begun", [b"", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: "], ids=["silent", "some"])
def test_headers_have_a_deadline(start: Any, begun: bytes) -> None:
    server = start(headers=1)
    with server.connect(begun) as late:
        assert server.score().status_code == 200
        status, error = answer_of(late)
        assert (status, error["message"]) == (408, "the headers of the request took too long")
        assert error["remedy"]


def drip(connection: socket.socket, byte: bytes) -> None:
    """Send a byte now and then until the server hangs up."""
    end = time.monotonic() + LATE
    with contextlib.suppress(ConnectionError):
        connection.settimeout(0.1)
        while time.monotonic() < end:
            connection.sendall(byte)
            with contextlib.suppress(TimeoutError):
                if connection.recv(1, socket.MSG_PEEK):
                    break
    assert time.monotonic() < end, "the server waits for ever"
    connection.settimeout(LATE)


def test_headers_that_come_byte_by_byte(start: Any) -> None:
    server = start(headers=1)
    with server.connect(b"GET / HTTP/1.1\r\nX: ") as slow:
        drip(slow, b"x")
        assert answer_of(slow)[0] == 408
    assert server.score().status_code == 200


def test_the_headers_of_a_second_request_have_a_deadline_too(start: Any) -> None:
    server = start(headers=1)
    with server.connect(b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n") as slow:
        assert b" 200 " in slow.recv(1 << 16)
        slow.sendall(b"GET / HT")
        drip(slow, b"x")
        assert answer_of(slow)[0] in (400, 408)


@pytest.mark.parametrize("length", [1_000_000, None], ids=["told", "chunked"])
def test_a_body_that_comes_byte_by_byte(start: Any, length: int | None) -> None:
    server = start(body=1, rate=1_000)
    chunked = [] if length else ["Transfer-Encoding: chunked"]
    with server.connect(post("/v1/score", length, *chunked)) as slow:
        drip(slow, b"x" if length else b"1\r\nx\r\n")
        status, error = answer_of(slow)
        assert (status, error["message"]) == (408, "the body of the request took too long")
    assert server.score().status_code == 200


def test_no_body_takes_for_ever(start: Any) -> None:
    server = start(body=1, rate=1, longest=2)
    with server.connect(post(length=1_000_000)) as slow:
        drip(slow, b"x" * 10)
        assert answer_of(slow)[0] == 408


def test_a_body_that_keeps_coming_has_its_time(start: Any) -> None:
    server = start(body=0.5, rate=1)
    body = json.dumps({"items": [ROW]}).encode()
    with server.connect(post("/v1/score", len(body), "Connection: close")) as slow:
        for index in range(0, len(body), 10):
            slow.sendall(body[index : index + 10])
            time.sleep(0.3)
        assert slow.recv(1 << 16).startswith(b"HTTP/1.1 200")


def test_a_body_that_was_refused_is_not_waited_for_either(start: Any) -> None:
    server = start(body=1, rate=1_000)
    foreign = post("/v1/score", 1_000_000, "Origin: http://evil.example")
    with server.connect(foreign) as slow:
        assert b" 403 " in slow.recv(1 << 16)
        end = time.monotonic() + LATE
        with contextlib.suppress(ConnectionError, TimeoutError):
            while time.monotonic() < end:
                slow.sendall(b"x")
                time.sleep(0.1)
        assert time.monotonic() < end, "the server waits for ever"


def test_a_client_that_does_not_read_its_answers(start: Any) -> None:
    server = start(answer=1)
    asked = b"GET /openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    size = len(server.client.get("/openapi.json").content)
    times = (32 << 20) // size
    with socket.socket() as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 12)
        deaf.settimeout(LATE)
        deaf.connect(("127.0.0.1", server.port))
        deaf.settimeout(1)
        with contextlib.suppress(TimeoutError):
            deaf.sendall(asked * times)
        until(lambda: connections_of(server) == 0)
    assert server.score().status_code == 200


def connections_of(server: Server) -> int:
    """How many sockets the server has beside the one it listens on."""
    links = list(Path(f"/proc/{server.process.pid}/fd").iterdir())
    names = []
    for link in links:
        with contextlib.suppress(OSError):
            names.append(str(link.readlink()))
    established = Path(f"/proc/{server.process.pid}/net/tcp").read_text(encoding="ascii").splitlines()[1:]
    inodes = {
        f"socket:[{cells[9]}]"
        for cells in map(str.split, established)
        if cells[1].endswith(f":{server.port:04X}") and cells[3] != "0A"
    }
    return sum(name in inodes for name in names)


def test_many_large_bodies_have_a_budget(start: Any) -> None:
    server = start()
    assert server.score().status_code == 200
    before = server.memory()
    size = 15 << 20
    block = bytes(size - 1)
    with contextlib.ExitStack() as stack:
        for _ in range(40):
            large = stack.enter_context(server.connect(post(length=size)))
            large.sendall(block)  # all but the last byte
        grown = server.memory() - before
        assert grown < 160 << 20, f"{grown >> 20} MB"
        assert server.score().status_code == 200
        refused = server.score(context="x" * (9 << 20))
        assert refused.status_code == 503
        assert "memory" in refused.json()["error"]["message"]
        assert int(refused.headers["retry-after"]) > 0
    until(
        lambda: server.score(context="x" * (9 << 20)).status_code == 422
    )  # too long a text, but it was read


def test_an_address_whose_connections_are_all_at_work(start: Any) -> None:
    server = start(connections=8, address=4)
    server.tell("hold")
    body = json.dumps({"items": [ROW]}).encode()
    with contextlib.ExitStack() as stack:
        asking = [
            stack.enter_context(server.connect(post("/v1/score", len(body), "Connection: close") + body))
            for _ in range(3)
        ]
        until(lambda: server.client.get("/healthz").json()["requests"] == 3)
        asking.append(
            stack.enter_context(server.connect(post("/v1/score", len(body), "Connection: close") + body))
        )
        time.sleep(0.5)
        with server.connect() as fifth:
            status, error = answer_of(fifth)
            assert (status, error["message"]) == (503, "there are too many connections")
        server.tell("go")
        for client in asking:
            assert client.recv(1 << 16).startswith(b"HTTP/1.1 200")


GET = "GET /v1/metrics HTTP/1.1\r\nHost: 127.0.0.1\r\n"
BODY = '{"items": [{"references": ["r"], "candidate": "c"}]}'
POST = f"POST /v1/score HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(BODY)}\r\n"


@pytest.mark.parametrize(
    "request_text",
    [
        f"{GET}Origin: http://[\r\n\r\n",
        f"{POST}Origin: http://[::1\r\n\r\n{BODY}",
        f"{POST}Origin: http://[x]:y\r\n\r\n{BODY}",
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: localhost\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: [::1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: 127.0.0.1:99x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: \xff\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : 127.0.0.1\r\n\r\n",
        f"{GET}Content-Length: x\r\n\r\n",
        f"{GET}Content-Length: -1\r\n\r\n",
        f"{GET}Content-Length: {'9' * 5_000}\r\n\r\n",
        f"{GET}Content-Length: {'9' * 18}\r\n\r\n",
        f"{GET}Content-Length: 1\r\nContent-Length: 2\r\n\r\n",
        f"{GET}Transfer-Encoding: gzip\r\n\r\n",
        f"{GET}Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        POST + 'Content-Type: application/json; charset="\r\n\r\n' + "[" * len(BODY),
        f"{POST}Content-Type: \xff/;;=\r\n\r\n{BODY}",
        f"{POST}Content-Type: /\r\n\r\n{BODY}",
        f"{POST.replace('score', 'jobs')}Content-Type: text/csv; x\r\n\r\n{BODY}",
        f"{POST}Expect: nonsense\r\nContent-Encoding: gzip\r\nContent-Type: application/json\r\n\r\n{'{' * len(BODY)}",
        "GET /%zz%00%ff/%2e%2e/%c0%ae HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "GET /v1/jobs/%00?format=%ff%zz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "GET /v1/jobs/x/result?format=%ed%a0%80 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "GET \xff HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "GET //[ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "GET http://[ HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        f"GET /{'x' * 100_000} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        f"{GET}X: {'x' * 100_000}\r\n\r\n",
        GET + "X: x\r\n" * 30_000 + "\r\n",
        "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        "nonsense\r\n\r\n",
        "\r\n\r\n\x00\x00",
    ],
    ids=range(34),
)
def test_malformed_requests_are_refused_in_our_words(malformed: Server, request_text: str) -> None:
    data = request_text.replace("HTTP/1.1\r\n", "HTTP/1.1\r\nConnection: close\r\n", 1).encode("latin-1")
    with malformed.connect() as client:
        with contextlib.suppress(ConnectionError):
            client.sendall(data)
        status, error = answer_of(client)
    assert 400 <= status < 500 or status == 501, error
    assert error["message"]
    assert malformed.score().status_code == 200


@pytest.fixture(scope="module")
def malformed() -> Iterator[Server]:
    server = Server({})
    yield server
    server.close()


class Waiting(Connection):
    """A connection without a network."""

    def __init__(self, address: str, phase: ConnectionPhase, since: float) -> None:
        self.address, self.phase, self.since = address, phase, since
        self.ended: HttpError | None = None

    def end(self, error: HttpError) -> None:
        self.ended = error


def test_who_makes_room() -> None:
    register = Connections(ConnectionLimits(connections=5, address=3))
    old = [
        Waiting("a", phase, since)
        for since, phase in enumerate([ConnectionPhase.BODY, ConnectionPhase.ANSWER, ConnectionPhase.QUIET])
    ]
    others = [Waiting(name, ConnectionPhase.HEADERS, 0) for name in "bc"]
    for client in (*old, *others):
        register.admit(client)
    assert not any(client.ended for client in (*old, *others))
    fourth = Waiting("a", ConnectionPhase.HEADERS, 9)
    register.admit(
        fourth
    )  # too many of an address: that which waits for a request goes before that which uploads
    assert [client.ended is not None for client in (*old, fourth)] == [False, False, True, False]
    stranger = Waiting("d", ConnectionPhase.HEADERS, 10)
    register.admit(stranger)  # too many in all: the address that has the most gives way
    assert fourth.ended
    assert not any(client.ended for client in (stranger, *others))
    for client in (*others, stranger, old[0]):
        client.phase = ConnectionPhase.ANSWER
    last = Waiting("e", ConnectionPhase.HEADERS, 11)
    register.admit(last)  # everybody is being answered
    assert last.ended is not None
    assert last.ended.status == 503
    assert len(register) == 5
    for client in (*old, *others, stranger):
        register.forget(client)
    assert len(register) == 0
