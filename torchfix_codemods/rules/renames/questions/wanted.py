"""What is wanted of the result of a call."""

from __future__ import annotations

import ast

from torchfix_codemods.catalogue.rows import Call
from torchfix_codemods.facts.age.era import Version
from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import others_with
from torchfix_codemods.facts.tensors.defaults import is_converted, may_change_default_type
from torchfix_codemods.facts.tensors.integers import is_no_int, is_used_as_index
from torchfix_codemods.rules.renames.questions.needed_numbers import needs_number

#: The first torch that calculates with tensors of two dtypes, and divides whole numbers exactly.
_PROMOTING = (1, 5)


def is_unchanged(row: Call, call: ast.Call, facts: Facts, target: Version | None = None) -> bool:
    """Whether what is done with a result makes it the same, whichever form gives it.

    Args:
        row: what the call is of.
        call: the call.
        facts: the facts of the module.
        target: the torch that the code has to run on; None: today's.
    """
    is_promoting = target is None or target >= _PROMOTING
    return (
        (row.dtype_only and _may_want_its_dtype(call, facts, is_promoting))
        or (row.used and isinstance(facts.parent(call), ast.Expr))
        or (row.was_number and not needs_number(facts, call))
        or (row.unless_converted and is_converted(call, facts))
        or (row.run_by != "" and _is_never_run(row.run_by, facts))
    )


def _is_never_run(method: str, facts: Facts) -> bool:
    """Whether a method is called in the project, and given nothing by any of its calls.

    What is not called in sight may be run by a library.
    """
    nodes = [
        (there, node)
        for there in (facts, *others_with(method, facts))
        for node in there.names.attributes(method)
    ]
    calls = [there.parent(node) for there, node in nodes]
    return bool(calls) and all(
        isinstance(call, ast.Call) and call.func is node and not (call.args or call.keywords)
        for call, (_, node) in zip(calls, nodes, strict=True)
    )


def _may_want_its_dtype(call: ast.Call, facts: Facts, is_promoting: bool) -> bool:
    """Whether a result is converted at once, or used as what only whole numbers can be.

    Of floats, ``torch.arange(0, 1, 0.1)``, ``torch.arange(n + 0.1)``, it has the dtype that it had.
    """
    is_range = facts.name(call.func) == "torch.arange"
    return (
        any(is_no_int(facts, argument) for argument in values_given(call))
        or is_converted(call, facts, is_whole=is_promoting and is_range)
        or is_used_as_index(facts, call)
        or may_change_default_type(facts)
    )
