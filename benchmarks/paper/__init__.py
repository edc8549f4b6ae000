"""The paper's tables and figures, recomputed; published figures are in ``expected/``.

One script per table or figure, each with a function ``run``; ``catalogue.py`` lists them, and
``python -m benchmarks.paper`` runs them.
"""
