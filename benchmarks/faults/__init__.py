"""Things that go wrong, made to go wrong for real: each script prints JSON lines that say what became of it.

    python -m benchmarks.faults.NAME

kill_and_resume     `kill -9` of a run at random moments, and the same command again
million_rows        a million rows and a pack: memory stays as it is
eight_processes     eight processes, one file, one cold cache
bit_flips           single bits in the cache, in a pack and in model files
disk_full           no space for the cache, then for the model store
disk_full_output    no space for the output
many_raters         sixteen raters save at once, and `kill -9` of the form in between
serving_memory      memory of a server over ten minutes of load
ray_kills           `kill -9` of a worker of Ray, and of an actor, while they score
"""
