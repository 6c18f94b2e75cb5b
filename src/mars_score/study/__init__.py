"""The study: what metrics and people think of the same texts, from data sets to one file of results."""
