"""The paper's tables and figures, recomputed; published figures are in ``expected/``.

One script per table or figure, each with a function ``run``; ``catalogue.py`` lists them, and the
command ``stopwise reproduce`` runs them. In a wheel this folder is ``stopwise.reproduce``, so
its files import each other relatively.
"""
