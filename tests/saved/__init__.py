"""What an earlier version saved is read by this one, and goes on to the same bits."""
