"""The panels of ``--help``: which option stands where, in this order."""

from collections.abc import Sequence
from typing import Any

PANELS = {
    "Start here": "env policy checkpoints load pilot results bounds n_max score scores column html",
    "The question": "baseline reference margin equivalence goal indifference by lower_is_better "
    "not_worse_anywhere alternative rerun later",
    "Several tasks": "tasks task",
    "Reading files": "where at sheet missing success_word seed explain",
    "Which trials meet": "design unit stored list_size scenes correlation",
    "Simulator or judge": "proxy",
    "Planning": "budget gaps policies power minutes_per_trial robots precision",
    "Running": "success executor workers num_cpus num_gpus resources runtime_env "
    "journal on_error timeout interval once wait",
    "The test": "method alpha adjust ties bins futility",
    "Memory": "state versions",
    "Output": "as_json figures junit summary exit_code verbose report_to on_row help",
}
PLACE = {
    name: (number, position)
    for number, names in enumerate(PANELS.values())
    for position, name in enumerate(names.split())
}
TITLES = list(PANELS)
LAST = (len(TITLES) - 1, 0)
# So few options are found without panels.
FEW = 12


def in_panels(parameters: Sequence[Any]) -> list[Any]:
    """Sort the parameters of a command by panel, and tell typer the panel of each."""
    options = [one for one in parameters if one.param_type_name == "option"]
    for option in options:
        if option.is_flag:
            option.metavar = ""  # where typer writes <bool>
    if len(options) <= FEW:
        return list(parameters)
    for option in options:
        option.rich_help_panel = TITLES[PLACE.get(option.name, LAST)[0]]
    arguments = [one for one in parameters if one not in options]
    return arguments + sorted(options, key=lambda option: PLACE.get(option.name, LAST))
