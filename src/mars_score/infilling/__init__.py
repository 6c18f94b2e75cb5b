"""Filling a template's blanks with a causal language model: plan, generate, judge, revise."""
