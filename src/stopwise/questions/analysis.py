"""The answer that users hold: a ranking with one honest sentence, its figures and its report."""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, ClassVar

from stopwise.core.arrays import Floats
from stopwise.core.delegated import Delegated
from stopwise.core.futility import futility_text
from stopwise.core.plain_values import plain_values
from stopwise.core.promise import promise
from stopwise.core.registry import find
from stopwise.core.rules import FromRules, Rules
from stopwise.core.scores import interval_text, score_text
from stopwise.messages import Message, counted, listed
from stopwise.questions.analysis_parts import PairResult, PolicyResult
from stopwise.questions.shuffles import decided_otherwise
from stopwise.questions.standing import Elimination
from stopwise.report import figures, html
from stopwise.report.drawn import Drawn
from stopwise.report.fonts import font_note
from stopwise.report.methods_text import order_paragraph
from stopwise.rows.table import Table, shares_won

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCHEMA = 1
# Attributes of an analysis in its JSON, in this order.
SAVED = (
    *("method", "alpha", "adjust", "ties", "design", "baseline", "bounds", "bounds_inferred"),
    *("n_max", "task", "pooled_tasks", "trials_used", "trials_saved", "trials_unpaired"),
    *("doubts", "warnings", "facts"),
)
# Most pairs that a table for people lists.
MOST_PAIRS = 28
# What the table of tasks beside a mean over tasks is.
TASKS = "Each task by itself (a description: no claim is made about single tasks)"
# What a promise needs where a doubt of this code says that it is not so.
DRAWN = {
    "scores-opposed": "independent scores",
    "stored-worn-out": "stored trials from the conditions of today",
}
# Most policies whose whole order still makes a sentence.
MOST_IN_WORDS = 10


@dataclass(frozen=True, kw_only=True)
class Analysis(Drawn):
    """A ranking of several policies; never changes afterwards.

    With an anytime method, the probability that any declared order is false is at most alpha,
    whenever you stop. An order declared at a tie counts as false unless ``ties`` is "paper".
    ``sentence`` says what the method promises.

    Attributes
    ----------
    policies
        One result per policy, from best to worst: in the decided order, and by mean where that
        leaves it open.
    pairs
        One result per compared pair.
    order_text
        The partial order in words: "A > B, C; B ? C"; with ``equivalence`` also "B = C (within
        0.1)".
    rules
        What was declared; its method, alpha, adjust, baseline, bounds and n_max are attributes of
        the analysis too.
    aligned
        The table of aligned scores on which it rests; its design and task are attributes of the
        analysis too, and ``bounds_inferred`` (bounds taken from the data void the guarantee) and
        ``pooled_tasks`` (if not 0, "better" means "better on some task").
    ties
        "strict" or "paper", as it holds: a method that splits its level itself is always strict.
    doubts
        Signs that the trials are not fresh draws in random order, or not independent where that
        was declared, one clause each.
    warnings
        What was assumed, and what may void the guarantee.
    facts
        What is known of the test itself, such as the certificate of ``step``.
    best
        The policy that was shown to be the best, or None.
    candidates
        Policies that may be the best, from the greatest mean to the least: all that were not shown
        to be worse than another.
    eliminated
        The others, in the order in which that was shown, with the row and who led (or was declared
        better) then.
    futile
        Whether a further decision by n_max has become too unlikely to be worth more trials.
    """

    # What its page is headed, what a study says once there is an answer, and the name under which
    # templates show it.
    ASKS: ClassVar[str] = "Which policy is better?"
    FOUND: ClassVar[str] = "all decided"
    PARTS: ClassVar[str] = "order"

    policies: tuple[PolicyResult, ...]
    pairs: tuple[PairResult, ...]
    order_text: str
    rules: Rules
    aligned: Table = field(repr=False, compare=False)
    ties: str
    doubts: tuple[str, ...]
    warnings: tuple[str, ...]
    facts: tuple[str, ...]
    best: str | None
    candidates: tuple[str, ...]
    eliminated: Mapping[str, Elimination]
    futile: bool = False

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
    pooled_tasks = Delegated[int]("aligned.pooled_tasks", "Number of pooled tasks, 0 if none.")

    @property
    def scores(self) -> Mapping[str, Floats]:
        """The scores of each policy in order, without gaps; read-only. Rows are in ``aligned``.

        Asked for wins: the share of its meetings that each trial has won, a tie counting half.
        """
        table = self.aligned
        if self.rules.by == "wins":
            table = replace(table, scores=shares_won(self.rules.scale.unit(table.scores)))
        return MappingProxyType(table.by_policy)

    @property
    def letters(self) -> dict[str, str]:
        """Letters by policy: two policies share one exactly when they are not told apart."""
        return {policy.name: policy.letters for policy in self.policies}

    @property
    def most_trials(self) -> int | None:
        """The most trials of all policies together, or None without an n_max."""
        if self.n_max is None:
            return None
        groups = self.rules.groups or {}
        return sum(groups.get(name, self.n_max) for name in self.rules.run_policies)

    @property
    def trials_used(self) -> int:
        """Trials that were needed, over all policies."""
        return sum(policy.trials_used for policy in self.policies)

    @property
    def trials_saved(self) -> int:
        """Trials that were not needed, over all policies."""
        return sum(policy.trials_saved for policy in self.policies)

    @property
    def trials_unpaired(self) -> int:
        """Trials that entered no comparison for want of a partner, over all policies."""
        return sum(policy.trials_unpaired for policy in self.policies)

    @property
    def claim_over_tasks(self) -> str | None:
        """What a declared order of several tasks says, in words; None for one task."""
        if self.aligned.mean is not None:
            return self.aligned.mean.claim
        if not self.pooled_tasks:
            return None
        claim = f"{self._claimed} on some of the {self.pooled_tasks} pooled tasks"
        closed = self.adjust == "closed" and len(self.policies) > 2
        if closed or any(pair.implied for pair in self.pairs):
            claim += ", if no two tasks contradict each other"
        return claim

    @property
    def claim_meaning(self) -> str | None:
        """What a declared order says, in words, where it is not simply a higher mean."""
        said = []
        if self.rules.by == "wins":
            met = "on the rows that they share"
            if self.design == "independent":
                met = "if a random trial of each is compared"
            said.append(f"wins more often {met}, whatever the means")
        elif self.rules.lower_is_better:
            said.append("a lower mean")
        if self.claim_over_tasks is not None:
            said.append(self.claim_over_tasks)
        elif self.margin:
            said.append(self._claimed)
        return ", ".join(said) or None

    @property
    def checkpoint_claim(self) -> str:
        """What the claims are about where several trials come from one training run."""
        return (
            f"about the checkpoints of these {self.aligned.training_runs} training runs, not about "
            "what other runs would give"
        )

    @property
    def interval_note(self) -> str:
        """What the intervals of the differences are, and with what probability they hold."""
        if not self.pairs:
            return ""
        if self.adjust == "closed" or not find(self.method).inverts:
            return (
                "Intervals come from a confidence sequence of their own, not from the test: all "
                f"hold together, at all times, with probability {1 - self.alpha:.6g}, and one may "
                "include 0 for a decided pair."
            )
        edge = f"{self.margin:g} lies outside"
        if self.margin > 0:
            edge = f"no difference up to {self.margin:g} lies inside"
        note = f"Intervals are the test inverted: {edge} once the evidence of a pair decides"
        levels = sorted({f"{pair.interval_level:.4g}" for pair in self.pairs})
        if self.adjust == "bonferroni" or len(self.pairs) == 1:
            together = " together" if len(self.pairs) > 1 else ""
            share = 1 - len(self.pairs) * (1 - self.pairs[0].interval_level)
            note += f"; they hold{together}, at all times, with probability {share:.6g}."
        else:
            note += (
                f"; each is a statement about its pair alone, at the level of that pair's decision "
                f"({levels[0]}{f' to {levels[-1]}' if len(levels) > 1 else ''}), at all times."
            )
        if any(pair.implied for pair in self.pairs):
            note += " A decision that follows from others leaves the interval of its pair as it is."
        if any(pair.same for pair in self.pairs):
            note += " Sameness is shown at another level; such an interval may exceed its margin."
        return note

    @property
    def sentence(self) -> str:
        """What was found, in words, with what it rests on."""
        decided, within = sum(pair.decided for pair in self.pairs), self.rules.equivalence
        pairs = f"{decided} of {counted(len(self.pairs), 'pair')} decided"
        ties = "" if self.ties == "strict" else ", assuming no exact ties"
        against = f" against {self.baseline}" if self.baseline is not None else ""
        design = f", {self.design} design" if self.rules.reference is None else ""
        promised = promise(
            self.method,
            f"the chance of any false {'claim' if self.margin < 0 or within else 'order'}",
            self.alpha,
            n_max=self.n_max,
            bounds_inferred=self.bounds_inferred,
        )
        if self.doubts:
            promised = self._doubted(promised, self.doubts[0])
        better, unknown = (">", "?") if self._in_words else ("better", "undecided")
        better = "not worse" if self.margin < 0 else better
        meant = self.claim_meaning
        signs = [] if meant is None else [f"{better} means {meant}"]
        if self.aligned.training_runs:
            signs.append(self.checkpoint_claim)
        if any(pair.same for pair in self.pairs):
            same = "=" if self._in_words else "the same"
            signs.append(f"{same} assumes a difference that stays the same")
        if decided < len(self.pairs):
            signs.append(f"{unknown} does not mean {'worse' if self.margin < 0 else 'equal'}")
        meaning = f" ({'; '.join(signs)})" if signs else ""
        return (
            f"{self._order_in_short}{meaning}: {pairs}{against} with {self._trials_text()}"
            f"{self.futility_clause}; {promised} ({self.method}, {self.adjust}{design}{ties})."
        )

    @property
    def _claimed(self) -> str:
        """What is claimed of a decided pair, with the margin."""
        if self.margin < 0:
            return f"not worse by {-self.margin:g} or more"
        return f"better by more than {self.margin:g}" if self.margin else "better"

    def _doubted(self, promised: str, doubt: str) -> str:
        """Return the promise with what it needs and these trials do not look like."""
        code = doubt.code if isinstance(doubt, Message) else ""
        if code == "scores-together":  # it costs trials, but no guarantee
            return f"{promised}; but {doubt}"
        drawn = DRAWN.get(code, "fresh draws in random order")
        given = "" if self.bounds_inferred else f"for {drawn} "
        looks = "" if code in DRAWN else f"these trials do not look like {drawn}: "
        return f"{given}{promised}; and {looks}{doubt}"

    @property
    def futility_clause(self) -> str:
        """Return that more trials are hardly worth it, or were not, as a clause."""
        if not self.futile:
            return ""
        further = bool(self.eliminated) or any(pair.decided for pair in self.pairs)
        return f"; {futility_text(self.rules.parameters, further=further)}"

    def _trials_text(self) -> str:
        most, stored = self.most_trials, self.rules.stored
        all_trials = f"{sum(own.n for own in self.policies)}"
        if most is not None:
            before = sum((self.rules.groups or {})[name] for name in stored)
            all_trials = f"at most {most - before}{' new' if stored else ''}"
        unpaired = f", {self.trials_unpaired} without a partner" if self.trials_unpaired else ""
        unit = "trials" if self.aligned.mean is None else self.aligned.mean.unit
        old = sum(own.trials_used for own in self.policies if own.name in self.rules.stored)
        stored_text = f" and {counted(old, 'stored one')}" if self.rules.stored else ""
        return f"{self.trials_used - old} of {all_trials} {unit}{stored_text}{unpaired}"

    @property
    def _in_words(self) -> bool:
        """Whether the whole order fits into a sentence."""
        return len(self.policies) <= MOST_IN_WORDS

    @property
    def _order_in_short(self) -> str:
        """The order, or only its top where policies are too many for a sentence."""
        if self._in_words:
            return self.order_text
        if self.margin < 0:
            shown = sum(pair.decided for pair in self.pairs)
            return f"of {len(self.pairs)} policies {shown} not worse than {self.baseline}"
        if self.baseline is not None:
            better = sum(pair.better not in (None, self.baseline) for pair in self.pairs)
            worse = sum(pair.better == self.baseline for pair in self.pairs)
            return (
                f"Of {len(self.pairs)} policies {better} shown to be better than {self.baseline}, "
                f"{worse} worse"
            )
        beaten = {pair.worse for pair in self.pairs if pair.better is not None}
        if not beaten:
            return f"{len(self.policies)} policies, none shown to be better than another"
        top = [policy.name for policy in self.policies if policy.name not in beaten]
        if len(top) > MOST_IN_WORDS:
            return (
                f"{len(self.policies)} policies, {len(top)} of them not shown to be worse than any"
            )
        return f"{len(self.policies)} policies, none shown to be better than {', '.join(top)}"

    @property
    def methods_paragraph(self) -> str:
        """What was done, in words that can go into a paper as they are."""
        return order_paragraph(self)

    @property
    def sorted_pairs(self) -> list[PairResult]:
        """The pairs as people look for them: those of the best policy first."""
        place = {policy.name: index for index, policy in enumerate(self.policies)}
        return sorted(
            self.pairs, key=lambda pair: sorted((place[pair.policy0], place[pair.policy1]))
        )

    @property
    def headline(self) -> str:
        """The answer alone, as one would say it aloud."""
        if not self._in_words:
            return f"{self._order_in_short}."
        beaten: dict[str, list[str]] = {}
        open_: dict[str, list[str]] = {}
        for pair in self.sorted_pairs:
            if pair.decided:
                beaten.setdefault(str(pair.better), []).append(str(pair.worse))
            else:
                open_.setdefault(pair.policy0, []).append(pair.policy1)
        said = [f"{name} is better than {listed(worse)}" for name, worse in beaten.items()]
        said += [f"{name} and {listed(rest)} were not told apart" for name, rest in open_.items()]
        return f"{'; '.join(said)}."

    def decided_otherwise(self, orders: int = 100) -> int | None:
        """Return in how many random orders of the same rows other pairs are decided, if known."""
        return decided_otherwise(self.aligned, self.rules, orders)

    @property
    def bibtex(self) -> str:
        """What to cite with it, for BibTeX."""
        return find(self.method).citation.bibtex

    def table(self) -> list[dict[str, Any]]:
        """Return one row per policy, from best to worst."""
        rows = []
        for policy in self.policies:
            row = {**vars(policy), "interval": tuple(policy.interval)}
            rows.append({"policy": row.pop("name"), **row})
        return rows

    def text_tables(self) -> dict[str, list[dict[str, Any]]]:
        """Return the policies as people read them."""
        rows = [
            {
                "policy": policy.name,
                "n": policy.n,
                "mean" if self.rules.by == "means" else "won": score_text(policy.mean),
                "interval": "[{}, {}]".format(*map(score_text, policy.interval)),
                "letters": policy.letters,
                "used": policy.trials_used,
                "saved": policy.trials_saved,
                **({"no partner": policy.trials_unpaired} if self.trials_unpaired else {}),
            }
            for policy in self.policies
        ]
        pairs = [
            {
                "pair": f"{pair.policy1} - {pair.policy0}",
                "better": f"{pair.finding or 'undecided'}{' (implied)' if pair.implied else ''}",
                "p": f"{pair.p_value:.2g}",
                "difference": interval_text(pair.interval),
                "pairs": pair.n,
            }
            for pair in self.sorted_pairs[:MOST_PAIRS]
        ]
        more = f" (the first {MOST_PAIRS} of {len(self.pairs)})"
        caption = f"Pairs{more if len(self.pairs) > MOST_PAIRS else ''}"
        return {"Policies": rows, caption: pairs, **self.task_tables()}

    def task_tables(self) -> dict[str, list[dict[str, Any]]]:
        """Return what each task shows beside the mean over tasks, where that is asked."""
        mean = self.aligned.mean
        return {} if mean is None else {TASKS: mean.text_rows()}

    def to_dict(self) -> dict[str, Any]:
        """Return the content of ``to_json``."""
        pairs = [
            {
                **plain_values(pair, ("policy0", "policy1", "decision", "implied", "n", "p_value")),
                "e_value": pair.e_value if pair.e_value != math.inf else None,
                "log_e": pair.log_e if pair.log_e != -math.inf else None,
                "interval": list(pair.interval),
                "interval_level": pair.interval_level,
                **plain_values(pair, ("chance", "futile")),
                **({} if pair.p_equivalent is None else {"p_equivalent": pair.p_equivalent}),
            }
            for pair in self.pairs
        ]
        return {
            "schema": SCHEMA,
            "policies": [{**vars(own), "interval": list(own.interval)} for own in self.policies],
            "pairs": pairs,
            "order": self.order_text,
            "sentence": self.sentence,
            **({} if self.rules.equivalence is None else {"equivalence": self.rules.equivalence}),
            **({"lower_is_better": True} if self.rules.lower_is_better else {}),
            **({"by": self.rules.by} if self.rules.by != "means" else {}),
            **({"parameters": dict(self.rules.parameters)} if self.rules.parameters else {}),
            **({} if self.rules.reference is None else {"reference": self.rules.reference}),
            **plain_values(self, SAVED),
            **({"futile": True} if self.futile else {}),
            **({"margin": self.margin} if self.margin else {}),
            **({} if self.aligned.mean is None else {"mean": self.aligned.mean.to_dict()}),
        }

    def to_json(self) -> str:
        """Return the analysis as JSON; the schema is in docs/design/many-policies.md."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)

    def plot_scores(self) -> "Figure":
        """Draw every score, with means, intervals, letters and trials used."""
        return figures.plot_scores(self)

    def plot_evidence(self, kind: str = "p") -> "Figure":
        """Draw p-values ("p") or e-values ("e") against trials."""
        return figures.plot_evidence(self, kind)

    def plot_intervals(self) -> "Figure":
        """Draw the confidence interval of each pair's difference."""
        return figures.plot_intervals(self)

    def plot_ranking(self) -> "Figure":
        """Draw which policies were shown to be better than which."""
        return figures.plot_ranking(self)

    def figures(self) -> dict[str, "Figure"]:
        """Return all figures by the name under which they are saved."""
        drawn = {
            "scores": self.plot_scores(),
            "p_values": self.plot_evidence("p"),
            "intervals": self.plot_intervals(),
            "ranking": self.plot_ranking(),
        }
        if all(pair.log_e is not None for pair in self.pairs):
            drawn["e_values"] = self.plot_evidence("e")
        return drawn

    def figure_note(self) -> str | None:
        """Return which characters of names cannot be drawn here, if any."""
        return font_note(policy.name for policy in self.policies)

    def to_html(self) -> str:
        """Return a self-contained page with tables, figures and a methods paragraph."""
        return report([self])


def report(analyses: Sequence[Analysis], origin: html.Origin | None = None) -> str:
    """Return one self-contained page for several tasks; it says from which files it came."""
    figures = [analysis.figures() for analysis in analyses]
    return html.render(analyses, figures, origin=origin)
