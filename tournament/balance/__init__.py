"""What a run's stored results say of a game's balance: fairness, skill and luck, diversity, differences of variants.

``sample``     one pass over the stored matches into sums by batch of deals
``estimate``   the one method behind all intervals: the delete-one-batch jackknife
``fairness``, ``skill``, ``diversity``, ``compare``   what is estimated from a sample
``team``       the same for the cooperative game, which has no winners among the seats
``finding``    the common shape of results, and what each metric means
"""
