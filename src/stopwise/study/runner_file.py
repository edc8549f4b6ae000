"""The file of a runner: how each policy is started. Nobody but the runner's person may read it."""

import os
import re
import shlex
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml
from pydantic import Field, ValidationError, model_validator

from stopwise.errors import InvalidInput, require
from stopwise.study.plan_errors import faults
from stopwise.study.rubric import PlanPart

PRIVATE = 0o600
TEMPLATE = """\
# How each policy is started. Keep this file from everyone who scores: mode 600, which is checked.
# In a command, {{trial}}, {{code}}, {{task}}, {{condition}} and {{episode}} are filled in. The same
# values, and the name of the policy, are in the environment of the command as STOPWISE_TRIAL and so
# on, STOPWISE_POLICY. What stands in a command can be seen in the list of processes.

time_limit: 120     # seconds, for every policy alike
policies:
{policies}
# token: sw_...     # for a study that another machine serves: a token of role runner
"""
_FIELD = re.compile(r"\{(trial|code|task|condition|episode)\}")


class Way(PlanPart):
    """How one policy is started: by a command."""

    command: str = Field(min_length=1, max_length=10_000)

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        return {"command": value} if isinstance(value, str) else value

    @model_validator(mode="after")
    def _splits(self) -> "Way":
        try:
            words = shlex.split(self.command)
        except ValueError as error:
            raise ValueError(f"the command cannot be read: {error}") from error
        if not words:
            raise ValueError("the command is empty")
        return self

    def words(self, values: Mapping[str, str]) -> list[str]:
        """Return the command as words; what is filled in stays within its word."""
        return [
            _FIELD.sub(lambda field: values[field[1]], word) for word in shlex.split(self.command)
        ]

    @property
    def missing(self) -> str | None:
        """The program, if it cannot be found."""
        program = shlex.split(self.command)[0]
        return None if _FIELD.search(program) or shutil.which(program) else program


class RunnerFile(PlanPart):
    """What a runner needs to know: how to start each policy, for how long, and its token."""

    policies: dict[str, Way] = Field(min_length=1)
    time_limit: float | None = Field(default=None, gt=0, le=1e6)
    token: str | None = None

    @classmethod
    def read(cls, path: Path) -> "RunnerFile":
        """Return the content of a file that no other user of this computer can read."""
        require(path.is_file(), f"there is no {path}")
        require(
            os.name != "posix" or not path.stat().st_mode & 0o077,
            f"others can read {path}, and with it which policy is run: chmod 600 {path}",
        )
        try:
            content = yaml.safe_load(path.read_text(encoding="utf-8"))
            return cls.model_validate(content)
        except (yaml.YAMLError, UnicodeDecodeError) as error:
            raise InvalidInput(f"{path} cannot be read: {error}") from error
        except ValidationError as error:
            place, fault = faults(error)[0]
            raise InvalidInput(f"{path}: {'.'.join(map(str, place))}: {fault}") from error

    def require_all(self, names: Iterable[str]) -> None:
        """Raise unless each of these policies can be started; the message tells no name."""
        lacking = [name for name in names if name not in self.policies]
        require(
            not lacking,
            f"{len(lacking)} of the policies of the study have no entry in the runner's file, "
            "under the name that the plan gives them",
        )
        missing = [way.missing for way in self.policies.values() if way.missing]
        require(
            not missing,
            f"{len(missing)} of the commands in the runner's file start with a program that is "
            "not on this machine",
        )


def write_template(path: Path, names: Iterable[str]) -> None:
    """Write a file to fill in, which only its owner can read."""
    lines = "\n".join(f"  {yaml_name(name)}: echo start it here" for name in names)
    path.touch(mode=PRIVATE, exist_ok=False)
    path.write_text(TEMPLATE.format(policies=lines), encoding="utf-8")


def yaml_name(name: str) -> str:
    """Return a name as a key of YAML, in quotes where it needs them."""
    return str(yaml.safe_dump({name: 0}, allow_unicode=True, width=10**6)).rpartition(": 0")[0]
