"""Speed and memory, as ratios to a peer or to a limit measured in the same run."""
