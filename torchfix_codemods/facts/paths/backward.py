"""What ``backward()`` is called on, and whether a value can get there."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchfix_codemods.facts.evaluation.layers import is_of_loss
from torchfix_codemods.facts.evidence.roots import (
    are_parts_of_root,
    calculated,
    is_backward_root,
)
from torchfix_codemods.facts.language.flow import ELEMENTWISE
from torchfix_codemods.facts.language.foreign import imports_torch_alone
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import container_methods, torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import others_with
from torchfix_codemods.facts.paths.graph import Place, Use, kept_in
from torchfix_codemods.facts.paths.named import derives, is_self
from torchfix_codemods.facts.paths.walk import Trail, follow
from torchfix_codemods.facts.values.lattice import Tensor

_RETAIN = frozenset({"retain_graph", "retain_variables", "create_graph"})

#: Through so many sums a term is followed.
_MOST_SUMS = 3

#: What runs its body more often than what stands around it, or at another time.
_REPEATED = (ast.For, ast.AsyncFor, ast.While, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def is_used_up(facts: Facts, node: ast.Name) -> bool:
    """Whether the graph of a tensor is certainly used up by ``backward()``, each time it is made.

    That is where ``backward()`` is called, without ``retain_graph``, on the very value, or on what
    is computed from it by arithmetic, in the block of ``node`` or around it.
    """
    return any(
        _is_same_value(facts, node, other)
        for call, receiver in _backward_calls(facts, node)
        if not _keeps_graph(call)
        for other in _summands(facts, receiver, frozenset())
    )


def may_be_used_up(facts: Facts, node: ast.Name) -> bool:
    """Whether ``backward()`` is called on anything each time that ``node`` runs."""
    return any(True for _ in _backward_calls(facts, node))


def is_back_propagated(facts: Facts, node: ast.Name) -> bool:
    """Whether ``backward()`` is certainly called on the very value of a name."""
    return any(_is_same_value(facts, node, other) for _, other in _backward_calls(facts, node))


def is_back_propagated_element(facts: Facts, node: ast.expr) -> bool:
    """Whether ``losses[0].backward()``, without a gradient, is of the very value of ``losses[0]``.

    Where the element is stored anew elsewhere, or what holds it is changed, that is not certain.
    """
    if not isinstance(node, ast.Subscript) or not isinstance(node.slice, ast.Constant):
        return False
    holder, text = node.value, ast.unparse(node)
    return isinstance(holder, ast.Name) and any(
        isinstance(other, ast.Subscript)
        and ast.unparse(other) == text
        and _is_same_value(facts, holder, other.value)
        and is_backward_root(facts.names, other)
        and not _may_be_another(facts, holder, facts.statement(node))
        for _, other in _backward_calls(facts, holder)
    )


def _may_be_another(facts: Facts, holder: ast.Name, reader: ast.stmt) -> bool:
    """Whether an element may change: another is stored, or a method changes what holds it."""
    found = facts.names.scope_of(holder).lookup(holder.id)
    if found is None:
        return True
    for use in facts.names.uses_of(found[0], holder.id):
        around = facts.parent(use)
        if isinstance(around, ast.Attribute) and container_methods.displaces(around.attr):
            return True
        is_stored = isinstance(around, ast.Subscript) and not isinstance(around.ctx, ast.Load)
        if is_stored and facts.statement(use) is not reader:
            return True
    return False


def is_back_propagated_attribute(facts: Facts, node: ast.expr) -> bool:
    """Whether ``self.loss.backward()``, without a gradient, stands in a method of ``self``.

    Or that of a sum of which it is a term. The method may be one of a class that the own one
    derives from, in whatever file. One function alone gives the attribute its value.
    """
    owner = facts.names.enclosing_class(node)
    if not isinstance(node, ast.Attribute) or owner is None or not is_self(facts, node.value):
        return False
    return _is_kept_root(facts, owner, node.attr, 0)


def _is_kept_root(facts: Facts, owner: ast.ClassDef, name: str, depth: int) -> bool:
    """The same of the attribute of that name of an object of a class."""
    maker = _maker(facts, name)
    return maker is not None and (
        _is_root_of_class(facts, owner, name)
        or (depth < _MOST_SUMS and _is_term_of_root(facts, owner, name, maker, depth))
    )


def _is_root_of_class(facts: Facts, owner: ast.ClassDef, name: str) -> bool:
    return any(
        is_backward_root(there.names, call.func.value)
        and getattr(call.func.value, "attr", None) == name
        and is_self(there, call.func.value.value)
        and (trained := there.names.enclosing_class(call)) is not None
        and derives(facts, owner, there, trained)
        for there in (facts, *others_with(name, facts))
        for call in there.names.method_calls("backward")
        if isinstance(call.func, ast.Attribute) and isinstance(call.func.value, ast.Attribute)
    )


def _maker(facts: Facts, name: str) -> ast.AST | None:
    """The only function that gives an attribute its value, beside a tensor of one element."""
    stores = [each for each in facts.names.attributes(name) if isinstance(each.ctx, ast.Store)]
    makers = {facts.names.enclosing_function(store) for store in stores}
    if len(makers) > 1:
        others = (store for store in stores if not _keeps_one_element(facts, store))
        makers = {facts.names.enclosing_function(store) for store in others}
    return makers.pop() if len(makers) == 1 else None


def _keeps_one_element(facts: Facts, store: ast.Attribute) -> bool:
    """``self.loss = Variable(torch.zeros(1))``."""
    statement = facts.parent(store)
    value = facts.value(statement.value) if isinstance(statement, ast.Assign) else None
    return isinstance(value, Tensor) and value.single


def _is_term_of_root(
    facts: Facts, owner: ast.ClassDef, name: str, maker: ast.AST, depth: int
) -> bool:
    """``self.part`` of ``self.loss = self.part + self.rest`` and ``self.loss.backward()``."""
    names, made = facts.names, 0
    uses: list[ast.expr] = []
    for each in names.attributes(name):
        if names.enclosing_function(each) is maker and is_self(facts, each.value):
            if isinstance(each.ctx, ast.Load):
                uses.append(each)
            else:
                made = max(made, each.lineno)
    cls = names.enclosing_class(maker)
    uses = [use for use in uses if use.lineno > made]
    if not uses or cls is None or not derives(facts, owner, facts, cls):
        return False
    if are_parts_of_root(facts.inference, uses):
        return True
    return any(
        _is_kept_root(facts, owner, whole.attr, depth + 1)
        for use in uses
        for whole in _kept_wholes(facts, use)
        if whole.attr != name and _maker(facts, whole.attr) is maker
    )


def _kept_wholes(facts: Facts, use: ast.expr) -> Iterator[ast.Attribute]:
    """``self.loss`` of ``self.loss = 2 * use`` and of ``self.loss += use``, if that stays in it."""
    statement = facts.parent(calculated(facts.names, use))
    is_more = isinstance(statement, ast.AugAssign) and isinstance(statement.op, ELEMENTWISE)
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if is_more and isinstance(statement, ast.AugAssign):
        targets = [statement.target]
    for target in targets:
        if isinstance(target, ast.Attribute) and is_self(facts, target.value):
            stored = map(facts.parent, facts.names.attributes(target.attr))
            if not any(
                isinstance(other, ast.Assign)
                and other.lineno > target.lineno
                and not _has_term(facts, other, {target.attr, getattr(use, "attr", "")})
                for other in stored
            ):
                yield target


def _has_term(facts: Facts, statement: ast.Assign, names: set[str]) -> bool:
    """Whether what a statement assigns is calculated from an attribute of one of the names."""
    return any(
        isinstance(part, ast.Attribute)
        and part.attr in names
        and calculated(facts.names, part) is statement.value
        for part in ast.walk(statement.value)
    )


def is_trained_on(facts: Facts, node: ast.Name) -> bool:
    """Whether ``backward()`` is certainly called on a loss of torch between a value and labels."""
    return any(
        _is_loss_of(facts, node, binding.value)
        for _, receiver in _backward_calls(facts, node)
        if isinstance(receiver, ast.Name)
        for binding in facts.flow.reaching(receiver)
        if len(facts.flow.reaching(receiver)) == 1 and not binding.path
    )


def _is_loss_of(facts: Facts, node: ast.Name, made: ast.expr | None) -> bool:
    if not isinstance(made, ast.Call) or len(made.args) < 2:
        return False
    labels = facts.value(made.args[1])
    return (
        is_of_loss(facts.inference, made)
        and _is_same_value(facts, node, made.args[0])
        and isinstance(labels, Tensor)
        and labels.grad is False
    )


def _is_same_value(facts: Facts, node: ast.Name, other: ast.expr) -> bool:
    if not isinstance(other, ast.Name) or other.id != node.id:
        return False
    bindings = facts.flow.reaching(node)
    return bool(bindings) and set(bindings) == set(facts.flow.reaching(other))


def _backward_calls(facts: Facts, node: ast.Name) -> Iterator[tuple[ast.Call, ast.expr]]:
    """The calls ``x.backward()`` that run each time that ``node`` does, and their x."""
    if not facts.remembered("torch alone", lambda: imports_torch_alone(facts.names)):
        return
    for call in facts.names.method_calls("backward"):
        is_statement = isinstance(facts.parent(call), ast.Expr)
        if is_statement and len(call.args) <= 1 and _runs_beside(facts, call, node):
            assert isinstance(call.func, ast.Attribute)
            yield call, call.func.value


def _keeps_graph(call: ast.Call) -> bool:
    return any(
        keyword.arg is None
        or (
            keyword.arg in _RETAIN
            and not (isinstance(keyword.value, ast.Constant) and not keyword.value.value)
        )
        for keyword in call.keywords
    )


def _runs_beside(facts: Facts, call: ast.Call, node: ast.Name) -> bool:
    """Whether ``call`` runs each time that ``node`` does: in its block, or in one around it."""
    around: set[ast.AST] = set()
    for parent in facts.names.ancestors(node):
        if isinstance(parent, _REPEATED):
            break
        if isinstance(parent, ast.stmt):
            around.add(parent)
    statement: ast.AST | None = facts.statement(call)
    while isinstance(statement, ast.stmt):
        if not around.isdisjoint(facts.block(statement)):
            return True
        statement = facts.parent(statement)
        if not isinstance(statement, (ast.With, ast.AsyncWith)):
            return False
    return False


def _summands(facts: Facts, node: ast.expr, seen: frozenset[Binding]) -> Iterator[ast.Name]:
    """The names whose graphs are part of the graph of ``node``, as far as arithmetic shows it."""
    if isinstance(node, ast.BinOp):
        yield from _summands(facts, node.left, seen)
        yield from _summands(facts, node.right, seen)
    elif isinstance(node, ast.UnaryOp):
        yield from _summands(facts, node.operand, seen)
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if torch_effects.hands_on_graph(node.func.attr):
            yield from _summands(facts, node.func.value, seen)
    elif isinstance(node, ast.Name):
        yield node
        bindings = facts.flow.reaching(node)
        if len(bindings) == 1 and bindings[0] not in seen:
            binding = bindings[0]
            is_made = binding.kind in ("assign", "augassign") and not binding.path
            if is_made and binding.value is not None:
                yield from _summands(facts, binding.value, seen | {binding})


def may_be_back_propagated(facts: Facts, target: ast.expr) -> bool:
    """Whether code in sight calls ``backward()`` on what ``target`` keeps, or what follows of it.

    Args:
        facts: the facts of the module.
        target: what a sum is assigned to, or the list that something is appended to.
    """
    return follow(kept_in(facts, target), _differentiates) is not None


def way_to_backward(facts: Facts, node: ast.expr) -> Trail | None:
    """How a tensor gets to a ``backward()`` in sight, by itself or in what is computed from it."""
    return follow([Place(facts, node)], _differentiates)


def _differentiates(use: Use) -> Iterable[Place] | None:
    return None if _is_differentiated(use.facts, use.node) else use.onward()


def _is_differentiated(facts: Facts, use: ast.expr) -> bool:
    """``sum(losses).backward()``, ``engine.backward(total)``, ``autograd.grad(total, w)``.

    Asking for ``requires_grad`` or ``grad_fn`` is taken for as much, and so is any ``backward()``
    of the same statement: ``list(map(lambda l: l.backward(), losses))``.
    """
    for parent in facts.names.ancestors(use):
        if isinstance(parent, ast.Attribute) and parent.attr in _GRAPH_ATTRIBUTES:
            return True
        if isinstance(parent, ast.Call):
            name = facts.name(parent.func) or ""
            if name.startswith("torch.autograd.") and name != "torch.autograd.Variable":
                return True
        if isinstance(parent, ast.stmt):
            nodes = () if hasattr(parent, "body") else ast.walk(parent)
            return any(isinstance(n, ast.Attribute) and n.attr == "backward" for n in nodes)
    return False


_GRAPH_ATTRIBUTES = frozenset(
    "backward requires_grad requires_grad_ grad_fn grad retain_grad register_hook is_leaf".split()
)
