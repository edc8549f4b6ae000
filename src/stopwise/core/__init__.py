"""The numerical core: methods, streams and simulation on numpy and scipy alone."""
