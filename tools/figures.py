"""Put the figures of benchmarks/results.json into README.md and docs/performance.md.

    python tools/figures.py [--check]

In both, `<!--=NAME-->1.2<!--/-->` holds the ratio of a benchmark, and what stands between `<!--figures-->` and
`<!--/figures-->` is the table of all. With --check nothing is written; what differs is an error.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", ROOT / "docs" / "performance.md")
RESULTS = ROOT / "benchmarks" / "results.json"
_RATIO = re.compile(r"<!--=([\w:.-]+)-->.*?<!--/-->")
_TABLE = re.compile(r"<!--figures-->\n.*?<!--/figures-->", re.DOTALL)

Results = dict[str, dict[str, Any]]

MEANING = {
    "warm_start": "one row from the shell, seen before / `python -c 'import torch'`",
    "cold_start": "one row with a new reference / the same",
    "serve_ready": "first answer of `mars-score serve` / the same",
    "encode_vs_sentence_transformers:minilm-l6": "the library's seconds / ours, all-MiniLM-L6-v2",
    "encode_vs_sentence_transformers:mpnet-base": "the same, all-mpnet-base-v2",
    "encode_vs_sentence_transformers:embeddinggemma-300m": "the same, EmbeddingGemma-300M",
    "search_vs_plain": "the search / contexts, `generate` and one forward of as many tokens with transformers",
    "search_vs_greedy": "the search / one greedy fill of each policy",
    "revised_vs_greedy": "the search, and each blank tried again (`revise`) / the same",
    "augment_vs_plain": "greedy fills / as many tokens with transformers",
    "augment_vs_generate": "greedy fills / contexts and `generate` alone",
    "long_context": "as `augment_vs_plain`, contexts of 800 tokens",
    "augment_vs_sequential": "one row at a time, planning in closed form / the engine",
    "augment_vs_pplm": "one row at a time, planning by gradients through the cache / the engine",
    "reading_vs_plain": "reading candidates / one forward of as many tokens with transformers",
    "reading_second_system": "reading one more system / the first",
    "engine_vs_llamacpp": "tokens a second / those of llama.cpp in float32",
    "engine_vs_llamacpp_q4": "the same / those of llama.cpp in 4 bits",
    "bfloat16": "filling in float32 / in bfloat16",
    "second_system": "scoring 8 systems on the same references / scoring 1",
    "adjusting": "the default formula / the paper's, references known",
    "adjusting_cold": "the same, references and contexts encoded too",
    "rescore_vs_bertscore": "the `bert-score` library / ours, references augmented before",
    "rescore_vs_bertscore_references": "the same, four references a candidate",
    "rescore_vs_bertscore_systems": "the same, five candidates share a reference",
    "rescore_vs_bertscore_paper": "the same, the paper's formula",
    "growth_rows": "slope of log time over log references, 25 to 200",
    "growth_context": "slope over tokens of contexts, 64 to 1024",
    "growth_words": "slope over words of a reference, 50 to 800",
    "memory": "peak memory with 200 references / with 50",
    "serving_64_clients": "rows a second of 64 clients / of the library in a loop",
    "serving_200_clients": "memory of the server after 200 clients / before",
    "ray_scaling": "one Ray worker / two",
    "ray_vs_threads": "one process of two threads / two Ray workers",
}
"""What each benchmark compares, in the order of the table."""


def filled(text: str, results: Results) -> str:
    """Return a page with the figures of these results."""
    text = _RATIO.sub(lambda found: f"<!--={found[1]}-->{number(results[found[1]]['ratio'])}<!--/-->", text)
    return _TABLE.sub(lambda _: f"<!--figures-->\n{table(results)}<!--/figures-->", text)


def table(results: Results) -> str:
    """All results, and below them the machines and days that they are of."""
    places = list(dict.fromkeys(_place(results[name]) for name in MEANING if name in results))
    rows = ["| name | compared | ratio | goal | holds | on |", "|---|---|---|---|---|---|"]
    for name, meaning in MEANING.items():
        if name in results:
            result = results[name]
            holds = {True: "yes", False: "**no**", None: ""}[result["holds"]]
            place = places.index(_place(result)) + 1
            rows.append(
                f"| `{name}` | {meaning} | {number(result['ratio'])} | {result['goal'] or ''} | {holds} | {place} |"
            )
    machines = [f"({count}) {place}" for count, place in enumerate(places, 1)]
    return "\n".join([*rows, "", f"On: {'; '.join(machines)}.", ""])


def number(ratio: float) -> str:
    """A ratio as the pages show it."""
    return f"{ratio:.1f}" if ratio >= 10 else f"{ratio:.2f}"


def _place(result: dict[str, Any]) -> str:
    return f"{result['machine']}, {result['date']}"


def main(arguments: list[str]) -> None:
    """Fill both pages, or say which differs."""
    results = json.loads(RESULTS.read_text("utf-8"))
    unknown = results.keys() - MEANING.keys()
    if unknown:
        sys.exit(f"{RESULTS.name} has {', '.join(sorted(unknown))}: say in tools/figures.py what is compared")
    for page in PAGES:
        old = page.read_text("utf-8")
        new = filled(old, results)
        if old != new and "--check" in arguments:
            sys.exit(f"{page.name} has other figures than {RESULTS.name}\n  remedy: python tools/figures.py")
        page.write_text(new, "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
