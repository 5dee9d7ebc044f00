"""Tensors that certainly have a dimension: a batch of images has an index 0."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import constant, is_opaque
from torchfix_codemods.facts.language.foreign import TRANSPARENT
from torchfix_codemods.facts.language.nodes import own_nodes
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.callers import function_named
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.imported import imported_as
from torchfix_codemods.facts.values.lattice import Batch, Loader, Module, Number, Tensor

_MAX_DEPTH = 6

#: What gives at least one dimension, to whatever, be it an array.
_SHAPING = frozenset("view reshape flatten ravel unsqueeze".split())
#: What gives as many dimensions as there were.
_KEEPING = torch_api.SAME_SHAPE | frozenset("expand expand_as contiguous transpose permute".split())
#: Layers that take nothing without a dimension, and give as much.
_LAYERS = (
    torch_api.LAYERS - torch_api.WITHOUT_PARAMETERS
    | torch_api.FRESH_LAYERS
    | torch_api.RECURRENT_CELLS
    | {"Embedding"}
) - frozenset("PReLU Softmax LogSoftmax Softmin".split())
_FUNCTIONS = frozenset(
    """conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d linear batch_norm
    instance_norm layer_norm group_norm embedding max_pool1d max_pool2d max_pool3d avg_pool1d
    avg_pool2d avg_pool3d adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d
    adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d upsample upsample_nearest
    upsample_bilinear interpolate pad grid_sample pixel_shuffle""".split()
)
#: What puts elements in order, of which there are several: nobody sorts a single number.
_ORDERING = frozenset("sort topk argsort".split())
_JOINING = frozenset({"torch.stack", "torch.cat", "torch.unsqueeze"})


def has_dimensions(facts: Facts, node: ast.expr, depth: int = 0) -> bool:
    """Whether an expression, if it is a tensor, certainly has a dimension.

    ``x.view(-1)`` has, whatever x is; so has x where ``x.size(0)`` or ``len(x)`` is asked, what a
    convolution gives, and what a loader yields.
    """
    if depth > _MAX_DEPTH:
        return False
    value = facts.value(node)
    if isinstance(value, Tensor) and value.ndim:
        return True
    if isinstance(node, ast.Name):
        return is_asked_for_one_size(facts, node) or comes_with_dimensions(facts, node, depth)
    if isinstance(node, ast.Attribute):
        return node.attr == "data" and has_dimensions(facts, node.value, depth + 1)
    if isinstance(node, ast.BinOp):
        sides = (node.left, node.right)
        return any(has_dimensions(facts, side, depth + 1) for side in sides)
    if isinstance(node, ast.Subscript):
        return type(constant(node.slice)) is int and _is_ordered(node.value, facts)
    return isinstance(node, ast.Call) and _gives_dimensions(facts, node, depth)


def _is_ordered(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression is ``x.sort()``, ``torch.topk(x, 3)`` or the like, of whatever."""
    if isinstance(node, ast.Name):
        assigned = facts.assigned(node)
        return bool(assigned) and all(
            isinstance(value, ast.Call) and _is_ordered(value, facts) for value in assigned or ()
        )
    if not isinstance(node, ast.Call):
        return False
    name = facts.name(node.func)
    if name is not None:
        return name.removeprefix("torch.") in _ORDERING
    return isinstance(node.func, ast.Attribute) and node.func.attr in _ORDERING


def comes_with_dimensions(facts: Facts, name: ast.Name, depth: int = 0) -> bool:
    """Whether all tensors that a name gets have a dimension, whatever is asked of it later."""
    tensors = tensors_bound(facts, name)
    return bool(tensors) and all(_is_dimensional(facts, binding, depth) for binding in tensors)


def tensors_bound(facts: Facts, name: ast.Name) -> list[Binding]:
    """What may give a name a tensor: a sum starts as a number, which is none."""
    bindings = facts.flow.reaching(name)
    return [b for b in bindings if not isinstance(facts.inference.bound(b), Number)]


def _is_dimensional(facts: Facts, binding: Binding, depth: int) -> bool:
    if isinstance(binding.node, ast.AugAssign):
        # In place, a tensor without a dimension takes none that has one.
        return has_dimensions(facts, binding.node.value, depth + 1)
    if binding.kind == "assign" and binding.value is not None:
        if binding.path:
            return len(binding.path) == 1 and _is_ordered(binding.value, facts)
        return has_dimensions(facts, binding.value, depth + 1)
    loop = binding.node
    return (
        isinstance(loop, ast.For)
        and isinstance(facts.inference.bound(binding), (Batch, Tensor))
        and _stacks(facts, loop.iter)
    )


def _stacks(facts: Facts, iterated: ast.expr) -> bool:
    """Whether what is gone through is a loader that stacks samples: ``enumerate(loader)``."""
    while isinstance(iterated, ast.Call) and iterated.args:
        function = iterated.func
        is_counted = isinstance(function, ast.Name) and function.id == "enumerate"
        if not is_counted and facts.name(function) not in TRANSPARENT:
            break
        iterated = iterated.args[0]
    value = facts.value(iterated)
    return isinstance(value, Loader) and value.stacks


def _gives_dimensions(facts: Facts, call: ast.Call, depth: int) -> bool:
    """Whether what a call gives has a dimension."""
    name = facts.name(call.func)
    if name is not None and name.startswith("torch."):
        return _function_gives(facts, name, call, depth)
    if isinstance(call.func, ast.Attribute) and call.func.attr in _SHAPING:
        return True
    if isinstance(call.func, ast.Attribute) and keeps_dimensions(call):
        return has_dimensions(facts, call.func.value, depth + 1)
    if _is_ordered(call, facts):
        return True
    callee = facts.value(call.func)
    if isinstance(callee, Module):
        return _module_gives(facts, callee, depth) or _is_of_torchvision(facts, call.func)
    function = function_named(call.func, facts)
    if function is not None and (home := facts_of(function[0])) is not None:
        return _returns_dimensions(home, function[1], depth)
    if isinstance(call.func, ast.Attribute) and call.func.attr in _KEEPING:
        return has_dimensions(facts, call.func.value, depth + 1)
    return False


def _function_gives(facts: Facts, name: str, call: ast.Call, depth: int) -> bool:
    module, _, function = name.rpartition(".")
    if name in _JOINING or _is_ordered(call, facts):
        return True
    if module == "torch.nn.functional" and function in _FUNCTIONS:
        return True
    if not call.args or is_opaque(call):
        return False
    is_kept = name == "torch.autograd.Variable" or function in torch_api.SAME_SHAPE
    is_kept = is_kept or keeps_dimensions(call)
    is_plain = name == "torch.autograd.Variable" or module in ("torch", "torch.nn.functional")
    return is_kept and is_plain and has_dimensions(facts, call.args[0], depth + 1)


def keeps_dimensions(call: ast.Call) -> bool:
    """``x.mean(dim=0, keepdim=True)``, which gives several where it gives their places, too."""
    return any(k.arg == "keepdim" and constant(k.value) is True for k in call.keywords)


def _module_gives(facts: Facts, module: Module, depth: int) -> bool:
    """Whether what a module makes of its input has a dimension."""
    if depth > _MAX_DEPTH:
        return False
    origin = imported_as(module)
    if origin is not None and (home := facts_of(origin.owner)) is not None:
        there = origin.value
        return isinstance(there, Module) and _module_gives(home, there, depth + 1)
    if module.definition is not None:
        forward = facts.classes.method(module.definition, "forward")
        return forward is not None and _returns_dimensions(facts, forward, depth)
    if module.cls == "torch.nn.Sequential":
        return module.call is not None and _ends_with_dimensions(facts, module.call, depth)
    return _is_layer(module, _LAYERS)


def _is_layer(module: Module, layers: frozenset[str]) -> bool:
    return (module.cls or "").removeprefix("torch.nn.") in layers


def _ends_with_dimensions(facts: Facts, sequential: ast.Call, depth: int) -> bool:
    """Whether the last layers of a Sequential give a dimension, or keep what others give."""
    for argument in reversed(sequential.args):
        module = facts.value(argument)
        if not isinstance(module, Module):
            return False
        if _module_gives(facts, module, depth + 1):
            return True
        if module.definition is not None or not _is_layer(module, torch_api.LAYERS):
            return False
    return False


def _is_of_torchvision(facts: Facts, model: ast.expr) -> bool:
    """Whether a model is one of torchvision's, which give a batch of scores."""
    made = facts.assigned(model) if isinstance(model, ast.Name) else None
    return bool(made) and all(
        (facts.name(_built(value)) or "").startswith("torchvision.models.") for value in made or ()
    )


def _built(value: ast.expr) -> ast.expr:
    """``resnet`` of ``resnet().eval().cuda()``."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        if value.func.attr not in torch_api.MODULE_FLUENT:
            break
        value = value.func.value
    return value.func if isinstance(value, ast.Call) else value


def _returns_dimensions(facts: Facts, function: ast.AST, depth: int) -> bool:
    """Whether all that a function returns has a dimension; tuples have other uses."""
    nodes = [*own_nodes(function)]
    if any(isinstance(node, (ast.Yield, ast.YieldFrom)) for node in nodes):
        return False
    returned = [node.value for node in nodes if isinstance(node, ast.Return)]
    given = [value for value in returned if not isinstance(value, (ast.Tuple, ast.List))]
    return bool(given) and all(
        value is not None and has_dimensions(facts, value, depth + 1) for value in given
    )


def is_asked_for_one_size(facts: Facts, name: ast.Name) -> bool:
    """Whether ``x.size(0)``, ``x.shape[0]`` or ``len(x)`` is asked of what a name holds."""
    reaching = set(facts.flow.reaching(name))
    uses = facts.names.scope_of(name).uses.get(name.id, ())
    return any(
        _is_one_size(facts, use)
        and set(facts.flow.reaching(use)) == reaching
        and facts.inference.branches.runs_with(use, name)
        for use in uses
    )


def _is_one_size(facts: Facts, tensor: ast.Name) -> bool:
    asked = facts.parent(tensor)
    if isinstance(asked, ast.Call) and asked.args == [tensor]:
        return facts.names.builtin(asked.func) == "len"
    if not (isinstance(asked, ast.Attribute) and asked.attr in ("size", "shape")):
        return False
    outer = facts.parent(asked)
    if isinstance(outer, ast.Call) and outer.func is asked:
        if asked.attr == "size" and outer.args:
            return True
        asked, outer = outer, facts.parent(outer)
    is_indexed = isinstance(outer, ast.Subscript) and outer.value is asked
    return isinstance(outer, ast.Subscript) and is_indexed and isinstance(outer.ctx, ast.Load)
