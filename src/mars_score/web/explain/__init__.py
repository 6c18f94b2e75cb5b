"""Where a score comes from: as data, in the terminal, and as a page to read."""
