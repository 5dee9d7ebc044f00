"""What apply gets for the arguments of a constructor."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchfix_codemods.edit.static_methods import Plan
from torchfix_codemods.rules.autograd.questions.legacy.constructors import ACTIVE


def given_to_apply(called: ast.Call, built: ast.Call, plan: Plan) -> tuple[int | str, ...] | None:
    """What ``apply`` gets for the arguments of the constructor."""
    if called.keywords or any(isinstance(a, ast.Starred) for a in built.args):
        return None
    names = [a.arg for a in plan.parameters]
    places: dict[str, int] = dict(zip(names, range(len(built.args)), strict=False))
    for index, keyword in enumerate(built.keywords, len(built.args)):
        if keyword.arg is None or keyword.arg not in names:
            return None
        places[keyword.arg] = index
    if len(built.args) > len(names) or len(places) < len(names) - len(plan.defaults):
        return None
    result: list[int | str] = []
    if places or not plan.keeps_defaults:
        filled = _defaults_of_inputs(called, plan)
        if filled is None:
            return None
        result += filled
    if _is_active(built.args, built.keywords) and _is_active(called.args):
        # They would be evaluated the other way round.
        return None
    for index, name in enumerate(names):
        if not any(later in places for later in names[index:]):
            break
        if name in places:
            result.append(places[name])
            continue
        default = plan.defaults[index - len(names)]
        if not isinstance(default, ast.Constant):
            return None
        result.append(ast.unparse(default))
    return tuple(result)


def _defaults_of_inputs(called: ast.Call, plan: Plan) -> list[str] | None:
    """The defaults of ``forward`` that a call relies on; None where they cannot be written."""
    missing = (plan.inputs or 0) - len(called.args)
    if any(isinstance(a, ast.Starred) for a in called.args):
        return None
    if missing < 0 or missing > len(plan.input_defaults):
        return None
    filled = plan.input_defaults[len(plan.input_defaults) - missing :]
    if not all(isinstance(default, ast.Constant) for default in filled):
        return None
    return [ast.unparse(default) for default in filled]


def _is_active(args: Sequence[ast.expr], keywords: Sequence[ast.keyword] = ()) -> bool:
    """Whether evaluating arguments may have effects."""
    given = [*args, *(keyword.value for keyword in keywords)]
    return any(isinstance(node, ACTIVE) for root in given for node in ast.walk(root))
