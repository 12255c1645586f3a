"""Bots for Queen of the Hill, in the order in which they are listed."""

NAMES: tuple[str, ...] = (
    "threshold",
    "counter",
    "follower",
    "hoarder",
    "sniper",
    "scout_trap",
    "dark_tamer",
    "strategist",
)

POLICY = "strategist"  # the best of them: searches play with it
