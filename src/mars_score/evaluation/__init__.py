"""Statistics that judge metrics by human ratings: numbers in, numbers out; no texts, files or models."""
