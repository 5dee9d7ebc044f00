"""What a quotient shows that is written alike elsewhere in a function, of the same numbers."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator

from torchfix_codemods.facts.language.nodes import (
    COMPREHENSIONS,
    own_nodes,
    same_expression,
    same_target,
    start_of,
    walk,
)
from torchfix_codemods.facts.module import Facts

#: What a number may be read from without a call, which may give another each time.
_READ = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.BinOp, ast.UnaryOp)
#: What decides whether a part of a statement is calculated at all.
_CHOOSES = (ast.IfExp, ast.BoolOp, ast.Lambda, *COMPREHENSIONS)
_JUMPS = (ast.Return, ast.Raise, ast.Break, ast.Continue)


def equal_to(node: ast.AST, others: Iterable[ast.AST], facts: Facts) -> Iterator[ast.BinOp]:
    """The quotients of the same numbers among others of a function.

    Args:
        node: a division.
        others: other divisions of the file.
        facts: the facts of the module.
    """
    if not isinstance(node, ast.BinOp) or not _is_read(node):
        return
    function = facts.names.enclosing_function(node)
    for other in others:
        is_alike = isinstance(other, ast.BinOp) and same_expression(node, other)
        if not is_alike or facts.names.enclosing_function(other) is not function:
            continue
        assert isinstance(other, ast.BinOp)
        if _is_of_same_names(node, other, facts) and not _is_stored(node, facts):
            yield other


def runs_beside(other: ast.AST, node: ast.AST, facts: Facts) -> bool:
    """Whether one division was calculated, or will be, whenever another one is.

    Args:
        other: the one.
        node: the other one.
        facts: the facts of the module.
    """
    statement = facts.statement(other)
    for around in facts.names.ancestors(other):
        if around is statement:
            break
        if isinstance(around, _CHOOSES):
            return False
    block = facts.block(statement)
    here: ast.AST | None = facts.statement(node)
    while here is not None and here not in block:
        here = facts.parent(here)
    if not isinstance(here, ast.stmt):
        return False
    passed = block[block.index(here) : block.index(statement)]
    return not any(isinstance(part, _JUMPS) for each in passed for part in walk(each))


def runs_in_each_turn(read: ast.expr, node: ast.AST, facts: Facts) -> bool:
    """Whether what a loop gives a name is read there, whatever it is, once a division runs.

    ``for part in [[0, n], [n, None]]: x[part[0] : part[1]]``

    Args:
        read: where the name is read, or an item of it.
        node: the division.
        facts: the facts of the module.
    """
    name = read.value if isinstance(read, ast.Subscript) else read
    given = [b.node for b in facts.flow.reaching(name)] if isinstance(name, ast.Name) else []
    statement = facts.statement(read)
    if len(given) != 1 or not runs_beside(read, statement, facts):
        return False
    is_given = False
    while not (is_given and runs_beside(statement, node, facts)):
        loop = facts.parent(statement)
        if not isinstance(loop, ast.For) or statement not in loop.body or not _takes_turns(loop):
            return False
        statement, is_given = loop, is_given or loop is given[0]
    return True


def _takes_turns(loop: ast.For) -> bool:
    """Whether a loop certainly begins, and leaves no turn out."""
    elements = loop.iter.elts if isinstance(loop.iter, (ast.List, ast.Tuple)) else ()
    is_filled = any(not isinstance(each, ast.Starred) for each in elements)
    return is_filled and not any(isinstance(part, _JUMPS) for part in walk(loop))


def _is_read(node: ast.BinOp) -> bool:
    parts = [part for part in walk(node) if isinstance(part, ast.expr)]
    return all(isinstance(part, _READ) for part in parts)


def _is_of_same_names(node: ast.BinOp, other: ast.BinOp, facts: Facts) -> bool:
    """Whether each name has one value in both, which the same statement gave it."""
    pairs = zip(_names(node), _names(other), strict=True)
    found = [(facts.flow.reaching(left), facts.flow.reaching(right)) for left, right in pairs]
    return bool(found) and all(len(a) == 1 and [*a] == [*b] for a, b in found)


def _names(node: ast.BinOp) -> list[ast.Name]:
    return sorted((n for n in walk(node) if isinstance(n, ast.Name)), key=start_of)


def _is_stored(node: ast.BinOp, facts: Facts) -> bool:
    """Whether the function stores into what one of the numbers is read from: ``x.n``, ``x[0]``."""
    read = [part for part in walk(node) if isinstance(part, (ast.Attribute, ast.Subscript))]
    within = facts.names.enclosing_function(node) or facts.tree
    return any(
        isinstance(part, (ast.Attribute, ast.Subscript))
        and not isinstance(part.ctx, ast.Load)
        and any(_is_same_place(part, one) for one in read)
        for part in (own_nodes(within) if read else ())
    )


def _is_same_place(
    stored: ast.Attribute | ast.Subscript, read: ast.Attribute | ast.Subscript
) -> bool:
    if isinstance(stored, ast.Attribute):
        return isinstance(read, ast.Attribute) and stored.attr == read.attr
    return isinstance(read, ast.Subscript) and same_target(stored.value, read.value)


def has_rest_beside(
    node: ast.BinOp | ast.AugAssign, quotients: Collection[ast.AST], facts: Facts
) -> bool:
    """Whether a function asks for what is left over as well: ``n % k`` beside ``n / k``.

    Args:
        node: the division.
        quotients: the divisions of the file, which are written as ``%`` here as well.
        facts: the facts of the module.
    """
    function = facts.names.enclosing_function(node)
    return isinstance(node, ast.BinOp) and any(
        rest not in quotients
        and isinstance(rest, ast.BinOp)
        and isinstance(rest.op, ast.Mod)
        and facts.names.enclosing_function(rest) is function
        and same_expression(rest.left, node.left)
        and same_expression(rest.right, node.right)
        for rest in facts.names.nodes.get(ast.BinOp, ())
    )
