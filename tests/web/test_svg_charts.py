"""Where the lines of the small charts lie."""

from stopwise.web.responses import CandidateView, CurveView, PairView, TaskView
from stopwise.web.svg_charts import candidate_chart, evidence_chart, interval_chart


def task(*p_values: float, better: str | None = None) -> TaskView:
    curve = CurveView(label="A and B", n=list(range(len(p_values))), p_value=list(p_values))
    pair = PairView(
        policy0="A", policy1="B", better=better, implied=False, n=len(p_values) - 1,
        p_value=p_values[-1], log_e=None, low=-0.2, high=0.8, interval_level=0.95,
        curve=curve,
    )  # fmt: skip
    return TaskView(
        task="t", alpha=0.05, rows=2, n_max=10, decided=False, needed=["A", "B"], sentence=None,
        headline=None, order=None, trials_used=4, trials_saved=0, policies=[], pairs=[pair],
        interval_note=None, goal="order", best=None, candidates=[],
    )  # fmt: skip


def test_a_line_crosses_the_bar_exactly_when_p_is_below_alpha() -> None:
    for p_value, above in ((0.06, False), (0.05, False), (0.04, True), (1e-9, True), (0.0, True)):
        chart = evidence_chart(task(1.0, 0.5, p_value))
        assert (chart.lines[0].end[1] < chart.bar) == above  # the axis of a screen points down
        assert chart.lines[0].end[1] >= 0


def test_trials_are_on_round_numbers() -> None:
    chart = evidence_chart(task(*[1.0] * 48))
    assert [tick.text for tick in chart.ticks_x] == ["0", "10", "20", "30", "40"]
    assert [tick.text for tick in evidence_chart(task(1.0)).ticks_x] == ["0", "1", "2", "3", "4"]


def test_zero_is_in_the_middle_of_the_intervals() -> None:
    chart = interval_chart(task(1.0, 0.5))
    span = chart.bars[0]
    assert span.start < chart.bar < span.end
    assert span.end == chart.right  # the widest end reaches the edge


def test_a_bar_reaches_to_the_last_row_of_a_policy() -> None:
    kinds = {"best": 20, "candidate": 20, "aside": 20, "dropped": 5}
    found = [
        CandidateView(
            policy=kind, last=last, dropped=kind == "dropped", leader=None,
            set_aside=kind == "aside",
        )
        for kind, last in kinds.items()
    ]  # fmt: skip
    content = {"goal": "best", "best": "best", "candidates": found, "rows": 20, "pairs": []}
    chart = candidate_chart(task(1.0).model_copy(update=content))

    wide = chart.right - chart.left
    assert [bar.kind for bar in chart.bars] == ["best", "candidate", "candidate", "dropped"]
    assert chart.bars[2].text == "set aside: needs no more trials"
    for bar, last in zip(chart.bars, kinds.values(), strict=True):
        assert bar.start == chart.left
        assert bar.end == round(chart.left + wide * last / 20, 1)
    assert chart.bars[-1].text == "dropped after round 5"
