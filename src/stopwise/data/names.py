"""Usual names of columns: what a name suggests, whatever the column holds."""

import re
from functools import lru_cache

from stopwise.messages import Message, Setting


def each_of(text: str) -> tuple[str, ...]:
    return tuple(text.split())


# Usual names of outcomes: partial credit, which contains success; success; what was optimised.
PARTIAL = each_of(
    "score progress partial_success task_progress completion partial_score partial_credit "
    "task_score normalized_score q_score final_score total_score"
)
SUCCESS = each_of(
    "success is_success binary_success succeeded successful success_once success_at_end "
    "task_success correct is_correct solved is_solved resolved is_resolved passed goal_reached "
    "completed exact_match success_rate"
)
RETURN = each_of(
    "return episode_return episodic_return eval_return total_return returns reward episode_reward "
    "sum_reward sum_rewards total_reward eval_reward cumulative_reward ep_return ep_reward ep_rew "
    "max_reward final_reward final_return"
)
VERDICT = ("result", "outcome", "verdict")
CHECKPOINTS = ("checkpoint", "ckpt", "checkpoint_path", "ckpt_path", "checkpoint_name")
# What a table with a row for each measure of a trial calls them.
MEASURES = ("metric", "metric_name", "measure", "measurement", "scorer")
SUITES = frozenset(("suite", "task_suite", "task_group", "benchmark"))
RUNS = ("run_name", "run", "arm")
# Names of policies that are one only if there are several, each with several trials.
WEAK = ("condition", "variant", "config", "exp_name", "experiment", "strategy", *RUNS)
STEPS = each_of(
    "step step_num step_idx step_index step_id step_number global_step env_step env_steps "
    "train_step train_steps training_step training_steps total_timesteps num_timesteps epoch "
    "epochs update updates iteration iterations iter frames"
)
# Steps of a training run, if they rise from row to row; else the length of an episode.
RISING = ("steps", "timestep", "timesteps", "time_step", "frame", "t")
NAMES: dict[str, tuple[str, ...]] = {
    "task": each_of(
        "task task_name task_id env_id env_name env task_type suite task_suite task_description "
        "instruction"
    ),
    "policy": (
        *each_of("policy policy_name policy_id model model_name model_id model_label method algo"),
        *each_of("algorithm agent agent_name policy_idx policy_index model_idx model_index"),
        *("agent_id", "agent_idx", *WEAK, *CHECKPOINTS),
    ),
    "trial": each_of(
        "trial trial_id episode episode_id episode_ix episode_idx episode_index rollout "
        "rollout_id trial_number trial_idx trial_#"
    ),
    "score": (*PARTIAL, *SUCCESS, *RETURN, *VERDICT),
    "success": each_of(
        "success is_success binary_success success_once task_success correct is_correct solved "
        "resolved passed"
    ),
    "block": each_of(
        "block block_id paired_block session session_id environment scene scene_id scenario "
        "scenario_index initial_condition env_seed scene_seed eval_seed init_state initial_state "
        "init_state_id init_idx pair_id seed"
    ),
    "seed": each_of(
        "train_seed training_seed model_seed seed_train training_run train_run run run_id"
    ),
    "step": (*STEPS, *RISING, *CHECKPOINTS),
    "time": ("time", "timestamp", "datetime", "started_at", "date"),
    "evaluator": ("evaluator", "evaluator_name", "operator", "rater"),
    "proxy": (),  # never guessed: whether it was fixed before the study no file tells
    "ignore": (),
}
ALL_NAMES = frozenset(
    name for role, names in NAMES.items() for name in names if role != "step" or name in CHECKPOINTS
)
# Names of columns that number the rows, as people and pandas call them.
NUMBERING = frozenset({"", "#", "id", "index", "n", "no", "nr", "number", "pair", "row", "run"})
# Within a longer name, such as "Robot policy".
POLICY_WORDS = frozenset(("policy", "model", "checkpoint", "ckpt"))
# Words in the name of an outcome that does not say whether more of it is better.
UNDIRECTED = frozenset(
    each_of(
        "time times duration durations cost costs error errors steps timesteps distance distances "
        "loss losses collision collisions failure failures fail failed regret violation violations "
        "timeout timeouts penalty drops dropped falls crash crashes crashed intervention "
        "interventions jerk deviation rmse mse mae latency attempts retries resets energy effort "
        "force contacts length lengths misses missed seconds damage deaths aborts aborted stops "
        "unsafe mistakes"
    )
)
DIRECTED = frozenset(
    each_of(
        "success successes successful succeeded score scores progress completion completed credit "
        "reward rewards return returns rew correct solved resolved passed reached accuracy won "
        "wins result outcome verdict preference quality"
    )
)
# Words in the names of outcomes, of partial credit first: nothing that a trial starts with.
CREDIT = frozenset(("score", "progress", "completion", "credit"))
OUTCOMES = DIRECTED | UNDIRECTED | {"subtasks", "free", "reason", "comment", "comments", "notes"}
# Words in the name of a column that says where a trial starts.
STARTS = frozenset(
    each_of(
        "seed scene init initial start pair layout instance scenario question problem doc prompt "
        "sample position pose configuration"
    )
)
# Words in the names of circumstances, which should be the same for all policies.
CIRCUMSTANCES = frozenset(
    each_of(
        "date day time timestamp datetime started operator evaluator rater annotator robot room "
        "lab site station location camera gripper hardware machine host table shift week scene "
        "object session environment"
    )
)
# What a column is called if the file begins with its first trial.
NO_NAME = re.compile(r"[-+]?[\d.]+(e[-+]?\d+)?(_duplicated_\d+)?")


@lru_cache(10_000)
def usual_name(name: str) -> str:
    """Return a name as the usual ones are written: small, with _, without brackets behind."""
    short = re.sub(r"\s*(\([^()]*\)|\[[^\[\]]*\]|[?:*])+$", "", name.strip()) or name.strip()
    words = re.sub(r"[\s-]+", "_", re.sub(r"(?<=[a-z])(?=[A-Z])", "_", short)).lower()
    return words.lstrip("_") or words


def short_name(name: str) -> str:
    """Return the usual name behind that of a group: ``step`` of ``time/step`` and ``info.step``."""
    return usual_name(re.split(r"[/.]", name)[-1] or name)


def is_named(name: str, *roles: str) -> bool:
    """Whether a name is usual for one of the roles, whatever the column holds."""
    return any(usual_name(name) in NAMES[role] for role in roles)


@lru_cache(10_000)
def is_score_name(name: str) -> bool:
    """Whether a name is usual for a score, perhaps behind that of a group: "eval/success"."""
    return bool({usual_name(name), short_name(name)} & set(NAMES["score"]))


@lru_cache(10_000)
def words_of(name: str) -> frozenset[str]:
    """Return the words of a column's name."""
    return frozenset(re.split(r"[^a-z]+", usual_name(name)))


@lru_cache(10_000)
def sounds_like_outcome(name: str) -> bool:
    """Whether a word of the name suggests the outcome of a trial."""
    return is_score_name(name) or bool(OUTCOMES & words_of(name))


def names_scores(name: str) -> bool:
    """Whether a name is usual for a list of scores: that of a score, perhaps of several."""
    short = usual_name(name)
    return any(short.removesuffix(end) in NAMES["score"] for end in ("", "s", "es", "_list"))


def direction_note(column: str, *, chosen: bool = False) -> Message | None:
    """Question whether less is better, if the name of the score leaves it open."""
    words = frozenset(re.split(r"[^a-z]+", re.sub(r"([a-z])([A-Z])", r"\1_\2", column).lower()))
    if "free" in words or not (UNDIRECTED & words or (chosen and not DIRECTED & words)):
        return None
    return Message(
        f"the name {column!r} does not say whether more of it is better: say ",
        Setting("lower_is_better", True),
        " or ",
        Setting("lower_is_better", False),
        code="direction-unknown",
    )
