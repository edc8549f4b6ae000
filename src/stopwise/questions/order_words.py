"""The words of a ranking: its sentence, what it claims, and what its intervals are."""

import math
from collections.abc import Mapping, Sequence

from stopwise.core.registry import find
from stopwise.core.rules import Delegated, FromRules, Rules
from stopwise.core.words import MOST_IN_WORDS, futility_text, order_claim, promise
from stopwise.messages import Message, counted, listed
from stopwise.questions.standing import Elimination, PairResult, PolicyResult
from stopwise.report.drawn import Drawn
from stopwise.rows.table import Table

# What a promise needs where a doubt of this code says that it is not so.
DRAWN = {"scores-opposed": "independent scores"}
TOGETHER = "scores-together"  # a doubt that costs trials, but no guarantee
# Decisions with fewer pairs than this may be out of reach.
FEW_PAIRS = 30
# A difference that is a smaller share of its interval says nothing of how many trials it takes.
MOST_FURTHER = 8
# More pairs that were not told apart are counted where one reads aloud.
MOST_OPEN = 5


def code_of(text: str) -> str:
    return text.code if isinstance(text, Message) else ""


def _drawn(doubt: str) -> str:
    return DRAWN.get(code_of(doubt), "fresh draws in random order")


class OrderInWords(Drawn):
    """A ranking as people read it; ``Analysis`` has the rest."""

    policies: tuple[PolicyResult, ...]
    pairs: tuple[PairResult, ...]
    order_text: str
    rules: Rules
    aligned: Table
    ties: str
    doubts: tuple[str, ...]
    eliminated: Mapping[str, Elimination]
    futile: bool

    method = FromRules[str]("method", "The method's name.")
    alpha = FromRules[float]("alpha", "The probability of any false claim.")
    adjust = FromRules[str]("adjust", "How alpha is shared.")
    baseline = FromRules[str | None]("baseline", "The policy compared with all others, or None.")
    bounds = FromRules[tuple[float, float]]("bounds", "The range of the score.")
    n_max = FromRules[int | None]("n_max", "The declared maximum number of trials per policy.")
    margin = FromRules[float]("margin", "By how much better, or not worse, a policy must be.")
    design = Delegated[str]("aligned.design", 'The design, "independent" or "paired".')
    task = Delegated[str | None]("aligned.task", "The task's name, or None.")
    bounds_inferred = Delegated[bool](
        "aligned.bounds_inferred", "Whether the bounds were taken from the data."
    )

    scope = Delegated[str]("rules.reading.scope", "What claims are about, if not all scenes.")

    @property
    def most_trials(self) -> int | None:
        """The most trials of all policies together, or None without an n_max."""
        return self._most(self.rules.reading.run)

    def _most(self, policies: Sequence[str]) -> int | None:
        most = [self.rules.reading.most(name) for name in policies]
        return None if None in most else sum(filter(None, most))

    @property
    def trials_used(self) -> int:
        """Trials that were needed, over all policies."""
        return sum(policy.trials_used for policy in self.policies)

    @property
    def trials_unpaired(self) -> int:
        """Trials that entered no comparison for want of a partner, over all policies."""
        return sum(policy.trials_unpaired for policy in self.policies)

    @property
    def sorted_pairs(self) -> list[PairResult]:
        """The pairs as people look for them: best first, in each pair and among the pairs."""
        place = {policy.name: index for index, policy in enumerate(self.policies)}
        fixed = bool(self.margin < 0 or self.rules.reading.constants)
        pairs = [
            pair if fixed or place[pair.policy1] < place[pair.policy0] else pair.turned()
            for pair in self.pairs
        ]
        return sorted(pairs, key=lambda pair: sorted((place[pair.policy0], place[pair.policy1])))

    @property
    def in_doubt(self) -> bool:
        """Whether the trials do not look like what letters and intervals need."""
        return bool(self.serious_doubts)

    @property
    def claim_meaning(self) -> str | None:
        """What a declared order says, in words, where it is not simply a higher mean."""
        claimed = self._claimed if self.margin else ""
        if self.aligned.mean is not None:
            claimed = f"{self._claimed} in {self.aligned.mean.meaning}"
        return ", ".join(self.rules.reading.meaning(self.design, claimed)) or None

    @property
    def sign_meaning(self) -> str:
        """The same beside the sign that it explains; empty for a higher mean."""
        better = ">" if self._in_words else "better"
        better = "not worse" if self.margin < 0 else better
        return "" if self.claim_meaning is None else f"{better} means {self.claim_meaning}"

    @property
    def interval_note(self) -> str:
        """What the intervals of the differences are, and with what probability they hold."""
        pairs = self.pairs
        if not pairs:
            return ""
        if not (find(self.method).inverts and self.rules.reading.inverts):
            return (
                "Intervals come from a separate confidence sequence, not from the test: they hold "
                f"together, at all times, with probability {1 - self.alpha:.6g}, and that of a "
                "decided pair may include 0."
            )
        edge = f"{self.margin:g} lies outside"
        if self.margin > 0:
            edge = f"no difference up to {self.margin:g} lies inside"
        note = f"Intervals invert the test: {edge} once a pair's own evidence decides it; "
        levels = [pair.interval_level for pair in pairs]
        if self.adjust == "bonferroni" or len(pairs) == 1:
            together = " together" if len(pairs) > 1 else ""
            share = 1 - len(pairs) * (1 - levels[0])
            note += f"they hold{together}, at all times, with probability {share:.6g}."
        else:
            ends = dict.fromkeys(f"{level:.8g}" for level in (min(levels), max(levels)))
            note += (
                "each is a statement about its pair alone, at the level of that pair's decision "
                f"({' to '.join(ends)}), at all times."
            )
        if any(pair.implied or pair.same for pair in pairs):
            note += " That of a pair decided by others, or shown to be the same, may say less."
        return note

    @property
    def sentence(self) -> str:
        """What was found, in words, with what it rests on."""
        decided, within = sum(pair.decided for pair in self.pairs), self.rules.equivalence
        pairs = f"{decided} of {counted(len(self.pairs), 'pair')} decided"
        ties = "" if self.ties == "strict" else ", assuming no exact ties"
        against = f" against {self.baseline}" if self.baseline is not None else ""
        claim = "claim" if self.margin < 0 or within else "order"
        tasks = " on any of the tasks" if self.rules.elsewhere[0] else ""
        promised = self._doubted(self.promised(f"the chance of any false {claim}{tasks}"))
        signs = [self.sign_meaning] if self.sign_meaning else []
        if self.aligned.training_runs:
            signs.append(self.aligned.checkpoint_claim)
        if self.rules.reading.steady and any(pair.same for pair in self.pairs):
            same = "=" if self._in_words else "the same"
            signs.append(f"{same} assumes a difference that stays the same")
        if decided < len(self.pairs):
            signs.append(f"undecided does not mean {'worse' if self.margin < 0 else 'equal'}")
        meaning = f" ({'; '.join(signs)})" if signs else ""
        return (
            f"{self._order_in_short}{self.scope}{meaning}: {pairs}{against} with "
            f"{self._trials_text()}{self.futility_clause}; {promised} "
            f"({self.method}, {self.adjust}{self.rules.reading.design_text}{ties})."
        )

    def promised(self, chance: str) -> str:
        inferred, certain = self.bounds_inferred, self.rules.reading.certain
        return certain or promise(self.method, chance, self.alpha, bounds_inferred=inferred)

    @property
    def _claimed(self) -> str:
        if self.margin < 0:
            return f"not worse by {-self.margin:g} or more"
        return f"better by more than {self.margin:g}" if self.margin else "better"

    def _doubted(self, promised: str) -> str:
        """Return the promise with what it needs and these trials do not look like, if so."""
        if not self.doubts:
            return promised
        doubt, code = self.doubts[0], code_of(self.doubts[0])
        if code == TOGETHER:
            return f"{promised}; but {doubt}"
        given = "" if self.bounds_inferred else f"for {_drawn(doubt)} "
        looks = "" if code in DRAWN else f"these trials do not look like {_drawn(doubt)}: "
        return f"{given}{promised}; and {looks}{doubt}"

    @property
    def futility_clause(self) -> str:
        if not self.futile:
            return ""
        further = bool(self.eliminated) or any(pair.decided for pair in self.pairs)
        return f"; {futility_text(self.rules.parameters, further=further)}"

    def _trials_text(self) -> str:
        reading, mean = self.rules.reading, self.aligned.mean
        most, all_trials = self._most(reading.tried), f"{sum(policy.n for policy in self.policies)}"
        if most is not None:
            all_trials = f"at most {most} {reading.new}".rstrip()
        stored = set(reading.run) - set(reading.tried)
        old = sum(policy.trials_used for policy in self.policies if policy.name in stored)
        text = f"{self.trials_used - old} of {all_trials} {mean.unit if mean else 'trials'}"
        text += f" and {counted(old, 'stored one')}" if stored else ""
        text += f", {self.trials_unpaired} without a partner" if self.trials_unpaired else ""
        return text + self.aligned.looks_clause

    @property
    def _in_words(self) -> bool:
        return len(self.policies) <= MOST_IN_WORDS

    @property
    def _order_in_short(self) -> str:
        """The order, or only its top where policies are too many for a sentence."""
        if self._in_words:
            return self.order_text
        pairs, old = self.pairs, self.baseline
        if self.margin < 0:
            shown = sum(pair.decided for pair in pairs)
            return f"Of {len(pairs)} policies, {shown} shown not to be worse than {old}"
        if old is not None:
            better, worse = (
                sum(getattr(pair, end) == old for pair in pairs) for end in ("worse", "better")
            )
            return (
                f"Of {len(pairs)} policies, {better} shown to be better than {old}, {worse} worse"
            )
        beaten = {pair.worse for pair in pairs}
        top = [policy.name for policy in self.policies if policy.name not in beaten]
        than = listed(top, "or") if len(top) <= MOST_IN_WORDS else f"{len(top)} of them"
        than = "another" if len(top) == len(self.policies) else than
        return f"Of {len(self.policies)} policies, none was shown to be better than {than}"

    @property
    def headline(self) -> str:
        """The answer as one would say it aloud, and what makes it doubtful, if anything."""
        serious = self.serious_doubts
        needed = f" But this needs {_drawn(serious[0])}, which is in doubt." if serious else ""
        about = f" ({self.aligned.checkpoint_claim})" if self.aligned.training_runs else ""
        return f"{self._answer_aloud}{self.scope}{about}.{needed}"

    @property
    def serious_doubts(self) -> tuple[str, ...]:
        """The doubts about the guarantee; others only say that trials were wasted."""
        return tuple(doubt for doubt in self.doubts if code_of(doubt) != TOGETHER)

    @property
    def _answer_aloud(self) -> str:
        if not self._in_words:
            return self._order_in_short
        beaten: dict[str, list[str]] = {}
        open_: dict[str, list[str]] = {}
        said = []
        for pair in self.sorted_pairs:
            if not pair.decided:
                open_.setdefault(pair.policy1, []).append(pair.policy0)
            elif pair.same or self.margin < 0:
                said.append(str(pair.claim))
            else:
                beaten.setdefault(str(pair.better), []).append(str(pair.worse))
        beats = self.rules.reading.beats
        better = [
            order_claim(name, listed(worse), self.margin, beats=beats)
            for name, worse in beaten.items()
        ]
        if not better and not said:
            return f"{self._nothing_aloud}{self._further_trials}"
        number = sum(map(len, open_.values()))
        rest = [
            f"{name} and {rivals[0]} were not told apart"
            if len(rivals) == 1
            else f"{name} was not told apart from {listed(rivals)}"
            for name, rivals in open_.items()
        ]
        if number > MOST_OPEN:
            rest = [f"the other {number} of {len(self.pairs)} pairs were not told apart"]
        return "; ".join([*better, *said, *rest])

    @property
    def _nothing_aloud(self) -> str:
        if self.margin < 0:
            who = self.pairs[0].policy1
            who = who if len(self.pairs) == 1 else f"any of {len(self.pairs)} policies"
            return f"It was not shown that {who} is not worse than {self.baseline}"
        if len(self.pairs) == 1:
            [pair] = self.sorted_pairs
            return f"{pair.policy1} and {pair.policy0} were not told apart"
        if self.baseline is not None:
            return f"None of the {len(self.pairs)} policies was told apart from {self.baseline}"
        return f"None of the {len(self.policies)} policies was shown to be better than another"

    @property
    def _further_trials(self) -> str:
        """About how many more trials would decide the nearest pair, or why none can be decided."""
        if self.in_doubt or any(map(self.rules.reading.several, self.rules.policies)):
            return ""
        first = self.first_decision
        if first is not None:
            return f"; no decision is possible before pair {first}"
        further = min(filter(None, map(self._further_pairs, self.pairs)), default=None)
        if further is None:
            return ""
        seen = max(pair.n for pair in self.pairs)
        beyond = self.n_max is not None and further > self.n_max - seen
        each = f"each, more than n_max = {self.n_max} allows," if beyond else "each"
        what = "" if len(self.pairs) == 1 else " a first pair in"
        mean = self.aligned.mean
        unit = f"{(mean.row_name if mean else '') or 'trial'}s"
        about = round(further, min(2 - len(str(further)), 0))
        text = f"; about {about} more {unit} {each} would decide{what} half of such studies"
        return f"{text} (a rough guess)"

    def _further_pairs(self, pair: PairResult) -> int | None:
        """Pairs after which an interval that narrows by the square root excludes the margin."""
        seen, reach = pair.difference, pair.difference - pair.interval.low
        if seen <= 0 and self.margin >= 0:
            seen, reach = -seen, pair.interval.high - pair.difference
        beyond = seen - self.margin
        if beyond <= 0 or pair.n == 0 or reach > MOST_FURTHER * beyond:
            return None
        return max(math.ceil(pair.n * ((reach / beyond) ** 2 - 1)), 1)

    @property
    def first_decision(self) -> int | None:
        """The first pair that could decide anything, if so few trials cannot."""
        from stopwise.questions.order import OrderQuestion
        from stopwise.questions.reach import first_decision

        seen = max((pair.n for pair in self.pairs), default=0)
        if seen > FEW_PAIRS or self.rules.reading.kinds > 1:
            return None
        first = first_decision(OrderQuestion, self.rules, most=FEW_PAIRS)
        return first if first is not None and first > seen else None
