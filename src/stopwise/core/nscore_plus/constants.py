"""Every tuned constant of ``nscore-plus``, and what more or less of it costs.

They were chosen on the suite of the benchmarks and decide only how fast the test is: it is valid
with any value, as long as shares stay strictly between 0 and 1. Their order is that of the rules in
``docs/design/nscore-plus.md``. Where there is no figure, the direction follows from the formula and
was not measured. Raise the edition of the method when you change one.
"""

# --- Deviation of scores -------------------------------------------------------------------------
# Prior scores in the middle of the range, before the first pair, for scores as noisy as binary
# ones; less noisy scores get fewer.
# More: bets are too small for success rates near 0 and 1. Less: a few lucky binary scores at the
# start pass for a certainty, and the bet on them loses most of the evidence.
MEAN_WEIGHT_FIRST = 3.5
# What they fade to.
# More: the error at success rates near 0 and 1 stays far below alpha (.56 of it with 3 throughout).
# Less: long binary studies trust extreme means sooner than they should.
MEAN_WEIGHT_LASTING = 1.5
# The number of pairs after which they are half-way there.
# More: the start's caution lasts longer, at the cost of extreme rates. Less: it ends before such
# rates have shown.
MEAN_FADES = 20.0
# The spread (variance over the largest variance at that mean) starts as that of so many scores.
# More: returns with little noise are taken for noisy ones for longer, and bet on too little.
# Less: the first few scores decide, and binary ones that look steady are overbet.
SPREAD_WEIGHT = 0.25
# The spread of these scores; 1 is that of binary ones.
# More: caution before anything is known. Less: overbets policies that score all or nothing but
# have shown only one of the two so far.
SPREAD_FIRST = 0.8
# The share of the effect's own part that is left out of the variance: it is noise to binary scores
# (0 would be right for them) but not to scores without noise (1).
# More: binary scores are overbet. Less: large effects with little noise grow too slowly.
SIGNAL_SHARE = 0.5
# Means stay this share of the range away from its ends.
# More: distorts extreme rates. Less: divisions by nearly zero.
EDGE = 1e-4

# --- Deviation of differences --------------------------------------------------------------------
# Prior differences in the paired design.
# More: strongly correlated scores are underbet for longer. Less: a few equal outcomes make
# differences look like certainties.
PAIRED_WEIGHT = 8.0
# Their variance relative to that of independent scores; .6 expects a correlation of .4.
# More: cautious first bets, time lost where environments are shared. Less: overbets pairs that
# share little.
PAIRED_SHARE = 0.6

# --- Worth of the product ------------------------------------------------------------------------
# Pairs of equal variances by which the observed likeness of the two variances is shrunk.
# More: a steady policy against an all-or-nothing one pays for a product that does not suit them.
# Less: chance differences of variance take the product away from policies that are alike.
LIKENESS_WEIGHT = 10.0

# --- Plan for the horizon ------------------------------------------------------------------------
# The least effect planned for, times sqrt(n_max): hardly detectable by then.
# More: easy cases end sooner, hard ones lose power (2.5: -.005 at N = 200). Less: the reverse.
LEAST_EFFECT = 2.0
# The greatest effect planned for, per pair.
# More: grid points wasted on effects that any plan decides at once. Less: large effects are bet on
# as if they were smaller.
GREATEST_EFFECT = 2.0
# Effects on the grid of the plan's prior.
# More: a table takes longer to make. Less: the bets depend on where the points happen to lie.
PLAN_EFFECTS = 14
# Pairs that any study spends on learning means and spread; delay is measured relative to them.
# More: gains power on hard cases and loses time on easy ones (24 with UNDECIDED_PRICE 2.5: power
# +.011, suite .795 to .818 at N = 200). Less: the reverse.
LEARNING_PAIRS = 12.0
# Price of ending undecided; 1 is the price of the time that the effect needs anyway.
# More: gains power on hard cases and loses time on easy ones. Less: the reverse (.75: power -.010,
# suite .795 to .786).
UNDECIDED_PRICE = 1.5
# Pairs merged into one step of the table, as a share of the distance to the nearer end.
# More: a coarser plan. Less: a table takes longer to make.
MERGED_SHARE = 0.04
# How far log-wealth may fall below its start before the table clamps it.
# More: a coarser grid at the same number of points. Less: the plan seeks risk, as if deeper losses
# were free (5: power .876 instead of .917 at N = 200).
WEALTH_DEPTH = 10.0
# The statistic of the table is the sum of steps over sqrt(pairs + SOFTENING).
# More: the first pairs share few cells of the grid. Less: they jump across all of it.
SOFTENING = 4.0
# Where the grid of that statistic begins, and where it ends.
# More of a range: a coarser grid. Less: studies beyond it get the bets of its edge.
STATISTIC_LOW = -3.0
# More and less: as for its other end.
STATISTIC_HIGH = 7.5
# Points of the statistic.
# More: time and memory. Less: bets are interpolated badly.
STATISTIC_POINTS = 36
# Points of the log-wealth to go.
# More: time and memory. Less: a blurred end game.
NEED_POINTS = 73
# Smallest bet above 0 that is tried.
# More: effects that need small bets are overbet. Less: fewer of the points lie where bets matter.
LEAST_BET = 0.02
# Largest bet that is tried in the independent design.
# More: the plan counts on bets that the bounds cut. Less: large effects are underbet.
LARGEST_BET_INDEPENDENT = 1.36
# The same in the paired design, where the increment allows less.
# More: the plan counts on bets that the bounds cut. Less: large effects are underbet.
LARGEST_BET_PAIRED = 0.97
# Number of bets tried; a parabola refines the best of them.
# More: a table takes longer to make. Less: bets off the optimum where it lies between them.
BET_POINTS = 18
# Points of a step.
# More: a table takes longer to make. Less: a coarser step, to which the bets adapt.
STEP_POINTS = 12
# Deviations that a step reaches; scores are bounded anyway.
# More: the plan counts on jumps that bounded scores never make. Less: it overlooks those they make.
STEP_REACH = 2.6

# --- Proxy ---------------------------------------------------------------------------------------
# Prior pairs in which the proxy says nothing.
# More: a good proxy is used later (8: .67 of the pairs at correlation .7 instead of .645, success
# and failure). Less: a useless one is used by chance.
PROXY_PAIRS = 2.0
# The share explained, times pairs, below which a proxy has no weight, and twice which it has half.
# More: a good proxy is used later (1: .68 at correlation .7). Less: a useless one costs more
# (.25: 1.0184 of the pairs at correlation 0 instead of 1.0169).
PROXY_DOUBT = 0.4
# Deviations of its mean above what was shown that the effect may have, where the weight is chosen.
# More: the proxy is used less where bounds limit the bets. Less: it costs pairs there (0: 1.06
# instead of 1.02 with returns of deviation .14).
HOPED_DEVIATIONS = 1.0
# So many fewer with scores of spread 1, as success and failure.
# More and less: hardly anything from 2 to 4.
NOISY_DEVIATIONS = 3.0
# Largest weight.
# More: a proxy on a smaller scale than the score is used in full, if its bounds allow. Less: not.
MOST_WEIGHT = 2.0
# The largest share of the variance that it is trusted to explain.
# More: a few pairs that agree pass for a certainty. Less: good proxies are underbet.
MOST_EXPLAINED = 0.98
# Equal steps to the weight of least variance that are tried; a tie goes to the last.
# More: time. Less: a coarser weight where bounds limit the bets.
WEIGHT_STEPS = 4

# --- Practically the same ------------------------------------------------------------------------
# The share of the margin of equivalence that bets assume as the gap: all of it if policies are
# equal, but both of two tests must end.
# More (1): the slower test ends later (.5 against .5, margin .1: 460 pairs instead of 456, .97
# instead of .99 by 1,000). Less (.7): both are underbet (472 pairs).
SAMENESS_SHARE = 0.85
# A larger gap is bet on where the one seen is larger by so many of its standard errors.
# More (2): a policy that is far better is shown to be not worse later than better, and waits for it
# (.5 against .8, margin .05: 49.0 pairs instead of 42.8). Less: equal policies are overbet.
SAMENESS_DEVIATIONS = 1.0
# Pairs by which that gap is shrunk.
# More (4): the same wait (.2 against .8: 13.8 pairs, with 1 12.7, without any 12.5). Less (1):
# equal policies are overbet (.5 against .5, margin .1: 2 % more pairs).
SAMENESS_PAIRS = 2.0

# --- Out of reach --------------------------------------------------------------------------------
# A study whose chance of a decision by n_max falls below that of a standard normal beyond so many
# deviations (1.645: .05) keeps its wealth.
# More: more power at n_max. Less: more is kept for an extension.
LEAST_CHANCE_DEVIATIONS = 1.645
# Pairs, of one deviation each in favour of policy 1, that the largest plausible effect is reckoned
# with on top of what was seen.
# More: gives up later. Less: gives up small studies too soon.
HOPED_PAIRS = 4.0

# --- Without a horizon ---------------------------------------------------------------------------
# The least effect per pair looked for when no n_max is declared; half of it is still found.
# More: small effects are never found. Less: the grid is coarser at the same number of points.
LEAST_EFFECT_WITHOUT_HORIZON = 0.005
# Below this effect the prior falls, with the square of the effect; above it all are equally likely.
# More (.2, with the third power): most effects are found sooner, small ones later (.45 against .55
# 9 %). Less (.1): small effects sooner, all others later (2 to 3 %).
USUAL_EFFECT = 0.15
# Effects on the grid of its prior.
# More: slower updates. Less: the bets depend on where the points happen to lie.
GROWTH_EFFECTS = 30

# --- Large effects -------------------------------------------------------------------------------
# Pairs by which the effect shown is shrunk.
# More: large effects are bet on too little for longer. Less: a lucky start is bet on too boldly.
SHOWN_WEIGHT = 3.0

# --- Averages of groups --------------------------------------------------------------------------
# How much more is bet on averages of several trials than planned. Figures are new trials and power
# for .5 against .7, n_max 100, four stored trials of the baseline per row, one-sided.
# More: less power (1.12: 45.8 / .915 instead of 45.7 / .927). Less: more time (1: 46.1 / .940).
AVERAGES_BOLDNESS = 1.07
# How much less is bet the larger the effect shown, per squared effect.
# More: large effects take longer (.2 against .8: 9 % with .7). Less: a lucky start is bet on too
# boldly (none, and bets on large effects as for single trials: 47.4 / .918).
AVERAGES_CAUTION = 0.7

# --- Shape ---------------------------------------------------------------------------------------
# Pairs by which the observed lean towards large losses is shrunk.
# More: a lean is heeded late. Less: one early loss cuts the bets of a good policy.
LEAN_WEIGHT = 3.0

# --- Rare failures -------------------------------------------------------------------------------
# The worst pair has at most the chance (FAILURE_PAIRS / (n + FAILURE_OFFSET))^2.
# More: returns that never fail pay for insurance. Less: a first failure costs nearly everything.
FAILURE_PAIRS = 5.0
# The pairs added to those seen.
# More (100, with 8 above): the chance starts lower and falls later; low-noise returns
# gain what rare failures lose. Less: the reverse.
FAILURE_OFFSET = 25.0
# No bet is cut below this share of its bound for the sake of unseen failures.
# More (.85): suite better by .002 to .005, failures up to 1.11 times nscore's time. Less: steady
# scores are underbet for good.
FAILURE_FLOOR = 0.8

# With a negative margin in the paired design ties are wins, losses the worst pairs. Their chance
# is at least that of the losses seen and so many more, for all-or-nothing scores, ...
# More: a row of ties is bet on less. Less (0): the first loss after one costs nearly everything.
UNSEEN_LOSSES = 0.5
# ... among the pairs seen and so many more.
# More: losses that were seen are heeded late. Less: one early loss cuts the bets for long.
LOSS_PAIRS = 20.0

# --- Noisy scores --------------------------------------------------------------------------------
# What all-or-nothing scores are held back from the bound after the first pair, as a share of it.
# More: large effects take longer. Less: a few wins are bet on nearly in full, and the next loss
# costs nearly everything (0 at alpha .001: power .97 instead of 1.00 for .2 against .82, N = 200).
NOISY_SHARE = 0.4
# The number of pairs after which half of that is held back.
# More: bold bets near n_max are cut. Less: it ends before effects at low alpha are decided
# (10 at alpha .001: .3 % more pairs).
NOISY_PAIRS = 20.0

# --- Cap -----------------------------------------------------------------------------------------
# A win of usual size is the mean win less so many deviations.
# More: the cap comes later, and wins overshoot. Less: continuous scores approach the threshold and
# never reach it.
WIN_DEVIATIONS = 2.0

# --- Bounds --------------------------------------------------------------------------------------
# Share of the largest bet that keeps the increment nonnegative; below 1.
# More: a single pair can cost all evidence but a trifle. Less: scores without noise grow slower.
BOUND_SHARE = 0.99

# --- Weight of the product -----------------------------------------------------------------------
# Share of what the full product would keep in the worst pair that is kept at least, above 0.
# More: less freedom to bet on the difference while the level is unknown. Less: the worst pair may
# cost nearly everything.
PRODUCT_KEPT = 0.2

# --- Renewal -------------------------------------------------------------------------------------
# The bet is renewed for every pair up to here, then for every second up to twice this, and so on.
# More: long studies cost more time to compute. Less: bets lag behind the data.
RENEWAL_PAIRS = 1000
