"""Statistics that judge metrics by human ratings: arrays in, numbers out; no texts, files or metrics."""
