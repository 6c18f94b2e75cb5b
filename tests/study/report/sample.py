"""A made-up study of plausible numbers: twelve metrics, three data sets, texts written for it."""

from __future__ import annotations

import math
from random import Random

from mars_score.study.results import (
    HUMAN,
    PER_RATING,
    SCHEMA,
    AttackResult,
    AugmentationRating,
    AugmentationStudy,
    AugmentationTest,
    Cell,
    Contrast,
    Cost,
    DatasetInfo,
    DatasetResult,
    Disagreement,
    MetricInfo,
    MetricRank,
    RatioPoint,
    ResultTerm,
    Study,
    StudyRow,
)

METRICS = (
    # name, summary, higher is better, agreement, rows a second
    ("mars", "augmented references, compared with the candidate", True, 0.44, 1.9),
    ("mars_no_plan", "MARS whose fills are not planned", True, 0.36, 2.6),
    ("mars_no_context", "MARS whose fills do not see the context", True, 0.31, 2.9),
    ("mars_glove", "MARS that compares means of word vectors", True, 0.35, 2.0),
    ("naive", "MARS whose blanks are filled by a masked language model", True, 0.37, 3.8),
    ("bleu1", "words shared with the references, precision", True, 0.17, 5200.0),
    ("rougeL", "longest common subsequence with the best reference, F1", True, 0.12, 4100.0),
    ("meteor", "words, stems and synonyms aligned with the best reference", True, 0.24, 900.0),
    ("bertscore", "each token's best match in the other text, F1", True, 0.40, 38.0),
    ("perplexity", "how surprised the language model is, after the context", False, -0.05, 11.0),
    ("candidate_length", "sentinel: the candidate's words, counted", True, 0.21, 90000.0),
    ("random", "sentinel: a number that follows from the texts alone", True, 0.0, 80000.0),
)
DATASETS = (
    ("stories", ("retrieval", "seq2seq", "transformer"), 60, (0.0, 1.0), 34.4, 8.4, 0.64),
    ("summaries", ("first-lines", "extract", "abstract", "pointer"), 45, (1.0, 5.0), 772.2, 34.7, 0.31),
    ("answers", ("small", "back-translation", "large"), 50, (1.0, 5.0), 161.9, 4.7, 0.82),
)
ATTACKS = (
    "reorder", "retrieve", "negation", "number_swap", "name_swap", "truncation", "repetition", "copy_context",
    "prompt_echo", "refusal", "keywords", "unrelated", "copy_reference",
)  # fmt: skip
STATISTICS = {"pearson": 1.0, "spearman": 0.95, "kendall": 0.7, "accuracy": 0.4}
CONTEXT = (
    "Mara kept the greenhouse keys on a nail behind the door. When the frost came early she lit the old stove, "
    "carried the lemon trees inside one by one, and slept on a chair beside them.\n\nIn the morning the glass was "
    "white. Only one tree had dropped its leaves."
)
REFERENCE = "She had saved all of her trees but one."
CANDIDATE = "Nearly every lemon tree lived because she kept the stove burning."


def sample_study(seed: int = 7) -> Study:
    """Return the study; the same for the same seed."""
    random = Random(seed)
    return Study(
        schema=SCHEMA,
        version="0.1.0",
        seed=0,
        draws=1000,
        attack_rows=200,
        metrics=tuple(
            MetricInfo(name, summary, higher, f"{name}|v:0.1.0|tok:whitespace|seed:0")
            for name, summary, higher, _, _ in METRICS
        ),
        datasets=tuple(_dataset(random, number, *described) for number, described in enumerate(DATASETS)),
        augmentations=_augmentations(random),
    )


def _dataset(
    random: Random,
    number: int,
    name: str,
    systems: tuple[str, ...],
    items: int,
    scale: tuple[float, float],
    context: float,
    reference: float,
    alpha: float,
) -> DatasetResult:
    rows = tuple(
        _row(random, f"{name}-{item}", system, index, scale)
        for item in range(items)
        for index, system in enumerate(systems)
    )
    low, high = scale
    edges = tuple(low + (high - low) * step / 10 for step in range(11))
    counts = [0] * 10
    for row in rows:
        counts[min(9, int((row.human - low) / (high - low) * 10))] += 1
    mean = math.fsum(row.human for row in rows) / len(rows)
    cells = tuple(_cells(random, number, systems, len(rows)))
    return DatasetResult(
        name=name,
        info=DatasetInfo(
            rows=len(rows),
            items=items,
            systems=systems,
            references_left_out=0 if number else items,
            content_hash=f"sha256:{number}c0ffee",
            context_length=context,
            reference_length=reference,
            omega=context / reference,
            ratings=len(rows) * (3 + number),
            raters=(3 + number, 3 + number) if number != 1 else (2, 5),
            alpha_interval=alpha,
            alpha_ordinal=alpha - 0.03,
            alpha_reason=None,
            mean=mean,
            deviation=math.sqrt(math.fsum((row.human - mean) ** 2 for row in rows) / len(rows)),
            histogram_edges=edges,
            histogram_counts=tuple(counts),
        ),
        cells=cells,
        contrasts=tuple(_contrasts(cells)),
        places=tuple(_places(cells)),
        ratios=tuple(_ratios(random, number)),
        attacks=tuple(_attacks(random)),
        disagreements=tuple(_disagreements(name, systems)),
        costs=tuple(_costs(len(rows))),
        rows=rows,
    )


def _row(random: Random, item: str, system: str, position: int, scale: tuple[float, float]) -> StudyRow:
    quality = min(1.0, max(0.0, random.gauss(0.45 + 0.12 * position, 0.2)))
    scores: dict[str, float | None] = {}
    for name, _, higher, agreement, _ in METRICS:
        noise = random.gauss(0.5, 0.22)
        value = agreement * quality + (1 - abs(agreement)) * noise
        scores[name] = round(value if higher else 40 - 30 * value, 4)
    if random.random() < 0.03:
        scores["meteor"] = None
    low, high = scale
    human = round((low + (high - low) * quality) * 12) / 12
    aspects = {"coherence": human, "fluency": human}
    return StudyRow(f"{item}/{system}", item, system, human, aspects, scores, ())


def _cells(random: Random, number: int, systems: tuple[str, ...], rows: int) -> list[Cell]:
    cells = []
    for name, _, _, agreement, _ in METRICS:
        for statistic, factor in STATISTICS.items():
            for level, gain, n in (("pooled", 1.0, rows), ("system", 0.9, len(systems)), ("item", 0.6, 45)):
                value = agreement * factor * gain + random.gauss(0.04 * number, 0.04)
                value += 0.45 if statistic == "accuracy" else 0.0
                half = random.uniform(0.05, 0.08)
                gaps = {"human_constant": 4, "metric_constant": 1} if level == "item" else {}
                cells.append(
                    Cell(name, HUMAN, level, "", statistic, value, value - half, value + half, n, 0, gaps)
                )
            if statistic != "accuracy":
                cells.append(
                    Cell(
                        name,
                        HUMAN,
                        "system_means",
                        "",
                        statistic,
                        agreement * 1.6,
                        None,
                        None,
                        len(systems),
                        0,
                        {},
                    )
                )
        for system in systems:
            value = agreement + random.gauss(0, 0.08)
            cells.append(Cell(name, HUMAN, "system", system, "pearson", value, None, None, rows // 3, 0, {}))
        if number == 1:
            for target in ("coherence", "fluency", PER_RATING):
                value = 0.8 * agreement + random.gauss(0, 0.04)
                cells.append(
                    Cell(
                        name, target, "pooled", "", "pearson", value, value - 0.06, value + 0.06, rows, 0, {}
                    )
                )
    if number == 2:
        # One metric that says the same of every text.
        broken = ("perplexity", "pooled", "", "pearson")
        cells = [
            Cell(
                c.metric,
                c.target,
                c.level,
                c.group,
                c.statistic,
                None,
                None,
                None,
                0,
                rows,
                {},
                "metric_constant",
            )
            if (c.metric, c.level, c.group, c.statistic) == broken
            else c
            for c in cells
        ]
    return cells


def _ranked(cells: tuple[Cell, ...], level: str, statistic: str) -> list[Cell]:
    results = [c for c in cells if (c.target, c.level, c.group, c.statistic) == (HUMAN, level, "", statistic)]
    return sorted(results, key=lambda cell: -2.0 if cell.value is None else cell.value, reverse=True)


def _contrasts(cells: tuple[Cell, ...]) -> list[Contrast]:
    results = []
    for level, statistic in (("pooled", "pearson"), ("item", "kendall")):
        ranked = _ranked(cells, level, statistic)
        for index, better in enumerate(ranked):
            for worse in ranked[index + 1 :]:
                gap = None if worse.value is None or better.value is None else better.value - worse.value
                p = None if gap is None else math.exp(-60 * gap) / 2
                corrected = None if p is None else min(1.0, 20 * p)
                pair = (better.metric, worse.metric)
                results.append(Contrast(HUMAN, level, statistic, "perm-both", *pair, gap, p, corrected))
    return results


def _places(cells: tuple[Cell, ...]) -> list[MetricRank]:
    results = []
    for level, statistic in (("pooled", "pearson"), ("item", "kendall")):
        cluster, rank, top = 1, 1, None
        for index, cell in enumerate(_ranked(cells, level, statistic), 1):
            if cell.value is None:
                results.append(MetricRank(HUMAN, level, statistic, cell.metric, None, None, None))
                continue
            top = cell.value if top is None else top
            if top - cell.value > 0.1:
                cluster, rank, top = cluster + 1, index, cell.value
            results.append(MetricRank(HUMAN, level, statistic, cell.metric, cell.value, cluster, rank))
    return results


def _ratios(random: Random, number: int) -> list[RatioPoint]:
    peak = (0.6, 0.4, 0.2)[number]
    points = []
    for q in (0.5, 1.0, 2.0):
        for ratio in (0.0, 0.2, 0.4, 0.6, 0.8):
            r = 0.41 + 0.07 * number - 0.2 * (ratio - peak) ** 2 - 0.01 * abs(q - 1) * ratio
            r += random.gauss(0, 0.003)
            deviation = None if ratio == 0 else 0.03 + 0.05 * ratio
            points.append((ratio, q, r, deviation))
    best = max(r for _, _, r, _ in points)
    return [
        RatioPoint(ratio, q, r, r - 0.06, r + 0.06, 0.6 * r, deviation, r == best)
        for ratio, q, r, deviation in points
    ]


def _attacks(random: Random) -> list[AttackResult]:
    results = []
    for name, _, _, agreement, _ in METRICS:
        for index, attack in enumerate(ATTACKS):
            share = min(0.99, max(0.05, 0.5 + agreement - 0.03 * index + random.gauss(0, 0.05)))
            if attack == "copy_reference":
                share = 0.04
            if name == "bleu1" and attack == "reorder":
                share = 0.5
            if name == "random":
                share = 0.5 + random.gauss(0, 0.02)
            drop = 0.0 if (name, attack) == ("bleu1", "reorder") else agreement * random.uniform(-0.6, 0.1)
            changed = 0 if (name, attack) == ("meteor", "number_swap") else 150 - 6 * index
            results.append(
                AttackResult(
                    name, attack, changed, 160 - changed, 0.5, 0.5 - 0.2 * agreement, share if changed else None,
                    min(1.0, share + 0.05) if changed else None, changed // 2, agreement if changed else None,
                    agreement + drop if changed else None,
                )
            )  # fmt: skip
    return results


def _disagreements(name: str, systems: tuple[str, ...]) -> list[Disagreement]:
    kinds = (("out_of_vocabulary",), ("copied_from_context", "further_inference"), ())
    return [
        Disagreement(
            "mars", f"{name}-{index}", systems[index % len(systems)], kind, 0.31 + 0.02 * index, 0.8, 0.04, 0.93,
            CONTEXT, (REFERENCE, "All but one of the trees were alive."), CANDIDATE,
            (
                ResultTerm(0.0, 0.41, 0.5, ((REFERENCE, False),)),
                ResultTerm(
                    0.4, 0.63, 0.3, (("She had ", False), ("carried in and warmed", True), (" her trees.", False))
                ),
            ),
        )
        for index, kind in enumerate(kinds)
    ]  # fmt: skip


def _costs(rows: int) -> list[Cost]:
    rouge = {name: speed for name, _, _, _, speed in METRICS}["rougeL"]
    return [Cost(name, rows, rows / speed, speed, rouge / speed) for name, _, _, _, speed in METRICS]


def _augmentations(random: Random) -> AugmentationStudy:
    ratings, tests = [], []
    for question, mean in (("relevance", 4.95), ("readability", 5.6), ("overall", 5.5)):
        for variant, drop in (("original", 0.0), ("naive", 0.3), ("mars", 0.1)):
            ratings.append(
                AugmentationRating(question, variant, mean - drop + random.gauss(0, 0.03), 1.2, 150)
            )
        for first, second, gap, p in (
            ("original", "naive", 0.3, 0.0004),
            ("original", "mars", 0.1, 0.21),
            ("naive", "mars", -0.2, 0.03),
        ):
            tests.append(AugmentationTest(question, first, second, gap, 9 * gap, p, 150))
    alphas: dict[str, float | None] = {"relevance": 0.41, "readability": 0.38, "overall": None}
    return AugmentationStudy(tuple(ratings), tuple(tests), alphas)
