"""What the place of an expression shows it to be: only a tensor has ``.unsqueeze``."""

from __future__ import annotations

import ast
from collections.abc import Callable

from torchfix_codemods.facts.evidence.asked_data import is_mask_with_data
from torchfix_codemods.facts.evidence.roots import is_backward_root
from torchfix_codemods.facts.language.arguments import constant, is_opaque
from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.libraries import tensor_methods
from torchfix_codemods.facts.libraries.first_arguments import takes_tensor_first
from torchfix_codemods.facts.values import torch_api


def proves_tensor(names: Names, node: ast.expr) -> bool:
    """Whether the place of ``node`` in the code shows that it is a tensor."""
    parent = names.parents.get(node)
    if isinstance(parent, ast.Attribute) and parent.value is node:
        return _proven_by_method(names, parent) or _is_part_with_data(names, node, parent)
    if isinstance(parent, ast.Call) and node in parent.args:
        return _proven_by_argument(names, parent, node)
    if isinstance(parent, (ast.List, ast.Tuple)):
        call = names.parents.get(parent)
        return (
            isinstance(call, ast.Call)
            and call.args[:1] == [parent]
            and names.name(call.func) in _JOIN_TENSORS
        )
    return False


def _is_part_with_data(names: Names, node: ast.expr, data: ast.Attribute) -> bool:
    """``x[:, i]`` of ``torch.nonzero(x[:, i].data)``: what else is cut so has no such ``.data``.

    That of an array is memory, which is no tensor; sequences and data sets are not cut so.
    """
    cut = node.slice if isinstance(node, ast.Subscript) and data.attr == "data" else None
    is_cut = isinstance(cut, ast.Tuple) and any(isinstance(e, ast.Slice) for e in cut.elts)
    return is_cut and proves_tensor(names, data)


def ndim_asked_for(names: Names, node: ast.expr) -> int | None:
    """How many dimensions ``x.view(n, -1)`` has, which is a tensor."""
    method = node.func if isinstance(node, ast.Call) else None
    if not isinstance(node, ast.Call) or not isinstance(method, ast.Attribute):
        return None
    if method.attr not in ("view", "reshape") or defines_method(names, method.attr):
        return None
    # What is given alone may be a tuple of sizes.
    return len(node.args) if len(node.args) > 1 and not is_opaque(node) else None


#: Functions whose first argument is a list of tensors.
_JOIN_TENSORS = frozenset({"torch.cat", "torch.stack"})


#: How many arguments ``view`` of an array takes.
_MOST_OF_ARRAYS = 2

#: Functions whose second argument is a tensor, never a number.
_SECOND_IS_TENSOR = frozenset(
    """torch.equal torch.mm torch.bmm torch.matmul torch.mv torch.dot torch.ger torch.dist
    torch.masked_select torch.nn.functional.linear torch.nn.functional.conv1d
    torch.nn.functional.conv2d torch.nn.functional.conv3d torch.nn.functional.embedding
    torch.nn.functional.cosine_similarity torch.nn.functional.nll_loss
    torch.nn.functional.cross_entropy torch.nn.functional.mse_loss torch.nn.functional.l1_loss
    torch.nn.functional.smooth_l1_loss torch.nn.functional.kl_div
    torch.nn.functional.binary_cross_entropy
    torch.nn.functional.binary_cross_entropy_with_logits""".split()
)


#: Functions whose second and third argument are tensors, or None.
_WEIGHTED = frozenset(
    f"torch.nn.functional.{name}" for name in ("linear", "conv1d", "conv2d", "conv3d")
)


def _is_taken_apart(names: Names, size: ast.Call) -> bool:
    """``b, c = x.size()``, ``x.size()[0]``: a size, and not how many there are.

    So is what is compared with one: ``x.size() == torch.Size([])``.
    """
    parent = names.parents.get(size)
    if isinstance(parent, ast.Subscript):
        return parent.value is size
    if isinstance(parent, ast.Assign):
        return isinstance(parent.targets[0], (ast.Tuple, ast.List))
    if isinstance(parent, ast.Compare):
        others = [parent.left, *parent.comparators]
        return any(
            isinstance(other, ast.Call) and names.name(other.func) == "torch.Size"
            for other in others
        )
    return isinstance(parent, ast.Starred)


def _is_drawn(names: Names, call: ast.Call) -> bool:
    """``p.multinomial().data``, ``p.multinomial(n, True)``, which no generator and sampler has.

    So it is where a name stands between: ``drawn = p.multinomial()`` and ``drawn.data``.
    """
    if any(isinstance(given, ast.Starred) for given in call.args):
        return False
    if not call.args and not call.keywords:
        return any(
            isinstance(parent := names.parents.get(drawn), ast.Attribute)
            and parent.attr in ("data", "squeeze")
            for drawn in (call, *_uses_of_name(names, call))
        )
    named = {keyword.arg for keyword in call.keywords}
    replacement = call.args[1:]
    return (
        bool(named or replacement)
        and named <= {"num_samples", "replacement"}
        and all(isinstance(constant(given), bool) for given in replacement)
    )


def _uses_of_name(names: Names, value: ast.expr) -> list[ast.Name]:
    """The uses of ``x`` of ``x = value``, where its scope gives that name nothing else.

    Where it does, the uses in the plain statement that comes next.
    """
    statement = names.parents.get(value)
    target = statement.targets[0] if isinstance(statement, ast.Assign) else None
    if not isinstance(target, ast.Name):
        return []
    scope = names.scope_of(target)
    is_only = len(scope.bindings.get(target.id, ())) == 1
    uses = [*names.uses_of(scope, target.id)]
    if is_only:
        return uses
    block = getattr(names.parents.get(statement), "body", None) if statement else None
    block = block if isinstance(block, list) and statement in block else []
    following = block[block.index(statement) + 1 :][:1] if block else []
    read = {n for s in following if isinstance(s, (ast.Assign, ast.Expr)) for n in ast.walk(s)}
    return [use for use in uses if use in read]


def _is_along_dim(call: ast.Call) -> bool:
    """``x.gather(1, index)``, which no communicator and no plot is asked."""
    return len(call.args) > 1 and (
        is_minus_one(call.args[0])
        or (isinstance(call.args[0], ast.Constant) and isinstance(call.args[0].value, int))
    )


#: Which calls only a tensor takes of methods that something else has as well.
_SHARED_METHODS: dict[str, Callable[[ast.Call], bool]] = {
    "gather": _is_along_dim,
    "expand": lambda call: len(call.args) > 1,
    "norm": lambda call: _is_of_order(call),
    # What has these besides tensors transforms what it is given.
    **dict.fromkeys(("fft", "ifft", "rfft", "irfft"), lambda call: _is_of_dimensions(call)),
}


def takes_more_than_sizes(call: ast.Call) -> bool:
    """``kernel.view(x, [2, 3])``, ``maker.permute(x, (0, 2, 1))``: tensors take sizes alone."""
    if getattr(call.func, "attr", "") not in ("view", "permute", "expand") or len(call.args) < 2:
        return False
    return any(isinstance(argument, (ast.List, ast.Tuple, ast.ListComp)) for argument in call.args)


def _is_of_dimensions(call: ast.Call) -> bool:
    """``x.rfft(1)``, ``x.fft(signal_ndim=2)`` of the tensors until torch 1.7."""
    given = [*call.args[:1], *(k.value for k in call.keywords if k.arg == "signal_ndim")]
    return any(isinstance(g, ast.Constant) and g.value in (1, 2, 3) for g in given)


def _is_of_order(call: ast.Call) -> bool:
    """``x.norm()``, ``x.norm(2)``, ``x.norm(p=2)``; a layer of that name is called with tensors."""
    if not call.args and not call.keywords:
        return True
    orders = [*call.args[:1], *(keyword.value for keyword in call.keywords if keyword.arg == "p")]
    return any(
        isinstance(order, ast.Constant) and isinstance(order.value, (int, float))
        for order in orders
    )


def _proven_by_method(names: Names, attribute: ast.Attribute) -> bool:
    call = names.parents.get(attribute)
    if not (isinstance(call, ast.Call) and call.func is attribute):
        return False
    if defines_method(names, attribute.attr) or takes_more_than_sizes(call):
        return False
    if any(keyword.arg == "keepdim" for keyword in call.keywords):
        # Arrays have ``keepdims``.
        return True
    if attribute.attr in _SHARED_METHODS:
        return _SHARED_METHODS[attribute.attr](call)
    if attribute.attr == "multinomial":
        return _is_drawn(names, call)
    shown_by = tensor_methods.shown_by(attribute.attr)
    if shown_by in ("call", "nothing"):
        return shown_by == "call" or not (call.args or call.keywords)
    if attribute.attr == "size":
        if not call.args:
            return _is_taken_apart(names, call)
        return len(call.args) == 1 and isinstance(call.args[0], (ast.Constant, ast.UnaryOp))
    if attribute.attr == "backward":
        return is_backward_root(names, attribute.value)
    if attribute.attr == "view":
        return _is_of_sizes(names, call)
    is_users = names.is_method_of_project(attribute.attr)
    return not is_users and is_mask_with_data(names, call)


def _is_of_sizes(names: Names, view: ast.Call) -> bool:
    """``x.view(n, -1)``, ``x.view(b, c, h, w)``: an array takes two types at most."""
    asked = 0 if view.keywords else ndim_asked_for(names, view) or 0
    return asked > _MOST_OF_ARRAYS or any(is_minus_one(a) or _is_size_query(a) for a in view.args)


def _proven_by_argument(names: Names, call: ast.Call, node: ast.expr) -> bool:
    if isinstance(call.func, ast.Attribute) and node in _operands(names, call.func.attr, call):
        return True
    name = names.name(call.func)
    if name is None:
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        before = call.args[: call.args.index(node)]
        if any(isinstance(given, ast.Starred) for given in before):
            return False
        is_tensor = len(before) in tensor_methods.tensors_given(method)
        return is_tensor and not defines_method(names, method)
    if name in _SECOND_IS_TENSOR and call.args[1:2] == [node]:
        return not isinstance(call.args[0], ast.Starred)
    if name == "torch.autograd.Variable":
        return call.args[0] is node
    # What is called gives a tensor there, and no None.
    if name in _WEIGHTED and isinstance(node, ast.Call) and node in call.args[:3]:
        return True
    return call.args[0] is node and takes_tensor_first(name, call)


def _operands(names: Names, method: str, call: ast.Call) -> list[ast.expr]:
    """The arguments of ``x.addcmul_(value, a, b)`` and ``x.add_(alpha, a)`` that are tensors."""
    if defines_method(names, method) or any(k.arg not in ("value", "out") for k in call.keywords):
        return []
    if method.rstrip("_") in ("addcmul", "addcdiv"):
        return call.args[-2:] if len(call.args) > 1 else []
    return call.args[1:] if method in ("add_", "sub_") and len(call.args) == 2 else []


def defines_method(names: Names, method: str) -> bool:
    """Whether a class of the user has a method of that name, so that its use proves nothing."""
    if method in method_names(names):
        return True
    # A file that imports none of them may still be given one.
    return tensor_methods.is_of_users(method) and names.is_method_of_project(method)


def may_be_of_project(names: Names, method: str) -> bool:
    """Whether a class of the file, or of another file of the project, may have such a method."""
    return method in method_names(names) or names.is_method_of_project(method)


def method_called(names: Names, node: ast.expr) -> str | None:
    """``method`` of ``node.method(…)``, unless a class of this file has one of that name."""
    parent = names.parents.get(node)
    if not (isinstance(parent, ast.Attribute) and parent.value is node):
        return None
    call = names.parents.get(parent)
    is_call = isinstance(call, ast.Call) and call.func is parent
    return parent.attr if is_call and not defines_method(names, parent.attr) else None


def mode_methods(names: Names) -> list[str]:
    """The methods by which only modules get a mode."""
    return [method for method in ("eval", "train") if not may_be_of_project(names, method)]


#: Methods that of all things only a module has.
_MODULE_ONLY_METHODS = frozenset(
    "parameters named_parameters named_modules register_forward_hook".split()
)


def proves_module(names: Names, node: ast.expr) -> bool:
    """Whether the place of ``node`` in the code shows that it is a module."""
    parent = names.parents.get(node)
    if isinstance(parent, ast.Call) and parent.args[:1] == [node]:
        return names.name(parent.func) in torch_api.MODULE_WRAPPERS
    method = method_called(names, node)
    # Controllers of agents have ``parameters()``, too, and ``forward`` without ``__call__``.
    return method in _MODULE_ONLY_METHODS and not names.is_method_of_project(method)


def is_minus_one(node: ast.AST) -> bool:
    """Whether an expression is the literal ``-1``."""
    return (
        isinstance(node, ast.UnaryOp)
        and isinstance(node.op, ast.USub)
        and isinstance(node.operand, ast.Constant)
        and node.operand.value == 1
    )


def _is_size_query(node: ast.AST) -> bool:
    """``y.size(0)`` or ``y.shape[0]``, alone or in arithmetic, or ``*y.size()``."""
    return any(isinstance(n, ast.Attribute) and n.attr in ("size", "shape") for n in ast.walk(node))
