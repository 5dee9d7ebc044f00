"""Which ``.cuda()`` calls move something known, and which go along with what stands around them."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation.classes_elsewhere import method_of
from torchfix_codemods.facts.evidence.proofs import defines_method
from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.language.nodes import same_expression
from torchfix_codemods.facts.language.targets import target_of
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.attribute_reads import stored_above
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
    return is_known_move(call, facts) or _goes_along(call, facts)


def is_known_move(call: ast.Call, facts: Facts) -> bool:
    """Whether what a call moves is certainly a tensor or a module that ``to`` moves as well."""
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
    """Whether ``net.cuda()`` or ``x = x.cuda()`` of what is not known stands by itself.

    Where something of the file moves that is known, it is a tensor or a module, too: what else has
    a ``cuda`` is of a class of the project that defines it.
    """
    if not isinstance(moved_value(call, facts), Unknown) or not _stands_alone(call, facts):
        return False
    if _is_set_to_constant(call, facts):
        return False
    return not _has_own_moves(facts) and _moves_what_is_known(facts)


def _is_set_to_constant(call: ast.Call, facts: Facts) -> bool:
    """``self.net = 0`` above ``if cuda: self.net.cuda()``, which must never run."""
    assert isinstance(call.func, ast.Attribute)
    moved = call.func.value
    if isinstance(moved, ast.Attribute):
        return isinstance(stored_above(facts, moved), ast.Constant)
    values = facts.assigned(moved) if isinstance(moved, ast.Name) else None
    return bool(values) and all(isinstance(value, ast.Constant) for value in values or ())


def _stands_alone(call: ast.Call, facts: Facts) -> bool:
    """Whether a call is a statement, or gives what it moves a new value: ``x = x.cuda()``.

    Or it is ``x.cuda() if use_cuda else x``, or ``else x.cpu()``.
    """
    assert isinstance(call.func, ast.Attribute)
    moved, statement = call.func.value, facts.statement(call)
    if isinstance(statement, ast.Expr):
        # A part of a batch may be anything, and the result of a tensor would be lost.
        is_part = isinstance(moved, ast.Name) and any(
            binding.kind == "for" for binding in facts.flow.reaching(moved)
        )
        return call in parts_of_statement(statement) and not is_part
    choice = facts.parent(call)
    if isinstance(choice, ast.IfExp) and choice.body is call:
        return same_expression(_brought_back(choice.orelse), moved)
    target = target_of(facts.names, call)
    return target is not None and ast.unparse(target) == ast.unparse(moved)


def parts_of_statement(statement: ast.Expr) -> list[ast.expr]:
    """What an expression alone on its line does: the calls of ``net.cuda(), loss.cuda()``."""
    value = statement.value
    return list(value.elts) if isinstance(value, ast.Tuple) else [value]


def _brought_back(node: ast.expr) -> ast.expr:
    """``x`` of ``x.cpu()``."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return node.func.value if node.func.attr == "cpu" and not node.args else node
    return node


def _moves_what_is_known(facts: Facts) -> bool:
    return facts.remembered(
        _moves_what_is_known,
        lambda: any(
            is_move(call, facts) and is_known_move(call, facts)
            for call in facts.names.method_calls("cuda")
        ),
    )


def _has_own_moves(facts: Facts) -> bool:
    """Whether a class of the project says itself what moving it means."""
    if any(defines_method(facts.names, name) for name in _OWN_MOVES):
        return True
    is_placed = facts.files is not None and facts.files.is_defined("to")
    return is_placed or facts.names.is_method_of_project("cuda")
