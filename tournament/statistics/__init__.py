"""Statistics that need no rules and no bots: ratings, how well they fit, choices among many, tests that may be watched.

Everything here is a pure function of counts by clusters of deals, computed with NumPy and SciPy.
"""
