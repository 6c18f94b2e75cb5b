"""Log-probabilities against the library's own forward pass, and against themselves in other company."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Any

import pytest
import torch
from transformers import AutoModelForCausalLM

from mars_score.lm.likelihood import Likelihood
from mars_score.models.tokenizer import quiet

from .cases import BAKERY, FERRY

if TYPE_CHECKING:
    from pathlib import Path

    from mars_score.lm.causal import LanguageModel

TEXTS = [
    (FERRY, "The captain rang the bell."),
    (BAKERY, "He called his neighbour, who brought a pump."),
    (FERRY, "Nobody answered."),
    ("", "The captain rang the bell."),
    (FERRY, "The captain rang the bell."),
]


def expected(model: Any, tiny: LanguageModel, context: str, text: str) -> list[float]:
    """The whole text in one plain forward pass."""
    before = [tiny.start, *tiny.encode(context)]
    after = tiny.encode(f" {text}" if context else text)
    logits = model(torch.tensor([[*before, *after]])).logits[0]
    log_p = logits.log_softmax(-1)
    return [float(log_p[len(before) - 1 + i, token]) for i, token in enumerate(after)]


@pytest.mark.numeric
def test_equals_the_librarys_forward_pass(tiny: LanguageModel, tiny_folder: Path) -> None:
    with quiet(), torch.no_grad():
        model = AutoModelForCausalLM.from_pretrained(tiny_folder).eval()
        wanted = [expected(model, tiny, *pair) for pair in TEXTS]
    found = [reading.log_probs for reading in Likelihood(tiny).read(TEXTS)]
    for one, other in zip(found, wanted, strict=True):
        assert one == pytest.approx(other, abs=1e-3)


@pytest.mark.numeric
def test_company_changes_no_digit(tiny: LanguageModel) -> None:
    likelihood = Likelihood(tiny)
    together = dict(zip(TEXTS, likelihood.read(TEXTS), strict=True))
    shuffled = random.Random(5).sample(TEXTS, len(TEXTS))
    assert likelihood.read(shuffled) == [together[pair] for pair in shuffled]
    assert [likelihood.read([pair])[0] for pair in TEXTS] == [together[pair] for pair in TEXTS]


def many(seed: int = 2) -> list[tuple[str, str]]:
    """Enough texts to be packed: nothing to half a context, after parts of two contexts and after nothing."""
    draw, words = random.Random(seed), f"{FERRY} {BAKERY}".split()
    contexts = ["", FERRY, BAKERY, *(" ".join(words[:count]) for count in (3, 9, 20))]
    return [(draw.choice(contexts), " ".join(draw.choices(words, k=draw.randint(0, 25)))) for _ in range(120)]


@pytest.mark.numeric
def test_packs_change_no_digit(tiny: LanguageModel) -> None:
    texts = many()
    together = Likelihood(tiny).read(texts)
    for number in range(0, len(texts), 7):
        assert Likelihood(tiny).read([texts[number]]) == [together[number]]
    order = random.Random(3).sample(range(len(texts)), len(texts))
    assert Likelihood(tiny).read([texts[i] for i in order]) == [together[i] for i in order]


@pytest.mark.numeric
def test_where_the_place_in_a_pack_matters_texts_go_alone(
    tiny: LanguageModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = many()[:40]
    together = Likelihood(tiny).read(texts)
    monkeypatch.setattr(type(tiny), "rounds_alike", lambda *_: False)
    careful = Likelihood(tiny)
    assert len(careful._together([20] * 40)) == 40
    assert careful.read(texts) == together


@pytest.mark.numeric
@pytest.mark.parametrize("memory", [512 << 20, 0])
def test_contexts_are_kept_as_far_as_memory_goes(
    tiny: LanguageModel, monkeypatch: pytest.MonkeyPatch, memory: int
) -> None:
    texts = many()
    fresh = Likelihood(tiny).read(texts)
    reader = Likelihood(tiny, memory=memory)
    assert reader.read(texts[:60]) == fresh[:60]
    monkeypatch.setattr(reader, "_prefill", lambda contexts: pytest.fail("read again"))
    if memory:
        assert reader.read(texts[60:]) == fresh[60:]
    else:
        assert not len(reader.contexts)
        with pytest.raises(pytest.fail.Exception, match="read again"):
            reader.read(texts[60:])


def test_long_texts_are_cut_and_say_so(tiny: LanguageModel) -> None:
    likelihood = Likelihood(tiny, max_context=7, max_text=5)
    (reading,) = likelihood.read([(FERRY, BAKERY)])
    assert reading.context_cut
    assert reading.text_cut
    assert len(reading.log_probs) == 5
    (short,) = likelihood.read([("", "Fog.")])
    assert not short.context_cut
    assert not short.text_cut


def test_an_empty_text_has_no_tokens(tiny: LanguageModel) -> None:
    readings = Likelihood(tiny).read([(FERRY, ""), (FERRY, "Fog."), ("", "  ")])
    assert [bool(reading.log_probs) for reading in readings] == [False, True, False]
