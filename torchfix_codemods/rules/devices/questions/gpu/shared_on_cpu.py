"""Tensors that ``.cpu()`` copies from a GPU, and gives themselves where they are on the CPU."""

from __future__ import annotations

import ast
import functools
from collections.abc import Collection, Iterable

from torchfix_codemods.facts.language.nodes import start_of
from torchfix_codemods.facts.libraries.torch_names import VARIABLE
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.origins import come_from, sources
from torchfix_codemods.facts.paths.writes import first_write
from torchfix_codemods.facts.recording.leaves import is_leaf
from torchfix_codemods.rules.autograd.questions.new_tensors import gives_fresh_tensor


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
    question = functools.partial(_before_moved, moves)
    if not isinstance(name, ast.Name) or not come_from([Place(facts, name)], question):
        return False
    write = first_write(facts, call)
    if write is None or write.facts is not facts or start_of(write.node) < start_of(call):
        return False
    return _is_read_below(name, held, write.node, facts)


def is_written_leaf(call: ast.Call, facts: Facts) -> bool:
    """Whether ``y = x.cuda()`` copies a leaf that requires grad, and y is written into below.

    Args:
        call: a call that moves to the GPU.
        facts: the facts of the module.
    """
    if not isinstance(call.func, ast.Attribute) or not is_leaf(call.func.value, facts):
        return False
    write = first_write(facts, call)
    return write is not None and write.facts is facts


def _before_moved(moves: Collection[ast.AST], place: Place) -> Iterable[Place] | None:
    """None for what was not moved to the GPU, and was calculated by no module from what was."""
    facts, node = place.facts, place.node
    if node in moves:
        return ()
    if isinstance(node, ast.Call) and (
        facts.name(node.func) == VARIABLE or facts.is_module(node.func)
    ):
        return [Place(facts, given) for given in node.args[:1]] or None
    return sources(place)


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
