"""How alike policies are beforehand, learnt from the trials seen: the prior of resampled scores.

Before any trial the policies are taken to be alike, with the weight of some trials. The gap
between two means then has a standard deviation of about sqrt(2 / (weight + 1)) times that of the
scores. Nobody knows the weight: weights that double are equally likely beforehand, so that gaps of
every size are, and what was seen says which of them are likely now.
"""

import numpy as np

from stopwise.core.arrays import Floats

__all__ = ["WEIGHTS", "chances_of_weights"]

# In trials; from gaps as wide as the scores to gaps of an eighth of that.
WEIGHTS: Floats = 2.0 ** np.arange(1, 8) - 1.0


def chances_of_weights(scores: Floats, paired: bool) -> Floats:
    """Return how likely each weight is, given scores (rows, policies) with NaN for no trial.

    By the normal limit: means of n trials differ by chance with the variance of a score times
    1 / n, and by the prior with 1 / (weight + 1) times it.
    """
    if paired:  # only differences within rows tell policies apart
        complete = scores[~np.isnan(scores).any(axis=1)]
        scores = complete - complete.mean(axis=1, keepdims=True)
    policies = scores.shape[1]
    means = np.nanmean(scores, axis=0)
    variance = float(np.nanmean((scores - means.mean()) ** 2))
    if paired:
        variance *= policies / (policies - 1)
    apart = 0.0 if variance < 1e-12 else float(((means - means.mean()) ** 2).sum()) / variance
    n = float((~np.isnan(scores)).sum(axis=0).min())
    spread = 1.0 / n + 1.0 / (WEIGHTS + 1.0)
    log_likelihood = -0.5 * (apart / spread + (policies - 1) * np.log(spread))
    likelihood = np.exp(log_likelihood - log_likelihood.max())
    chances: Floats = likelihood / likelihood.sum()
    return chances
