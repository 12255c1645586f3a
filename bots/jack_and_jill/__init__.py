"""Bots for Jack and Jill, in the order in which they are listed."""

NAMES: tuple[str, ...] = (
    "basher",
    "stepper",
    "suit_keeper",
    "exact_hunter",
    "budgeter",
    "courier",
    "forecaster",
)

POLICY = "forecaster"  # the best of them: searches play with it
