"""A user's own script, checked by ``mypy --strict`` against the installed wheel."""

import stopwise as sw


def trials_needed(scores0: list[float], scores1: list[float]) -> int | None:
    """Return the pair at which the decision falls."""
    test = sw.SequentialTest("nscore", alpha=0.05, n_max=len(scores0))
    for score0, score1 in zip(scores0, scores1, strict=True):
        verdict: sw.Verdict = test.update(score0, score1)
        if verdict.decision is sw.Decision.POLICY1:
            break
    low: float = test.verdict.interval.low
    return test.verdict.n_decided if low > -1 else None


def letters(path: str) -> dict[str, str]:
    """Return the letters of a file of trials."""
    trials: sw.Trials = sw.read_trials(path, bounds=(0, 1))
    return sw.analyze(trials, n_max=50).letters


def power() -> float:
    """Return a simulated power; a wrong type of argument must be an error."""
    simulation: sw.Simulation = sw.simulate("wsr", [[0.0, 1.0]], [[1.0, 1.0]])
    # The ignored error is the check: were it not one, mypy --strict would find the ignore unused.
    sw.SequentialTest(alpha="small")  # type: ignore[arg-type]
    return simulation.rate(1)
