"""Where a mask that is used more than once, or in a loop, is cast: where it gets its name."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.nodes import LOOPS
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import reads
from torchfix_codemods.facts.paths.writes import is_written_into
from torchfix_codemods.facts.tensors.layouts import core_of, whole_of
from torchfix_codemods.facts.values.lattice import TensorType
from torchfix_codemods.record import record
from torchfix_codemods.rules.masks.questions.given_masks import cast_wanted
from torchfix_codemods.rules.masks.questions.made_masks import LONGEST_CHAIN
from torchfix_codemods.rules.masks.questions.mask_places import uses_of_binding
from torchfix_codemods.rules.masks.questions.mask_wants import Want
from torchfix_codemods.rules.masks.questions.masks import is_byte


@record
class Once:
    """What is cast, and of what kinds the places are that it comes to."""

    value: ast.expr
    places: tuple[Want, ...]


def cast_once(facts: Facts, mask: ast.expr, place: Want) -> Once | None:
    """What to cast so that a mask is one of bool there and wherever else it is used.

    ``masks.t()`` of ``masks = masks.t()`` for the ``masks[i]`` of two calls of ``masked_fill``. It
    is the mask itself where it is used once, and in no further loop, or in any other way than as a
    mask.

    Args:
        facts: the facts of the module.
        mask: what stands at a place for masks.
        place: the kind of that place.

    Returns:
        None where another use above wants the same cast.
    """
    found, node, first = Once(mask, (place,)), mask, mask
    for _ in range(LONGEST_CHAIN):
        binding = _binding_of(_source(node), facts)
        uses = None if binding is None else _uses_of(binding, facts)
        if binding is None or binding.value is None or uses is None:
            break
        node = binding.value
        is_used_again = len(uses) > 1 or _loops(mask, facts) > _loops(node, facts)
        if is_used_again and _is_tensor_by_itself(node, facts):
            found = Once(node, tuple(kind for _, kind in uses))
            wanting = [use for use, kind in uses if _is_cast_at(facts, use, kind)]
            first = min(wanting, key=lambda use: (use.lineno, use.col_offset), default=mask)
    return found if first is mask else None


def _loops(node: ast.expr, facts: Facts) -> set[ast.AST]:
    """The loops that run an expression in each of their turns."""
    return {
        each
        for each in facts.names.ancestors(node)
        if isinstance(each, LOOPS) and facts.statement(node) is not each
    }


def _binding_of(name: ast.expr, facts: Facts) -> Binding | None:
    """The one assignment of a function that a name has its value from.

    It may be moved below: ``if use_cuda: mask = mask.cuda()``.
    """
    if not isinstance(name, ast.Name):
        return None
    reaching = facts.flow.reaching(name)
    if any(each.kind != "assign" or each.path for each in reaching):
        return None
    moved = {each: _moved(each, facts) for each in reaching[1:] and reaching}
    made = [each for each in reaching if moved.get(each) is None]
    if len(made) != 1 or any(before not in (None, (made[0],)) for before in moved.values()):
        return None
    scopes = {facts.names.scope_of(name), facts.names.scope_of(made[0].node)}
    return made[0] if len(scopes) == 1 else None


def _moved(binding: Binding, facts: Facts) -> tuple[Binding, ...] | None:
    """What ``mask = mask.cuda()`` moves."""
    source = None if binding.value is None else _source(binding.value)
    is_same = isinstance(source, ast.Name) and source.id == binding.name
    return facts.flow.reaching(source) if is_same and isinstance(source, ast.Name) else None


def _uses_of(binding: Binding, facts: Facts) -> list[tuple[ast.expr, Want]] | None:
    statement = binding.node
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target = statement.targets[0]
    return uses_of_binding(facts, target) if isinstance(target, ast.Name) else None


def _is_tensor_by_itself(value: ast.expr, facts: Facts) -> bool:
    """Whether a tensor is made there, or is a part or layout of one that nothing writes into.

    A copy of bool does not see what is written later.
    """
    if _is_made(value, facts):
        return facts.is_tensor(value)
    if _is_cast_of_fresh(value, facts):
        return True
    root = _source(value)
    # What has tensors as its parts, and such a method, is one itself.
    is_laid_out = isinstance(value, ast.Call) and core_of(value) is not value
    if not is_laid_out and not facts.is_tensor(value):
        return False
    return isinstance(root, ast.Name) and root is not value and not _is_written(root, facts)


def _is_cast_of_fresh(value: ast.expr, facts: Facts) -> bool:
    """``mask.byte()`` of ``mask = mask.byte()``, of which the name held a result of its own."""
    method = value.func if isinstance(value, ast.Call) else None
    cast, statement = getattr(method, "value", None), facts.statement(value)
    if not is_byte(facts, value) or not isinstance(cast, ast.Name):
        return False
    if not isinstance(statement, ast.Assign) or ast.unparse(statement.targets[0]) != cast.id:
        return False
    made = facts.assigned(cast) or []
    return bool(made) and all(
        facts.is_tensor(each) and (isinstance(each, ast.BinOp) or _is_made(each, facts))
        for each in made
    )


def _is_made(value: ast.expr, facts: Facts) -> bool:
    """``torch.ByteTensor(x)``, also moved, or in another layout, or of a type that a name holds."""
    source = _source(value)
    if not isinstance(source, ast.Call):
        return False
    return facts.name(source.func) is not None or isinstance(facts.value(source.func), TensorType)


def _source(node: ast.expr) -> ast.expr:
    """What a mask is a part or another layout of, or was moved from: ``x`` of ``x[0].cuda()``."""
    source = whole_of(node)
    while isinstance(source, ast.Call) and isinstance(source.func, ast.Attribute):
        if source.func.attr not in ("to", "cuda", "cpu"):
            break
        source = whole_of(source.func.value)
    return source


def _is_written(name: ast.Name, facts: Facts, depth: int = 0) -> bool:
    """Whether anything in sight may write into what a name holds, by this name or another one."""
    bindings = facts.flow.reaching(name)
    if not bindings or depth > LONGEST_CHAIN:
        return True
    for binding in bindings:
        if binding.kind not in ("assign", "parameter") or binding.path:
            return True
        if any(is_written_into(facts, place.node) for place in reads(facts, binding)):
            return True
        root = None if binding.value is None else _source(binding.value)
        if isinstance(root, ast.Name) and binding.kind == "assign":
            if _is_written(root, facts, depth + 1):
                return True
    return False


def _is_cast_at(facts: Facts, use: ast.expr, place: Want) -> bool:
    return cast_wanted(facts, use, core_of(use), place) in ("of bytes", "of integers")
