"""The Dockerfile and the documentation site, as far as they can be checked without building them.

No container engine runs here: the Dockerfile is read, and never built.
"""

from __future__ import annotations

import re
import shlex
import sys
from importlib import import_module
from pathlib import Path

import docs_site
import pytest

from mars_score.cli.serve import serve

ROOT = Path(__file__).parents[2]


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions, joined lines without comments."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text("utf-8"), flags=re.MULTILINE).replace(
        "\\\n", " "
    )
    pairs = (line.split(maxsplit=1) for line in text.splitlines() if line.strip())
    return [(name, rest) for name, rest in pairs]


def of(name: str) -> list[str]:
    return [rest for kind, rest in instructions() if kind == name]


def test_all_that_is_copied_is_there_and_not_ignored() -> None:
    kept = {
        line[1:].rstrip("/")
        for line in (ROOT / ".dockerignore").read_text("utf-8").splitlines()
        if line[:1] == "!"
    }
    copied = [source for line in of("COPY") for source in shlex.split(line)[:-1]]
    assert copied
    for source in copied:
        assert (ROOT / source).exists(), source
        assert source.split("/")[0] in kept, source


def test_torch_comes_first_and_pinned() -> None:
    installs = [line for line in of("RUN") if "pip install" in line]
    assert "requirements/torch.txt" in installs[0]
    pinned = (ROOT / "requirements" / "torch.txt").read_text("utf-8").strip()
    assert re.fullmatch(r"torch==[\d.]+", pinned)
    assert pinned in (ROOT / "requirements" / "constraints.txt").read_text("utf-8").splitlines()
    assert all("-c requirements/constraints.txt" in line for line in installs[1:])


def test_extras_and_commands_exist() -> None:
    project = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli").loads(
        (ROOT / "pyproject.toml").read_text("utf-8")
    )["project"]
    (extras,) = [line.partition("=")[2] for line in of("ARG") if line.startswith("EXTRAS=")]
    assert set(extras.split(",")) <= set(project["optional-dependencies"])
    files = {project["readme"], *project["license-files"], "pyproject.toml"}
    assert files <= {source for line in of("COPY") for source in shlex.split(line)}
    command, *options = re.findall(r'"([^"]+)"', of("CMD")[0])
    assert command == serve.name
    known = {name for option in serve.params for name in option.opts}
    assert {option for option in options if option.startswith("--")} <= known
    assert of("USER") == ["mars"]  # not root


def test_a_site_that_loads_from_elsewhere_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.js").write_text('load("https://unpkg.com/mermaid@11/x.js")')
    (tmp_path / "a.html").write_text('<a href="https://example.org">there</a><img src="b.png">')
    docs_site.on_post_build({"site_dir": str(tmp_path)})
    assert (tmp_path / "a.js").read_text() == 'load("")'
    for name, content in {
        "b.html": '<link rel="stylesheet" href="https://fonts.googleapis.com/css">',
        "c.html": '<script src="//elsewhere.org/a.js"></script>',
        "d.css": '@import "https://elsewhere.org/a.css";',
        "e.css": "a { background: url(https://elsewhere.org/a.png) }",
    }.items():
        (tmp_path / name).write_text(content)
        with pytest.raises(SystemExit, match=name):
            docs_site.on_post_build({"site_dir": str(tmp_path)})
        (tmp_path / name).unlink()


def test_every_page_is_in_the_navigation() -> None:
    """make docs checks links and anchors as well; this needs no site."""
    config = (ROOT / "mkdocs.yml").read_text("utf-8")
    listed = set(re.findall(r"[\w-]+\.md\b", config.partition("\nnav:")[2]))
    assert listed == {path.name for path in (ROOT / "docs").glob("*.md")}
    assert "font: false" in config
