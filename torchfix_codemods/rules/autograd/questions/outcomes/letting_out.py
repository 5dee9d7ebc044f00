"""Whether a value itself leaves its function, or is kept: what is computed from it may."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import container_methods
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import is_self
from torchfix_codemods.facts.paths.wrapping import is_moved_variable
from torchfix_codemods.facts.programs.cut_off import reads_detached
from torchfix_codemods.facts.values.lattice import Module, Packed, Tensor, Unknown
from torchfix_codemods.facts.values.lattice import Sequence as SequenceValue
from torchfix_codemods.rules.autograd.questions.outcomes.closed import held_in, only_holds
from torchfix_codemods.rules.autograd.questions.outcomes.given_back import gives_cut


def needs_graph_again(use: ast.Name, facts: Facts) -> bool:
    """``x.volatile = False`` and ``x.requires_grad = True`` end what ``volatile=True`` began."""
    parent = facts.parent(use)
    return (
        isinstance(parent, ast.Attribute)
        and isinstance(parent.ctx, ast.Store)
        and parent.attr in ("volatile", "requires_grad")
        and not _is_true(facts.statement(use), parent.attr == "volatile")
    )


def _is_true(statement: ast.stmt, wanted: bool) -> bool:
    value = statement.value if isinstance(statement, ast.Assign) else None
    return isinstance(value, ast.Constant) and bool(value.value) is wanted


def collectors(value: ast.expr, statement: ast.stmt, facts: Facts) -> list[Binding] | None:
    """The list that ``items.append(value)`` keeps an input in; None where that is out of sight."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    method = call.func if isinstance(call, ast.Call) else None
    if not isinstance(method, ast.Attribute) or not container_methods.adds(method.attr):
        return []
    assert isinstance(call, ast.Call)
    held = next((a for a in call.args if any(node is value for node in ast.walk(a))), None)
    if held is None or not (held is value or _is_input(held, facts)):
        return []
    items = method.value
    scope = facts.names.scope_of(statement)
    found = scope.lookup(items.id) if isinstance(items, ast.Name) else None
    if not isinstance(items, ast.Name) or found is None or found[0] is not scope:
        return None
    bindings = list(facts.flow.reaching(items))
    return None if any(b.kind == "parameter" for b in bindings) else bindings


def overwritten(value: ast.expr, statement: ast.stmt, facts: Facts) -> list[Binding]:
    """The bindings of the name whose tensor takes in a value: ``x[i] = value``, ``x.copy_(value)``.

    With the value it takes in its graph, unless ``x.volatile = False`` says that it has none.
    """
    if isinstance(statement, ast.Assign):
        targets = statement.targets
    elif isinstance(statement, ast.AugAssign):
        targets = [statement.target]
    elif isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        function = statement.value.func
        if not isinstance(function, ast.Attribute) or not function.attr.endswith("_"):
            return []
        targets = [function.value] if value is not function.value else []
    else:
        return []
    scope = facts.names.scope_of(statement)
    return [
        binding
        for root in map(_root, targets)
        if isinstance(root, ast.Name) and isinstance(root.ctx, ast.Load)
        if not any(needs_graph_again(u, facts) for u in facts.names.uses_of(scope, root.id))
        for binding in facts.flow.reaching(root)
    ]


def _root(target: ast.expr) -> ast.expr | None:
    """``x`` of ``x[i]`` and ``x.view(-1)[i]``; none of ``x.data[i]``, which takes in no graph.

    Nor of ``self.x`` and ``self.x[i]``: the object is no tensor.
    """
    while isinstance(target, (ast.Call, ast.Subscript)):
        if isinstance(target, ast.Subscript):
            target = target.value
            continue
        if not isinstance(target.func, ast.Attribute) or target.func.attr == "detach":
            return None
        target = target.func.value
    return None if isinstance(target, ast.Attribute) else target


def _is_input(value: ast.expr, facts: Facts) -> bool:
    """Whether an expression is still the input, perhaps packed or in a list."""
    known = facts.value(value)
    return isinstance(known, Packed) or _is_raw(value, facts)


def lets_out(statement: ast.stmt, facts: Facts, is_source: bool) -> bool:
    """Whether the value itself leaves the function or is kept; what is computed from it may."""
    if isinstance(statement, ast.Return):
        return statement.value is not None and _is_raw(statement.value, facts)
    if isinstance(statement, (ast.Assign, ast.AnnAssign)):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        stored = any(
            isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store)
            for target in targets
            for node in ast.walk(target)
        )
        value = statement.value
        if not stored or value is None:
            return False
        return (is_source and not _is_output(value, facts)) or _is_raw(value, facts)
    return False


def _is_output(value: ast.expr, facts: Facts) -> bool:
    """``self.net(x)`` of a module, or of what an object keeps that is no method of its class."""
    if not isinstance(value, ast.Call) or is_moved_variable(value, facts):
        return False
    known = facts.value(value.func)
    is_kept = isinstance(value.func, ast.Attribute) and is_self(facts, value.func.value)
    return isinstance(known, Module) or (is_kept and isinstance(known, Unknown))


def is_written_to(use: ast.Name, statement: ast.stmt) -> bool:
    """``z`` of ``z[:, i] = value``: the value itself stays where it is."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    return any(use is node for target in targets for node in ast.walk(target))


_DISPLAYS = (ast.Tuple, ast.List, ast.Dict)


def is_handed_out(use: ast.Name, binding: Binding, facts: Facts) -> bool:
    """``return x, size`` of the value itself, also where another branch gives ``x`` another one."""
    parent = facts.parent(use)
    while isinstance(parent, _DISPLAYS) or _is_record(parent, facts):
        parent = None if parent is None else facts.parent(parent)
    value = binding.value
    return isinstance(parent, ast.Return) and value is not None and _is_raw(value, facts)


def _is_record(node: ast.AST | None, facts: Facts) -> bool:
    """``Batch(x=x, size=size)``, or an argument of it."""
    node = facts.parent(node) if isinstance(node, ast.keyword) else node
    return isinstance(node, ast.Call) and only_holds(node.func, facts)


def _held_in(value: ast.expr, facts: Facts) -> list[ast.expr] | None:
    """The elements of ``[x, y]``, ``{"x": x}``, ``dict(x=x)`` and of a record ``Batch(x, y)``.

    None of what holds nothing.
    """
    if isinstance(value, ast.Call):
        if facts.names.builtin(value.func) == "dict":
            return [keyword.value for keyword in value.keywords]
        return held_in(value, facts) if only_holds(value.func, facts) else None
    if isinstance(value, ast.Dict):
        return value.values
    return value.elts if isinstance(value, (ast.Tuple, ast.List)) else None


def _is_raw(value: ast.expr, facts: Facts) -> bool:
    """Whether an expression is still the input, perhaps in another shape: no module saw it."""
    held = _held_in(value, facts)
    if held is not None:
        return any(_is_raw(element, facts) for element in held)
    known = facts.value(value)
    if isinstance(known, SequenceValue):
        known = known.element
    is_without_graph = isinstance(known, Tensor) and known.grad is False
    is_cut = is_without_graph and (reads_detached(value) or gives_cut(value, facts))
    return (is_without_graph and not is_cut) or is_moved_variable(value, facts)
