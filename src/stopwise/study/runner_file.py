"""The file of a runner: how each policy is started. Only its owner may read it."""

import os
import re
import shlex
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path
from textwrap import indent
from typing import Annotated, Any

import yaml
from pydantic import AfterValidator, Field, ValidationError, model_validator

from stopwise.errors import InvalidInput, require
from stopwise.files import PRIVATE
from stopwise.study.limits import SECONDS
from stopwise.study.plan_file import faults, template
from stopwise.study.rubric import PlanPart

SERVED = ("ws://", "wss://")
FIELDS = ("trial", "code", "task", "condition", "episode")
_FIELD = re.compile(r"\{(trial|code|task|condition|episode|file)\}")
# What looks like one of them; a variable of a shell does not, nor do numbers or spaces in braces.
_LIKE_A_FIELD = re.compile(r"(?<!\$)\{([A-Za-z_]\w*)\}")


def _splits(command: str) -> str:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ValueError(f"the command cannot be read: {error}") from error
    if not words:
        raise ValueError("the command is empty")
    return command


def _only(*names: str) -> AfterValidator:
    def check(text: str) -> str:
        wrong = next((name for name in _LIKE_A_FIELD.findall(text) if name not in names), None)
        require(wrong is None, f"{{{wrong}}} is not filled in; as it is, write {{ {wrong} }}")
        return text

    return AfterValidator(check)


Text = Annotated[str, Field(max_length=10_000)]
Command = Annotated[Text, AfterValidator(_splits), _only(*FIELDS)]


def filled(command: str, values: Mapping[str, str]) -> list[str]:
    """Return a command as words; what is filled in stays within its word."""
    return [in_place(word, values) for word in shlex.split(command)]


def in_place(text: str, values: Mapping[str, str]) -> str:
    return _FIELD.sub(lambda field: values.get(field[1], field[0]), text)


class PolicySource(PlanPart):
    """How one policy is started: by a command, or answering the robot through the router.

    ``policy`` is the address of a policy server ("ws://..."), a place in a module
    ("package.module:name") or a folder in which LeRobot saved a policy.
    """

    command: Command | None = None
    policy: str | None = Field(default=None, min_length=1, max_length=10_000)

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return {"policy" if value.startswith(SERVED) else "command": value}

    @model_validator(mode="after")
    def _one_of_both(self) -> "PolicySource":
        if (self.command is None) == (self.policy is None):
            raise ValueError("give either a command or a policy")
        return self


class Address(PlanPart):
    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65535)
    api_key: str | None = Field(default=None, min_length=1)


class RunnerFile(PlanPart):
    """What a runner needs to know: how to start each policy, for how long, and its token.

    ``robot`` is the command of the program that asks the router for actions, the same whichever
    policy answers. ``camera`` is a command that films an episode to {file} until it is asked to
    end; ``recording`` is where a file of the episode is afterwards.
    """

    policies: dict[str, PolicySource] = Field(min_length=1)
    time_limit: float | None = Field(default=None, gt=0, le=SECONDS)
    robot: Command | None = None
    camera: Annotated[Text, AfterValidator(_splits), _only(*FIELDS, "file")] | None = None
    recording: Annotated[Text, _only(*FIELDS)] | None = None
    router: Address = Address()
    token: str | None = None

    @classmethod
    def read(cls, path: Path) -> "RunnerFile":
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
        """Raise unless every policy can be started; the message names none."""
        lacking = [name for name in names if name not in self.policies]
        require(
            not lacking,
            f"{len(lacking)} of the policies of the study have no entry in the runner's file, "
            "under the name that the plan gives them",
        )
        commands = [self.robot, self.camera, *(entry.command for entry in self.policies.values())]
        missing = [command for command in commands if command is not None and _missing(command)]
        require(
            not missing,
            f"{len(missing)} of the commands in the runner's file start with a program that is "
            "not on this machine",
        )


def _missing(command: str) -> bool:
    program = shlex.split(command)[0]
    return _FIELD.search(program) is None and shutil.which(program) is None


def write_template(path: Path, names: Iterable[str]) -> None:
    entries = yaml.safe_dump(dict.fromkeys(names, ""), sort_keys=False, allow_unicode=True)
    path.touch(mode=PRIVATE, exist_ok=False)
    text = template("runner.yaml").replace("{policies}", indent(entries, "  ").rstrip())
    path.write_text(text, encoding="utf-8")
