"""A model's folder is data: whatever in it asks to run code is refused, or never looked at."""

from __future__ import annotations

import ast
import json
import os
import pickle
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import mars_score
from mars_score.encoders.sentence import SentenceEncoder
from mars_score.errors import ModelError
from mars_score.masking.tagging import SpacyTagger
from mars_score.models.resolve import refuse_code, resolve
from mars_score.models.store import ModelStore
from tests.infilling import tiny_masked

if TYPE_CHECKING:
    from collections.abc import Callable

SOURCES = Path(mars_score.__file__).parent


class Trap:
    """Writes a file when it is unpickled."""

    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, (str(self.marker),)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = tmp_path_factory.mktemp("plain")
    tiny_masked.bert(folder)
    return folder


@pytest.fixture
def folder(plain: Path, tmp_path: Path) -> Path:
    """A good encoder, to be spoilt."""
    return Path(shutil.copytree(plain, tmp_path / "folder"))


@pytest.fixture
def marker(tmp_path: Path) -> Path:
    """What must never appear."""
    return tmp_path / "marker"


def change(path: Path, **values: Any) -> None:
    settings = json.loads(path.read_text("utf-8")) if path.exists() else {}
    path.write_text(json.dumps(settings | values), "utf-8")


def plant_code(folder: Path, marker: Path) -> None:
    """A model that is of no known kind and brings its own Python file, as on the hub."""
    lines = [
        "import os",
        f"os.mkdir({str(marker)!r})",
        "from transformers import BertConfig, BertModel, BertTokenizerFast",
        "class EvilConfig(BertConfig): model_type = 'evil'",
        "class EvilModel(BertModel): config_class = EvilConfig",
        "class EvilTokenizer(BertTokenizerFast): pass",
    ]
    (folder / "evil.py").write_text("\n".join(lines), "utf-8")


def in_config(folder: Path) -> None:
    kinds = {f"AutoModel{kind}": "evil.EvilModel" for kind in ("", "ForCausalLM", "ForMaskedLM")}
    change(
        folder / "config.json", model_type="evil", auto_map={"AutoConfig": "evil.EvilConfig", **kinds},
        num_hidden_layers=2,
    )  # fmt: skip


def in_tokenizer(folder: Path) -> None:
    change(
        folder / "tokenizer_config.json", tokenizer_class="EvilTokenizer",
        auto_map={"AutoTokenizer": [None, "evil.EvilTokenizer"]},
    )  # fmt: skip


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
@pytest.mark.parametrize(
    ("where", "options"),
    [
        (in_config, ["--encoder", "{}"]),
        (in_tokenizer, ["--encoder", "{}"]),
        (in_config, ["--lm", "{}"]),
        (in_config, ["--set", "infiller=naive", "--set", "masked_lm={}"]),
    ],
    ids=["encoder", "tokenizer", "lm", "masked_lm"],
)
def test_yes_on_a_terminal_runs_nothing(
    folder: Path, marker: Path, tmp_path: Path, where: Callable[[Path], None], options: list[str]
) -> None:
    """Transformers asks whether to run a model's code; nobody is ever asked here."""
    import pty

    plant_code(folder, marker)
    where(folder)
    rows = tmp_path / "rows.jsonl"
    rows.write_text(
        '{"candidate": "So it is.", "reference": "So it was.", "context": "It is so."}\n', "utf-8"
    )
    arguments = ["score", str(rows), "-o", str(tmp_path / "out.jsonl")]
    arguments += [option.format(folder) for option in options]
    ours, theirs = pty.openpty()
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "HF_HOME": str(tmp_path / "hf")}
    process = subprocess.Popen(
        [sys.executable, "-m", "mars_score", *arguments],
        stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    os.write(ours, b"y\ny\ny\ny\n")
    shown = _read_all(ours, process)
    assert not marker.exists()
    assert "Do you wish to run" not in shown
    assert process.returncode == 2, shown
    assert "auto_map asks to run code that comes with the model (evil.Evil" in " ".join(shown.split())
    assert "remedy: name a model of an architecture that transformers has itself" in " ".join(shown.split())


def _read_all(terminal: int, process: subprocess.Popen[bytes]) -> str:
    """What a process writes to a terminal until it ends."""
    shown, deadline = b"", time.monotonic() + 300
    os.set_blocking(terminal, False)
    while time.monotonic() < deadline:
        ended = process.poll() is not None
        try:
            while part := os.read(terminal, 4096):
                shown += part
        except OSError:  # nothing now, or nobody there
            pass
        if ended:
            break
        time.sleep(0.05)
    else:
        process.kill()
        process.wait()
    os.close(terminal)
    return shown.decode(errors="replace")


def test_a_plain_folder_is_taken(folder: Path, tmp_path: Path) -> None:
    refuse_code(folder)
    assert resolve(str(folder), "encoder", ModelStore(tmp_path)).location == str(folder)


@pytest.mark.parametrize(
    ("file", "values", "message"),
    [
        ("config.json", {"auto_map": {"AutoModel": "other/repository--evil.Model"}}, "auto_map asks to run code"),
        ("config.json", {"text_config": {"auto_map": {"AutoModel": "evil.Model"}}}, "auto_map asks to run code"),
        ("tokenizer_config.json", {"auto_map": {"AutoTokenizer": ["evil.T", None]}}, "auto_map asks to run code"),
        ("processor_config.json", {"auto_map": {"AutoProcessor": "evil.P"}}, "auto_map asks to run code"),
        ("config.json", {"attn_implementation": "someone/kernel"}, "asks to fetch and run a kernel"),
        ("config.json", {"_attn_implementation": {"": "someone/kernel@v1:f"}}, "asks to fetch and run a kernel"),
        ("adapter_config.json", {"base_model_name_or_path": "someone/else"}, "an adapter loads another model"),
        ("model.safetensors.index.json", {"weight_map": {"w": "shard.bin"}}, "'shard.bin' is no .safetensors file"),
        ("model.safetensors.index.json", {"weight_map": {"w": "../a.safetensors"}}, "is no .safetensors file in"),
        ("model.safetensors.index.json", {"weight_map": {"w": "/tmp/a.safetensors"}}, "is no .safetensors file in"),
        ("model.safetensors.index.json", {"weights": 1}, "it has no weight_map"),
    ],
)  # fmt: skip
def test_settings_that_ask_for_code(
    folder: Path, tmp_path: Path, file: str, values: dict[str, Any], message: str
) -> None:
    change(folder / file, **values)
    with pytest.raises(ModelError, match=message) as caught:
        resolve(str(folder), "encoder", ModelStore(tmp_path))
    assert "remedy: " in str(caught.value)
    assert file in str(caught.value)


def test_modules_of_the_folder(folder: Path, tmp_path: Path) -> None:
    usual = {"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"}
    (folder / "modules.json").write_text(json.dumps([usual]), "utf-8")
    refuse_code(folder)
    (folder / "modules.json").write_text(json.dumps([usual, {**usual, "type": "evil.Module"}]), "utf-8")
    with pytest.raises(ModelError, match=r"the module evil\.Module is code"):
        resolve(str(folder), "encoder", ModelStore(tmp_path))


@pytest.mark.parametrize("content", ["{", '{"a": "\ud800', "[" * 100_000])
def test_settings_that_cannot_be_read(folder: Path, content: str) -> None:
    (folder / "config.json").write_bytes(content.encode("utf-8", "surrogatepass"))
    with pytest.raises(ModelError, match=r"config\.json cannot be read"):
        refuse_code(folder)


def test_pickled_weights_are_never_read(folder: Path, marker: Path, tmp_path: Path) -> None:
    """Neither in place of safetensors, nor beside them, nor as a shard of them."""
    for name in ("pytorch_model.bin", "model.pt", "training_args.bin", "shard.bin"):
        (folder / name).write_bytes(pickle.dumps(Trap(marker)))
    (folder / "1_Pooling").mkdir()
    SentenceEncoder(str(folder)).encode(["A text."])
    assert not marker.exists()
    (folder / "model.safetensors").unlink()
    with pytest.raises(ModelError, match="can run code as they are loaded and are never read"):
        resolve(str(folder), "encoder", ModelStore(tmp_path))
    with pytest.raises(OSError, match="safetensors"):
        SentenceEncoder(str(folder))
    assert not marker.exists()


def test_a_gguf_file_alone_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}", "utf-8")
    (tmp_path / "model.gguf").write_bytes(b"GGUF")
    with pytest.raises(ModelError, match=r"has no \.safetensors file"):
        resolve(str(tmp_path), "causal-lm", ModelStore(tmp_path / "store"))


def test_a_chat_template_is_never_rendered(folder: Path, marker: Path) -> None:
    template = f"{{{{ cycler.__init__.__globals__.os.mkdir({str(marker)!r}) }}}}"
    change(folder / "tokenizer_config.json", chat_template=template)
    (folder / "chat_template.jinja").write_text(template, "utf-8")
    SentenceEncoder(str(folder)).encode(["A text."])
    assert not marker.exists()


def test_a_model_of_the_hub(tmp_path: Path) -> None:
    """In the local cache of the hub, where it may have got by any other program."""
    cached = tmp_path / "hf" / "hub" / "models--someone--something"
    snapshot = cached / "snapshots" / ("0" * 40)
    snapshot.mkdir(parents=True)
    (cached / "refs").mkdir()
    (cached / "refs" / "main").write_text("0" * 40, "utf-8")
    (snapshot / "model.safetensors").write_bytes(b"weights")
    change(snapshot / "config.json", auto_map={"AutoModel": "evil.Model"})
    code = "from mars_score.models import ModelStore, resolve\nresolve('someone/something', 'encoder', ModelStore('.'))"
    environment = os.environ | {"HF_HOME": str(tmp_path / "hf"), "HF_HUB_OFFLINE": "1"}
    for name in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "XDG_CACHE_HOME"):
        environment.pop(name, None)
    environment["PYTHONPATH"] = os.pathsep.join(sys.path)
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
        env=environment,
    )
    assert "ModelError" in done.stderr
    assert "auto_map asks to run code" in done.stderr


def test_every_load_distrusts_code() -> None:
    """Reads the source: a call that forgets it would ask on a terminal."""
    calls = 0
    for path in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in (
                "from_pretrained",
                "from_config",
            ):
                given = {word.arg: getattr(word.value, "value", None) for word in node.keywords}
                where = f"{path.name}:{node.lineno}"
                calls += 1
                assert given.get("trust_remote_code") is False, where
                of_model = isinstance(node.func, ast.Attribute) and "Model" in ast.unparse(node.func.value)
                assert not of_model or given.get("use_safetensors") is True or "gguf_file" in given, where
    assert calls >= 10


@pytest.fixture
def pipeline(tmp_path: Path) -> Path:
    """The default tagger, to be spoilt."""
    return Path(shutil.copytree(ModelStore().ensure("spacy-en-sm"), tmp_path / "pipeline"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("before_creation = null", 'before_creation = {"@callbacks":"evil.run"}', "@callbacks = evil.run"),
        ('factory = "tagger"', 'factory = "evil"', "tagger: factory = evil"),
        ('factory = "tagger"', 'source = "en_evil"', "tagger: factory = None"),
        ('"spacy.Tokenizer.v1"', '"evil.Tokenizer"', "@tokenizers = evil.Tokenizer"),
        ('"spacy.MaxoutWindowEncoder.v2"', '"spacy.TorchBiLSTMEncoder.v1"', "spacy.TorchBiLSTMEncoder.v1"),
        ('lang = "en"', 'lang = "en.evil"', "lang = en.evil"),
    ],
)
def test_a_tagger_that_asks_for_code(pipeline: Path, old: str, new: str, message: str) -> None:
    config = pipeline / "config.cfg"
    text = config.read_text("utf-8")
    assert old in text
    config.write_text(text.replace(old, new), "utf-8")
    with pytest.raises(ModelError, match=r"is no part of a plain tagger of spaCy") as caught:
        SpacyTagger(pipeline).tags(["words"])
    assert message in str(caught.value)
    assert "remedy: " in str(caught.value)


def test_a_component_that_the_meta_file_hides_is_left_out(pipeline: Path) -> None:
    """What is loaded follows from the settings that are loaded, not from a second file beside them."""
    change(pipeline / "meta.json", components=["tok2vec", "tagger"])
    config = pipeline / "config.cfg"
    text = config.read_text("utf-8").replace('factory = "ner"', 'factory = "evil"')
    config.write_text(text, "utf-8")
    assert SpacyTagger(pipeline).tags(["the", "house"]) == ["other", "noun"]


def test_python_files_of_a_tagger_are_not_imported(pipeline: Path, marker: Path) -> None:
    for name in ("__init__.py", "en_core_web_sm.py", "tagger.py"):
        (pipeline / name).write_text(f"import os\nos.mkdir({str(marker)!r})\n", "utf-8")
    SpacyTagger(pipeline).tags(["words"])
    assert not marker.exists()
