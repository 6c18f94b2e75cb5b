"""The paper's tables beside those of a study: what docs/reproduce.md shows.

python tools/paper_beside_ours.py STUDY_FOLDER [STUDY_OF_THREE_SYSTEMS]

The study has the data sets newsroom, mans_roc and kpqa_semeval_mcscript. What is pooled over Newsroom comes from the
second study, if there is one: that of the paper's three systems. Prints Markdown. The figures of the paper are those of
Liu, Wei and Vosoughi (ACL 2021), tables 2 to 5.
"""

from __future__ import annotations

import sys
from dataclasses import replace
from typing import TYPE_CHECKING

from mars_score.study.results_file import read_results

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from mars_score.study.results import DatasetResult, Study

ROWS = {
    "BLEU-1": "bleu1", "METEOR": "meteor", "ROUGE-L": "rougeL", "Sent. Mover Sim.": "sentence_mover",
    "MoverScore": "moverscore", "BERTScore": "bertscore", "Perplexity": "perplexity", "Naive (MLM)": "naive",
    "MARS": "mars_paper", "MARS w/ GloVe": "mars_glove", "our default": "mars",
    "… w/o self-plan": "mars_no_plan", "… w/o context": "mars_no_context", "… w/o both": "mars_no_both",
}  # fmt: skip
"""Names of the paper, and ours. The ablations are of the default score; the paper's are of its own formula."""
SYSTEMS = {"textrank": "TextRank", "abstractive": "Seq2Seq", "pointer_n": "Pointer-N"}
NEWSROOM: dict[str, tuple[float, float, float]] = {
    "bleu1": (0.224, 0.268, 0.115), "meteor": (0.288, 0.235, 0.256), "rougeL": (0.041, -0.133, 0.065),
    "sentence_mover": (0.112, 0.099, 0.177), "moverscore": (0.075, 0.337, 0.212),
    "bertscore": (0.154, 0.302, 0.181), "perplexity": (-0.385, 0.011, -0.035), "mars_paper": (0.372, 0.336, 0.329),
    "mars_no_plan": (0.290, 0.245, 0.314), "mars_no_context": (0.107, 0.160, -0.009),
    "mars_no_both": (-0.163, 0.149, -0.057), "naive": (0.201, 0.324, 0.114),
}  # fmt: skip
"""Table 3."""
POOLED: dict[str, tuple[float, float, float]] = {
    "bleu1": (0.137, 0.176, 0.344), "meteor": (0.094, 0.244, 0.412), "rougeL": (0.194, 0.036, 0.336),
    "sentence_mover": (0.019, 0.136, 0.515), "moverscore": (0.276, 0.236, 0.500),
    "bertscore": (0.337, 0.344, 0.462), "perplexity": (-0.089, 0.234, -0.032), "mars_paper": (0.459, 0.423, 0.667),
    "mars_glove": (0.363, 0.409, 0.602), "naive": (0.350, 0.314, 0.639),
}  # fmt: skip
"""Table 4, the columns "ref." of stories, summaries and answers."""
RATIOS: dict[str, tuple[float, ...]] = {
    "mans_roc": (0.411, 0.432, 0.444, 0.459, 0.452),
    "newsroom": (0.395, 0.407, 0.416, 0.423, 0.411),
    "kpqa_semeval_mcscript": (0.658, 0.667, 0.649, 0.603, 0.584),
}
"""Table 5, Pearson's r for maxima of 0 to 80%."""
STATISTICS = {
    "mans_roc": ("ROC", 34.38, 8.37, 4.1, 0.64),
    "newsroom": ("Newsroom", 772.21, 34.70, 22.3, 0.71),
    "kpqa_semeval_mcscript": ("MOCHA", 161.92, 4.69, 34.5, 0.82),
}
"""Table 2: lengths of context and reference, their ratio, agreement of the raters."""
ORDER = ("mans_roc", "newsroom", "kpqa_semeval_mcscript")


def table2(study: Study) -> list[str]:
    """Lengths and agreement."""
    lines = _head("data set", "context", "reference", "Ω", "alpha")
    for data in _ordered(study):
        name, *paper = STATISTICS[data.name]
        info = data.info
        ours = (info.context_length, info.reference_length, info.omega, info.alpha_interval)
        cells = [f"{_short(before)} / {_short(now)}" for before, now in zip(paper, ours, strict=True)]
        lines.append(_line(f"{name} / `{data.name}`", *cells))
    return lines


def table3(study: Study) -> list[str]:
    """Pearson's r within each system of Newsroom."""
    data = next(dataset for dataset in study.datasets if dataset.name == "newsroom")
    results = {
        (cell.metric, cell.group): cell.value
        for cell in data.cells
        if (cell.target, cell.level, cell.statistic) == ("human", "system", "pearson")
    }
    lines = _head("metric", *SYSTEMS.values())
    for name, metric in ROWS.items():
        paper = NEWSROOM.get(metric, (None, None, None))
        pairs = zip(paper, (results.get((metric, system)) for system in SYSTEMS), strict=True)
        lines.append(_line(name, *(f"{_short(before)} / {_short(now)}" for before, now in pairs)))
    return lines


def references(study: Study) -> list[str]:
    """Pearson's r over all rows."""
    lines = _head("metric", *(f"{STATISTICS[data.name][0]} / `{data.name}`" for data in _ordered(study)))
    for name, metric in ROWS.items():
        paper = POOLED.get(metric, (None, None, None))
        pairs = zip(paper, (_pooled(data, metric) for data in _ordered(study)), strict=True)
        lines.append(_line(name, *(f"{_short(before)} / {now}" for before, now in pairs)))
    return lines


def table4(study: Study, attack: str) -> list[str]:
    """How often the original is preferred to the attacked text."""
    lines = _head("metric", *(f"`{data.name}`" for data in _ordered(study)))
    for name, metric in ROWS.items():
        cells = []
        for data in _ordered(study):
            (result,) = (
                result for result in data.attacks if (result.metric, result.attack) == (metric, attack)
            )
            cells.append(f"{_percent(result.share)} / {_percent(result.upper_share)}")
        lines.append(_line(name, *cells))
    return lines


def table5(study: Study, q: float = 0.8) -> list[str]:
    """Pearson's r by the largest masking ratio."""
    lines = _head("λ_max", *("0%", "20%", "40%", "60%", "80%"))
    for data in _ordered(study):
        ours = [point.pearson for point in data.ratios if point.q == q]
        pairs = zip(RATIOS[data.name], ours, strict=True)
        lines.append(_line(f"`{data.name}`", *(f"{_short(before)} / {_short(now)}" for before, now in pairs)))
    return lines


def _pooled(data: DatasetResult, metric: str) -> str:
    (cell,) = (
        cell
        for cell in data.cells
        if (cell.metric, cell.target, cell.level, cell.statistic) == (metric, "human", "pooled", "pearson")
    )
    return f"{_short(cell.value)} [{_short(cell.low)}, {_short(cell.high)}]"


def _ordered(study: Study) -> list[DatasetResult]:
    return sorted(study.datasets, key=lambda data: ORDER.index(data.name))


def _head(*cells: str) -> list[str]:
    return [_line(*cells), _line(*("---" for _ in cells))]


def _line(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def _short(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:.2f}" if abs(value) >= 1 else f"{value:.3f}".replace("0.", ".")


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{share:.0%}"


def main(arguments: Sequence[str]) -> None:
    """Print every table."""
    study = pooled = read_results(arguments[0])
    if len(arguments) > 1:
        three = {data.name: data for data in read_results(arguments[1]).datasets}
        pooled = replace(study, datasets=tuple(three.get(data.name, data) for data in study.datasets))
    tables: dict[str, Callable[[], list[str]]] = {
        "Table 2": lambda: table2(study),
        "Table 3, Newsroom": lambda: table3(study),
        "Table 4, ref.": lambda: references(pooled),
        "Table 4, Reorder": lambda: table4(study, "reorder"),
        "Table 4, Retrieve": lambda: table4(study, "retrieve"),
        "Table 5": lambda: table5(pooled),
    }
    for title, make in tables.items():
        print(f"### {title}\n", *make(), "", sep="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
