"""Table 4 at a glance: how often each metric prefers the original to the attacked text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.pages.palette import HEAT_STEPS
from mars_score.pages.printable import shortened
from mars_score.report.figure import Figure, Panel
from mars_score.report.figures.svg import element, joined, marked, text
from mars_score.report.labels import is_harmful
from mars_score.report.wording import counted, percent

if TYPE_CHECKING:
    from markupsafe import Markup

    from mars_score.study.results import AttackResult, DatasetResult, Study

LEFT, TOP, CELL_WIDTH, CELL_HEIGHT, MIDDLE, RIGHT = 112.0, 104.0, 38.0, 19.0, HEAT_STEPS // 2, 40.0
SURE = 3
"""Steps from the middle at which the colour is so strong that the text on it turns white."""


def heat_map(study: Study) -> Figure | None:
    """Draw one panel a data set; None without attacks."""
    panels = [panel for dataset in study.datasets if (panel := _panel(study, dataset))]
    if not panels:
        return None
    caption = (
        "The share of texts, in per cent, whose original scores better than the attacked one. Blue is above chance, "
        "grey is chance, orange is worse than chance."
    )
    return Figure("table4_robustness", "Originals preferred to attacked texts", caption, tuple(panels))


def _panel(study: Study, dataset: DatasetResult) -> Panel | None:
    attacks = [name for name in dict.fromkeys(r.attack for r in dataset.attacks) if is_harmful(name)]
    found = {(result.metric, result.attack): result for result in dataset.attacks}
    metrics = [m.name for m in study.metrics if any((m.name, attack) in found for attack in attacks)]
    if not metrics:
        return None
    parts = [text(0, 14, dataset.name, "panel-title")]
    for column, attack in enumerate(attacks):
        x = LEFT + CELL_WIDTH * (column + 0.5)
        turned = f"translate({x + 4:g} {TOP - 8:g}) rotate(-50)"
        parts.append(element("text", shortened(attack, 16), transform=turned, class_="soft"))
    for line, metric in enumerate(metrics):
        y = TOP + CELL_HEIGHT * line
        parts.append(text(LEFT - 8, y + 13.5, shortened(metric, 18), "", "end"))
        for column, attack in enumerate(attacks):
            result = found.get((metric, attack))
            if result is not None:
                parts.append(_cell(result, LEFT + CELL_WIDTH * column, y))
    width, height = LEFT + CELL_WIDTH * len(attacks) + RIGHT, TOP + CELL_HEIGHT * len(metrics) + 4
    label = (
        f"{dataset.name}: how often {len(metrics)} metrics prefer the original under {len(attacks)} attacks"
    )
    return Panel(label, width, height, joined(parts))


def step(share: float) -> int:
    """Return the colour of a share: the middle one is chance."""
    return max(0, min(HEAT_STEPS - 1, round((share - 0.5) * (HEAT_STEPS - 1)) + MIDDLE))


def _cell(result: AttackResult, x: float, y: float) -> Markup:
    middle = (x + CELL_WIDTH / 2, y + 13.5)
    if result.share is None:
        tip = f"{result.metric}, {result.attack}: undefined, no row was changed"
        return marked(tip, text(*middle, "\N{EN DASH}", "soft", "middle"))
    colour = step(result.share)
    strong = "on-strong-heat" if abs(colour - MIDDLE) >= SURE else "on-heat"
    return marked(
        f"{result.metric}, {result.attack}: {percent(result.share, 2)} of {counted(result.rows, 'changed row')}",
        element(
            "rect",
            x=x + 1,
            y=y + 1,
            width=CELL_WIDTH - 2,
            height=CELL_HEIGHT - 2,
            rx=2,
            class_=f"heat-{colour}",
        ),
        text(*middle, f"{100 * result.share:.0f}", strong, "middle"),
    )
