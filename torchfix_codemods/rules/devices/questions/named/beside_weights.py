"""What moves to the weights of its module, and the parameters that certainly lie there."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence

from torchfix_codemods.facts.evidence.kind_checks import is_kind_checked
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.libraries.torch_names import VARIABLE
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.named import is_self
from torchfix_codemods.facts.paths.origins import come_from, sources, sources_in_sight
from torchfix_codemods.facts.paths.project_imports import importers
from torchfix_codemods.facts.paths.uses import uses_given_by
from torchfix_codemods.facts.programs.placement import before_on_cpu
from torchfix_codemods.facts.values.lattice import Module, Tensor, Unknown
from torchfix_codemods.facts.values.torch_api import LAYERS_WITH_WEIGHTS

_MOVES = ("cuda", "cpu", "to")


def is_tensor_given(name: str, method: ast.AST, uses: Sequence[ast.Name], facts: Facts) -> bool:
    """Whether a parameter is a tensor: by each of its uses, or by one where the others may be."""
    values = [facts.value(use) for use in uses]
    if values and all(isinstance(value, Tensor) for value in values):
        return True
    is_one = any(
        isinstance(value, Tensor) and {b.kind for b in facts.flow.reaching(use)} == {"parameter"}
        for use, value in zip(uses, values, strict=True)
    )
    if not is_one and name not in given_to_weights(method, facts):
        return False
    everywhere = facts.names.uses_of(facts.names.scopes[method], name)
    may_differ = any(_may_be_another(use, facts) for use in everywhere)
    return not may_differ and all(isinstance(value, (Tensor, Unknown)) for value in values)


def _may_be_another(use: ast.Name, facts: Facts) -> bool:
    """``isinstance(x, list)``, ``x is None``, ``x or y``, ``x["words"]``, ``for part in x``."""
    above = facts.parent(use)
    if isinstance(above, ast.Subscript):
        return not _is_sliced(above) and not isinstance(facts.value(use), Tensor)
    is_test = isinstance(above, (ast.If, ast.IfExp, ast.While)) and above.test is use
    is_walked = isinstance(above, (ast.For, ast.comprehension, ast.Starred))
    is_asked = is_kind_checked(facts.names, use) or is_walked
    return is_asked or is_test or isinstance(above, (ast.Compare, ast.BoolOp, ast.UnaryOp))


def given_to_weights(method: ast.AST, facts: Facts) -> frozenset[str]:
    """The parameters that a method gives to layers with weights of its object, as they are.

    Where no part of the module is moved by itself, they lie where all of its weights do.
    """
    return facts.remembered(
        (given_to_weights, method), lambda: frozenset(_given_to_weights(method, facts))
    )


def _given_to_weights(method: ast.AST, facts: Facts) -> Iterator[str]:
    for call in _given_layers(method, facts):
        pending, seen = [Place(facts, call.args[0])], set[ast.expr]()
        for place in pending:
            if place.node in seen or place.facts is not facts:
                continue
            seen.add(place.node)
            if isinstance(place.node, ast.Name):
                if _is_given(place):
                    yield place.node.id
                pending += sources_in_sight(place)
            else:
                kept = what_keeps_its_place(place.node, facts)
                if kept is not None and _is_of_tensor(place.node, kept, facts):
                    pending.append(Place(facts, kept))


def _is_of_tensor(part: ast.expr, whole: ast.expr, facts: Facts) -> bool:
    """Whether what gives a tensor is one itself, and no list, no dict, no packed sequence."""
    is_sliced = _is_sliced(part) or _is_sliced(whole)
    is_wrapped = isinstance(part, ast.Call) and whole in part.args
    return is_sliced or is_wrapped or isinstance(facts.value(whole), Tensor)


def _is_sliced(node: ast.expr) -> bool:
    """``x[:, 0]``, of which nothing else is a part."""
    index = node.slice if isinstance(node, ast.Subscript) else None
    return isinstance(index, ast.Tuple) and any(isinstance(i, ast.Slice) for i in index.elts)


def _given_layers(method: ast.AST, facts: Facts) -> list[ast.Call]:
    """The calls of layers with weights in a method; none where a part is moved by itself."""
    owner = facts.parent(method)
    if not isinstance(owner, ast.ClassDef):
        return []
    calls = [
        call
        for call in facts.names.nodes.get(ast.Call, ())
        if isinstance(call, ast.Call) and call.args and _is_weighted(call.func, facts)
        if facts.names.enclosing_function(call) is method
    ]
    return calls if calls and not _moves_parts(owner, facts) else []


def _is_weighted(function: ast.expr, facts: Facts) -> bool:
    """``self.embed``, a layer of torch's that has weights."""
    if not isinstance(function, ast.Attribute) or not isinstance(function.value, ast.Name):
        return False
    value = facts.value(function) if is_self(facts, function.value) else None
    return isinstance(value, Module) and value.cls in LAYERS_WITH_WEIGHTS


def _moves_parts(owner: ast.ClassDef, facts: Facts) -> bool:
    """Whether some file moves a part of a module by itself: ``net.module.embed.cpu()``."""
    return facts.remembered((_moves_parts, owner), lambda: _finds_moved_part(owner, facts))


def _finds_moved_part(owner: ast.ClassDef, facts: Facts) -> bool:
    parts = {
        name for cls in facts.classes.bases(owner) for name in facts.classes.attribute_names(cls)
    }
    return any(
        isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Attribute)
        and call.func.value.attr in parts
        for word in _MOVES
        for there in (facts, *importers(facts, word))
        for call in there.names.method_calls(word)
    )


def _is_given(place: Place) -> bool:
    """Whether a name may be what its function is given."""
    reaching = place.facts.flow.reaching(place.node) if isinstance(place.node, ast.Name) else ()
    return any(binding.kind == "parameter" for binding in reaching)


def what_keeps_its_place(node: ast.expr, facts: Facts) -> ast.expr | None:
    """``x`` of ``x[0]``, ``x.view(-1)``, ``x.data`` and ``Variable(x)``: it lies where they do."""
    if isinstance(node, ast.Subscript):
        return node.value
    if isinstance(node, ast.Attribute):
        return node.value if stays_in_place(node.attr) else None
    if not isinstance(node, ast.Call):
        return None
    if facts.name(node.func) == VARIABLE and node.args:
        return node.args[0]
    return what_keeps_its_place(node.func, facts) if isinstance(node.func, ast.Attribute) else None


def stays_in_place(name: str) -> bool:
    """Whether a method or an attribute gives numbers of its tensor, on its device."""
    return torch_effects.hands_on(name) and not torch_effects.may_do(name, "moves")


def goes_to_weights(call: ast.Call, facts: Facts) -> bool:
    """Whether a move takes a tensor to where the weights of its object are.

    It comes from the CPU or from another such move of the method; or also from the parameters that
    lie with the weights, and from layers, where a layer with weights is given the result.
    """
    method = facts.names.enclosing_function(call)
    assert isinstance(call.func, ast.Attribute)
    if method is None or not isinstance(facts.value(call.func.value), Tensor):
        return False
    given = given_to_weights(method, facts)
    is_given_on = bool(given) and _is_given_to_layer(call, facts)

    def before(place: Place) -> Iterable[Place] | None:
        node = place.node
        if place.facts is not facts or facts.names.enclosing_function(node) is not method:
            return before_on_cpu(place)
        if isinstance(node, ast.Name) and _is_given(place):
            return sources_in_sight(place) if is_given_on and node.id in given else None
        if isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and node.func.attr == "cuda":
                return ()
            return () if is_given_on and _is_weighted(node.func, facts) else before_on_cpu(place)
        kept = None if sources(place) else what_keeps_its_place(node, facts)
        if kept is not None:
            return [Place(facts, kept)]
        return _operands(node, facts) or before_on_cpu(place)

    return bool(given) and come_from([Place(facts, call.func.value)], before)


def _operands(node: ast.expr, facts: Facts) -> list[Place]:
    both = (node.left, node.right) if isinstance(node, ast.BinOp) else ()
    return [Place(facts, each) for each in both if isinstance(facts.value(each), Tensor)]


def _is_given_to_layer(node: ast.expr, facts: Facts) -> bool:
    """Whether a layer with weights is given an expression, or what keeps its place."""
    above = facts.parent(node)
    while isinstance(above, ast.expr):
        if isinstance(above, ast.Call) and node in above.args and _is_weighted(above.func, facts):
            return True
        if what_keeps_its_place(above, facts) is not node and not isinstance(above, ast.Attribute):
            return False
        node, above = above, facts.parent(above)
    target = above.targets[0] if isinstance(above, ast.Assign) else None
    if above is None or not isinstance(target, ast.Name):
        return False
    return any(_is_given_to_layer(use, facts) for use in uses_given_by(facts, above, target.id))
