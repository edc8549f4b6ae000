"""Trial data: where scores come from."""
