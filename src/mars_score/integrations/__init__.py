"""MARS as other tools want it: one file for each, which imports its tool and is imported by nobody else here.

docs/integrations.md has ten lines for each. Every number is `MarsScorer.score`'s own, to the last bit.
"""
