"""Imports that a function makes for itself, beside which another of the same package belongs."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.spelling import imports_package, packages_loaded
from torchfix_codemods.rule import Found, ImportOf


def local_import(need: ImportOf, found: Found, facts: Facts) -> ast.stmt | None:
    """The import of a function above which an import belongs that a finding in it needs.

    None where the module itself imports something of the package, or the function does not.
    """
    package = need.module.partition(".")[0]
    if imports_package(facts, package):
        return None
    first = _first_line(found)
    nodes = (*facts.names.nodes.get(ast.Import, ()), *facts.names.nodes.get(ast.ImportFrom, ()))
    places = [
        node
        for node in nodes
        if isinstance(node, (ast.Import, ast.ImportFrom))
        and package in packages_loaded(node)
        and node.lineno < first
        and _is_run_before(node, found.node, facts)
        and facts.lines[node.lineno - 1][: node.col_offset].isspace()
    ]
    return min(places, key=lambda node: node.lineno, default=None)


def _first_line(found: Found) -> int:
    """The first line of what a finding rewrites."""
    region = found.region if found.region is not None else found.node
    nodes = [region] if isinstance(region, ast.AST) else region
    return min((getattr(node, "lineno", 0) for node in nodes), default=0)


def _is_run_before(node: ast.stmt, use: ast.AST, facts: Facts) -> bool:
    """Whether an import stands in a function, in a block that holds a use further down."""
    function = facts.names.enclosing_function(node)
    around = set(facts.names.ancestors(use))
    return function in around and any(s in around for s in facts.block(node))
