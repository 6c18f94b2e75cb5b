"""A Ray that somebody else has started, joined by its address."""

from __future__ import annotations

import os
import re
import secrets
import socket
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE = 120.0
TOKEN = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
OPEN = {"RAY_AUTH_MODE": "disabled"}
LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0"}
"""Without it Ray takes the machine's own address where 127.0.0.1 is given, and all its interfaces."""


@contextmanager
def cluster(environment: dict[str, str]) -> Iterator[str]:
    """A cluster on the loopback interface; its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        str(Path(sys.executable).with_name("ray")), "start", "--head", "--block", "--node-ip-address=127.0.0.1",
        f"--port={port}", "--num-cpus=1", "--include-dashboard=false", "--disable-usage-stats",
    ]  # fmt: skip
    variables = {"RAY_worker_niceness": "0", **LOOPBACK, **environment}
    with subprocess.Popen(
        command, env=os.environ | variables, stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:
        assert process.stdout is not None
        try:
            while "Ray runtime started" not in (line := process.stdout.readline()):
                assert line, "the cluster has not started"
            yield f"127.0.0.1:{port}"
        finally:
            process.terminate()


def score(rows: Path, output: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run the command line with a metric that needs no model."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("RAY_")}
    return subprocess.run(
        [sys.executable, "-m", "mars_score", "score", str(rows), "--metric", "rougeL", "-o", str(output), *arguments],
        env=plain | LOOPBACK | environment, capture_output=True, encoding="utf-8", timeout=PATIENCE, check=False,
    )  # fmt: skip


def test_a_cluster_with_a_token(rows: Path, tmp_path: Path) -> None:
    here, there, refused = (tmp_path / f"{name}.jsonl" for name in ("here", "there", "refused"))
    assert score(rows, here).returncode == 0
    with cluster(TOKEN) as address:
        joined = score(rows, there, "--engine", "ray", "--address", address, **TOKEN)
        assert joined.returncode == 0, joined.stderr
        assert there.read_bytes() == here.read_bytes()
        before = time.monotonic()
        stranger = score(rows, refused, "--engine", "ray", "--address", address, **OPEN)
        assert time.monotonic() - before < PATIENCE
    assert stranger.returncode == 2
    assert f"error: no Ray cluster at {address}" in stranger.stderr
    assert "RAY_AUTH_MODE must be token or disabled here as where the cluster was started" in stranger.stderr
    assert "Traceback" not in stranger.stderr


def test_an_open_cluster_and_a_token(rows: Path, tmp_path: Path) -> None:
    with cluster(OPEN) as address:
        result = score(rows, tmp_path / "out.jsonl", "--engine", "ray", "--address", address, **TOKEN)
    assert result.returncode == 2
    # Ray notices when the first worker is to be made, or when none comes.
    assert re.search("^error: (the cluster takes no work|no worker starts): ", result.stderr, re.MULTILINE)
    assert "remedy: RAY_AUTH_MODE must be token or disabled here" in result.stderr
    assert "Traceback" not in result.stderr
