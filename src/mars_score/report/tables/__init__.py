"""Tables built from a study: one of the paper's tables a file."""
