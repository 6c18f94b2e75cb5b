"""A study from beginning to end: score what is missing, then compute every table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mars_score.errors import ConfigError
from mars_score.fingerprint import made_with
from mars_score.progress import StageProgress, silent_stages
from mars_score.study.analyse import Analysis
from mars_score.study.disagreements import MARS
from mars_score.study.judges import join
from mars_score.study.plan import StudySettings
from mars_score.study.results import SCHEMA, AugmentationStudy, Study
from mars_score.study.scoring import DatasetScores, Finished, Work, make_work, score_works
from mars_score.version import __version__

if TYPE_CHECKING:
    from mars_score.io.datasets.base import Dataset
    from mars_score.mars.scorer import MarsScorer
    from mars_score.run.base import Engine
    from mars_score.study.judges import ExternalScores
    from mars_score.study.store import ScoreStore


def run_study(
    datasets: Sequence[Dataset],
    scorer: MarsScorer,
    store: ScoreStore,
    settings: StudySettings | None = None,
    *,
    augmentations: AugmentationStudy | None = None,
    progress: StageProgress = silent_stages,
    engine: Engine | None = None,
    external: Sequence[ExternalScores] = (),
) -> Study:
    """Run a study; whatever the store knows is not computed again. External scores are held beside the metrics."""
    settings = settings or StudySettings()
    scores = score_works(plan(datasets, scorer, settings), store, progress, engine=engine)
    return analyse(join(scores, external), settings, store, augmentations=augmentations, progress=progress)


def plan(datasets: Sequence[Dataset], scorer: MarsScorer, settings: StudySettings) -> list[Work]:
    """Name all that is to be scored, data set by data set."""
    if not datasets:
        raise ConfigError("a study needs at least one data set")
    names = [dataset.name for dataset in datasets]
    for name in names:
        if names.count(name) > 1:
            raise ConfigError(
                f"{names.count(name)} data sets are called {name!r}\n  remedy: rename a file; "
                "a data set has the name of its file without the suffix"
            )
    sweep = settings.sweep and MARS in settings.metrics
    return [
        make_work(
            dataset,
            scorer,
            settings.metrics,
            settings.attacks,
            settings.seed,
            sweep=sweep,
            attack_rows=settings.attack_rows,
        )
        for dataset in datasets
    ]


def analyse(
    scores: Sequence[DatasetScores],
    settings: StudySettings,
    store: ScoreStore,
    *,
    augmentations: AugmentationStudy | None = None,
    progress: StageProgress = silent_stages,
    finished: Finished = lambda datasets: None,
) -> Study:
    """Compute every table from scores; `finished` is called after each data set."""
    results = []
    for dataset_scores in scores:
        results.append(Analysis(dataset_scores, settings, store, progress).result())
        finished(1)
    return Study(
        schema=SCHEMA,
        version=__version__,
        seed=settings.seed,
        draws=settings.draws,
        attack_rows=settings.attack_rows,
        metrics=tuple({metric.name: metric for dataset in scores for metric in dataset.metrics}.values()),
        datasets=tuple(results),
        augmentations=augmentations,
        made_with=made_with(),
    )
