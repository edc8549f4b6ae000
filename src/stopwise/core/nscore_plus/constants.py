"""Every tuned constant of ``nscore-plus``, and what more or less of it costs.

They decide only how fast the test is: it is valid with any value, as long as shares stay strictly
between 0 and 1. Their order is that of the rules in ``docs/design/nscore-plus.md``. Raise the
edition of the method when you change one.
"""

# --- Deviation of scores -------------------------------------------------------------------------
# Prior scores in the middle of the range for scores as noisy as binary ones, before the first pair.
# More: rates near 0 and 1 are underbet. Less: a few lucky scores pass for a certainty.
MEAN_WEIGHT_FIRST = 3.5
# What they fade to. More: extreme rates stay underbet. Less: they are trusted too soon.
MEAN_WEIGHT_LASTING = 1.5
# Pairs after which they are half-way there. More and less: as for both above.
MEAN_FADES = 20.0
# Scores that tell of the first spread. More: steady returns underbet. Less: binary ones overbet.
SPREAD_WEIGHT = 0.25
# The spread of these; 1 is binary. More: caution at first. Less: what looks steady is overbet.
SPREAD_FIRST = 0.8
# The share of the effect's own part that is left out of the variance, as if it were no noise.
# More: binary scores are overbet. Less: large effects with little noise grow too slowly.
SIGNAL_SHARE = 0.5
# Means stay so far from the ends. More: extreme rates are distorted. Less: divisions by near 0.
EDGE = 1e-4

# --- Deviation of differences --------------------------------------------------------------------
# Prior paired differences. More: correlated scores are underbet. Less: few ties seem a certainty.
PAIRED_WEIGHT = 8.0
# Their variance over that of independent scores. More: cautious first bets. Less: overbets pairs
# that share little.
PAIRED_SHARE = 0.6

# --- Worth of the product ------------------------------------------------------------------------
# Pairs by which the likeness of both variances is shrunk. More: a steady policy against an
# all-or-nothing one pays for the product. Less: chance takes it away from policies that are alike.
LIKENESS_WEIGHT = 10.0

# --- Plan for the horizon ------------------------------------------------------------------------
# Least effect times sqrt(n_max). More: easy cases end sooner, hard ones lose power. Less: reverse.
LEAST_EFFECT = 2.0
# Greatest effect per pair. More: wasted grid points. Less: large effects are bet on as smaller.
GREATEST_EFFECT = 2.0
# Effects on the grid of the prior. More: slower tables. Less: bets depend on where points lie.
PLAN_EFFECTS = 14
# Pairs spent on learning. More: power on hard cases, time lost on easy ones. Less: the reverse.
LEARNING_PAIRS = 12.0
# Price of ending undecided. More: power on hard cases, time lost on easy ones. Less: the reverse.
UNDECIDED_PRICE = 1.5
# Share of the pairs to the nearer end merged into a step. More: a coarse plan. Less: slower tables.
MERGED_SHARE = 0.04
# How far log-wealth falls in the table. More: a coarser grid. Less: the plan seeks risk.
WEALTH_DEPTH = 10.0
# Added to the pairs under the statistic's root. More: few cells at first. Less: jumps across all.
SOFTENING = 4.0
# Where the statistic begins. More range: a coarser grid. Less: studies beyond get the edge's bets.
STATISTIC_LOW = -3.0
# Where it ends. More and less: as above.
STATISTIC_HIGH = 7.5
# Points of the statistic. More: time and memory. Less: bets are interpolated badly.
STATISTIC_POINTS = 36
# Points of the log-wealth to go. More: time and memory. Less: a blurred end game.
NEED_POINTS = 73
# Smallest bet above 0. More: small effects are overbet. Less: fewer points where bets matter.
LEAST_BET = 0.02
# Largest, if independent. More: counts on bets that bounds cut. Less: large effects are underbet.
LARGEST_BET_INDEPENDENT = 1.36
# The same if paired. More and less: as above.
LARGEST_BET_PAIRED = 0.97
# Bets tried. More: slower tables. Less: bets off the optimum between them.
BET_POINTS = 18
# Points of a step. More: slower tables. Less: a coarser step, to which the bets adapt.
STEP_POINTS = 12
# Deviations that a step reaches. More: jumps that scores never make. Less: misses some they make.
STEP_REACH = 2.6

# --- Proxy ---------------------------------------------------------------------------------------
# Prior pairs in which it says nothing. More: a good one is used later. Less: a useless one is used.
PROXY_PAIRS = 2.0
# Share explained, times pairs, below which it has no weight, and twice which it has half.
# More: a good proxy is used later. Less: a useless one costs more.
PROXY_DOUBT = 0.4
# Deviations that the effect may lie above what was shown, where the weight is chosen.
# More: used less where bounds limit the bets. Less: it costs pairs there.
HOPED_DEVIATIONS = 1.0
# So many fewer with scores of spread 1. More and less: hardly anything from 2 to 4.
NOISY_DEVIATIONS = 3.0
# Largest weight. More: proxies on a smaller scale are used in full, if bounds allow. Less: not.
MOST_WEIGHT = 2.0
# Most of the variance explained. More: a few pairs seem a certainty. Less: good ones are underbet.
MOST_EXPLAINED = 0.98
# Steps of the weight that are tried. More: time. Less: a coarser weight where bounds limit bets.
WEIGHT_STEPS = 4

# --- Practically the same ------------------------------------------------------------------------
# Share of the margin that is the assumed gap. More: the slower test ends later. Less: underbet.
SAMENESS_SHARE = 0.85
# Standard errors by which a gap is larger that is bet on as such.
# More: a far better policy waits to be shown not worse. Less: equal policies are overbet.
SAMENESS_DEVIATIONS = 1.0
# Pairs by which that gap is shrunk. More: the same wait. Less: equal policies are overbet.
SAMENESS_PAIRS = 2.0

# --- Out of reach --------------------------------------------------------------------------------
# Deviations beyond which a decision by n_max is out of reach (1.645: a chance of .05).
# More: more power at n_max. Less: more wealth is kept for an extension.
LEAST_CHANCE_DEVIATIONS = 1.645
# Pairs in favour added to the largest plausible effect. More: gives up later. Less: too soon.
HOPED_PAIRS = 4.0

# --- Without a horizon ---------------------------------------------------------------------------
# Least effect without n_max. More: small ones are never found. Less: a coarser grid.
LEAST_EFFECT_WITHOUT_HORIZON = 0.005
# Below it the prior falls. More: most effects sooner, small ones later. Less: the reverse.
USUAL_EFFECT = 0.15
# Effects on the grid of its prior. More: slower updates. Less: bets depend on where points lie.
GROWTH_EFFECTS = 30

# --- Large effects -------------------------------------------------------------------------------
# Pairs that shrink the effect shown. More: large ones are underbet. Less: lucky starts overbet.
SHOWN_WEIGHT = 3.0

# --- Averages of groups --------------------------------------------------------------------------
# How much more is bet on averages than planned. More: less power. Less: more time.
AVERAGES_BOLDNESS = 1.07
# How much less per squared effect. More: large effects take longer. Less: lucky starts are overbet.
AVERAGES_CAUTION = 0.7

# --- Shape ---------------------------------------------------------------------------------------
# Pairs that shrink the lean to large losses. More: heeded late. Less: one early loss cuts the bets.
LEAN_WEIGHT = 3.0

# --- Rare failures -------------------------------------------------------------------------------
# The worst pair has at most the chance (FAILURE_PAIRS / (n + FAILURE_OFFSET))^2.
# More: returns that never fail pay for insurance. Less: a first failure costs nearly everything.
FAILURE_PAIRS = 5.0
# Pairs added to those seen. More: it starts lower and falls later. Less: the reverse.
FAILURE_OFFSET = 25.0
# No bet is cut below this share of its bound. More: failures cost more. Less: steady scores less.
FAILURE_FLOOR = 0.8
# Losses, of all-or-nothing scores, added to those seen where ties are wins: with a negative margin.
# More: a row of ties is bet on less. Less: the first loss after one costs nearly everything.
UNSEEN_LOSSES = 0.5
# Pairs added to those seen. More: losses are heeded late. Less: one early loss cuts bets for long.
LOSS_PAIRS = 20.0

# --- Noisy scores --------------------------------------------------------------------------------
# Held back from the bound after the first pair, for all-or-nothing scores, as a share of it.
# More: large effects take longer. Less: a few wins are bet on in full, and a loss costs all.
NOISY_SHARE = 0.4
# Pairs after which half is. More: bold bets near n_max are cut. Less: slow at low alpha.
NOISY_PAIRS = 20.0

# --- Cap -----------------------------------------------------------------------------------------
# A usual win is the mean less so many deviations. More: wins overshoot. Less: they never arrive.
WIN_DEVIATIONS = 2.0

# --- Bounds --------------------------------------------------------------------------------------
# Share of the largest bet. More: one pair can cost nearly all. Less: steady scores grow slower.
BOUND_SHARE = 0.99

# --- Weight of the product -----------------------------------------------------------------------
# Share of the full product kept in the worst pair, above 0. More: less freedom to bet on the
# difference. Less: the worst pair may cost nearly everything.
PRODUCT_KEPT = 0.2

# --- Renewal -------------------------------------------------------------------------------------
# Bets are renewed every pair up to here, then every second up to twice this, and so on.
# More: long studies take more time to compute. Less: bets lag behind the data.
RENEWAL_PAIRS = 1000
