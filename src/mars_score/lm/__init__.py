"""Language models: loading, tokenising, and reading how probable a text is."""
