"""The model's own work done plainly: what the engine's tokens cost in ordinary batched decoding.

Given what the engine did (contexts read, tokens generated, text read, next blocks judged), the same numbers
of tokens go through the library's model as it comes: left-padded batches of contexts with a cache, greedy
`generate` that starts from this cache for every template, and one batched forward over the text and the
judged tokens. There is no planning, no choice of lengths and no bookkeeping in it: a lower limit.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from transformers import AutoModelForCausalLM, DynamicCache

from mars_score.models.tokenizer import quiet

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mars_score.infilling.decoder.engine import Counts
    from mars_score.infilling.decoder.state import Job

ROWS = 64
"""Templates a batch, as many as the engine has in flight."""


@dataclass(slots=True)
class Plain:
    """A causal LM as transformers runs it."""

    model: Any

    @classmethod
    def load(cls, folder: str) -> Plain:
        """Load the model with the library's defaults."""
        with quiet():
            model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
        return cls(model.eval().requires_grad_(requires_grad=False))

    def run(self, jobs: Sequence[Job], counts: Counts, *, judge: bool) -> int:
        """Do as much work as the engine did for these jobs; return the number of tokens generated."""
        jobs = sorted(dict.fromkeys(jobs), key=lambda job: (len(job.context), job.context))
        fresh = round(counts.generated / len(jobs))
        read = round((counts.judged + counts.read) / len(jobs)) if judge else 0
        with torch.no_grad():
            for start in range(0, len(jobs), ROWS):
                self._batch(jobs[start : start + ROWS], fresh, read)
        return fresh * len(jobs)

    def _batch(self, jobs: Sequence[Job], fresh: int, read: int) -> None:
        """Prefill each context once, generate for each template, read and judge."""
        contexts = list(dict.fromkeys(job.context for job in jobs))
        longest = max(len(context) for context in contexts)
        ids = torch.zeros(len(contexts), longest, dtype=torch.long)
        mask = torch.zeros_like(ids)
        for i, context in enumerate(contexts):
            ids[i, longest - len(context) :] = torch.tensor(context)
            mask[i, longest - len(context) :] = 1
        positions = (mask.cumsum(1) - 1).clamp_min(0)
        cache = DynamicCache(config=self.model.config)
        # `generate` reads the last token itself; of the prefill only the cache is wanted.
        self.model.base_model(
            input_ids=ids[:, :-1], attention_mask=mask[:, :-1], position_ids=positions[:, :-1],
            past_key_values=cache, use_cache=True,
        )  # fmt: skip
        rows = torch.tensor([contexts.index(job.context) for job in jobs])
        cache.batch_select_indices(rows)
        with quiet():
            done = self.model.generate(
                ids[rows], attention_mask=mask[rows], past_key_values=cache, max_new_tokens=fresh,
                do_sample=False, eos_token_id=None, pad_token_id=0,
            )  # fmt: skip
        if read:
            tokens = done[:, -1:].expand(-1, read)
            mask = torch.cat([mask[rows], torch.ones(len(rows), done.shape[1] - longest - 1 + read)], 1)
            # The logits of every judged token are part of the work, and so are their probabilities.
            logits = self.model(
                input_ids=tokens, attention_mask=mask.long(), past_key_values=cache, use_cache=True
            ).logits  # (B, read, V)
            logits.logsumexp(-1)
