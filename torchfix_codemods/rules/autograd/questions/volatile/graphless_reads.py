"""Reads of a volatile value that no graph comes of, so that the flag just goes."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.evaluation.parameters import argument_for
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import calls_of
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.named import function_run
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.recording.inputs import recorded_inputs
from torchfix_codemods.facts.recording.no_grad import is_under_no_grad
from torchfix_codemods.rules.autograd.questions.named_data import is_wrapped

#: Through so many functions a value is followed.
_MOST_GIVEN = 2


def is_never_recorded(call: ast.Call, facts: Facts) -> bool:
    """Whether a value goes only where no graph leads on from, as ``mask`` of ``x.masked_fill_(mask,
    0)``, and is read at all."""
    taken: list[Use] = []

    def unrecorded(use: Use) -> Iterable[Place] | None:
        found = _goes_on(use)
        taken.extend([use] if found == () else ())
        return found

    return follow([Place(facts, call)], unrecorded) is None and bool(taken)


def _goes_on(use: Use) -> Iterable[Place] | None:
    """None for what may record a graph of a value; else what has it next."""
    if use.kind in ("asked", "index", "tested"):
        return ()
    if use.kind in ("bound", "item"):
        return [*use.result(), *use.held()]
    by = use.by
    if not isinstance(by, ast.Call) or use.kind not in ("argument", "method"):
        return None
    name, method = use.facts.name(by.func), by.func
    receiver = method.value if name is None and isinstance(method, ast.Attribute) else None
    if name is None and isinstance(method, ast.Attribute):
        name = f"torch.Tensor.{method.attr}" if use.facts.is_tensor(method.value) else None
    if name is None or not torch_effects.is_known(name):
        return None
    if use.kind == "argument":
        return None if use.node in recorded_inputs(by, name, receiver) else ()
    is_alone = recorded_inputs(by, name, receiver) == [receiver]
    return [*use.result(), *use.held()] if is_alone else None


def records_nothing_there(use: ast.Name, facts: Facts) -> bool:
    """Whether a read of a name records no graph: under ``no_grad``, or of its ``.data`` alone.

    Also in a function whose calls are all under ``no_grad``.
    """
    if is_under_no_grad(use, facts) or _only_reads_data(use, facts, _MOST_GIVEN):
        return True
    function = facts.names.enclosing_function(use)
    if facts.files is None or not isinstance(function, ast.FunctionDef):
        return False
    calls = calls_of(facts, facts.files, function)
    return bool(calls) and all(is_under_no_grad(call, there) for call, there in calls)


def _only_reads_data(use: ast.Name, facts: Facts, depth: int) -> bool:
    """``x.data``, ``x.size(0)``, and ``criterion(out, x)`` of a criterion that reads just these."""
    above = facts.parent(use)
    if isinstance(above, ast.Attribute):
        if above.attr in ("data", "detach"):
            # What was detached was volatile as well, until 0.4.
            # By ``Variable(x.data, requires_grad=True)`` something else may train.
            return above.attr == "data" and not is_wrapped(above, facts)
        name = f"torch.Tensor.{above.attr}"
        return torch_effects.has_no_graph(name) and torch_effects.reads_only(name)
    if isinstance(above, ast.Assign):
        # ``x = x``
        return all(isinstance(t, ast.Name) and t.id == use.id for t in above.targets)
    if not isinstance(above, ast.Call) or use not in above.args or depth == 0:
        return False
    if not facts.is_module(above.func):
        # A method may be another one in a subclass.
        return False
    found = function_run(above.func, facts)
    if found is None:
        return False
    there, function = found
    is_bound = there.classes.gets_object(function)
    taking = [
        parameter
        for parameter in (*function.args.posonlyargs, *function.args.args)
        if argument_for(function, parameter, above, is_bound) is use
    ]
    if len(taking) != 1:
        return False
    reads = list(there.names.uses_of(there.names.scopes[function], taking[0].arg))
    return bool(reads) and all(_only_reads_data(read, there, depth - 1) for read in reads)
