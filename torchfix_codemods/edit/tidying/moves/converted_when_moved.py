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
from torchfix_codemods.facts.tensors.constructors import DTYPES
from torchfix_codemods.rule import Found

_CONVERTED_MOVED = 2


class ConvertedWhenMoved(Tidying):
    """Writes ``x.to(device, torch.float)`` for ``x.type(torch.FloatTensor).to(device)``.

    It does so where a rewrite wrote the device. The type of the CPU fetches a tensor from the GPU,
    and copies it so: one that has its type and its device already comes back itself then, which no
    write into either may show.
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
        if not _may_be_shared(tensor, node, facts):
            yield self.found(node, "is converted where it goes", dtype=spelled.text)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        converted, *_ = calls_in_chain(updated, _CONVERTED_MOVED) or [updated]
        if converted is updated or not isinstance(converted.func, cst.Attribute):
            return updated
        moved = updated.with_deep_changes(updated.func, value=converted.func.value)
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


def _may_be_shared(tensor: ast.expr, moved: ast.Call, facts: Facts) -> bool:
    """Whether anything would show that a tensor and what is moved of it may be the same memory."""
    if is_fresh(tensor, facts):
        return False
    if not isinstance(tensor, ast.Name):
        return True
    bindings = facts.flow.reaching(tensor)
    others = [place.node for binding in bindings for place in reads(facts, binding)]
    return any(is_written_into(facts, node) for node in (moved, *others))
