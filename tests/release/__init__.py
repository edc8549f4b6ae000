"""What is released: the wheel and the archive, and what they need."""
