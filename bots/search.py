"""The searches that every game has: ``rollouts`` and ``tree_search``, each with a bot of the game as its policy.

They cost as many matches a decision as they may play, so ``all`` does not mean them; ``bots/<game>/__init__.py`` names
the POLICY that they play with unless told otherwise.
"""

from __future__ import annotations

from bots.bot import Bot, Parameter
from engine.playouts import MOST_PLAYOUTS
from engine.search import search_of

_PLAYOUTS = Parameter("playouts", 1000, 1, MOST_PLAYOUTS, "matches played on from each decision", whole=True, told=True)
_CAUTION = Parameter("caution", 0.5, 0.0, 10.0, "standard errors by which a move must beat the policy's own")
IDEAS = {
    "rollouts": "Tries each move in matches that its policy plays on, the same for all, and drops the worse half.",
    "tree_search": "Grows a tree of moves in matches that its policy plays on, deeper where it pays.",
}
SEARCHES = tuple(IDEAS)


def search_bot(game: str, name: str, policy: Bot) -> Bot:
    """A search of a game."""
    parameters = (_PLAYOUTS, _CAUTION) if name == "rollouts" else (_PLAYOUTS,)
    return Bot(name, IDEAS[name], search_of(game, name), parameters, policy=policy, game=game)
