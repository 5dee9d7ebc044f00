"""Tensors beside which a new one can be made: those that a method of a module is given."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Sequence

from torchfix_codemods.facts.language.arguments import argument
from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries.torch_names import VARIABLE
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.origins import come_from
from torchfix_codemods.facts.programs.placement import before_on_cpu
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.rules.devices.questions.flags.cuda_flags import (
    is_cuda_available,
    mentions_cuda,
)
from torchfix_codemods.rules.devices.questions.named.beside_weights import (
    given_to_weights,
    goes_to_weights,
    is_tensor_given,
    stays_in_place,
)
from torchfix_codemods.rules.devices.questions.named.calculated_with import (
    is_calculated_with,
    is_read_as_numbers,
)
from torchfix_codemods.rules.devices.questions.named.there import is_there


def tensor_at_hand(call: ast.Call, facts: Facts) -> str | None:
    """A parameter of the module's method around ``call``, which moves a tensor from the CPU."""
    assert isinstance(call.func, ast.Attribute)
    moved = call.func.value
    if is_new_tensor(moved, facts):
        return tensor_beside(call, facts)
    # To follow it back takes longer than to look at the parameters.
    neighbour = tensor_beside(call, facts)
    return neighbour if neighbour and come_from([Place(facts, moved)], _before_here) else None


def tensor_with_weights(call: ast.Call, facts: Facts) -> str | None:
    """A parameter that lies with the weights to which ``call`` moves a tensor."""
    method, beside = facts.names.enclosing_function(call), _tensors_beside(call, facts)
    known = given_to_weights(method, facts) if beside and method is not None else ()
    with_weights = [name for name in beside if name in known]
    is_on_its_way = bool(with_weights) and goes_to_weights(call, facts)
    return _best_beside(call, with_weights) if is_on_its_way else None


def _before_here(place: Place) -> Iterable[Place] | None:
    """None for what may be elsewhere than on the CPU, or what the function is given."""
    bindings = place.facts.flow.reaching(place.node) if isinstance(place.node, ast.Name) else ()
    is_given = any(binding.kind == "parameter" for binding in bindings)
    return None if is_given else before_on_cpu(place)


def tensor_beside(node: ast.AST, facts: Facts) -> str | None:
    """A parameter of the module's method around ``node`` that is certainly a tensor."""
    beside = _tensors_beside(node, facts)
    return _best_beside(node, beside) if beside else None


def _best_beside(node: ast.AST, beside: Sequence[str]) -> str:
    """Best the one whose size the new tensor has."""
    named = {part.id for part in ast.walk(node) if isinstance(part, ast.Name)}
    return next((name for name in beside if name in named), beside[0])


def _tensors_beside(node: ast.AST, facts: Facts) -> list[str]:
    """The parameters of the module's method around ``node`` that certainly are tensors."""
    method = facts.names.enclosing_function(node)
    owner = None if method is None else facts.parent(method)
    if method is None or not isinstance(owner, ast.ClassDef) or method.name == "__init__":
        return []
    if facts.classes.kind(owner) != "module":
        return []
    found = facts.remembered(("tensors given", method), lambda: _tensors_given(method, facts))
    kept = [own for own, change in found if change is None or _is_above(node, change, facts)]
    there = [own for own in kept if is_there(own.name, [own], node, facts)]
    if len(there) > 1:
        there = [own for own in there if _is_calculated_with(own, facts)] or there
    return [own.name for own in there]


def _is_above(node: ast.AST, change: ast.AST, facts: Facts) -> bool:
    """Whether ``node`` has run before a parameter gets something else."""
    statement = facts.statement(node)
    is_repeated = any(
        isinstance(around, (ast.For, ast.While)) for around in facts.names.ancestors(statement)
    )
    last = statement.end_lineno or statement.lineno
    return not is_repeated and last < _line(change)


def _tensors_given(
    method: ast.FunctionDef | ast.AsyncFunctionDef, facts: Facts
) -> list[tuple[Binding, ast.AST | None]]:
    """The parameters of a method that are certainly tensors where its weights are.

    Returns:
        Each with the first place that gives it what may lie elsewhere, if there is one.
    """
    names = {parameter.arg for parameter in method.args.args[1:]}
    if any(_is_moved_in(method, name, ("cuda", "to")) for name in names):
        # The parameters come from the CPU: where they are does not tell where the weights are.
        return []
    scope = facts.names.scopes[method]
    found = []
    for parameter in method.args.args[1:]:
        name = parameter.arg
        if _stays_on_cpu(method, name) or _is_moved_in(method, name, ("cpu",)):
            continue
        own, *changes = scope.bindings[name]
        moving = [each.node for each in changes if not _lies_there_still(each, facts)]
        uses = scope.uses.get(name, [])
        if is_tensor_given(name, method, uses, facts) and _may_lie_there(own, facts):
            found.append((own, min(moving, key=_line, default=None)))
    return found


def _may_lie_there(binding: Binding, facts: Facts) -> bool:
    """Whether a parameter is more than numbers for Python, as lengths are."""
    return not is_read_as_numbers(facts, binding) or _is_calculated_with(binding, facts)


def _is_calculated_with(binding: Binding, facts: Facts) -> bool:
    return facts.remembered(
        ("calculated with", binding.node), lambda: is_calculated_with(facts, binding)
    )


def _line(node: ast.AST) -> int:
    return getattr(node, "lineno", 0)


def _lies_there_still(binding: Binding, facts: Facts) -> bool:
    """Whether a parameter gets a part or a view of itself: ``x = x.view(-1).data``."""
    value = binding.written() if binding.kind == "assign" else None
    while value is not None and not isinstance(value, ast.Name):
        if isinstance(value, ast.Subscript):
            value = value.value
        elif isinstance(value, ast.Attribute):
            value = value.value if stays_in_place(value.attr) else None
        elif not isinstance(value, ast.Call):
            return False
        elif facts.name(value.func) == VARIABLE and value.args:
            value = value.args[0]
        elif isinstance(value.func, ast.Attribute):
            value = value.func if stays_in_place(value.func.attr) else None
        else:
            return False
    return value is not None and value.id == binding.name


def follows_input(test: ast.expr, device: str, node: ast.AST, facts: Facts) -> bool:
    """Whether a flag only says where the input of a module's method lies, as ``device`` does.

    Args:
        test: what a guard asks: ``self.use_cuda``.
        device: the code of a device: ``x.device``.
        node: where it is used.
        facts: the facts of the module.
    """
    method = facts.names.enclosing_function(node)
    owner = None if method is None else facts.parent(method)
    if method is None or not isinstance(owner, ast.ClassDef):
        return False
    if facts.classes.kind(owner) != "module" or not _is_flag(test, facts):
        return False
    return any(device == f"{parameter.arg}.device" for parameter in method.args.args[1:])


def _is_flag(test: ast.expr, facts: Facts) -> bool:
    if is_cuda_available(test, facts):
        return True
    return isinstance(test, (ast.Name, ast.Attribute)) and mentions_cuda(test)


def _is_moved_in(function: ast.AST, name: str, moves: Collection[str]) -> bool:
    """Whether a function moves one of its parameters: ``x.cuda()``, ``x.float().to(device)``."""
    return any(
        _is_made_from(node.func.value, name)
        for node in ast.walk(function)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in moves
    )


def _is_made_from(node: ast.expr, name: str) -> bool:
    """Whether an expression is a parameter or what its methods and ``Variable`` make of it.

    So is ``(y[t] if is_teacher else top)``, which may be.
    """
    while not isinstance(node, ast.Name):
        if isinstance(node, ast.IfExp):
            return _is_made_from(node.body, name) or _is_made_from(node.orelse, name)
        if isinstance(node, (ast.Attribute, ast.Subscript)):
            node = node.value
        elif isinstance(node, ast.Call) and last_name(node.func) == "Variable" and node.args:
            node = node.args[0]
        elif isinstance(node, ast.Call):
            node = node.func
        else:
            return False
    return node.id == name


def _stays_on_cpu(function: ast.AST, name: str) -> bool:
    """Whether a parameter has to be on the CPU: numpy's, or the lengths of a packed sequence."""
    for node in ast.walk(function):
        if not isinstance(node, ast.Call):
            continue
        if last_name(node.func) == "numpy" and _is_made_from(node.func, name):
            return True
        if last_name(node.func) == "pack_padded_sequence":
            lengths = argument(node, 1, "lengths")
            parts = () if lengths is None else ast.walk(lengths)
            if any(isinstance(part, ast.Name) and part.id == name for part in parts):
                return True
    return False


def is_new_tensor(node: ast.expr, facts: Facts) -> bool:
    """Whether a tensor is made here, so on the CPU.

    ``torch.zeros(…)``, also wrapped or followed by methods.
    """
    while isinstance(node, ast.Call):
        name = facts.name(node.func)
        if name == VARIABLE and node.args:
            node = node.args[0]
        elif name is not None:
            function = name.rpartition(".")[2]
            return name.startswith("torch.") and (
                function in torch_api.FACTORIES
                or function in torch_api.LEGACY_TYPES
                or function in torch_api.MAKERS
            )
        elif isinstance(node.func, ast.Attribute):
            node = node.func.value
        else:
            return False
    return False
