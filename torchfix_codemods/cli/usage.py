"""Which options of ``torchfix migrate`` and ``torchfix check`` say nothing together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

STANDARD_INPUT = Path("-")

#: Options of a verification, by their names as parameters.
_OF_VERIFY = (
    *("keep_verified", "device", "max_batches", "max_steps", "max_seconds", "fake_data"),
    *("cpu_shim", "rtol", "each", "bundle", "oracle", "oracle_python", "synthetic", "inputs"),
    "save_inputs",
)


def check_usage(options: Mapping[str, Any], paths: Sequence[Path]) -> None:
    """Refuse options that would be passed over without a word.

    Args:
        options: those of the command, by their names as parameters.
        paths: what the command was called with.
    """
    if STANDARD_INPUT not in paths:
        if options["stdin_filename"] is not None:
            raise click.UsageError("--stdin-filename names what comes from standard input: give -")
    elif len(paths) > 1:
        raise click.UsageError("- stands for standard input: give it alone, without other paths")
    else:
        for option, value in (("verify", "verify_command"), ("since", "since")):
            if options[value] is not None:
                raise click.UsageError(f"--{option} needs files: standard input is none")
        if options["output"] is not None:
            raise click.UsageError("--output needs files: standard input goes to standard output")
    for name in ("diff", "check"):
        if options[name] and options["output"] is not None:
            raise click.UsageError(f"--output writes files, --{name} does not: give one of them")
    if options["verify_command"] is None:
        _without_verify(click.get_current_context())


def check_oracle(options: Mapping[str, Any]) -> None:
    """Refuse the Python of an old torch where no old torch is asked for."""
    if options["oracle_python"] is not None and options["oracle"] is None:
        raise click.UsageError("--oracle-python needs --oracle VERSION")


def check_program(options: Mapping[str, Any]) -> None:
    """Refuse what cannot be done without a program."""
    asked = [name for name in ("synthetic", "inputs") if options[name]]
    if len(asked) > 1:
        raise click.UsageError("--synthetic makes inputs, --inputs has some: give one of them")
    for name in ("oracle", "save_inputs") if asked else ():
        if options[name] is not None:
            option = name.replace("_", "-")
            raise click.UsageError(f"--{option} runs a program: it does not go with --{asked[0]}")


def with_verification(options: dict[str, Any]) -> None:
    """Let ``--synthetic`` and ``--verify`` without a command say each other; so does ``--inputs``.

    Args:
        options: those of the command, by their names as parameters; they are changed.
    """
    has_inputs = options["synthetic"] or options["inputs"] is not None
    if options["verify_command"] == "" and not has_inputs:
        options["synthetic"] = True
    elif has_inputs and options["verify_command"] is None:
        options["verify_command"] = ""


def _without_verify(context: click.Context) -> None:
    for parameter in context.command.params:
        if parameter.name in _OF_VERIFY:
            if context.get_parameter_source(parameter.name) is not ParameterSource.DEFAULT:
                raise click.UsageError(f"{parameter.opts[0]} needs --verify COMMAND")
