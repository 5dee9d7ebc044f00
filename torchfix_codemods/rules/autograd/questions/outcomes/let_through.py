"""What is calculated from a volatile value until ``x.volatile = False`` lets it into a graph."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.nodes import LOOPS
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.rules.autograd.questions.outcomes.letting_out import needs_graph_again


def let_through(binding: Binding, source: ast.stmt, facts: Facts) -> ast.stmt | None:
    """``target.volatile = False``, behind which what a name holds is a constant of a graph.

    Args:
        binding: what gives the name something calculated from a volatile value.
        source: the statement that makes the volatile value.
        facts: the facts of the module.

    Returns:
        the statement; None where it may not have run, or not once for each value.
    """
    if binding.kind != "assign" or not isinstance(binding.node, ast.stmt):
        return None
    scope = facts.names.scope_of(binding.node)
    named = facts.names.uses_of(scope, binding.name)
    uses = [use for use in named if binding in facts.flow.reaching(use)]
    marks = [facts.statement(u) for u in uses if _is_mark(u, facts)]
    if len(marks) != 1 or not _runs_with(source, marks[0], facts):
        return None
    first, last = binding.node.lineno, marks[0].lineno
    is_in_order = source.lineno <= first < last and all(use.lineno > first for use in uses)
    behind = [use for use in uses if use.lineno > last]
    return marks[0] if is_in_order and all(_runs_in(marks[0], u, facts) for u in behind) else None


def _is_mark(use: ast.Name, facts: Facts) -> bool:
    above = facts.parent(use)
    is_flag = isinstance(above, ast.Attribute) and above.attr == "volatile"
    return is_flag and needs_graph_again(use, facts)


def _runs_with(source: ast.stmt, mark: ast.stmt, facts: Facts) -> bool:
    """Whether a mark is set in each round in which a volatile value is made."""
    loops = [
        next((a for a in facts.names.ancestors(one) if isinstance(a, LOOPS)), None)
        for one in (source, mark)
    ]
    return loops[0] is loops[1] and _runs_in(_in_no_block(source, facts), mark, facts)


def _in_no_block(statement: ast.stmt, facts: Facts) -> ast.stmt:
    """The outermost ``with`` block that runs with a statement; else the statement itself."""
    while isinstance(above := facts.parent(statement), ast.With):
        statement = above
    return statement


def _runs_in(first: ast.stmt, node: ast.AST, facts: Facts) -> bool:
    """Whether what stands below a statement, in the same block, holds a node."""
    block = facts.block(first)
    below = block[block.index(first) + 1 :]
    return any(part in below for part in (node, *facts.names.ancestors(node)))
