"""What has the dimensions of a result, wherever it goes: names, lists, functions, calculations."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from torchfix_codemods.facts.language.arguments import (
    argument,
    is_opaque,
    values_given,
    whole_number,
)
from torchfix_codemods.facts.language.nodes import indices
from torchfix_codemods.facts.libraries import container_methods, torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.behind import calls_in_sight
from torchfix_codemods.facts.paths.graph import Place, Use, use_of
from torchfix_codemods.facts.tensors.least_dimensions import operated
from torchfix_codemods.facts.tensors.reductions import function_of, of_same_shape, source_of
from torchfix_codemods.facts.values.lattice import Number, ndim_of
from torchfix_codemods.rules.losses.questions.dimensions.operands import (
    adds_no_dimension,
    made_by,
)
from torchfix_codemods.rules.losses.questions.shown_dimensions import shown_dimensions

FUNCTIONS = frozenset(
    f"torch.nn.functional.{name}" for name in ("softmax", "log_softmax", "softmin")
)

Widens = Callable[[Facts, ast.expr], bool]


def shaped_alike(use: Use, widens: Widens) -> Iterable[Place]:
    """What is made of a value, and has its shape, or is cut along its dimensions.

    Args:
        use: what takes the value.
        widens: tells of an expression whether it only gives its input more dimensions, none of
            them in the way of the one that is asked for.
    """
    facts, by = use.facts, use.by
    if use.kind == "attribute" and isinstance(by, ast.Attribute):
        return use.result() if of_same_shape(facts, by) is use.node else ()
    if use.kind in ("argument", "method") and isinstance(by, ast.Call):
        if container_methods.keeps_whole(function_of(by)):
            return use.held()
        is_kept = of_same_shape(facts, by) is use.node or is_elsewhere(facts, by, use)
        found = operated(facts, by)
        is_kept = is_kept or (found is not None and found[1] is use.node and widens(facts, by))
        is_kept = is_kept or _keeps(use, _operands(facts, by), widens)
        is_kept = is_kept or _is_kept_by_lambda(use, by)
        return use.result() if is_kept else use.taken()
    if use.kind == "returned":
        return _returned(use)
    if use.kind == "element":
        return use.result()
    if use.kind == "item" and isinstance(by, ast.Subscript):
        is_cut = all(isinstance(part, ast.Slice) for part in indices(by.slice))
        return use.result() if is_cut else ()
    if use.kind == "operand":
        sides = [by.left, by.right] if isinstance(by, ast.BinOp) else []
        return use.result() if _keeps(use, sides, widens) else ()
    if use.kind == "chosen" and isinstance(by, ast.IfExp):
        return use.result()
    if use.kind == "added" and isinstance(by, ast.AugAssign):
        return use.held() if _begins_as_number(facts, by) else ()
    if use.kind == "bound":
        is_named = all(isinstance(target, ast.Name) for target, _ in use.targets())
        return use.held() if is_named else ()
    return ()


def _begins_as_number(facts: Facts, addition: ast.AugAssign) -> bool:
    """Whether a total has the shape of what is added: it begins as a number, and whatever else is
    added to it has the same shape.
    """
    target = addition.target
    if not isinstance(target, ast.Name) or not isinstance(addition.op, ast.Add):
        return False
    for binding in facts.flow.reaching_before(addition, target.id):
        if isinstance(binding.node, ast.AugAssign):
            other = binding.node.value
            if binding.node is not addition and not _is_of_same(facts, addition.value, other):
                return False
        elif binding.value is None or not isinstance(facts.value(binding.value), Number):
            return False
    return True


def _is_of_same(facts: Facts, one: ast.expr, other: ast.expr) -> bool:
    """Whether two expressions have the shape of the same name: a softmax keeps that, too."""
    found = [_before_softmax(facts, each) for each in (one, other)]
    names = [each for each in found if isinstance(each, ast.Name)]
    return len(names) == 2 and facts.flow.reaching(names[0]) == facts.flow.reaching(names[1])


def _before_softmax(facts: Facts, node: ast.expr) -> ast.expr:
    while True:
        inner = of_same_shape(facts, node)
        if inner is None and isinstance(node, ast.Call) and node.args:
            inner = node.args[0] if facts.name(node.func) in FUNCTIONS else None
        if inner is None:
            return node
        node = inner


def _operands(facts: Facts, call: ast.Call) -> list[ast.expr]:
    """All that a call calculates with element by element: ``torch.mul(p, x)``; else nothing."""
    found = None if is_opaque(call) else operated(facts, call)
    if found is None or found[2].keywords:
        return []
    operation, tensor, rest = found
    name = torch_effects.of_any(operation.rpartition(".")[2])
    return [tensor, *rest.args] if torch_effects.is_elementwise(name) else []


def _keeps(use: Use, sides: list[ast.expr], widens: Widens) -> bool:
    """Whether a value keeps its dimensions in what is calculated with it, element by element."""
    facts = use.facts
    if use.node not in sides:
        return False
    if widens(facts, source_of(facts, use.node)):
        # It gets its last dimension for what it weighs.
        return True
    return all(side is use.node or _adds_none(facts, use.node, side) for side in sides)


def is_widened(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression is ``p.unsqueeze(2)``, also as large as another, of whatever.

    The second dimension stays the second; also of ``p.unsqueeze(-1)``, where p has one.
    """
    found = made_by(facts, node)
    dim = argument(found[2], 0, "dim") if found is not None and found[0] == "unsqueeze" else None
    place = None if dim is None else whole_number(dim)
    if found is None or place is None:
        return False
    return place > 1 or (place == -1 and min(shown_dimensions(facts, found[1])) > 1)


def _returned(use: Use) -> Iterable[Place]:
    """The calls whose result a value is; those of a model, ``net(x)``, also in other files."""
    function = use.facts.names.enclosing_function(use.by)
    if not isinstance(function, ast.FunctionDef) or function.name != "forward":
        return use.returned()
    calls = calls_in_sight(use.facts, function)
    content = use.place.content
    return [Place(there, call, content) for call, there in calls]


def _adds_none(facts: Facts, tensor: ast.expr, other: ast.expr) -> bool:
    """Whether a tensor keeps its dimensions beside another, which may have fewer."""
    if adds_no_dimension(facts, tensor, other):
        return True
    ndim = ndim_of(facts.value(other))
    return ndim is not None and ndim <= min(shown_dimensions(facts, tensor))


def is_elsewhere(facts: Facts, call: ast.Call, use: Use) -> bool:
    """Whether a call gives the same numbers on a device, or in an array: ``p.cpu().numpy()``.

    Args:
        facts: the facts of the module.
        call: the call.
        use: the use of the numbers, which is part of the call.
    """
    if use.kind != "method" or is_opaque(call):
        return False
    is_array = function_of(call) == "numpy" and not call.args
    return is_array or torch_effects.does(f"torch.Tensor.{function_of(call)}", "moves")


def _is_kept_by_lambda(use: Use, call: ast.Call) -> bool:
    """``to_numpy(p)`` of ``to_numpy = lambda x: x.data.cpu().numpy()``."""
    facts, name = use.facts, call.func
    made = facts.assigned(name) if isinstance(name, ast.Name) and use.kind == "argument" else None
    function = made[0] if made is not None and len(made) == 1 else None
    if not isinstance(function, ast.Lambda) or is_opaque(call) or values_given(call) != call.args:
        return False
    taken = function.args.posonlyargs + function.args.args
    if len(taken) != 1 or call.args != [use.node]:
        return False
    inner: ast.expr | None = function.body
    while inner is not None and not isinstance(inner, ast.Name):
        inner = of_same_shape(facts, inner) or _before_move(facts, inner)
    return inner is not None and inner.id == taken[0].arg


def _before_move(facts: Facts, node: ast.expr) -> ast.expr | None:
    """``p`` of ``p.cpu()``, ``p.numpy()``."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None
    tensor = node.func.value
    return tensor if is_elsewhere(facts, node, use_of(Place(facts, tensor))) else None


def out_of_list(use: Use) -> Iterable[Place]:
    """Where what a list keeps is taken out: ``kept[-1]``, ``for p in kept:``, ``p, q = kept``, and
    ``for p, q in zip(kept, others):``; a sum of what is kept has the shape of each."""
    if use.kind == "argument" and isinstance(use.by, ast.Call):
        builtin = use.facts.names.builtin(use.by.func)
        if builtin == "sum" and values_given(use.by) == [use.node]:
            return [Place(use.facts, use.by, use.place.content[1:])]
        is_walked = builtin in ("enumerate", "zip")
        return use.result() if is_walked else ()
    if use.kind == "item" and isinstance(use.by, ast.Subscript):
        index = use.by.slice
        if isinstance(index, ast.Slice) and index.lower is None and index.step is None:
            # What comes first stays in its place.
            return [Place(use.facts, use.by, use.place.content)]
        return () if isinstance(index, (ast.Slice, ast.Tuple)) else use.result()
    if use.kind == "returned":
        return _returned(use)
    if use.kind == "element":
        return use.result()
    return use.held() if use.kind in ("bound", "iterated") else ()
