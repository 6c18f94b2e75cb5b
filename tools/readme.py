"""Write what the README shows of real runs: outputs of commands, and the picture of the playground.

    python tools/readme.py            run the commands, keep their outputs in docs/readme/, put them into the README
    python tools/readme.py write      only put what is kept into the README
    python tools/readme.py picture    take docs/playground.png anew, in Chromium, with the default models

In the README a block stands between <!-- NAME --> and <!-- /NAME -->; docs/readme/NAME.txt (or .py) has its contents.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
README, KEPT, PICTURE = ROOT / "README.md", ROOT / "docs" / "readme", ROOT / "docs" / "playground.png"
COMMANDS = {
    "score": "head -4 examples/demo.jsonl | mars-score score - --format table",
    "explain": "mars-score explain examples/demo.jsonl --id story-boat/good | head -19",
}
"""Whose outputs are shown, below the command itself."""
EXAMPLE = "example"
"""A script, shown with its output."""
_BLOCK = re.compile(r"(<!-- (\w+) -->\n).*?(<!-- /\2 -->)", re.DOTALL)


def record() -> None:
    """Run the commands and keep what they print."""
    for name, command in COMMANDS.items():
        (KEPT / f"{name}.txt").write_text(f"$ {command}\n{_run(command)}", "utf-8")
    (KEPT / f"{EXAMPLE}.txt").write_text(_run(f"python docs/readme/{EXAMPLE}.py"), "utf-8")


def _run(command: str) -> str:
    """Return what a person sees of a command; not the line of costs, which no two runs have in common."""
    with tempfile.TemporaryDirectory() as folder:
        for name, module in (("mars-score", "-m mars_score"), ("python", "")):
            script = Path(folder) / name
            script.write_text(f'#!/bin/sh\nexec "{sys.executable}" {module} "$@"\n')
            script.chmod(0o755)
        variables = {
            "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}",
            "COLUMNS": "100",
            "MARS_SCORE_PROGRESS": "0",
        }
        done = subprocess.run(
            command, shell=True, cwd=ROOT, env={**os.environ, **variables}, check=False, encoding="utf-8",
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
    lines = [line.rstrip() for line in done.stdout.splitlines() if not line.startswith("cost: ")]
    return "\n".join(lines).strip("\n") + "\n"


def contents(name: str) -> str:
    """Return a block of the README, made of what is kept."""
    output = (KEPT / f"{name}.txt").read_text("utf-8")
    if name != EXAMPLE:
        return f"```console\n{output}```\n"
    return f"```python\n{(KEPT / f'{name}.py').read_text('utf-8')}```\n\n```\n{output}```\n"


def written(text: str) -> str:
    """Return the README with every block as it is kept."""
    return _BLOCK.sub(lambda found: f"{found[1]}{contents(found[2])}{found[3]}", text)


def take_picture() -> None:
    """Open the playground as a reader does, point at a word, and take the picture."""
    from playwright.sync_api import sync_playwright

    server = subprocess.Popen(
        [sys.executable, "-m", "mars_score", "serve", "--port", "0"], cwd=ROOT, stderr=subprocess.STDOUT,
        stdout=subprocess.PIPE, encoding="utf-8",
    )  # fmt: skip
    try:
        assert server.stdout is not None
        address = next(line.split()[-1] for line in server.stdout if "http://" in line)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path="/usr/bin/chromium-headless-shell", args=["--no-sandbox"]
            )
            page = browser.new_page(viewport={"width": 1280, "height": 900}, reduced_motion="reduce")
            page.goto(address)
            page.wait_for_selector("#result:not([hidden]), #trouble:not([hidden])", timeout=600_000)
            trouble = page.locator("#trouble").inner_text()
            if trouble:
                sys.exit(f"the playground says: {trouble}")
            page.locator(".ex-card").first.locator("[data-to]").last.hover()
            page.screenshot(path=PICTURE)
            browser.close()
    finally:
        server.terminate()
        server.wait()


if __name__ == "__main__":
    if sys.argv[1:] == ["picture"]:
        take_picture()
    else:
        if sys.argv[1:] != ["write"]:
            record()
        README.write_text(written(README.read_text("utf-8")), "utf-8")
