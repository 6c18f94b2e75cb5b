"""Language models as such: loading, tokenising, and reading how probable a text is."""
