"""Tensors that ``.cpu()`` copies from a GPU, and gives themselves where they are on the CPU."""

from __future__ import annotations

import ast
from collections.abc import Collection

from torchfix_codemods.facts.language.nodes import start_of
from torchfix_codemods.facts.libraries.torch_names import VARIABLE
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.writes import first_write
from torchfix_codemods.rules.autograd.questions.new_tensors import gives_fresh_tensor

#: Through so many names a value is followed.
_MOST_FOLLOWED = 4


def is_copy_meant(call: ast.Call, moves: Collection[ast.AST], facts: Facts) -> bool:
    """Whether ``y = x.cpu()`` copies what a GPU calculated, y is changed, and x is read below.

    Args:
        call: any call.
        moves: the calls that move to the GPU in the file, for certain as yet.
        facts: the facts of the module.
    """
    if not _is_bare(call, "cpu") or not isinstance(call.func, ast.Attribute):
        return False
    held = _held(call.func.value)
    name = held.value if isinstance(held, ast.Subscript) else held
    if not isinstance(name, ast.Name) or not _is_of_moved(name, moves, facts, 0):
        return False
    write = first_write(facts, call)
    if write is None or write.facts is not facts or start_of(write.node) < start_of(call):
        return False
    return _is_read_below(name, held, write.node, facts)


def _is_of_moved(node: ast.expr, moves: Collection[ast.AST], facts: Facts, depth: int) -> bool:
    """Whether a value was moved to the GPU, or a module calculated it from what was."""
    if isinstance(node, ast.Name):
        bindings = facts.flow.reaching(node) if depth < _MOST_FOLLOWED else ()
        return bool(bindings) and all(
            binding.kind == "assign"
            and binding.value is not None
            and not binding.path
            and _is_of_moved(binding.value, moves, facts, depth + 1)
            for binding in bindings
        )
    if not isinstance(node, ast.Call) or node in moves:
        return node in moves
    is_given = facts.name(node.func) == VARIABLE or facts.is_module(node.func)
    return is_given and any(_is_of_moved(each, moves, facts, depth) for each in node.args[:1])


def _is_bare(call: ast.expr, method: str) -> bool:
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
        return False
    return call.func.attr == method and not call.args and not call.keywords


def _held(node: ast.expr) -> ast.expr:
    """``x[0]`` of ``x[0].data`` and ``x[0].detach()``."""
    if isinstance(node, ast.Attribute) and node.attr == "data":
        return _held(node.value)
    if isinstance(node, ast.Call) and _is_bare(node, "detach"):
        return _held(node.func.value) if isinstance(node.func, ast.Attribute) else node
    return node


def _is_read_below(name: ast.Name, held: ast.expr, write: ast.expr, facts: Facts) -> bool:
    """Where the tensor, or the list that it lies in, is read after something wrote into it."""
    bindings = facts.flow.reaching(name)
    found = facts.names.scope_of(name).lookup(name.id)
    if found is None or not bindings:
        return False
    for use in sorted(facts.names.uses_of(found[0], name.id), key=start_of):
        if start_of(use) > start_of(write) and facts.flow.reaching(use) == bindings:
            if facts.names.enclosing_function(use) is facts.names.enclosing_function(write):
                if _reads(use, held, facts):
                    return True
    return False


def _reads(use: ast.Name, held: ast.expr, facts: Facts) -> bool:
    """Whether the numbers of a tensor are read, or all of a list that it lies in."""
    around = facts.parent(use)
    if isinstance(around, ast.Subscript) and around.value is use:
        is_same = ast.unparse(around) == ast.unparse(held)
        return isinstance(around.ctx, ast.Load) and (is_same or isinstance(held, ast.Name))
    if isinstance(around, (ast.For, ast.BinOp, ast.Return)):
        return True
    if isinstance(around, ast.Call) and use in around.args:
        return facts.names.builtin(around.func) is None
    if not isinstance(around, ast.Attribute) or not isinstance(facts.parent(around), ast.Call):
        return False
    return gives_fresh_tensor(around.attr)
