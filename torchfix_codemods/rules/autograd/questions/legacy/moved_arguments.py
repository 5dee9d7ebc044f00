"""Where what a constructor takes goes when a legacy function is called by ``apply``."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rules.autograd.questions.legacy.constructors import names_taken


def said_of_constructor(
    constructor: ast.FunctionDef,
    forward: ast.FunctionDef,
    backward: ast.FunctionDef | None,
    facts: Facts,
) -> str:
    """What there is to do with a constructor.

    Args:
        constructor: it does something.
        forward: the method of the same class.
        backward: another, which returns a gradient for each argument; None where there is none.
        facts: what is known of the file.
    """
    arguments = constructor.args
    if is_without_arguments(constructor):
        return "what __init__ does moves into forward"
    rest = forward.args.vararg
    place = "behind the inputs" if rest is None else f"in front, as forward takes *{rest.arg}"
    parts = [
        f"what __init__ takes goes to apply {place}{_as_one(arguments, rest)}",
        f"what it does into forward{_other_names(arguments, forward, facts)}",
    ]
    defaults = _without_defaults(arguments, forward.args)
    if defaults:
        parts.append(defaults)
    if backward is not None:
        where = "" if rest is None else " in front"
        parts.append(f"and backward returns None{where} for each such argument")
        if where and any(
            isinstance(part, ast.Attribute) and part.attr == "needs_input_grad"
            for part in ast.walk(backward)
        ):
            parts.append("whose flags come first in needs_input_grad")
    return ", ".join(parts)


def is_without_arguments(constructor: ast.FunctionDef) -> bool:
    """Whether a constructor takes nothing but ``self``."""
    taken = constructor.args
    return not (taken.args[1:] or taken.vararg or taken.kwonlyargs or taken.kwarg)


def _as_one(arguments: ast.arguments, rest: ast.arg | None) -> str:
    """``apply`` takes no keywords, and one ``*args`` only."""
    if arguments.kwarg is not None:
        return f" ({arguments.kwarg.arg} as one dict)"
    if arguments.vararg is not None and (rest is not None or arguments.kwonlyargs):
        return f" ({arguments.vararg.arg} as one tuple)"
    return ""


def _other_names(arguments: ast.arguments, forward: ast.FunctionDef, facts: Facts) -> str:
    given = [*arguments.args[1:], *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    taken = names_taken(forward, facts)
    shared = [a.arg for a in given if a is not None and a.arg in taken]
    if not shared:
        return ""
    return f" (with {'another name' if len(shared) == 1 else 'other names'} for " + (
        f"{' and '.join(shared)}, which forward has already)"
    )


def _without_defaults(arguments: ast.arguments, inputs: ast.arguments) -> str:
    """What follows of a default in front of an argument that is always given."""
    if inputs.vararg is not None:
        return "each call gives all of that" if arguments.defaults else ""
    if not inputs.defaults:
        return ""
    if len(arguments.defaults) >= len(arguments.args) - 1 and None not in arguments.kw_defaults:
        return "each call that gives some of that gives all inputs"
    return "each call gives all inputs, whose defaults go"
