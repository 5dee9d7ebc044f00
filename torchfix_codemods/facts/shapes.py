"""What is certainly a size, and which methods are given sizes."""

from __future__ import annotations

import ast

from torchfix_codemods.facts import torch_api
from torchfix_codemods.facts.evidence import is_minus_one
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values import Array, Number, Sequence, Size, Tensor


def asks_for_shape(view: ast.Call, facts: Facts) -> bool:
    """Whether ``x.view(…)`` certainly gives sizes, and not the dtype to read the bits as."""
    if view.keywords or not view.args:
        return False
    if len(view.args) > 1:
        return True
    only = view.args[0]
    if isinstance(only, (ast.Starred, ast.BinOp)) or is_minus_one(only):
        return True
    return isinstance(facts.value(only), (Number, Sequence, Size))


#: Layers of ``torch.nn`` whose first arguments are numbers, and how many of them.
_COUNTS = {
    **dict.fromkeys("Linear Bilinear Embedding EmbeddingBag RNN LSTM GRU".split(), 2),
    **dict.fromkeys("RNNCell LSTMCell GRUCell Conv1d Conv2d Conv3d".split(), 2),
    **dict.fromkeys("ConvTranspose1d ConvTranspose2d ConvTranspose3d".split(), 2),
    **dict.fromkeys("BatchNorm1d BatchNorm2d BatchNorm3d".split(), 1),
}

#: Functions of torch that take sizes one by one.
_TAKES_SIZES = torch_api.FACTORIES - {"full"} | torch_api.LEGACY_TYPES.keys()


def is_size(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression is certainly a number that can be a size.

    That is a Python integer or what the module uses as one: ``n`` where ``nn.Linear(n, 2)``,
    ``torch.zeros(n, 2)`` or ``range(n)`` stands beside it.
    """
    value = facts.value(node)
    if isinstance(value, Number):
        return value.kind in ("int", None)
    if isinstance(node, ast.BinOp):
        return is_size(node.left, facts) and is_size(node.right, facts)
    if isinstance(node, (ast.Call, ast.Subscript)):
        return _asks_for_one_size(node, facts)
    if not isinstance(node, (ast.Name, ast.Attribute)):
        return False
    if isinstance(value, (Tensor, Array, Sequence, Size)):
        return False
    counted = facts.remembered("counted", lambda: _counted(facts))
    return any(_is_same(node, other, facts) for other in counted.get(ast.unparse(node), ()))


def _asks_for_one_size(node: ast.Call | ast.Subscript, facts: Facts) -> bool:
    """``x.size(0)``, ``x.shape[0]`` or ``x.size()[0]`` of whatever x is."""
    if isinstance(node, ast.Call):
        is_query = isinstance(node.func, ast.Attribute) and node.func.attr == "size"
        given = node.args
        return is_query and len(given) == 1 and _is_index(given[0]) and not _is_own_size(facts)
    if not _is_index(node.slice):
        return False
    holder = node.value
    if isinstance(holder, ast.Attribute):
        return holder.attr == "shape"
    return (
        isinstance(holder, ast.Call)
        and isinstance(holder.func, ast.Attribute)
        and holder.func.attr == "size"
        and not holder.args
        and not _is_own_size(facts)
    )


def _is_own_size(facts: Facts) -> bool:
    return "size" in facts.names.method_names


def _is_index(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        node = node.operand
    return isinstance(node, ast.Constant) and type(node.value) is int


def _counted(facts: Facts) -> dict[str, list[ast.expr]]:
    """The names and attributes that are given where only a number can be, by their text."""
    found: dict[str, list[ast.expr]] = {}
    for call in facts.names.nodes.get(ast.Call, ()):
        assert isinstance(call, ast.Call)
        for node in _numbers_given(call, facts):
            if isinstance(node, (ast.Name, ast.Attribute)):
                found.setdefault(ast.unparse(node), []).append(node)
    return found


def _numbers_given(call: ast.Call, facts: Facts) -> list[ast.expr]:
    name = facts.name(call.func)
    if name is None:
        is_range = isinstance(call.func, ast.Name) and call.func.id == "range"
        is_builtin = is_range and facts.names.scope_of(call).lookup("range") is None
        return call.args if is_builtin else []
    module, _, function = name.rpartition(".")
    if module == "torch.nn":
        given = call.args[: _COUNTS.get(function, 0)]
        return [] if any(isinstance(node, ast.Starred) for node in given) else given
    if module == "torch" and function in _TAKES_SIZES and len(call.args) > 1:
        return call.args
    return []


def _is_same(node: ast.expr, other: ast.expr, facts: Facts) -> bool:
    """Whether two expressions of the same text stand for the same thing."""
    root, other_root = _root(node), _root(other)
    if root is None or other_root is None:
        return False
    if root is node:
        scope = facts.names.scope_of(node)
        is_checked = any(_asks_for_kind(facts.parent(u)) for u in scope.uses.get(root.id, ()))
        if is_checked or scope is not facts.names.scope_of(other):
            return False
        reaching = facts.flow.reaching(root)
        return bool(reaching) and set(reaching) == set(facts.flow.reaching(other_root))
    if facts.names.enclosing_class(node) is not facts.names.enclosing_class(other):
        return False
    found = facts.names.scope_of(node).lookup(root.id)
    other_found = facts.names.scope_of(other).lookup(root.id)
    if found is None or other_found is None:
        return False
    kinds = {binding.kind for binding in (*found[1], *other_found[1])}
    return found[0] is other_found[0] or (root.id == "self" and kinds == {"parameter"})


def _asks_for_kind(parent: ast.AST | None) -> bool:
    """``isinstance(n, int)``: a name that is checked can be one thing here, another there."""
    return (
        isinstance(parent, ast.Call)
        and isinstance(parent.func, ast.Name)
        and parent.func.id in ("isinstance", "hasattr", "type", "callable", "len")
    )


def _root(node: ast.expr) -> ast.Name | None:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node if isinstance(node, ast.Name) else None
