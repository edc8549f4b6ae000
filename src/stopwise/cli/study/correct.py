"""``stopwise study correct``: a score that was entered wrongly."""

from typing import Annotated

import typer

from stopwise.cli.study.session import Place, Who, opened, person

__all__ = ["correct"]


def correct(
    trial: Annotated[int, typer.Argument(help="The number of the trial.")],
    score: Annotated[str, typer.Argument(help="As typed in `run`, e.g. y, 0.5, all or '1 2'.")],
    place: Place = ".",
    reason: Annotated[str, typer.Option(help="How the wrong score came about.")] = "",
    who: Who = None,
) -> None:
    """Replace a score that was entered wrongly; the report shows both after unblinding."""
    from stopwise.cli.study.answers import in_words, parse_answer

    with opened(place, "correct") as study:
        answer = parse_answer(study.rubric(trial), score)
        study.correct(trial, answer, reason, who=person(who))
    typer.echo(f"corrected: trial {trial}, {in_words(answer)}")
