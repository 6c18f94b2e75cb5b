"""How the masked head is trained and judged; `tools/train_masked_head.py` runs it."""
