"""How the package is laid out, in numbers, beside the limits that keep it easy to find one's way in.

    python tools/layout.py            the table; exits with 1 where a limit is exceeded (a goal may be missed)
    python tools/layout.py --names    also the modules, classes and functions behind the numbers

Imports that point backwards are not counted here: import-linter refuses them (`make check`).
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = "mars_score"
SHORT = 40
"""Lines under which a module is hardly worth a file."""
_ON_THE_WAY = """
import contextlib, sys
sys.argv = ["mars-score", "score", "examples/demo.jsonl", "-o", sys.argv[1]]
from mars_score.cli.main import run
with contextlib.suppress(SystemExit):
    run()
print(*sorted(name for name in sys.modules if name.split(".")[0] == "mars_score"))
"""


@dataclass(frozen=True, slots=True)
class Measure:
    """One row of the table."""

    what: str
    value: int
    limit: int
    """Above it the check fails."""
    names: tuple[str, ...] = ()
    goal: int | None = None
    """Where we want to get, if that is below the limit."""


@dataclass(frozen=True, slots=True)
class Module:
    """A file of the package, parsed."""

    name: str
    lines: int
    tree: ast.Module

    @property
    def is_package(self) -> bool:
        """Whether this is the __init__ of a folder."""
        return self.name == PACKAGE or self.name.endswith(".__init__")


def modules(source: Path) -> list[Module]:
    """Read every Python file below a folder."""
    results = []
    for path in sorted((source / PACKAGE).rglob("*.py")):
        text = path.read_text("utf-8")
        name = ".".join(path.relative_to(source).with_suffix("").parts)
        results.append(Module(name, len(text.splitlines()), ast.parse(text)))
    return results


def importers(package: list[Module]) -> Counter[str]:
    """Count, for each module, the other modules that import it or something from it."""
    names = {module.name.removesuffix(".__init__") for module in package}
    counts: Counter[str] = Counter()
    for module in package:
        targets = set()
        for node in ast.walk(module.tree):
            if isinstance(node, ast.ImportFrom) and node.module:
                whole = {f"{node.module}.{alias.name}" for alias in node.names} & names
                targets |= whole or {node.module}
            elif isinstance(node, ast.Import):
                targets |= {alias.name for alias in node.names}
        counts.update(targets & names)
    return counts


def functions(package: list[Module]) -> list[tuple[int, str]]:
    """Return (lines, name) of every function, longest first."""
    results = [
        (node.end_lineno - node.lineno + 1, f"{module.name}.{node.name}")
        for module in package
        for node in ast.walk(module.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.end_lineno
    ]
    return sorted(results, reverse=True)


def classes_defined_twice(package: list[Module]) -> list[str]:
    """Return the names of classes that several modules define at their top level."""
    counts = Counter(
        node.name for module in package for node in module.tree.body if isinstance(node, ast.ClassDef)
    )
    return sorted(name for name, count in counts.items() if count > 1)


def modules_of_a_score(output: Path) -> list[str]:
    """Score the demo in a process of its own, with nothing cached; return the modules that it has imported."""
    done = subprocess.run(
        [sys.executable, "-c", _ON_THE_WAY, str(output)],
        cwd=ROOT, env=os.environ | {"MARS_SCORE_CACHE_SIZE": "0"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if not output.exists() or not done.stdout.strip():
        raise SystemExit(f"the demo could not be scored:\n{done.stderr}")
    return done.stdout.split()


def measure(source: Path, scored: list[str]) -> list[Measure]:
    """Return the rows of the table."""
    package = modules(source)
    counts = importers(package)
    alone = [module.name for module in package if not module.is_package and counts[module.name] == 1]
    short = [module.name for module in package if not module.is_package and module.lines < SHORT]
    twice = classes_defined_twice(package)
    longest, largest = functions(package)[0], max(package, key=lambda module: module.lines)
    return [
        Measure("Python files", len(package), 200),
        Measure("lines", sum(module.lines for module in package), 35_950, goal=26_000),
        Measure("modules with one importer", len(alone), 45, tuple(alone)),
        Measure(f"modules under {SHORT} lines", len(short), 15, tuple(short)),
        Measure("modules that a score imports", len(scored), 81, tuple(scored)),
        Measure("class names defined twice", len(twice), 3, tuple(twice)),
        Measure("lines of the largest file", largest.lines, 400, (largest.name,)),
        Measure("lines of the largest function", longest[0], 60, (longest[1],)),
    ]


def main() -> int:
    """Print the table."""
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        rows = measure(ROOT / "src", modules_of_a_score(Path(folder) / "scores.jsonl"))
    width = max(len(row.what) for row in rows)
    for row in rows:
        verdict = "  EXCEEDED" if row.value > row.limit else ""
        if row.goal is not None and row.value > row.goal:
            verdict += f"  (goal {row.goal})"
        print(f"{row.what:<{width}}  {row.value:>6}  limit {row.limit:>6}{verdict}")
        if "--names" in sys.argv[1:]:
            print(*(f"    {name}" for name in row.names), sep="\n")
    return int(any(row.value > row.limit for row in rows))


if __name__ == "__main__":
    sys.exit(main())
