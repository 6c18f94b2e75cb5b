"""Where work is done: in this process, or on the workers of a cluster."""
