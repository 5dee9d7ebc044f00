"""Rewrites a module so that it records what its expressions evaluate to."""

from __future__ import annotations

import ast
from typing import TypeVar

RECORD = "__torchfix_record__"

#: The expressions whose values are recorded.
RECORDED = (ast.Name, ast.Attribute, ast.Call, ast.Subscript)

Node = TypeVar("Node", bound=ast.AST)


def recorded_nodes(tree: ast.Module) -> list[ast.expr]:
    """The expressions of a module that are recorded; the index of each is its position."""
    collector = _Collector()
    collector.visit(tree)
    return collector.nodes


def instrumented(text: str, first: int) -> str:
    """A module that does what ``text`` does and records its expressions.

    Args:
        text: the module.
        first: the position of its first expression; the others follow in order.

    Raises:
        SyntaxError: not Python of today.
    """
    tree = ast.parse(text)
    positions = {id(node): first + i for i, node in enumerate(recorded_nodes(tree))}
    return ast.unparse(ast.fix_missing_locations(_Instrument(positions).visit(tree)))


class _Evaluated(ast.NodeVisitor):
    """Visits what is evaluated as an ordinary expression when the module runs."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        if not _is_compiled(node):
            self._visit_definition(node)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self._visit_definition(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        # The decorators stay: before 3.9 only names and calls of names were allowed there.
        for part in (*node.bases, *node.keywords, *node.body):
            self.visit(part)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self.visit(node.target)
        if node.value is not None:
            self.visit(node.value)

    def _visit_definition(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for default in (*node.args.defaults, *node.args.kw_defaults):
            if default is not None:
                self.visit(default)
        for statement in node.body:
            self.visit(statement)


def _is_compiled(node: ast.FunctionDef) -> bool:
    """Whether torch compiles the function from its source, where only its own subset is allowed."""
    return any("jit" in ast.unparse(decorator) for decorator in node.decorator_list)


class _Collector(_Evaluated):
    def __init__(self) -> None:
        self.nodes: list[ast.expr] = []

    def visit(self, node: ast.AST) -> None:
        if isinstance(node, RECORDED) and _is_read(node):
            self.nodes.append(node)
        if hasattr(ast, "Match") and isinstance(node, ast.Match):
            return
        super().visit(node)


def _is_read(node: ast.expr) -> bool:
    return isinstance(getattr(node, "ctx", None), (ast.Load, type(None)))


class _Instrument(ast.NodeTransformer):
    def __init__(self, positions: dict[int, int]) -> None:
        self._positions = positions

    def visit(self, node: ast.AST) -> ast.AST:
        position = self._positions.get(id(node))
        visited: ast.AST = self.generic_visit(node)
        if position is None or not isinstance(visited, ast.expr):
            return visited
        name = ast.Name(RECORD, ast.Load())
        return ast.Call(name, [ast.Constant(position), visited], [])
