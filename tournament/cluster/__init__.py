"""What runs outside of the program so that many processes and machines can play: see ``docs/cluster.md``.

The program (``tournament.execution.OnRay``) starts a *guard*, which starts the *bridge*, which starts Ray or reaches a
cluster and hands chunks to *remote workers*. The program itself never calls Ray: it stays able to answer whatever
happens.
"""
