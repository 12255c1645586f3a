"""Bots for Jackal & High, in the order in which they are listed."""

NAMES: tuple[str, ...] = ("spreader", "sniper", "big_game", "expected_paws", "fox", "undertaker", "end_watcher")

POLICY = "end_watcher"  # the best of them: searches play with it
