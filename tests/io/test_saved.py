"""What other tools save. The files under saved/ were made by the tools themselves, with our texts and canned answers:

lm-eval 0.4.13 (a model that answers from a list), inspect_ai 0.3.285 (mockllm), lighteval 0.13.0 (a custom model),
promptfoo 0.123.1 (its echo provider and a script), crfm-helm 0.5.16 (simple/model1, with our answers) and
helm-summarize's writer of display files. Two were not written by a service, since none was called: chat.jsonl and
batch_output.jsonl follow OpenAI's documented layout, with completions that the openai package 3.51.0 has validated.
"""

from __future__ import annotations

import json
import zipfile
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from mars_score.cli.compare import compare
from mars_score.cli.main import main
from mars_score.errors import ConfigError, InputError
from mars_score.io import saved
from mars_score.io.readers import read_examples
from mars_score.types import Example

if TYPE_CHECKING:
    from .conftest import Folder

SAVED = Path(__file__).parent / "saved"
FERRY = (
    "Lena packed her bag the night before. A storm pulled down a tree on the railway line. "
    "The ferry to the island left at nine."
)
FILES = {
    "samples_small_reading.jsonl": "lm-eval samples",
    "samples_two_filters.jsonl": "lm-eval samples",
    "inspect.eval": "Inspect log",
    "inspect.json": "Inspect log",
    "lighteval_details.parquet": "lighteval details",
    "promptfoo.json": "promptfoo results",
    "helm/scenario_state.json": "HELM scenario state",
    "helm/display_predictions.json": "HELM predictions",
    "chat.jsonl": "OpenAI-style chat",
}


def read(name: str | Path, **options: Any) -> dict[str, Example]:
    return {example.id: example for example in read_examples(SAVED / name, **options)}


def changed(name: str, change: Any, folder: Folder) -> Path:
    """Put a file of JSON lines with its first record changed."""
    first, *rest = (SAVED / name).read_text().splitlines()
    record = json.loads(first)
    change(record)
    return folder.put(Path(name).name, "\n".join([json.dumps(record), *rest]))


@pytest.mark.parametrize("name", FILES)
def test_each_tool(name: str) -> None:
    """The same three items in every file: candidates, references and contexts are found, and nothing else."""
    told: list[str] = []
    rows = list(read(name, tell=told.append).values())
    by_question = {row.context.removesuffix("\nAnswer:").rsplit("\n", 1)[-1]: row for row in reversed(rows)}
    ferry = next(
        row for question, row in by_question.items() if question.endswith("Why did Lena miss the ferry?")
    )
    assert ferry.candidate == "Her train was delayed by a fallen tree."
    assert ferry.references[0] == "A fallen tree held up her train."
    assert ferry.context.startswith(FERRY)
    assert len(by_question) == 3
    assert all("Answer in one sentence" not in row.context for row in rows)
    (message,) = told
    assert message.startswith(f"{SAVED / name}: {FILES[name]}: candidate = ")


def test_ids_tell_filters_epochs_and_providers_apart() -> None:
    assert list(read("samples_two_filters.jsonl")) == [
        f"{i}/{name}" for name in ("first", "lower") for i in range(3)
    ]
    assert set(read("promptfoo.json")) == {f"{i}/{name}" for name in ("answers", "parrot") for i in range(3)}
    assert list(read("samples_small_reading.jsonl")) == ["0", "1", "2"]
    assert list(read("inspect.eval")) == ["ferry", "greenhouse", "clock"]


def test_references_of_each_kind() -> None:
    both = ("Swifts had nested in it.", "A nest of swifts in the works.")
    assert (
        read("samples_two_filters.jsonl")["2/first"].references == both
    )  # a list, written as Python shows it
    assert read("promptfoo.json")["2/answers"].references == both  # the value of an assertion
    assert read("promptfoo.json")["1/answers"].references == (
        "The pupils do, in turns.",
    )  # not that of `contains`
    assert read("helm/scenario_state.json")["id2"].references == both  # not the one that is not tagged
    assert read("inspect.eval")["clock"].references == both


def test_fields_can_be_found_elsewhere() -> None:
    rows = read(
        "samples_small_reading.jsonl",
        fields={"references": "doc.references", "context": "doc.context", "question": "doc.question"},
    )
    assert rows["0"].references[1] == "Her train was late because a tree lay on the line."
    assert rows["0"].context == f"{FERRY}\nWhy did Lena miss the ferry?"
    assert rows["0"].question == "Why did Lena miss the ferry?"
    one = read(
        "samples_small_reading.jsonl", fields={"reference": "doc.references.0", "candidate": "resps.0.0"}
    )
    assert one["1"].references == ("The pupils do, in turns.",)
    assert one["1"].candidate == "The gym teacher waters them every Sunday."


def test_a_row_with_a_candidate_is_a_row(folder: Folder) -> None:
    row = {"candidate": "c", "references": ["r"], "messages": [{"role": "user", "content": "x"}], "doc_id": 1}
    assert folder.read("rows.jsonl", json.dumps(row)) == [Example("1", "c", ("r",))]


def test_an_empty_answer_is_an_answer(folder: Folder) -> None:
    path = changed("samples_small_reading.jsonl", lambda one: one.update(filtered_resps=[""]), folder)
    assert next(read_examples(path)).candidate == ""


def test_a_chat_prompt_of_promptfoo(folder: Folder) -> None:
    content = json.loads((SAVED / "promptfoo.json").read_text())
    turns = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Who?"}]
    for record in content["results"]["results"]:
        record["prompt"]["raw"] = json.dumps(turns, indent=1)
    rows = folder.read("one_line.json", json.dumps(content))
    assert {row.context for row in rows} == {"Who?"}
    bracket = folder.read("lines.jsonl", json.dumps({"messages": [], "choices": [{"message": {"content": "[1] x"}}],
                                                     "ideal": "y"}))  # fmt: skip
    assert bracket[0].candidate == "[1] x"


@pytest.mark.parametrize(
    ("name", "change", "words", "remedy"),
    [
        ("samples_multiple_choice.jsonl", lambda one: None, "sample '0': no text for candidate", "generate_until"),
        ("samples_small_reading.jsonl", lambda one: one.update(target=""), "no text for references", "--field"),
        ("batch_output.jsonl", lambda one: None, "sample 'ferry': no text for references", "add it"),
        ("batch_output.jsonl", lambda one: one.update(response=None), "no text for candidate", "send it again"),
        ("chat.jsonl", lambda one: one["messages"].pop(), "no text for candidate", "must end with"),
    ],
)  # fmt: skip
def test_what_is_missing(folder: Folder, name: str, change: Any, words: str, remedy: str) -> None:
    path = changed(name, change, folder)
    with pytest.raises(InputError, match=words) as caught:
        list(read_examples(path))
    assert caught.value.line == 1
    assert remedy in str(caught.value.remedy)
    assert str(caught.value.path) == str(path)


def test_a_mapped_path_that_is_not_there() -> None:
    with pytest.raises(InputError, match=r"no text for references in doc.answers") as caught:
        read("samples_small_reading.jsonl", fields={"references": "doc.answers"})
    assert "there is doc_id, doc, target" in str(caught.value.remedy)


def test_predictions_without_their_instances(folder: Folder) -> None:
    content = (SAVED / "helm" / "display_predictions.json").read_bytes()
    assert "instances.json" in folder.error("display_predictions.json", content).problem
    folder.put("instances.json", "{}")
    path = folder.put("display_predictions.json", content)
    with pytest.raises(InputError, match="no text for references"):
        list(read_examples(path))
    folder.put("instances.json", "[1]")
    with pytest.raises(InputError, match="no instances of HELM"):
        list(read_examples(path))


def test_archives(folder: Folder, monkeypatch: pytest.MonkeyPatch) -> None:
    """An older Inspect deflates; another archive, a damaged one and a missing pyarrow are named."""
    path = folder.path / "old.eval"
    sample = json.loads((SAVED / "inspect.json").read_text())["samples"][0] | {"epoch": 2}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("samples/clock_epoch_2.json", json.dumps(sample))
        archive.writestr("header.json", "{}")
    assert [example.id for example in read_examples(path)] == ["clock/2"]
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("a.txt", "a")
    with pytest.raises(InputError, match="no log of Inspect"):
        list(read_examples(path))
    whole = bytearray((SAVED / "inspect.eval").read_bytes())
    with zipfile.ZipFile(SAVED / "inspect.eval") as archive:
        start = archive.getinfo("samples/clock_epoch_1.json").header_offset
    whole[start + 100 : start + 300] = bytes(200)
    assert "damaged" in folder.error("damaged.eval", bytes(whole)).problem

    def absent() -> None:
        raise ImportError

    monkeypatch.setattr(saved, "load_pyarrow", absent)
    with pytest.raises(InputError, match="Zstandard") as caught:
        read("inspect.eval")
    assert "mars-score[parquet]" in str(caught.value.remedy)


def test_every_format_is_told_apart() -> None:
    """No record carries the marks of two formats of which the later one should have been chosen."""
    kinds = saved.formats()
    assert len({one.name for one in kinds}) == len(kinds)
    assert not any(later.marks >= earlier.marks for earlier, later in pairwise(kinds))


def test_score_says_what_became_what() -> None:
    done = CliRunner().invoke(main, ["score", str(SAVED / "inspect.eval"), "--metric", "rougeL"])
    assert done.exit_code == 0, done.stderr
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["id"] for row in rows] == ["ferry", "greenhouse", "clock"]
    assert "Inspect log: candidate = output.choices.0.message.content, references = target" in done.stderr
    assert done.stderr.count("Inspect log") == 1


def compared(*arguments: str) -> Any:
    options = ["--metric", "chrf", "--json"]
    done = CliRunner().invoke(compare, [*arguments, *options], catch_exceptions=False, standalone_mode=False)
    return json.loads(done.stdout)["comparisons"]


def test_compare_scores_what_tools_have_saved(folder: Folder) -> None:
    (one,) = compared(str(SAVED / "promptfoo.json"))
    assert (one["first"], one["second"], one["n"]) == ("answers", "parrot", 3)
    assert one["mean_first"] > one["mean_second"]
    path = changed("samples_small_reading.jsonl", lambda row: row.update(filtered_resps=["Ferry."]), folder)
    (one,) = compared(str(SAVED / "samples_small_reading.jsonl"), str(path))
    assert (one["wins"], one["ties"], one["losses"]) == (1, 2, 0)
    with pytest.raises(ConfigError, match="at least two systems"):
        compared(str(SAVED / "samples_small_reading.jsonl"))
