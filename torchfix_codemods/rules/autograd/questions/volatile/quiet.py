"""Statements that record no graph of volatile values: all that goes into them has none."""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import TypeGuard

from torchfix_codemods.facts.age.wrapped_variables import volatile_passed_on
from torchfix_codemods.facts.language.arguments import argument, values_given
from torchfix_codemods.facts.language.foreign import calculates_without_graph
from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.in_turn import may_be_replaced
from torchfix_codemods.facts.paths.named import class_named, function_named, is_self
from torchfix_codemods.facts.paths.wrapping import (
    computes_nothing,
    had_no_graph,
    only_moves,
)
from torchfix_codemods.facts.programs.cut_off import cuts
from torchfix_codemods.facts.recording.inputs import recorded_inputs
from torchfix_codemods.facts.values.lattice import (
    Array,
    Method,
    Module,
    Number,
    Packed,
    Tensor,
    Text,
)
from torchfix_codemods.facts.values.torch_api import TYPED_CLASSES
from torchfix_codemods.rules.autograd.questions.graphless.made_of import is_without_graph
from torchfix_codemods.rules.autograd.questions.outcomes.closed import (
    held_in,
    is_closed,
    runs_no_weights,
)
from torchfix_codemods.rules.autograd.questions.volatile.calls import (
    flagged_calls,
    volatile_calls,
)
from torchfix_codemods.rules.autograd.questions.volatile.given import VARIABLE

#: What has no graph, whatever it was read from.
_PLAIN = (Array, Number, Text)


def records_nothing(statement: ast.stmt, flow: Collection[Binding], facts: Facts) -> bool:
    """Whether a statement certainly records no graph, as nothing that goes into it has one.

    ``x = torch.cat([x, x]).cuda()`` of volatile values does not, where ``x = net(x)`` may.

    Args:
        statement: a statement that volatile values flow through.
        flow: all that they are bound to, or what is computed from them.
        facts: the facts of the module.
    """
    if not isinstance(statement, (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)):
        return False
    parts: list[ast.expr] = [statement.target] if isinstance(statement, ast.AugAssign) else []
    if isinstance(statement, ast.Return) and statement.value is not None:
        # What is handed on beside a value was recorded where it was calculated.
        given = held_in(statement.value, facts)
        return all(isinstance(one, ast.Name) or is_graphless(one, flow, facts) for one in given)
    parts = parts if statement.value is None else [*parts, statement.value]
    return all(is_graphless(part, flow, facts) for part in parts)


def is_graphless(node: ast.expr, flow: Collection[Binding], facts: Facts) -> bool:
    """Whether an expression gives what has no graph, and makes none on the way that it keeps."""
    asked: list[ast.expr] = []
    if isinstance(node, ast.Name):
        reaching = facts.flow.reaching(node)
        is_of_flow = bool(reaching) and {*reaching} <= {*flow}
        return is_of_flow or _is_written_out(node, facts) or is_without_graph(node, facts)
    if isinstance(node, ast.Call):
        return _gives_graphless(node, flow, facts)
    if isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.DictComp)):
        asked = [part for given in node.generators for part in (given.iter, *given.ifs)]
        parts = [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]
    elif isinstance(node, ast.IfExp):
        parts, asked = [node.body, node.orelse], [node.test]
    elif isinstance(node, ast.Subscript):
        parts, asked = [node.value], [node.slice]
    elif isinstance(node, ast.Attribute):
        is_kept = isinstance(node.value, ast.Name) and is_without_graph(node, facts)
        is_cut = cuts(node) and all(_only_operates(part, facts) for part in walk(node.value))
        return is_kept or is_cut or is_graphless(node.value, flow, facts)
    elif isinstance(node, ast.Dict):
        parts, asked = node.values, [key for key in node.keys if key is not None]
    elif isinstance(node, (ast.BinOp, ast.Compare, ast.UnaryOp, ast.Tuple, ast.List, ast.Constant)):
        parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
    else:
        return False
    # `range(length)` of what was read of a volatile value is asked of numbers as well.
    is_quiet = all(calls_nothing(part) or is_graphless(part, flow, facts) for part in asked)
    return is_quiet and all(is_graphless(part, flow, facts) for part in parts)


def _only_operates(node: ast.AST, facts: Facts) -> bool:
    """``(x * self.scale).log()``: of operations alone ``.data`` drops the graph at once."""
    if not isinstance(node, ast.Call):
        is_known = isinstance(node, (ast.BinOp, ast.UnaryOp, ast.Name, ast.Attribute, ast.Constant))
        return is_known or isinstance(node, (ast.Subscript, ast.Slice, ast.Tuple))
    method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    if method in method_names(facts.names) or facts.name(node.func) is not None:
        return False
    is_operation = torch_effects.is_recorded(method) and torch_effects.reads_only(method)
    return is_operation or computes_nothing(method)


def _is_written_out(name: ast.Name, facts: Facts) -> bool:
    """``dims`` after ``dims = (True,) if flag else ()``."""
    pending, held = facts.assigned(name) or [], []
    while pending:
        node = pending.pop()
        if isinstance(node, ast.IfExp):
            pending += [node.body, node.orelse]
        elif isinstance(node, ast.Tuple):
            pending += node.elts
            held.append(True)
        else:
            held.append(isinstance(node, ast.Constant))
    return bool(held) and all(held)


def _gives_graphless(call: ast.Call, flow: Collection[Binding], facts: Facts) -> bool:
    name, function = facts.name(call.func), call.func
    if any(keyword.arg in (None, "requires_grad") for keyword in call.keywords):
        return False
    if name == VARIABLE and call.args and had_no_graph(call.args[0], facts):
        return not _cuts_a_graph(call, facts)
    if volatile_passed_on(call, facts.names) is not None:
        return False
    if name in TYPED_CLASSES and facts.era_of(call).before((0, 4)):
        # It took no Variable.
        return all(calls_nothing(given) for given in values_given(call))
    if isinstance(function, ast.Attribute) and computes_nothing(function.attr):
        # Where it goes, and whether that is waited for, has no graph.
        is_quiet = all(calls_nothing(given) for given in values_given(call))
        return is_quiet and is_graphless(function.value, flow, facts)
    if not _goes_into(call, flow, facts) and _gives_plain(call, flow, facts):
        return True
    inputs = _inputs(call, name, facts)
    if not all(
        is_graphless(given, flow, facts) or (given not in inputs and calls_nothing(given))
        for given in values_given(call)
    ):
        return False
    if name is not None and name.startswith("torch."):
        is_packed = isinstance(facts.value(call), Packed)
        return name == VARIABLE or is_packed or torch_effects.is_known(name)
    if facts.names.builtin(function) is not None or calculates_without_graph(name or ""):
        return True
    if only_moves(call, facts):
        return is_graphless(call.args[0], flow, facts)
    if not _is_method_of_value(function, facts):
        return _is_closed(call, facts)
    is_of_tensor = torch_effects.is_known(f"torch.Tensor.{function.attr}")
    tells = torch_effects.tells(function.attr) and calls_nothing(function.value)
    return tells or (is_of_tensor and is_graphless(function.value, flow, facts))


def _gives_plain(call: ast.Call, flow: Collection[Binding], facts: Facts) -> bool:
    """``to_array(sentences)``, and ``to_tensor(to_array(sentences), cuda, volatile)``."""
    value = facts.value(call)
    if isinstance(value, _PLAIN):
        return True
    is_plain = isinstance(value, Tensor) and value.grad is False
    return (
        facts.name(call.func) is None
        and _is_closed(call, facts)
        and all(
            calls_nothing(given) or is_graphless(given, flow, facts) for given in values_given(call)
        )
        # Several may be given back, each of which was wrapped.
        and (is_plain or is_without_graph(call, facts))
    )


def _goes_into(call: ast.Call, flow: Collection[Binding], facts: Facts) -> bool:
    """Whether a volatile value goes into a call, or is made for it: ``to_array(net(x))``."""
    made = {*volatile_calls(facts), *(one for one, _ in flagged_calls(facts))}
    return any(
        (node in made and node is not call)
        or (isinstance(node, ast.Name) and not {*flow}.isdisjoint(facts.flow.reaching(node)))
        for node in walk(call)
    )


def _inputs(call: ast.Call, name: str | None, facts: Facts) -> list[ast.expr]:
    """What a call is given that a graph could lead from: no ``size`` of what torch resizes."""
    function = call.func
    if isinstance(facts.value(call), Packed):
        # Lengths and orders are whole numbers.
        lengths = argument(call, 1, "lengths")
        return [given for given in values_given(call) if given is not lengths]
    if name is not None:
        is_torchs = name.startswith("torch.") and torch_effects.is_known(name)
        return recorded_inputs(call, name, None) if is_torchs else values_given(call)
    if not _is_method_of_value(function, facts):
        return values_given(call)
    return recorded_inputs(call, f"torch.Tensor.{function.attr}", function.value)


def calls_nothing(node: ast.expr) -> bool:
    calls = (each for each in walk(node) if isinstance(each, ast.Call))
    return all(torch_effects.tells(getattr(call.func, "attr", "")) for call in calls)


def _is_method_of_value(function: ast.expr, facts: Facts) -> TypeGuard[ast.Attribute]:
    """``x.float``, and not ``Batch.of`` or ``self.pool``."""
    return (
        isinstance(function, ast.Attribute)
        and not isinstance(facts.value(function), Module)
        and class_named(function.value, facts) is None
        and function_named(function, facts) is None
    )


def _is_closed(call: ast.Call, facts: Facts) -> bool:
    """Whether a call runs a function that is closed, or a layer without weights."""
    if (found := function_named(call.func, facts)) is None:
        return runs_no_weights(call, facts)
    home, function = found
    if isinstance(facts.value(call.func), Method):
        if isinstance(facts.parent(call), ast.Expr):
            # What a method only shows is cut from no graph where it runs under the block.
            return False
        # An object that is handed in may be another one.
        is_own = isinstance(call.func, ast.Attribute) and is_self(facts, call.func.value)
        return is_own and not may_be_replaced(home, function) and is_closed(function, home)
    return is_closed(function, home)


def _cuts_a_graph(made: ast.Call, facts: Facts) -> bool:
    """``Variable(net(x).data, volatile=True)``: what becomes a Variable was cut from a graph."""
    return any(
        (isinstance(node, ast.Attribute) and node.attr in ("data", "detach"))
        or (isinstance(node, ast.Call) and facts.is_module(node.func))
        for given in values_given(made)
        for node in ast.walk(given)
    )
