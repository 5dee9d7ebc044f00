"""The command that runs the user's program, taken apart so that it can run in a Python of ours."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path

from torchfix_codemods.record import record

#: Options of Python that stand alone, and those that take a value.
_FLAGS = frozenset("-u -B -E -s -S -I -O -OO -q -v -d -b -bb".split())
_VALUED = frozenset(["-W", "-X"])


class CommandError(ValueError):
    """The command cannot be run; the message says why."""


@record
class Command:
    """A Python program and its arguments."""

    python: str
    """The interpreter."""
    kind: str
    """``script``, ``module`` or ``code``."""
    target: str
    """The script's path, the module's name or the code."""
    args: tuple[str, ...] = ()
    environment: Mapping[str, str] = field(default_factory=dict)
    """Variables set in front of the command."""
    words: tuple[str, ...] = ()
    """The command as it was given."""

    def __str__(self) -> str:
        return shlex.join(self.words)


def parse_command(words: Sequence[str] | str) -> Command:
    """Take a command apart.

    Args:
        words: ``python train.py --epochs 1``, ``python -m pytest tests``, ``pytest tests`` or any
            other script with a Python in its first line, as one string or as words.

    Raises:
        CommandError: it is none of these.
    """
    given = _split(words) if isinstance(words, str) else tuple(words)
    rest = list(given)
    environment = {}
    while rest and "=" in rest[0] and rest[0].split("=", 1)[0].isidentifier():
        name, value = rest.pop(0).split("=", 1)
        environment[name] = value
    if not rest:
        raise CommandError("there is no command to run")
    program = rest.pop(0)
    if not Path(program).name.startswith(("python", "pypy")):
        python, script = _console_script(program)
        return Command(python, "script", script, tuple(rest), environment, given)
    python = _found(program)
    while rest and (rest[0] in _FLAGS or rest[0][:2] in _VALUED):
        flag = rest.pop(0)
        if flag in _VALUED and rest:
            rest.pop(0)
    if not rest:
        raise CommandError(f"{shlex.join(given)!r} starts no program")
    first = rest.pop(0)
    if first in ("-m", "-c"):
        if not rest:
            raise CommandError(f"{shlex.join(given)!r} starts no program")
        kind = "module" if first == "-m" else "code"
        return Command(python, kind, rest[0], tuple(rest[1:]), environment, given)
    if first.startswith("-"):
        raise CommandError(f"the option {first} of Python is not known here")
    return Command(python, "script", first, tuple(rest), environment, given)


def _split(words: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(words))
    except ValueError as error:
        reason = str(error)
        raise CommandError(
            f"{words!r} cannot be taken apart: {reason[:1].lower()}{reason[1:]}"
        ) from error


def _found(program: str) -> str:
    path = shutil.which(program)
    if path is None:
        raise CommandError(f"{program} is not found")
    return os.path.abspath(path)


def _console_script(program: str) -> tuple[str, str]:
    """The interpreter and the path of a program that is written in Python."""
    path = _found(program)
    try:
        with open(path, "rb") as file:
            first = file.readline(300)
    except OSError as error:
        raise CommandError(f"{program} cannot be read: {error.strerror}") from error
    words = first[2:].decode("utf-8", "replace").split() if first.startswith(b"#!") else []
    if words and Path(words[0]).name == "env":
        words = words[1:]
    if not words or not Path(words[0]).name.startswith(("python", "pypy")):
        raise CommandError(
            f"{program} is not a Python program; give the command as `python …` or `python -m …`"
        )
    return _found(words[0]), path
