"""Tables written down: one format a file."""
