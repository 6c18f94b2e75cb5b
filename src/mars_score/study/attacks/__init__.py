"""Attacks on candidates, and how metrics stand them (section 4.2 of the paper)."""
