"""The whole metric on the real default models."""

from __future__ import annotations

import random
import shutil
from typing import TYPE_CHECKING, Any

import pytest

from mars_score import ConfigError, InputError, MarsScorer, ScoreResult
from mars_score.config import FORMULA, preset
from mars_score.errors import ModelError
from mars_score.mars import golden
from mars_score.types import Example

if TYPE_CHECKING:
    from pathlib import Path

    from mars_score.models.store import ModelStore

PIER = (
    "Lena wanted to swim to the old pier before breakfast. The water was colder than she thought. Halfway there "
    "she got a cramp in her leg. A fisherman saw her wave from his boat."
)
TOWER = (
    "The clock on the town hall has stood still since the storm of 1987. On Friday two apprentices climbed the "
    "tower with a new spring, and at noon it struck twelve for the first time in decades."
)
EXAMPLES = [
    Example("pier/good", "He pulled her out and wrapped her in a blanket.", ("He helped her into the boat.",), PIER),
    Example("pier/weak", "The museum opens at nine.", ("He helped her into the boat.",), PIER),
    Example("tower", "The old clock works again.", ("Apprentices repaired the town hall clock.",), TOWER),
    Example(
        "tower/two", "The old clock works again.",
        ("Apprentices repaired the town hall clock.", "After decades the clock strikes again."), TOWER,
    ),
    Example("bare", "Nothing more was said.", ("No one spoke after that.",)),
]  # fmt: skip


@pytest.fixture(scope="module")
def together(scorer: MarsScorer) -> ScoreResult:
    return scorer.score_examples(EXAMPLES)


def test_good_beats_unrelated(together: ScoreResult) -> None:
    scores = {item.id: item.score for item in together}
    assert scores["pier/good"] > scores["pier/weak"] + 0.1
    assert together.mean == pytest.approx(sum(scores.values()) / len(scores))
    assert "no_context" in together[4].flags


@pytest.mark.numeric
def test_a_score_does_not_depend_on_order_or_company(together: ScoreResult, scorer: MarsScorer) -> None:
    """Equal to the last bit: the augmented texts are the same, and so is the encoder's arithmetic."""
    wanted = {item.id: item for item in together}
    for examples in (EXAMPLES[::-1], random.Random(1).sample(EXAMPLES, 3), EXAMPLES[2:3]):
        fresh = MarsScorer()
        fresh.__dict__.update(infiller=scorer.infiller, encoder=scorer.encoder, tagger=scorer.tagger)
        for item in fresh.score_examples(examples):
            assert item == wanted[item.id]


def test_a_second_system_needs_no_language_model(scorer: MarsScorer, together: ScoreResult) -> None:
    before = scorer.guided.engine.counts.rows
    scorer.score_examples([Example(e.id, "Quite another text.", e.references, e.context) for e in EXAMPLES])
    assert scorer.guided.engine.counts.rows == before


def test_augmentations_of_one_scorer_serve_another(scorer: MarsScorer, together: ScoreResult) -> None:
    other = MarsScorer()
    other.__dict__.update(encoder=scorer.encoder, infiller=None, tagger=None)  # nothing can be augmented
    other.add_augmentations(scorer.augment_examples(EXAMPLES))
    assert other.score_examples(EXAMPLES) == together


def test_added_augmentations_are_found_by_clean_texts(scorer: MarsScorer) -> None:
    plain = Example("1", "A boat came.", ("He helped her into the boat.",), PIER)
    (found,) = scorer.augment_examples([plain]).values()
    tagged = Example(
        "1", "A boat came.", ("He helped her into the boat. #rescue",), f"{PIER} http://pier.test/"
    )
    other = MarsScorer()
    other.__dict__.update(encoder=scorer.encoder, infiller=None, tagger=None)
    other.add_augmentations({tagged.pairs[0]: found})
    for example in (plain, tagged):
        assert other.score_examples([example]).scores == scorer.score_examples([plain]).scores


def test_augmentations_of_other_settings_are_refused(scorer: MarsScorer) -> None:
    found = scorer.augment_examples(EXAMPLES[:1])
    with pytest.raises(
        InputError, match=r"'He helped her into the boat\.' was made with other masking ratios"
    ):
        MarsScorer(preset="qa").add_augmentations(found)
    changed = MarsScorer(idf="corpus")
    with pytest.raises(ConfigError, match=r"set scorer\.corpus"):
        changed.add_augmentations(found)
    changed.corpus = EXAMPLES
    changed.__dict__.update(infiller=None, tagger=None)
    changed.add_augmentations(found)
    assert changed.augment_examples(EXAMPLES[:1]) == found


def test_the_reference_itself_scores_best(scorer: MarsScorer, together: ScoreResult) -> None:
    copies = [Example(e.id, e.references[0], e.references, e.context) for e in EXAMPLES]
    for copied, item in zip(scorer.score_examples(copies), together, strict=True):
        assert copied.score > item.score


def test_several_references_count_the_best_one(together: ScoreResult) -> None:
    scores = {item.id: item.score for item in together}
    assert scores["tower/two"] >= scores["tower"]


def test_terms_add_up_to_the_score(together: ScoreResult) -> None:
    for item in together:
        compared = sum(term.cosine * term.weight for term in item.augmented)
        adjusted = sum(one.amount for one in item.adjustments)
        assert compared + adjusted == pytest.approx(item.score, abs=1e-9)
        assert [term.ratio for term in item.augmented] == [0.0, 0.2, 0.4, 0.6]
        for term in item.augmented:
            assert term.template.source in next(e for e in EXAMPLES if e.id == item.id).references


def test_lists_and_examples_give_the_same(scorer: MarsScorer, together: ScoreResult) -> None:
    result = scorer.score(
        candidates=[e.candidate for e in EXAMPLES],
        references=[e.references[0] if len(e.references) == 1 else list(e.references) for e in EXAMPLES],
        contexts=[e.context for e in EXAMPLES],
    )
    assert result.scores == together.scores
    assert result.signature == together.signature


@pytest.mark.parametrize(
    "options",
    [{"planner": "off"}, {"context": False}, {"planner": "off", "context": False}, {"tagger": "pattern"}],
    ids=["no planning", "no context", "neither", "pattern tagger"],
)
def test_ablations_are_plain_configuration(
    options: dict[str, Any], scorer: MarsScorer, together: ScoreResult
) -> None:
    from mars_score.infilling.guided import GuidedInfiller

    changed = MarsScorer(ratios=(0.4,), **options)
    changed.__dict__.update(
        encoder=scorer.encoder, infiller=GuidedInfiller(scorer.guided.model, changed.config.infilling)
    )
    result = changed.score_examples(EXAMPLES[:2])
    assert result.signature != together.signature
    assert result[0].score > result[1].score


def test_corpus_idf_is_the_corpus_given(scorer: MarsScorer) -> None:
    changed = MarsScorer(idf="corpus")
    changed.__dict__.update(encoder=scorer.encoder, tagger=scorer.tagger)
    assert changed.idf_for(EXAMPLES).name != changed.idf_for(EXAMPLES[:1]).name
    changed.corpus = EXAMPLES
    assert changed.idf_for(EXAMPLES[:1]).name == changed.idf_for(EXAMPLES).name
    assert "idf-corpus" in changed.signature


@pytest.mark.numeric
def test_golden_scores(scorer: MarsScorer) -> None:
    """Recorded by tools/make_golden.py; a change here is a change of the metric and belongs in the log."""
    assert scorer.signature == golden.expected()["signature"]
    for verdict in golden.examine(scorer):
        assert verdict.agrees, verdict


def test_the_formula_of_the_paper_scores_as_it_always_did(scorer: MarsScorer) -> None:
    """Recorded when it was the default, with the masking and filling of that time; it changes with no adjustment."""
    paper = scorer.with_options(**FORMULA)
    assert paper.config == preset("paper-formula")
    paper = paper.with_options(search="greedy", marks=True, merge_gaps=0)
    result = paper.score_examples(golden.EXAMPLES)
    assert result.scores == pytest.approx([0.5143947475, 0.7934996590, 0.6937813410], abs=golden.TOLERANCE)
    assert all(item.adjustments == () for item in result)
    assert "|refs:best|dtype:" in result.signature


def test_doctor_notices_a_different_score(monkeypatch: pytest.MonkeyPatch, scorer: MarsScorer) -> None:
    altered = golden.expected()
    altered["items"][0]["score"] += 0.01
    monkeypatch.setattr(golden, "expected", lambda: altered)
    assert [verdict.agrees for verdict in golden.examine(scorer)] == [False, True, True]


def test_word_vectors_in_place_of_the_encoder(
    store: ModelStore, tmp_path: object, scorer: MarsScorer
) -> None:
    """The GloVe variant, which has the paper's formula, on the real vectors' format; the big download is opt-in."""
    from pathlib import Path

    import numpy as np
    from safetensors.numpy import save_file

    folder = Path(str(tmp_path))
    names = sorted(
        {word.lower().strip(".") for e in EXAMPLES for text in e.references for word in text.split()}
    )
    (folder / "words.txt").write_text("\n".join(names), encoding="utf-8")
    vectors = np.random.default_rng(0).normal(size=(len(names), 8)).astype(np.float32)
    save_file({"vectors": vectors}, folder / "vectors.safetensors")
    changed = MarsScorer("paper-formula", encoder=str(folder))
    changed.__dict__.update(infiller=scorer.infiller, tagger=scorer.tagger)
    result = changed.score_examples(
        [Example("1", "zzz", ("He helped her into the boat.",), PIER), *EXAMPLES[:1]]
    )
    assert "out_of_vocabulary" in result[0].flags
    assert result[0].score == 0
    assert result[1].score > 0


def test_a_reader_without_a_head_is_refused_before_anything_is_augmented(
    scorer: MarsScorer, store: ModelStore, tmp_path: Path
) -> None:
    folder = tmp_path / "encoder"
    shutil.copytree(store.ensure("minilm-l6"), folder)
    with (folder / "model.safetensors").open("ab") as weights:
        weights.write(b"\0")
    other = scorer.with_options(reader=str(folder), eta=0.02)
    before = scorer.guided.engine.counts.rows
    with pytest.raises(ModelError, match="no fluency head was trained on this encoder"):
        other.score_examples(EXAMPLES[:1])
    assert scorer.guided.engine.counts.rows == before
