"""What outlives a call or a process: memory of bounded size, the augmentation cache, packs, and their keys."""
