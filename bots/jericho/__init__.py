"""Bots for Jericho, in the order in which they are listed."""

NAMES: tuple[str, ...] = ("random_place", "greedy", "careful", "blocker", "chainer", "counter", "trapper")

POLICY = "trapper"  # the best of them: searches play with it
