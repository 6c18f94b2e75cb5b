"""How well formulas agree with people on human-judged sets, each judged where it took no part in a choice."""
