"""The near-optimal test of two success rates, synthesised in seconds."""
