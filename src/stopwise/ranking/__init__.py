"""Many policies: all pairs at once, one error budget, letters and the trials that were needed."""
