"""Bots for Cuttle, in the order in which they are listed."""

NAMES: tuple[str, ...] = ("greedy", "points_rush", "scuttler", "thief", "warden", "seer", "all_rounder")

POLICY = "all_rounder"  # the best of them: searches play with it
