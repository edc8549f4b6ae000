"""How many trials the methods need, and how wide their intervals are."""
