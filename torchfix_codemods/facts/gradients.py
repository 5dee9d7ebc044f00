"""Where code trains and where it only infers; which statements a value flows through."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.names import Binding
from torchfix_codemods.facts.values import Array, Function, Number, Tensor, Text

#: Methods whose call is part of training.
_TRAINING_METHODS = frozenset({"backward", "step", "zero_grad"})
_TRAINING_FUNCTIONS = frozenset({"torch.autograd.grad", "torch.autograd.backward"})

_NO_GRAD = frozenset({"torch.no_grad", "torch.inference_mode"})

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LOOPS = (ast.For, ast.AsyncFor, ast.While)


@dataclass(frozen=True)
class Span:
    """Neighbouring statements of one block."""

    block: Sequence[ast.stmt]
    first: int
    last: int

    @property
    def statements(self) -> list[ast.stmt]:
        return list(self.block[self.first : self.last + 1])


def trains(nodes: Iterable[ast.AST], facts: Facts, seen: frozenset[str] = frozenset()) -> bool:
    """Whether code back-propagates or steps an optimizer, itself or by a function of this file."""
    for root in nodes:
        for node in ast.walk(root):
            if not isinstance(node, ast.Call):
                continue
            if _is_training_method(node, facts):
                return True
            if facts.name(node.func) in _TRAINING_FUNCTIONS:
                return True
            called = _called_function(node, facts)
            if called is not None and called.name not in seen:
                if trains(called.body, facts, seen | {called.name}):
                    return True
    return False


def _is_training_method(call: ast.Call, facts: Facts) -> bool:
    """``loss.backward()``, ``optimizer.step()``; not ``environment.step(action)``."""
    if not isinstance(call.func, ast.Attribute) or call.func.attr not in _TRAINING_METHODS:
        return False
    if call.func.attr != "step" or not call.args:
        return True
    # An optimizer takes nothing but a closure.
    return isinstance(facts.value(call.args[0]), Function)


def _called_function(call: ast.Call, facts: Facts) -> ast.FunctionDef | None:
    if not isinstance(call.func, ast.Name):
        return None
    found = facts.names.scope_of(call.func).lookup(call.func.id)
    if found is None or len(found[1]) != 1:
        return None
    definition = found[1][0].node
    return definition if isinstance(definition, ast.FunctionDef) else None


def is_under_no_grad(node: ast.AST, facts: Facts) -> bool:
    """Whether ``node`` runs in a ``with torch.no_grad():`` or a function decorated so."""
    child = node
    for parent in facts.names.ancestors(node):
        if isinstance(parent, (ast.With, ast.AsyncWith)) and child in parent.body:
            for item in parent.items:
                context = item.context_expr
                if isinstance(context, ast.Call) and _disables_grad(context, facts):
                    return True
        if isinstance(parent, _FUNCTIONS) and child in parent.body:
            return any(
                facts.name(d.func if isinstance(d, ast.Call) else d) in _NO_GRAD
                for d in parent.decorator_list
            )
        child = parent
    return False


def _disables_grad(context: ast.Call, facts: Facts) -> bool:
    name = facts.name(context.func)
    return name in _NO_GRAD or name == "torch.set_grad_enabled"


def flow_of(
    statement: ast.stmt, facts: Facts, marked: ast.Name | None = None
) -> set[ast.stmt] | None:
    """All statements of the same function that a value computed in ``statement`` flows through.

    Args:
        statement: where the value comes from.
        facts: the facts of the module.
        marked: a name that ``statement`` does not bind but changes, as ``x.volatile = True`` does.

    Returns:
        the innermost statements, ``statement`` included; None where the value gets out of sight:
        returned, stored on an object or in a container, or bound to a global name of a function.
    """
    names = facts.names
    scope = names.scope_of(statement)
    reached = {statement}
    pending = [statement]
    while pending:
        current = pending.pop()
        is_source = current is statement
        if marked is None or not is_source:
            bindings = _bindings_of(current, facts)
            if _lets_out(current, facts, is_source):
                return None
        else:
            bindings = list(facts.flow.reaching(marked))
        for binding in bindings:
            for use in names.uses_of(scope, binding.name):
                holder = names.statement(use)
                if holder in reached or binding not in facts.flow.reaching(use):
                    continue
                if is_source and marked is not None and holder.lineno < statement.lineno:
                    continue
                if names.scope_of(holder) is not scope or _is_deferred(use, facts):
                    return None
                reached.add(holder)
                if not _is_reset(holder, use, facts):
                    pending.append(holder)
    return reached


def _is_deferred(use: ast.Name, facts: Facts) -> bool:
    """Whether a use stands in a lambda, which may run anywhere."""
    return facts.names.scope_of(use).kind == "lambda"


def _bindings_of(statement: ast.stmt, facts: Facts) -> list[Binding]:
    scope = facts.names.scope_of(statement)
    return [
        binding
        for bindings in scope.bindings.values()
        for binding in bindings
        if binding.node is statement
    ]


def _lets_out(statement: ast.stmt, facts: Facts, is_source: bool) -> bool:
    if isinstance(statement, ast.Return):
        return statement.value is not None and not _has_no_history(statement.value, facts)
    if isinstance(statement, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        stored = any(
            isinstance(node, (ast.Attribute, ast.Subscript)) and isinstance(node.ctx, ast.Store)
            for target in targets
            for node in ast.walk(target)
        )
        value = statement.value
        return stored and value is not None and (is_source or not _has_no_history(value, facts))
    return False


def _is_reset(statement: ast.stmt, use: ast.Name, facts: Facts) -> bool:
    """Whether a statement that uses the value gives none of it on: its result is a number."""
    if isinstance(statement, (ast.Assign, ast.AugAssign)):
        return _has_no_history(statement.value, facts)
    return not isinstance(statement, (ast.Return, ast.AnnAssign, ast.For, ast.With))


def _has_no_history(value: ast.expr, facts: Facts) -> bool:
    if isinstance(value, (ast.Tuple, ast.List)):
        return all(_has_no_history(element, facts) for element in value.elts)
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mod):
        return isinstance(facts.value(value.left), Text) or _has_no_history(value.left, facts)
    known = facts.value(value)
    if isinstance(known, (Number, Array, Text)):
        return True
    if isinstance(known, Tensor) and known.grad is False:
        return not _is_volatile_wrapper(value, facts)
    return _ends_in_data(value.value if isinstance(value, ast.Subscript) else value)


def _ends_in_data(node: ast.expr) -> bool:
    """``loss.data[0]``: a number on the torch that the code was written for."""
    return isinstance(node, ast.Attribute) and node.attr == "data"


def _is_volatile_wrapper(value: ast.expr, facts: Facts) -> bool:
    """``Variable(x, volatile=True)`` has no history, but what is computed from it is the point."""
    return (
        isinstance(value, ast.Call)
        and facts.name(value.func) == "torch.autograd.Variable"
        and any(keyword.arg == "volatile" for keyword in value.keywords)
    )


def smallest_span(statements: set[ast.stmt], facts: Facts) -> Span | None:
    """The shortest run of neighbouring statements, in one block, that holds all of them."""
    some = next(iter(statements))
    holder: ast.stmt = some
    while True:
        block = facts.block(holder)
        positions = []
        for statement in statements:
            position = _position_in(block, statement, facts)
            if position is None:
                break
            positions.append(position)
        else:
            return Span(block, min(positions), max(positions))
        parent = facts.parent(holder)
        while parent is not None and not isinstance(parent, ast.stmt):
            parent = facts.parent(parent)
        if parent is None or isinstance(parent, (*_FUNCTIONS, ast.ClassDef)):
            return None
        holder = parent


def _position_in(block: Sequence[ast.stmt], statement: ast.stmt, facts: Facts) -> int | None:
    node: ast.AST | None = statement
    while node is not None:
        if isinstance(node, ast.stmt) and node in block:
            return block.index(node)
        node = facts.parent(node)
    return None


def hoisted(span: Span, facts: Facts) -> Span:
    """The loop around a span instead of the span, as long as the whole loop only infers."""
    while True:
        owner = facts.parent(span.block[0])
        if not isinstance(owner, _LOOPS) or span.block is not owner.body or trains([owner], facts):
            return span
        block = facts.block(owner)
        position = block.index(owner)
        span = Span(block, position, position)
