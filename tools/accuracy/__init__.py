"""How the default settings were chosen and judged: halves of human-judged data, settings, and their tables."""
