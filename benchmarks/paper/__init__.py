"""The paper's tables and figures, recomputed; expected figures are in ``expected/``."""
