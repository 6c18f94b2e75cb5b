"""A quantised GGUF file -> float32 safetensors, config and tokenizer in the Hugging Face layout.

Dequantising takes twenty seconds at every load; the converted folder loads in less than one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mars_score.models.quiet import quiet

if TYPE_CHECKING:
    from pathlib import Path


def convert(source: Path, folder: Path) -> None:
    """Write the model and its tokenizer into the folder."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig

    with quiet():
        tokenizer = AutoTokenizer.from_pretrained(
            source.parent, gguf_file=source.name, trust_remote_code=False
        )
        loaded = AutoModelForCausalLM.from_pretrained(
            source.parent,
            gguf_file=source.name,
            trust_remote_code=False,
            dtype=torch.float32,
            quantization_config=GgufConfig(dequantize=True),
        )
        # The loaded model remembers that it was quantised and refuses to be saved: its weights move to a
        # plain model of the same shape.
        config = loaded.config
        if hasattr(config, "quantization_config"):
            del config.quantization_config
        plain = type(loaded)(config).float()
        plain.load_state_dict(loaded.state_dict())
        plain.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
