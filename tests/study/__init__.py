"""Live studies."""
