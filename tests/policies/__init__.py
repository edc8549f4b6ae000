"""Where policies come from."""
