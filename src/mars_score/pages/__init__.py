"""What every page of ours shares: colours, type, and the rules by which strangers' texts are shown."""
