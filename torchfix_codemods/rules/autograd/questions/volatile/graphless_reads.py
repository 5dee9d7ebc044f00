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
from torchfix_codemods.rules.autograd.questions.volatile.flows import flow_of_call
from torchfix_codemods.rules.autograd.questions.volatile.given import is_among
from torchfix_codemods.rules.autograd.questions.volatile.holders import holder_of
from torchfix_codemods.rules.autograd.questions.volatile.uses import moved

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
    calls = _calls_around(use, facts)
    return bool(calls) and all(is_under_no_grad(call, there) for call, there in calls)


def is_used_without_graph(call: ast.Call, facts: Facts) -> bool:
    """Whether a function gives what a call makes back to calls under ``no_grad`` alone, where all
    that is done with it is as well."""
    if not is_among(moved(call, facts), facts):
        return False
    calls = _calls_around(call, facts)
    is_done = bool(calls) and all(_is_done_without_graph(one, there) for one, there in calls)
    if facts.files is not None and any(there is not facts for _, there in calls):
        # Other files may get their blocks in this run.
        facts.files.waits = facts.files.waits or not is_done
    return is_done


def _is_done_without_graph(call: ast.Call, facts: Facts) -> bool:
    flow = flow_of_call(call, facts) if is_under_no_grad(call, facts) else None
    if flow is None:
        return False
    scope = facts.names.scope_of(call)
    return all(
        is_under_no_grad(use, facts) or flow.bindings.isdisjoint(facts.flow.reaching(use))
        for name in {binding.name for binding in flow.bindings}
        for use in facts.names.uses_of(scope, name)
    )


def _calls_around(node: ast.expr, facts: Facts) -> list[tuple[ast.Call, Facts]]:
    """The calls of the function that a node is in, but for its own of itself: ``tuple(repack(v) for
    v in h)``. Empty where one may be out of sight."""
    function = facts.names.enclosing_function(node)
    if facts.files is None or not isinstance(function, ast.FunctionDef):
        return []
    calls = calls_of(facts, facts.files, function)
    return [c for c in calls if function not in c[1].names.ancestors(c[0])]


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


def is_covered(call: ast.Call, facts: Facts) -> bool:
    """Whether all that reads the name of a volatile value records nothing of it anyway, or all that
    a function gives it back to."""
    statement, target = facts.statement(call), holder_of(call, facts)
    if not isinstance(target, ast.Name):
        return is_used_without_graph(call, facts)
    uses = [
        use
        for use in facts.names.uses_of(facts.names.scope_of(statement), target.id)
        if any(binding.node is statement for binding in facts.flow.reaching(use))
    ]
    return bool(uses) and all(records_nothing_there(use, facts) for use in uses)
