"""Which ``.cuda()`` calls move something known, and which go along with what stands around them."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.evaluation.classes_elsewhere import method_of
from torchfix_codemods.facts.evidence.proofs import defines_method
from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Module, Unknown
from torchfix_codemods.rules.devices.questions.gpu_moves import (
    MOVABLE,
    is_of_a_module,
    moved_value,
    moves_to_default_gpu,
)

_OWN_MOVES = frozenset({"cuda", "to"})


def is_move(call: ast.Call, facts: Facts) -> bool:
    """Whether a call is ``x.cuda()``, and no part of what a class says its own means."""
    if not moves_to_default_gpu(call) or is_of_a_module(call, facts):
        return False
    function = facts.names.enclosing_function(call)
    return function is None or function.name != "cuda"


def is_movable(call: ast.Call, facts: Facts) -> bool:
    """Whether what a call moves has a ``to`` that does what its ``cuda`` does."""
    return _is_known(call, facts) or _goes_along(call, facts)


def _is_known(call: ast.Call, facts: Facts) -> bool:
    receiver = moved_value(call, facts)
    if isinstance(receiver, Module) and _moves_its_own_way(receiver, facts):
        return False
    return isinstance(receiver, MOVABLE)


def _moves_its_own_way(module: Module, facts: Facts) -> bool:
    """Whether a module may be of a class of the project that says itself what moving it means."""
    if module.either:
        return any(_moves_its_own_way(one, facts) for one in module.either)
    if module.definition is not None or module.origin is not None:
        return any(method_of(facts.inference, module, name) for name in _OWN_MOVES)
    return module.cls is None and bool(method_names(facts.names) & _OWN_MOVES)


def _goes_along(call: ast.Call, facts: Facts) -> bool:
    """Whether ``net.cuda()`` is a statement of its own, among others that move what is known.

    As such it does nothing for a tensor, so it is meant for a module, where it is no part of a
    batch.
    """
    if not _is_unknown_statement(call, facts) or _has_own_moves(facts):
        return False
    assert isinstance(call.func, ast.Attribute)
    moved = call.func.value
    if isinstance(moved, ast.Name) and any(b.kind == "for" for b in facts.flow.reaching(moved)):
        return False
    return any(
        all(_is_known(move, facts) for move in moves)
        for statement, moves in _run_around(facts.statement(call), facts)
        if statement is not facts.statement(call)
    )


def _is_unknown_statement(call: ast.Call, facts: Facts) -> bool:
    is_statement = isinstance(facts.parent(call), ast.Expr)
    return is_statement and isinstance(moved_value(call, facts), Unknown)


def _has_own_moves(facts: Facts) -> bool:
    """Whether a class of the project says itself what moving it means."""
    if any(defines_method(facts.names, name) for name in _OWN_MOVES):
        return True
    is_placed = facts.files is not None and facts.files.is_defined("to")
    return is_placed or facts.names.is_method_of_project("cuda")


def _run_around(
    statement: ast.stmt, facts: Facts
) -> Iterator[tuple[ast.stmt, tuple[ast.Call, ...]]]:
    """The statements that move something one after the other, each with the calls that do."""
    block = facts.block(statement)
    place = block.index(statement)
    for part in (reversed(block[:place]), block[place:]):
        for beside in part:
            moves = _moves_in(beside, facts)
            if not moves:
                break
            yield beside, moves


def _moves_in(statement: ast.stmt, facts: Facts) -> tuple[ast.Call, ...]:
    if not isinstance(statement, (ast.Expr, ast.Assign)):
        return ()
    calls = [node for node in ast.walk(statement.value) if isinstance(node, ast.Call)]
    return tuple(call for call in calls if is_move(call, facts))


def half_known(facts: Facts) -> frozenset[ast.stmt]:
    """The statements that stay as they are, since something moves there that is not known.

    ``x, y = x.cuda(), y.cuda()`` of which only ``x`` is known, and all that move something above
    and below ``y.cuda()``.
    """
    return facts.remembered(half_known, lambda: frozenset(_find_half_known(facts)))


def _find_half_known(facts: Facts) -> Iterator[ast.stmt]:
    for call in facts.names.nodes.get(ast.Call, ()):
        if not isinstance(call, ast.Call) or not is_move(call, facts):
            continue
        if not isinstance(moved_value(call, facts), Unknown) or _goes_along(call, facts):
            continue
        statement = facts.statement(call)
        yield statement
        if _is_unknown_statement(call, facts):
            yield from (beside for beside, _ in _run_around(statement, facts))
