"""Where a value that needs no graph flows, and which statements to put under ``no_grad``."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.names import Binding
from torchfix_codemods.facts.training import is_cut, is_harmless, reads_detached
from torchfix_codemods.facts.values import Array, Number, Tensor, Text

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
        the innermost statements, ``statement`` included; None where the value itself, and not
        just what is computed from it, gets out of sight: returned or stored on an object.
    """
    names = facts.names
    scope = names.scope_of(statement)
    reached = {statement}
    pending = [statement]
    while pending:
        current = pending.pop()
        is_marking = marked is not None and current is statement
        if marked is not None and is_marking:
            bindings = list(facts.flow.reaching(marked))
        elif _lets_out(current, facts, is_source=current is statement):
            return None
        else:
            bindings = _bindings_of(current, facts)
        for binding in bindings:
            for use in names.uses_of(scope, binding.name):
                holder = names.statement(use)
                if holder in reached or binding not in facts.flow.reaching(use):
                    continue
                if is_marking and holder.lineno < statement.lineno:
                    continue
                if names.scope_of(holder) is not scope or _is_deferred(use, facts):
                    return None
                if _is_only_read(use, facts):
                    continue
                if _just_returns(holder) and not _lets_out(holder, facts, is_source=False):
                    continue
                reached.add(holder)
                if not _is_reset(holder, use, facts):
                    pending.append(holder)
    return reached


def _is_deferred(use: ast.Name, facts: Facts) -> bool:
    """Whether a use stands in a lambda, which may run anywhere."""
    return facts.names.scope_of(use).kind == "lambda"


def _is_only_read(use: ast.Name, facts: Facts) -> bool:
    """``output.data``: nothing is computed from the value that could record a graph."""
    parent = facts.parent(use)
    return isinstance(parent, ast.Attribute) and parent.attr in (
        "data",
        "detach",
        "size",
        "shape",
        "item",
    )


def _just_returns(statement: ast.stmt) -> bool:
    """``return total / n``: whatever is computed here has its history, or none, from before."""
    return isinstance(statement, ast.Return) and all(
        (node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", ""))
        in _CALLED_IN_RETURNS
        for node in ast.walk(statement)
        if isinstance(node, ast.Call)
    )


_CALLED_IN_RETURNS = frozenset("len float int item size numel sum mean cpu numpy tolist".split())


def _bindings_of(statement: ast.stmt, facts: Facts) -> list[Binding]:
    scope = facts.names.scope_of(statement)
    return [
        binding
        for bindings in scope.bindings.values()
        for binding in bindings
        if binding.node is statement
    ]


def _lets_out(statement: ast.stmt, facts: Facts, is_source: bool) -> bool:
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
        return stored and value is not None and (is_source or _is_raw(value, facts))
    return False


def _is_raw(value: ast.expr, facts: Facts) -> bool:
    """Whether an expression is still the input, perhaps in another shape: no module saw it."""
    if isinstance(value, (ast.Tuple, ast.List)):
        return any(_is_raw(element, facts) for element in value.elts)
    known = facts.value(value)
    return isinstance(known, Tensor) and known.grad is False and not reads_detached(value)


def _is_reset(statement: ast.stmt, use: ast.Name, facts: Facts) -> bool:
    """Whether a statement that uses the value gives none of it on: its result is a number."""
    if is_cut(use, facts):
        return True
    if isinstance(statement, (ast.Assign, ast.AugAssign)):
        return isinstance(facts.value(statement.value), (Number, Array, Text))
    return not isinstance(statement, (ast.Return, ast.AnnAssign, ast.For, ast.With))


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


def runs_of(span: Span, flow: Collection[ast.stmt], facts: Facts) -> list[Span]:
    """The runs of neighbouring statements of a span that hold statements of the flow."""
    positions = sorted({p for s in flow if (p := _position_in(span.block, s, facts)) is not None})
    runs: list[Span] = []
    for position in positions:
        if runs and runs[-1].last == position - 1:
            runs[-1] = Span(span.block, runs[-1].first, position)
        else:
            runs.append(Span(span.block, position, position))
    return runs


def hoisted(span: Span, flow: Collection[ast.stmt], facts: Facts) -> Span:
    """The loop around a span instead of the span, as long as the whole loop only infers.

    This is for looks, so any doubt about the other statements of the loop keeps the span.
    """
    while True:
        owner = facts.parent(span.block[0])
        if not isinstance(owner, _LOOPS) or span.block is not owner.body:
            return span
        if not is_harmless([owner], flow, facts):
            return span
        block = facts.block(owner)
        position = block.index(owner)
        span = Span(block, position, position)
