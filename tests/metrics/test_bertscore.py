"""BERTScore by hand, and against the bert-score library on the same weights."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast, get_args

import pytest

from mars_score import flags
from mars_score.encoders.layers import TokenEncoder
from mars_score.metrics.bertscore import BertScore, Measure
from mars_score.models.tokenizer import quiet
from mars_score.types import Example
from tests.metrics.fake_tokens import fake_tokens

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.encoders.layers import TokenEncoding
    from mars_score.models.store import ModelStore

DATA = Path(__file__).parents[2].parent / "shared" / "data"
PARTS = {"kpqa_narrativeqa": 120, "usr_personachat": 70, "mans_roc": 20, "summeval": 8}
MEASURES: tuple[Measure, ...] = get_args(Measure)

# Angles in degrees: east 0, north 90, northeast 45, southwest 225; the ends of a text are west, 180.
COMPASS = {"east": (2, 0), "north": (0, 1), "northeast": (3, 3), "southwest": (-1, -1)}
WEST = (-1, 0)
HALF = 0.5**0.5


def by_hand(candidate: str, *references: str, measure: Measure = "f1", idf: list[str] | None = None) -> Any:
    metric = BertScore(fake_tokens(COMPASS, WEST), "compass", measure=measure, idf=idf)
    (value,) = metric.score([Example("1", candidate, references)])
    return value


def test_precision_recall_and_f1_by_hand() -> None:
    # Candidate: east is equal to east (1), north is 45 degrees from northeast. P = (1 + cos 45) / 2.
    # Reference: east 1, northeast cos 45, southwest: 135 from north and 225 - 180 = 45 from [CLS], which may
    # be matched although it has no weight. R = (1 + 2 cos 45) / 3.
    precision, recall = (1 + HALF) / 2, (1 + 2 * HALF) / 3
    pair = ("east north", "east northeast southwest")
    assert by_hand(*pair, measure="precision").score == pytest.approx(precision)
    assert by_hand(*pair, measure="recall").score == pytest.approx(recall)
    assert by_hand(*pair).score == pytest.approx(2 * precision * recall / (precision + recall))


def test_idf_by_hand() -> None:
    # Three texts: east is in all of them, log(4/4) = 0; north in one, log(4/2); northeast in none, log(4/1).
    documents = ["east", "east north", "east east"]
    value = by_hand("east north northeast", "north", measure="precision", idf=documents)
    north, northeast = math.log(2), math.log(4)
    assert value.score == pytest.approx((north * 1 + northeast * HALF) / (north + northeast))
    empty = by_hand("east", "north", idf=documents)
    assert (empty.score, empty.flags) == (0, (flags.OUT_OF_VOCABULARY,))
    lost = by_hand("north", "east", idf=documents)
    assert (lost.score, lost.flags) == (None, (flags.REFERENCE_OUT_OF_VOCABULARY,))


def test_the_best_reference_counts() -> None:
    assert by_hand("east", "north", "east", "northeast").score == pytest.approx(1)
    assert by_hand("east", "north", "northeast").score == by_hand("east", "northeast", "north").score
    passed_over = by_hand("east", "zyzzyva", "east")
    assert (passed_over.score, passed_over.flags) == (1, (flags.REFERENCE_OUT_OF_VOCABULARY,))


def test_without_a_harmonic_mean_f1_is_0() -> None:
    ends_out_of_reach = fake_tokens({"east": (1, 0), "west": (-1, 0)}, (0, 1))
    example = Example("1", "east", ("west",))
    assert [value.score for value in BertScore(ends_out_of_reach, "line").score([example])] == [0.0]
    opposed = fake_tokens({"east": (1, 0, 0), "west": (-1, 0, 0)}, (-0.6, 0.8, 0))
    (precision,) = BertScore(opposed, "line", measure="precision").score([example])
    assert precision.score == pytest.approx(-0.6)  # with the end of the text; -1 with its only word
    assert [value.score for value in BertScore(opposed, "line").score([example])] == [0.0]


def test_flags() -> None:
    assert by_hand(" ", "east") == by_hand("", "east")
    assert (by_hand("", "east").score, by_hand("", "east").flags) == (0, (flags.EMPTY_CANDIDATE,))
    assert by_hand("zyzzyva", "east").flags == (flags.OUT_OF_VOCABULARY,)
    assert by_hand("east " * 11, "east").flags == (flags.CANDIDATE_TRUNCATED,)
    assert by_hand("east", "east", "east " * 11).flags == (flags.REFERENCE_TRUNCATED,)


def test_signature() -> None:
    encoder = fake_tokens(COMPASS, WEST)
    plain = BertScore(encoder, "compass@0").signature
    assert plain.split("|")[1:] == [
        "enc:compass@0.fake",
        "measure:f1",
        "idf:none",
        "baseline:none",
        "refs:best",
    ]
    weighted = [BertScore(encoder, "compass@0", idf=texts).signature for texts in (["east"], ["north"])]
    assert len({plain, *weighted, BertScore(encoder, "compass@0", measure="recall").signature}) == 4


def theirs(
    folder: Path, examples: Sequence[Example], layer: int, idf: list[str] | None = None
) -> dict[str, list[float]]:
    """The library's numbers, one pair at a time: in batches, padding can stand in for the best match."""
    with quiet():
        from bert_score import BERTScorer

        library = BERTScorer(
            model_type=str(folder), num_layers=layer, nthreads=0, device="cpu", idf=bool(idf), idf_sents=idf
        )
        result = library.score(
            [example.candidate for example in examples],
            [list(example.references) for example in examples],
            batch_size=1,
        )
    precision, recall, f1 = ([float(score) for score in part] for part in result)
    return {"precision": precision, "recall": recall, "f1": f1}


class Remembering:
    """Encodes a text once for all three measures."""

    def __init__(self, encoder: TokenEncoder) -> None:
        self.ends, self.settings, self.tokenize = encoder.ends, encoder.settings, encoder.tokenize
        self._encode = encoder.encode
        self._found: dict[str, TokenEncoding] = {}

    def encode(self, texts: Sequence[str], progress: object = None) -> list[TokenEncoding]:
        new = [text for text in texts if text not in self._found]
        self._found.update(zip(new, self._encode(new), strict=True))
        return [self._found[text] for text in texts]


def apart(
    encoder: TokenEncoder,
    examples: list[Example],
    expected: dict[str, list[float]],
    idf: list[str] | None = None,
) -> float:
    """The largest difference in all three measures."""
    ours = cast("TokenEncoder", Remembering(encoder))
    largest = 0.0
    for measure in MEASURES:
        values = BertScore(ours, "any", measure=measure, idf=idf).score(examples)
        for value, number in zip(values, expected[measure], strict=True):
            assert value.score is not None
            largest = max(largest, abs(value.score - number))
    return largest


@pytest.fixture(scope="module")
def examples() -> list[Example]:
    results = []
    for name, count in PARTS.items():
        with open(DATA / f"{name}.jsonl", encoding="utf-8") as lines:
            rows = [json.loads(line) for line in itertools.islice(lines, count)]
        results += [Example(row["id"], row["candidate"], tuple(row["references"])) for row in rows]
    return results


@pytest.mark.skipif(not DATA.is_dir(), reason=f"no data sets in {DATA}")
class TestParityOnHumanJudgementData:
    """218 candidates, some with many references."""

    def test_without_idf(self, store: ModelStore, examples: list[Example]) -> None:
        folder = store.ensure("minilm-l6")
        assert apart(TokenEncoder(str(folder)), examples, theirs(folder, examples, 6)) < 1e-5

    def test_with_idf_at_another_layer(self, store: ModelStore, examples: list[Example]) -> None:
        folder = store.ensure("minilm-l6")
        idf = [reference for example in examples for reference in example.references]
        expected = theirs(folder, examples, 3, idf)
        assert apart(TokenEncoder(str(folder), layer=3), examples, expected, idf) < 1e-5


PAIRS = [
    Example("1", "The kettle sang on the stove.", ("A kettle was boiling.", "Nobody was in the kitchen.")),
    Example("2", "  Rain.  ", ("It rained all day, and the river rose over its banks.",)),
    Example("3", "🙂 ok ¿qué?", ("Fine, then!",)),
    Example("4", "boat " * 90, ("ship " * 20,)),
]


@pytest.mark.parametrize("kind", ["roberta", "bart", "distilbert"])
def test_parity_on_other_architectures(kind: str, tmp_path: Path) -> None:
    """Tiny models with random weights: byte-level tokens, positions that start at 2, an encoder-decoder."""
    _tiny(kind, tmp_path)
    encoder = TokenEncoder(str(tmp_path), layer=1)
    assert encoder.max_length == 64
    idf = [reference for pair in PAIRS for reference in pair.references]
    assert apart(encoder, PAIRS, theirs(tmp_path, PAIRS, 1)) < 1e-5
    assert apart(encoder, PAIRS, theirs(tmp_path, PAIRS, 1, idf), idf) < 1e-5


def test_a_space_before_the_first_word(tmp_path: Path) -> None:
    _tiny("roberta", tmp_path)
    plain, spaced = (TokenEncoder(str(tmp_path), prefix_space=space) for space in (False, True))
    assert plain.tokenize(["boat"])[0].texts[1] == "b"
    assert spaced.tokenize(["boat"])[0].texts[1].startswith("\u0120")  # a space, in byte-level tokens
    assert spaced.settings == plain.settings + ".prefix"


def _tiny(kind: str, folder: Path) -> None:
    import torch
    import transformers
    from tokenizers import Tokenizer as Bare
    from tokenizers import models, pre_tokenizers, trainers

    bare = Bare(models.BPE())
    bare.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    names = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(
        vocab_size=300, special_tokens=names, initial_alphabet=alphabet, show_progress=False
    )
    bare.train_from_iterator(["the kettle sang and the river rose"] * 3, trainer)
    bare.model.save(str(folder))
    shape: dict[str, Any] = {"vocab_size": 300, "pad_token_id": 1, "bos_token_id": 0, "eos_token_id": 2}
    torch.manual_seed(7)
    with quiet():
        tokenizer = transformers.RobertaTokenizer(
            vocab=str(folder / "vocab.json"), merges=str(folder / "merges.txt"), model_max_length=64
        )
        tokenizer.save_pretrained(folder)
        if kind == "roberta":
            model: Any = transformers.RobertaModel(
                transformers.RobertaConfig(
                    hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48,
                    max_position_embeddings=66, **shape,
                )
            )  # fmt: skip
        elif kind == "bart":
            model = transformers.BartModel(
                transformers.BartConfig(
                    d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
                    decoder_attention_heads=4, encoder_ffn_dim=48, decoder_ffn_dim=48,
                    max_position_embeddings=64, **shape,
                )
            )  # fmt: skip
        else:
            model = transformers.DistilBertModel(
                transformers.DistilBertConfig(
                    dim=32, n_layers=2, n_heads=4, hidden_dim=48, max_position_embeddings=64, **shape
                )
            )
        model.save_pretrained(folder)
