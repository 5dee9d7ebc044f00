"""The tensor types of the GPU, and the names and choices that stand for one."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.constructors import DTYPES
from torchfix_codemods.facts.tensors.defaults import may_change_default_type
from torchfix_codemods.record import record

#: ``torch.FloatTensor`` for ``torch.cuda.FloatTensor``, and so on.
CPU_TYPE_OF = {
    name.replace("torch.", "torch.cuda.", 1): name for name in DTYPES if name != "torch.Tensor"
}
#: ``torch.sparse.FloatTensor`` and ``torch.cuda.sparse.FloatTensor``, and so on.
SPARSE_TYPES = frozenset(
    ".sparse.".join(name.rsplit(".", 1)) for pair in CPU_TYPE_OF.items() for name in pair
)


@record
class Kind:
    """A type of the GPU, alone or beside its counterpart of the CPU."""

    dtype: str
    test: ast.expr | None
    """What chooses between both."""


def kind_of(node: ast.expr, facts: Facts) -> Kind | None:
    """``torch.cuda.LongTensor``, its name in quotes, or a choice between it and the CPU's."""
    if isinstance(node, ast.IfExp):
        there, here = facts.name(node.body), facts.name(node.orelse)
        if there not in CPU_TYPE_OF or here not in DTYPES:
            return None
        dtype = DTYPES[CPU_TYPE_OF[there]]
        if here == "torch.Tensor" and may_change_default_type(facts):
            return None
        is_same = (DTYPES[here] or "torch.float") == dtype
        return Kind(dtype or "", node.test) if is_same else None
    name = constant(node) if isinstance(node, ast.Constant) else facts.name(node)
    return Kind(DTYPES[CPU_TYPE_OF[name]] or "", None) if name in CPU_TYPE_OF else None


def used_kind(call: ast.Call, facts: Facts) -> Kind | None:
    """The type that a call makes a tensor by, or casts one to: ``x.type(kind)``."""
    if facts.name(call.func) in CPU_TYPE_OF:
        return kind_of(call.func, facts)
    return kind_of(call.args[0], facts) if is_type_call(call) else None


def has_default_on_gpu(facts: Facts) -> bool:
    """Whether a file of the project may set a default type of the GPU."""
    return any(facts.is_mentioned(name.removeprefix("torch.")) for name in CPU_TYPE_OF)


def is_type_call(call: ast.Call) -> bool:
    """``x.type(t)``."""
    is_method = isinstance(call.func, ast.Attribute) and call.func.attr == "type"
    return is_method and len(call.args) == 1 and not call.keywords
