"""What a tensor is calculated with that stays on the CPU, where a lost move would take it away."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use
from torchfix_codemods.facts.paths.origins import come_from
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.programs.placement import before_gpu, before_on_cpu
from torchfix_codemods.facts.values.lattice import (
    Array,
    Loader,
    Module,
    NoneValue,
    Number,
    Tensor,
    Text,
)
from torchfix_codemods.rules.devices.questions.tried_moves import other_uses

_MOVES = ("cuda", "to")

#: What holds numbers of Python, or batches as a loader makes them.
_ON_CPU = (Number, Text, NoneValue, Array, Loader)


def stays_behind(moved: ast.Name, facts: Facts) -> ast.expr | None:
    """A tensor or module that ``x`` of a lost ``x.cuda()`` meets below, and that nothing moves.

    Today both are on the same device, and with the copy they would not be.

    Args:
        moved: the name.
        facts: the facts of the module.
    """
    met: list[ast.expr] = []

    def meets(use: Use) -> Iterable[Place] | None:
        met[:] = [node for node in _partners(use) if _stays(use.facts, node)]
        return None if met else _onward(use)

    uses = (use for use in other_uses(moved, facts) if use.lineno > moved.lineno)
    follow([Place(facts, use) for use in uses], meets)
    return met[0] if met else None


def _partners(use: Use) -> Iterator[ast.expr]:
    """What has to lie on the device of a tensor that is calculated with."""
    by = use.by
    if use.kind in ("operand", "compared"):
        yield from (p for p in ast.iter_child_nodes(by) if isinstance(p, ast.expr))
    elif use.kind in ("method", "argument") and isinstance(by, ast.Call):
        is_module = isinstance(use.facts.value(by.func), Module)
        if not is_module and not torch_effects.is_known(_operation(by, use.facts)):
            return
        yield from (arg for arg in by.args if arg is not use.node)
        if is_module:
            yield by.func
        elif isinstance(by.func, ast.Attribute) and use.facts.name(by.func) is None:
            yield by.func.value


def _operation(call: ast.Call, facts: Facts) -> str:
    """The operation of torch that a call is, if it needs all of its tensors in one place."""
    name = facts.name(call.func)
    if name is None and isinstance(call.func, ast.Attribute):
        method = call.func.attr
        is_for_form = method.endswith("_as") or method == "copy_"
        return "" if is_for_form else method
    return name if name is not None and name.startswith("torch.") else ""


def _onward(use: Use) -> Iterable[Place]:
    if use.kind not in ("method", "argument") or not isinstance(use.by, ast.Call):
        return use.onward()
    if isinstance(use.facts.value(use.by.func), Module):
        return use.result()
    name = _operation(use.by, use.facts)
    if not name:
        return use.taken()
    leaves = torch_effects.tells(name) or torch_effects.leaves_torch(name)
    return () if leaves or torch_effects.may_do(name, "moves") else use.result()


def _stays(facts: Facts, node: ast.expr) -> bool:
    value = facts.value(node)
    if isinstance(value, Module):
        return isinstance(node, ast.Name) and _is_never_moved(node, facts)
    # What has no dimensions is calculated with wherever it lies.
    if not isinstance(value, Tensor) or value.ndim == 0:
        return False
    return come_from([Place(facts, node)], _before_move)


def _before_move(place: Place) -> Iterable[Place] | None:
    """None for what is on a GPU once all lost moves are made good, or may be: it is not in sight.

    Else what a tensor is computed from that is on the CPU.
    """
    node, facts = place.node, place.facts
    if isinstance(node, ast.Name) and any(_is_lost(u, node, facts) for u in _moves_of(node, facts)):
        return None
    if (before := before_gpu(place)) is None:
        return None
    here = before_on_cpu(place) if isinstance(node, ast.Call) else None
    is_made_here = here is not None and not list(here)
    if is_made_here or isinstance(facts.value(node), _ON_CPU):
        return ()
    return list(before) or None


def _moves_of(name: ast.Name, facts: Facts) -> Iterator[ast.Name]:
    for use in other_uses(name, facts):
        method = facts.parent(use)
        if isinstance(method, ast.Attribute) and method.attr in _MOVES:
            yield use


def _is_lost(moved: ast.Name, name: ast.Name, facts: Facts) -> bool:
    """Whether ``x.cuda()`` is a statement of its own above another use of ``x``."""
    statement = facts.statement(moved)
    call = statement.value if isinstance(statement, ast.Expr) else None
    function = call.func if isinstance(call, ast.Call) else None
    is_lost = isinstance(function, ast.Attribute) and function.value is moved
    return is_lost and moved.lineno < name.lineno


def _is_never_moved(name: ast.Name, facts: Facts) -> bool:
    """Whether a module is made here, and only called or asked below: it is where it was made."""
    made = facts.assigned(name)
    if not made or not all(_is_new(each, facts) for each in made):
        return False
    return all(
        (isinstance(parent, ast.Call) and parent.func is use)
        or (isinstance(parent, ast.Attribute) and parent.attr not in (*_MOVES, "apply", "half"))
        for use in other_uses(name, facts)
        if (parent := facts.parent(use)) is not None
    )


def _is_new(node: ast.expr, facts: Facts) -> bool:
    """``Net()``, of a class that this file defines and that moves nothing."""
    value = facts.value(node)
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    if not isinstance(value, Module) or value.definition is None:
        return False
    return not any(
        isinstance(part, ast.Attribute) and part.attr in (*_MOVES, "device")
        for part in ast.walk(value.definition)
    )
