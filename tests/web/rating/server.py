"""The form as a process of its own, which can be killed and started again."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.cli.conftest import environment

if TYPE_CHECKING:
    from pathlib import Path


class Server:
    """`mars-score rate SHEET --serve`; a second start has the port of the first."""

    def __init__(self, sheet: Path, *options: str) -> None:
        self.sheet, self.options = sheet, options
        self.port = 0
        self.process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start, and wait until requests are answered."""
        command = [
            sys.executable,
            "-m",
            "mars_score",
            "rate",
            str(self.sheet),
            "--serve",
            "--port",
            str(self.port),
        ]
        self.process = subprocess.Popen(
            [*command, *self.options],
            stderr=subprocess.PIPE,
            text=True,
            env=environment(),
        )
        assert self.process.stderr is not None
        said = ""
        for line in self.process.stderr:
            said += line
            if result := re.search(r"listening on http://127\.0\.0\.1:(\d+)/", line):
                self.port = int(result[1])
                return
        raise AssertionError(said)

    def kill(self) -> None:
        """End it as a crash would (SIGKILL)."""
        assert self.process is not None
        self.process.kill()
        self._reap()

    def stop(self) -> int:
        """End it as its user would."""
        assert self.process is not None
        self.process.terminate()
        return self._reap()

    def _reap(self) -> int:
        assert self.process is not None
        self.process.communicate()
        code, self.process = self.process.returncode, None
        return code

    def close(self) -> None:
        """End it if it runs."""
        if self.process is not None:
            self.kill()
