"""The report of a study: one page to read, tables to quote and figures to show, all made of its results alone."""
