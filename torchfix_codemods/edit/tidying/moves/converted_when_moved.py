"""What a rewrite moves to a device gets its type there, not in main memory on the way."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import with_argument_added
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.edit.tensors.construction import calls_in_chain
from torchfix_codemods.edit.tidying.base import Tidying
from torchfix_codemods.edit.tidying.moves.moving import is_move
from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.fresh import is_fresh
from torchfix_codemods.facts.paths.graph import reads
from torchfix_codemods.facts.paths.writes import is_written_into
from torchfix_codemods.facts.programs.placement import is_made_on_cpu
from torchfix_codemods.facts.tensors.constructors import DTYPES, dtype_of_cast
from torchfix_codemods.facts.tensors.defaults import (
    may_change_default_device,
    may_change_default_type,
)
from torchfix_codemods.facts.values.dtypes import DEFAULT, named
from torchfix_codemods.facts.values.lattice import Tensor
from torchfix_codemods.rule import Found

_CONVERTED_MOVED = 2


class ConvertedWhenMoved(Tidying):
    """Writes ``x.to(device, torch.float)`` for ``x.type(torch.FloatTensor).to(device)``.

    It does so where a rewrite wrote the device. The type of the CPU fetches a tensor from the GPU,
    and copies it so: one that has its type and its device already comes back itself then, which no
    write into either may show. What was made on the CPU comes back itself from its own type anyway.
    Where it has that type, it is ``x.to(device)``.
    """

    name = "converted-when-moved"
    words = frozenset({"to"})

    def find_Call(self, node: ast.Call, facts: Facts) -> Iterator[Found]:
        if not facts.touched(node) or not is_move(node, facts):
            return
        assert isinstance(node.func, ast.Attribute)
        tensor, dtype = converted(node.func.value, facts)
        if tensor is None or dtype is None or node.lineno != node.end_lineno:
            return
        spelled = spell(facts, dtype, node)
        if spelled is None or spelled.needs or not facts.is_tensor(tensor):
            return
        if _is_left_on_cpu(tensor, facts) or not _may_be_shared(tensor, node, facts):
            is_idle = is_idle_cast(node.func.value, facts)
            told = "has that type already" if is_idle else "is converted where it goes"
            yield self.found(node, told, dtype=None if is_idle else spelled.text)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        converted, *_ = calls_in_chain(updated, _CONVERTED_MOVED) or [updated]
        if converted is updated or not isinstance(converted.func, cst.Attribute):
            return updated
        moved = updated.with_deep_changes(updated.func, value=converted.func.value)
        if self.data["dtype"] is None:
            return moved
        return with_argument_added(moved, cst.Arg(cst.parse_expression(self.data["dtype"])))


def converted(node: ast.expr, facts: Facts) -> tuple[ast.expr | None, str | None]:
    """``x`` of ``x.type(torch.FloatTensor)``, and the dtype that it gets.

    Args:
        node: any expression.
        facts: the facts of the module.

    Returns:
        the tensor and the name of the dtype; None for both where it is nothing of the kind.
    """
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return None, None
    if node.func.attr != "type" or len(node.args) != 1 or node.keywords:
        return None, None
    text = constant(node.args[0])
    name = text if isinstance(text, str) else facts.name(node.args[0])
    return node.func.value, DTYPES.get(name or "")


def is_idle_cast(node: ast.expr, facts: Facts) -> bool:
    """Whether a tensor has the type already that it is converted to.

    ``x.float()`` of what is made as floats, and ``x.type(torch.FloatTensor)`` of that.

    Args:
        node: any expression.
        facts: the facts of the module.
    """
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    _, dtype = converted(node, facts)
    if dtype is None and (node.args or node.keywords):
        return False
    cast = named(dtype or dtype_of_cast(node.func.attr))
    made = facts.value(node.func.value)
    if cast is None or not isinstance(made, Tensor):
        return False
    is_default = made.dtype == DEFAULT and not may_change_default_type(facts)
    return cast == (named("torch.float") if is_default else made.dtype)


def _is_left_on_cpu(tensor: ast.expr, facts: Facts) -> bool:
    """Whether a tensor is made on the CPU, where its type of there copies nothing."""
    if may_change_default_type(facts) or may_change_default_device(facts):
        return False
    return is_made_on_cpu(facts, tensor)


def _may_be_shared(tensor: ast.expr, moved: ast.Call, facts: Facts) -> bool:
    """Whether anything would show that a tensor and what is moved of it may be the same memory."""
    if is_fresh(tensor, facts):
        return False
    if not isinstance(tensor, ast.Name):
        return True
    bindings = facts.flow.reaching(tensor)
    others = [place.node for binding in bindings for place in reads(facts, binding)]
    return any(is_written_into(facts, node) for node in (moved, *others))
