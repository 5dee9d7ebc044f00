"""Calls that may be inference, as far as what stands around them tells."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.project_imports import may_meet
from torchfix_codemods.facts.recording.no_grad import no_grad_blocks
from torchfix_codemods.facts.values.lattice import Loader


def may_infer(facts: Facts) -> set[ast.Call]:
    """The calls around which there is anything at all for which they may be inference."""
    loops = facts.names.nodes.get(ast.For, ()) if _may_have_loaders(facts) else ()
    loops = [loop for loop in loops if is_over_data(facts, loop)]
    parts = {*loops, *no_grad_blocks(facts), *_parts_with_volatile(facts)}
    return {node for part in parts for node in walk(part) if isinstance(node, ast.Call)}


def _may_have_loaders(facts: Facts) -> bool:
    return facts.speaks_of("DataLoader") or may_meet(facts, "DataLoader")


def _parts_with_volatile(facts: Facts) -> set[ast.AST]:
    """The statements of the module's level with ``volatile=`` anywhere inside."""
    keywords = facts.names.nodes.get(ast.keyword, ()) if facts.speaks_of("volatile") else ()
    return {
        [node, *facts.names.ancestors(node)][-2]
        for node in keywords
        if isinstance(node, ast.keyword) and node.arg == "volatile"
    }


def is_over_data(facts: Facts, loop: ast.AST) -> bool:
    """Whether a loop goes through the batches of a DataLoader."""
    return isinstance(loop, ast.For) and _is_data(facts, loop.iter)


def _is_data(facts: Facts, iterated: ast.expr) -> bool:
    if isinstance(iterated, ast.Call) and isinstance(iterated.func, ast.Name) and iterated.args:
        if iterated.func.id in ("enumerate", "tqdm"):
            iterated = iterated.args[0]
    return isinstance(facts.value(iterated), Loader)
