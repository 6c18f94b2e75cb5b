"""Augmented references that outlive a process: the cache of a machine, and packs that travel between machines."""
