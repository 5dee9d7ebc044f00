"""What functions of the project give where they give one number, by what a call passes them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.evaluation.outside import is_set_by_others
from torchfix_codemods.facts.evaluation.parameters import may_take
from torchfix_codemods.facts.evaluation.reached_returns import constants_of, is_left_out, outcome
from torchfix_codemods.facts.evidence.changes import may_be_reshaped
from torchfix_codemods.facts.evidence.proofs import may_be_of_project
from torchfix_codemods.facts.language.arguments import constant, is_opaque, values_given
from torchfix_codemods.facts.language.branches import statements_above
from torchfix_codemods.facts.language.scopes import Binding, Path, part_of
from torchfix_codemods.facts.libraries import torch_effects, torch_table
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.attribute_reads import put_into
from torchfix_codemods.facts.paths.behind import methods_named
from torchfix_codemods.facts.paths.called import named_run
from torchfix_codemods.facts.paths.callers import value_by_all_calls
from torchfix_codemods.facts.paths.in_turn import may_be_replaced
from torchfix_codemods.facts.paths.named import function_named, gets_object_before, run_by_value
from torchfix_codemods.facts.tensors.dimensional import tensors_bound
from torchfix_codemods.facts.tensors.shapes import is_size
from torchfix_codemods.facts.values.lattice import Module, Number, Tensor, Unknown

#: Through so many names, operators and calls a number is followed.
_LONGEST = 8


def is_reduced(node: ast.expr) -> bool:
    """``x.sum()`` without arguments: if ``x`` is a tensor, that is one number."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and torch_table.gives_one_number(node.func.attr)
        and not node.args
        and not node.keywords
    )


def gives_number(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression, if it is a tensor, is one number by the calls that it comes from.

    ``loss, kl = model.losses(x, average=True)``: every method of that name that the project has
    gives 0-dim tensors where it gets that constant.
    """
    return _is_number(facts, node, None, 0)


def method_gives_number(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression calls a method that the project has, and each of that name gives one
    number: ``task.cost(x)`` of whatever task."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    is_own = may_be_of_project(facts.names, node.func.attr)
    return is_own and _call_gives_number(facts, node, (), 0)


def _is_number(facts: Facts, node: ast.expr, call: ast.Call | None, depth: int) -> bool:
    """The same of an expression of the function that ``call`` runs, which may be elsewhere."""
    value = facts.value(node)
    if isinstance(value, Tensor) and value.ndim is not None:
        return value.ndim == 0
    if not isinstance(value, (Tensor, Unknown)) or depth > _LONGEST:
        return False
    if is_reduced(node) and isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        # A method of the project may have the name, and a library of its own may give anything.
        is_own = may_be_of_project(facts.names, node.func.attr)
        return not (is_own or _is_of_own_torch(facts, node.func.value))
    if isinstance(node, ast.UnaryOp):
        return _is_number(facts, node.operand, call, depth + 1)
    if isinstance(node, ast.Attribute) and node.attr == "data":
        return _is_number(facts, node.value, call, depth + 1)
    if isinstance(node, ast.BinOp) and not isinstance(node.op, ast.MatMult):
        sides = [side for side in (node.left, node.right) if not _is_plain(facts, side)]
        return bool(sides) and all(_is_number(facts, side, call, depth + 1) for side in sides)
    if isinstance(node, ast.Name):
        bindings = [] if may_be_reshaped(facts.inference, node) else [*_bindings(facts, node, call)]
        return bool(bindings) and all(
            _binds_number(facts, each, call, depth + 1) for each in bindings
        )
    if isinstance(node, ast.Subscript):
        return _is_kept_number(facts, node, depth + 1)
    if not isinstance(node, ast.Call):
        return False
    calculated = _calculated_with(facts, node)
    if calculated:
        sides = [side for side in calculated if not _is_plain(facts, side)]
        return bool(sides) and all(_is_number(facts, side, call, depth + 1) for side in sides)
    return _call_gives_number(facts, node, (), depth + 1)


def _is_kept_number(facts: Facts, item: ast.Subscript, depth: int) -> bool:
    """``self.losses["total"]``, where the project puts nothing else under that key."""
    if not isinstance(item.value, ast.Attribute) or isinstance(item.slice, (ast.Slice, ast.Tuple)):
        return False
    key = constant(item.slice)
    kept = put_into(facts, item.value.attr, key if isinstance(key, str) else "*") or []
    tensors = [place for place in kept if not _is_plain(place.facts, place.node)]
    return bool(tensors) and all(
        _is_number(place.facts, place.node, None, depth) for place in tensors
    )


def _calculated_with(facts: Facts, call: ast.Call) -> list[ast.expr]:
    """``x`` of ``torch.sqrt(x)`` and of ``x.exp()``, which calculate number by number.

    So it is of ``max(x, 1)``, which gives one of the two.
    """
    if is_opaque(call):
        return []
    if facts.names.builtin(call.func) in ("max", "min") and len(call.args) > 1:
        return values_given(call)
    name = facts.name(call.func)
    if name is not None:
        is_torch = name.startswith("torch.") and torch_effects.is_elementwise(name)
        return values_given(call) if is_torch else []
    method = call.func
    if not isinstance(method, ast.Attribute) or not torch_effects.is_elementwise(method.attr):
        return []
    is_own = may_be_of_project(facts.names, method.attr) or _is_of_own_torch(facts, method.value)
    return [] if is_own else [method.value, *values_given(call)]


def _is_plain(facts: Facts, node: ast.expr) -> bool:
    """``atoms * x.size(0)``: a number of Python, also by all calls of the function."""
    if isinstance(node, ast.UnaryOp):
        return _is_plain(facts, node.operand)
    if isinstance(node, ast.BinOp) and not isinstance(facts.value(node), Number):
        return _is_plain(facts, node.left) and _is_plain(facts, node.right)
    value = facts.value(node)
    by_calls = value_by_all_calls(node, facts) if isinstance(value, Unknown) else value
    return isinstance(by_calls, Number) or is_size(node, facts)


def _is_of_own_torch(facts: Facts, node: ast.expr) -> bool:
    """``torch.ones(2)`` of a project that has a ``torch`` of its own."""
    while isinstance(node, (ast.Attribute, ast.Call, ast.Subscript)):
        node = node.func if isinstance(node, ast.Call) else node.value
    name = facts.name(node) or ""
    return name.startswith(".") and name.lstrip(".").startswith("torch")


def _bindings(facts: Facts, name: ast.Name, call: ast.Call | None) -> Iterator[Binding]:
    """What may bind a name where the call that runs its function decides tests."""
    bindings, function = tensors_bound(facts, name), facts.names.enclosing_function(name)
    if call is None or not isinstance(function, ast.FunctionDef):
        yield from bindings
        return
    bound = facts.classes.gets_object(function)
    constants = constants_of(facts.inference, function, call, {}, bound)
    overwriting = [
        statement
        for statement in statements_above(facts.names, name)
        if isinstance(statement, ast.If)
        and (decided := outcome(statement.test, constants)) is not None
        and _assigns(statement.body if decided else statement.orelse, name.id)
    ]
    for binding in bindings:
        line = getattr(binding.node, "lineno", 0)
        is_overwritten = any(line < statement.lineno for statement in overwriting)
        if not is_overwritten and not is_left_out(facts.inference, function, call, binding.node):
            yield binding


def _assigns(block: list[ast.stmt], name: str) -> bool:
    """Whether a block certainly assigns a name."""
    return any(
        isinstance(target, ast.Name) and target.id == name
        for statement in block
        if isinstance(statement, ast.Assign)
        for target in statement.targets
    )


def _binds_number(facts: Facts, binding: Binding, call: ast.Call | None, depth: int) -> bool:
    value, written = facts.inference.bound(binding), binding.written()
    if isinstance(value, Tensor) and value.ndim is not None:
        return value.ndim == 0
    if isinstance(binding.node, ast.AugAssign):
        return _adds_number(facts, binding.node, binding.name, call, depth)
    if binding.kind != "assign" or not isinstance(value, (Tensor, Unknown)):
        return False
    if written is not None:
        return _tells_number(facts, written) or _is_number(facts, written, call, depth)
    if not isinstance(binding.value, ast.Call):
        return False
    return _call_gives_number(facts, binding.value, binding.path, depth)


def _tells_number(facts: Facts, node: ast.expr) -> bool:
    """``x.numel()``, a number of Python if x is a tensor."""
    method = node.func if isinstance(node, ast.Call) and not values_given(node) else None
    if not isinstance(method, ast.Attribute) or not torch_effects.tells(method.attr):
        return False
    return not may_be_of_project(facts.names, method.attr)


def _adds_number(
    facts: Facts, statement: ast.AugAssign, name: str, call: ast.Call | None, depth: int
) -> bool:
    """Whether ``loss += x.mean()`` adds one number to one number."""
    before = [b for b in facts.flow.reaching_before(statement, name) if b.node is not statement]
    tensors = [each for each in before if not isinstance(facts.inference.bound(each), Number)]
    if depth > _LONGEST or not before or isinstance(statement.op, ast.MatMult):
        return False
    added = statement.value
    # What starts as a number is a tensor once one was added.
    is_one = (bool(tensors) and _is_plain(facts, added)) or _is_number(
        facts, added, call, depth + 1
    )
    return is_one and all(_binds_number(facts, each, call, depth + 1) for each in tensors)


def _call_gives_number(facts: Facts, call: ast.Call, path: Path, depth: int) -> bool:
    """Whether what a call gives at a place is one number, whichever function it runs.

    ``criterion(output, target)`` of a parameter is what all calls in the project make it.
    """
    if not path and isinstance(call.func, ast.Name):
        given = facts.inference.called(value_by_all_calls(call.func, facts), call)
        if isinstance(given, Tensor) and given.ndim is not None:
            return given.ndim == 0
    numbers, may_be_run = list[bool | None](), False
    for there, function in _functions_called(facts, call):
        is_bound = gets_object_before(there, function, call, facts)
        # Of ``cost(*args)``, and of ``Trainer.cost(x)``, nothing tells which of its ways are gone.
        is_plain = not is_opaque(call) and is_bound is there.classes.gets_object(function)
        numbers.append(_gives_number(there, function, call if is_plain else None, path, depth))
        may_be_run = may_be_run or may_take(function, call, is_bound)
    return may_be_run and True in numbers and False not in numbers


def _functions_called(facts: Facts, call: ast.Call) -> Iterator[tuple[Facts, ast.FunctionDef]]:
    """What a call may run: of a method, all in the project that have its name."""
    found = function_named(call.func, facts)
    if found is None:
        # ``forward`` of a module, or of each that it may be; ``__call__`` of another object.
        run = _runs(facts, call.func)
        is_certain = not any(may_be_replaced(*each) for each in run)
    else:
        run, is_certain = [found], not isinstance(found[0].parent(found[1]), ast.ClassDef)
    if run and is_certain:
        yield from run
    elif isinstance(call.func, ast.Attribute) and facts.name(call.func) is None:
        if not torch_table.is_method(call.func.attr):
            yield from methods_named(facts, call.func.attr)


def _runs(facts: Facts, called: ast.expr) -> list[tuple[Facts, ast.FunctionDef]]:
    """What a call of a module, or of another object, runs; of one of several modules, each.

    Nothing where one of them is none of the project.
    """
    value = facts.value(called)
    either = value.either if isinstance(value, Module) else ()
    run = [run_by_value(one, facts) for one in either] or [named_run(called, facts)]
    return [each for each in run if each is not None] if None not in run else []


def _gives_number(
    facts: Facts, function: ast.FunctionDef, call: ast.Call | None, path: Path, depth: int
) -> bool | None:
    """Whether a function gives a number there; None where it gives no tensor: ``return 0``."""
    is_replaced = facts.files is not None and is_set_by_others(facts.inference, function.name)
    if is_replaced or facts.classes.is_wrapped(function):
        return False
    given = []
    for exit_ in facts.inference.exits.get(function, ()):
        if not isinstance(exit_, ast.Return):
            return False
        if exit_.value is None:
            continue
        if call is not None and is_left_out(facts.inference, function, call, exit_):
            continue
        if isinstance(facts.value(exit_.value), Number):
            continue
        part = part_of(exit_.value, path)
        given.append(part is not None and _is_number(facts, part, call, depth))
    return all(given) if given else None
