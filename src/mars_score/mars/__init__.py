"""MARS, the paper in four files: augment, score, adjustments, scorer."""
