"""Bots for Cuttle, in the order in which they are listed."""

NAMES: tuple[str, ...] = ()
