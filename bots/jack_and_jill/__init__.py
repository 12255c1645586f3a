"""Bots for Jack and Jill, in the order in which they are listed."""

NAMES: tuple[str, ...] = ("basher", "stepper", "exact_hunter", "suit_keeper")
