"""What a model can be used for: the roles of the catalogue that each use takes."""

from __future__ import annotations

Roles = tuple[str, ...]

LANGUAGE_MODEL: Roles = ("causal-lm",)
MASKED_LM: Roles = ("masked-lm", "encoder")
"""An encoder will do if a head for it ships with this package."""
ENCODER: Roles = ("encoder",)
WORD_VECTORS: Roles = ("word-vectors",)
SIMILARITY: Roles = ("encoder", "word-vectors")
"""Whatever gives a text a vector."""
TAGGER: Roles = ("tagger",)
WORDNET: Roles = ("wordnet",)
