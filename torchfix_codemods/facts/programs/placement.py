"""Which tensors may lie on a GPU: what the code moved there, and what is computed from it."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.scopes import Binding, element_for
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Device, Module, Tensor

_MAX_DEPTH = 20


def may_be_on_gpu(facts: Facts, node: ast.expr, depth: int = 0) -> bool:
    """Whether a tensor comes from ``.cuda()``, or from ``.to(device)`` with more than the CPU.

    What nobody in sight moved is not taken to be on a GPU.
    """
    depth += 1
    if depth > _MAX_DEPTH:
        return False
    if isinstance(node, ast.Name):
        return _name_may_be_on_gpu(facts, node, depth)
    if isinstance(node, ast.Call):
        return _result_may_be_on_gpu(facts, node, depth)
    if isinstance(node, ast.IfExp):
        parts = [node.body, node.orelse]
        return not any(map(_is_on_cpu, parts)) and _any_on_gpu(facts, parts, depth)
    if isinstance(node, ast.BinOp):
        return _any_on_gpu(facts, [node.left, node.right], depth)
    if isinstance(node, ast.Compare):
        return _any_on_gpu(facts, [node.left, *node.comparators], depth)
    if isinstance(node, ast.UnaryOp):
        return may_be_on_gpu(facts, node.operand, depth)
    if isinstance(node, ast.Subscript) or (
        isinstance(node, ast.Attribute) and node.attr in ("data", "grad", "T")
    ):
        return may_be_on_gpu(facts, node.value, depth)
    return False


#: What makes a tensor on the CPU of whatever it is given, if that is no tensor and no device.
_MAKERS = frozenset(
    """torch.tensor torch.as_tensor torch.from_numpy torch.Tensor torch.LongTensor torch.IntTensor
    torch.FloatTensor torch.ShortTensor torch.DoubleTensor torch.zeros torch.ones torch.full
    torch.arange""".split()
)
_PAD = "torch.nn.utils.rnn.pad_packed_sequence"


def is_made_on_cpu(facts: Facts, node: ast.expr, depth: int = 0) -> bool:
    """Whether a tensor is certainly made on the CPU, and goes nowhere else in sight.

    Args:
        facts: the facts of the module.
        node: an expression that is a tensor.
        depth: how many steps it took to get here.
    """
    depth += 1
    if depth > _MAX_DEPTH:
        return False
    if isinstance(node, ast.Name):
        bindings = facts.flow.reaching(node)
        return bool(bindings) and all(_is_bound_on_cpu(facts, each, depth) for each in bindings)
    if isinstance(node, ast.Subscript):
        return is_made_on_cpu(facts, node.value, depth)
    if not isinstance(node, ast.Call) or any(k.arg == "device" for k in node.keywords):
        return False
    if _is_on_cpu(node):
        return True
    name = facts.name(node.func)
    if name in _MAKERS:
        data = node.args[0] if node.args else None
        return not isinstance(facts.value(data), Tensor) if data is not None else True
    if name is not None:
        tensors = [a for a in node.args if isinstance(facts.value(a), Tensor)]
        is_torch = name.startswith("torch.") and bool(tensors)
        return is_torch and all(is_made_on_cpu(facts, each, depth) for each in tensors)
    if not isinstance(node.func, ast.Attribute) or node.func.attr in ("cuda", "to", "type"):
        return False
    return is_made_on_cpu(facts, node.func.value, depth)


def _is_bound_on_cpu(facts: Facts, binding: Binding, depth: int) -> bool:
    """Whether a name is bound to what is made on the CPU, as the lengths that torch gives are."""
    source = _source(binding)
    if isinstance(source, ast.Call) and facts.name(source.func) == _PAD:
        return binding.path == (1,)
    return source is not None and is_made_on_cpu(facts, source, depth)


def _any_on_gpu(facts: Facts, nodes: list[ast.expr], depth: int) -> bool:
    return any(may_be_on_gpu(facts, node, depth) for node in nodes)


def _name_may_be_on_gpu(facts: Facts, name: ast.Name, depth: int) -> bool:
    sources = [_source(binding) for binding in facts.flow.reaching(name)]
    known = [source for source in sources if source is not None]
    # ``if use_cuda: x = x.cpu()``: there the code brings it back itself.
    return not any(map(_is_on_cpu, known)) and _any_on_gpu(facts, known, depth)


def _source(binding: Binding) -> ast.expr | None:
    """What a name is bound to, or a part of: ``a`` of ``x, y = a, b``."""
    if binding.kind not in ("assign", "for"):
        return None
    value = binding.value
    for step in binding.path:
        if isinstance(value, (ast.Tuple, ast.List)):
            value = element_for(value, step)
    return value


def _is_on_cpu(node: ast.expr) -> bool:
    """``x.cpu()``, ``x.to("cpu")``."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    return node.func.attr == "cpu" or (
        node.func.attr == "to" and bool(node.args) and _names_cpu(node.args[0])
    )


def _names_cpu(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == "cpu"


def _result_may_be_on_gpu(facts: Facts, call: ast.Call, depth: int) -> bool:
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    if "device" in keywords:
        return _is_gpu(facts, keywords["device"], depth)
    if _is_on_cpu(call):
        return False
    name = facts.name(call.func)
    if name is not None and name.startswith("torch.cuda."):
        return isinstance(facts.value(call), Tensor)
    if name is not None:
        is_torch = name.startswith("torch.") and name != "torch.from_numpy"
        return is_torch and _any_on_gpu(facts, call.args, depth)
    if isinstance(facts.value(call.func), Module):
        return _any_on_gpu(facts, call.args, depth)
    if not isinstance(call.func, ast.Attribute):
        return False
    if call.func.attr == "cuda":
        return isinstance(facts.value(call), Tensor)
    if call.func.attr == "to" and call.args and _is_gpu(facts, call.args[0], depth):
        return True
    method = call.func.attr
    # Numbers, wherever the tensor is.
    if (
        torch_effects.tells(method)
        or torch_effects.leaves_torch(method)
        or (call.func.attr == "to" and call.args and _is_cpu(facts, call.args[0]))
    ):
        return False
    return isinstance(facts.value(call.func.value), Tensor) and may_be_on_gpu(
        facts, call.func.value, depth
    )


def _is_gpu(facts: Facts, node: ast.expr, depth: int) -> bool:
    """Whether an expression is a device that may be a GPU: not a type, and not the CPU."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int) or str(node.value).startswith("cuda")
    if not isinstance(facts.value(node), Device):
        return False
    made = definition_of(node.id, node, facts) if isinstance(node, ast.Name) else node
    if isinstance(made, ast.Attribute) and isinstance(facts.value(made.value), Tensor):
        return may_be_on_gpu(facts, made.value, depth)
    return not _is_cpu(facts, node)


def _is_cpu(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression is the device CPU, and nothing else."""
    made = definition_of(node.id, node, facts) if isinstance(node, ast.Name) else node
    return (
        isinstance(made, ast.Call)
        and isinstance(facts.value(node), Device)
        and len(made.args) == 1
        and _names_cpu(made.args[0])
    )


def definition_of(name: str, node: ast.AST, facts: Facts) -> ast.expr | None:
    """The expression that the only binding of ``name``, as seen from ``node``, gives it."""
    found = facts.names.scope_of(node).lookup(name)
    if found is None or len(found[1]) != 1:
        return None
    return found[1][0].value
