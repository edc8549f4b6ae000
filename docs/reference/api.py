"""Hook of the site: one page of all public names, from their docstrings."""

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

import stopwise

__all__ = ["on_files", "page"]

# Titles by the layer that a name lives in, in the order in which a reader meets them.
SECTIONS = {
    "core": "One comparison",
    "data": "Trials from files and frames",
    "questions": "Many policies",
    "planning": "Planning",
    "study": "Live studies",
    "web": "Live studies over the network",
    "rollout": "Races",
    "report": "Figures",
    "errors": "Errors",
}
# Not names of the package themselves, but a reader of these names needs them.
BESIDE = {
    "ForecastResult": ["planning.forecast_result.PairForecast"],
    "PlanResult": [
        "planning.plan_result.PlanRow",
        "planning.plan_result.Detectable",
    ],
    "SequentialTest": ["core.rules.Rules"],
    "Study": ["web.client.StudyClient"],
    "step_design": ["core.step.design.StepDesign"],
}


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the page to the site."""
    files.append(File.generated(config, "reference/api.md", content=page()))
    return files


def page() -> str:
    """Each public name once, under the layer that it lives in."""
    homes = {name: stopwise._HOMES[name].partition(".")[0] for name in stopwise.__all__}
    layers = [*SECTIONS, *sorted(set(homes.values()) - set(SECTIONS))]
    parts = [
        "# Python API",
        "Everything public is a name of `stopwise`; what lies below it in the package may change.",
    ]
    for layer in layers:
        names = [name for name in stopwise.__all__ if homes[name] == layer]
        if names:
            parts.append(f"## {SECTIONS.get(layer, layer.capitalize())}")
            for name in names:
                parts += [f"::: stopwise.{path}" for path in [name, *BESIDE.get(name, [])]]
    return "\n\n".join(parts) + "\n"
