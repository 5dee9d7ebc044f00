"""Which tensors may lie on a GPU: what the code moved there, and what is computed from it."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.origins import come_from, sources, sources_in_sight
from torchfix_codemods.facts.tensors.defaults import (
    may_change_default_device,
    may_change_default_type,
)
from torchfix_codemods.facts.tensors.dimensional import has_dimensions
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.lattice import Device, Module, Tensor


def may_be_on_gpu(facts: Facts, node: ast.expr) -> bool:
    """Whether a tensor comes from ``.cuda()``, or from ``.to(device)`` with more than the CPU.

    What nobody in sight moved is not taken to be on a GPU.
    """
    return not come_from([Place(facts, node)], before_gpu)


def lies_with_input(facts: Facts, node: ast.expr) -> bool:
    """Whether a tensor lies where an argument of its function does, from which it is made.

    ``y`` of ``y = torch.zeros_like(x)``, and the elements of an ``xs`` that a function is given.
    """
    function = facts.names.enclosing_function(node)

    def before(place: Place) -> Iterable[Place] | None:
        is_inside = place.facts.names.enclosing_function(place.node) is function
        if place.node is not node and is_inside and _is_parameter(place):
            return None
        return before_gpu(place)

    return function is not None and not come_from([Place(facts, node)], before)


def _is_parameter(place: Place) -> bool:
    if not isinstance(place.node, ast.Name):
        return False
    bindings = place.facts.flow.reaching(place.node)
    return any(isinstance(binding.node, ast.arg) for binding in bindings)


def before_gpu(place: Place) -> Iterable[Place] | None:
    """None for what is moved to a GPU; else what in sight a tensor is computed from."""
    facts, node = place.facts, place.node
    if isinstance(node, (ast.Name, ast.IfExp)):
        known = sources_in_sight(place)
        # ``if use_cuda: x = x.cpu()``: there the code brings it back itself.
        return () if any(is_on_cpu(each.node) for each in known) else known
    if isinstance(node, ast.Call):
        return _before_result(place, node)
    if isinstance(node, ast.BinOp):
        return _places(facts, [node.left, node.right])
    if isinstance(node, ast.Compare):
        return _places(facts, [node.left, *node.comparators])
    if isinstance(node, ast.UnaryOp):
        return _places(facts, [node.operand])
    if isinstance(node, ast.Attribute) and node.attr in ("data", "grad", "T"):
        return _places(facts, [node.value])
    if isinstance(node, (ast.ListComp, ast.GeneratorExp)) and place.content:
        return [Place(facts, node.elt, place.content[1:])]
    return _holder(place) or sources_in_sight(place)


def _places(facts: Facts, nodes: list[ast.expr]) -> list[Place]:
    return [Place(facts, node) for node in nodes]


def _holder(place: Place) -> list[Place] | None:
    """``x`` of ``x[i]``; at its place in ``x`` where the index tells it."""
    node = place.node
    if not isinstance(node, ast.Subscript):
        return None
    return sources(place) or _places(place.facts, [node.value])


#: What makes a tensor on the CPU of whatever it is given, if that is no tensor and no device,
#: beside what torch makes of sizes.
_MAKERS = frozenset(
    """torch.as_tensor torch.from_numpy torch.Tensor torch.LongTensor torch.IntTensor
    torch.FloatTensor torch.ShortTensor torch.DoubleTensor""".split()
)
_PAD = "torch.nn.utils.rnn.pad_packed_sequence"


def is_made_on_cpu(facts: Facts, node: ast.expr) -> bool:
    """Whether a tensor is certainly made on the CPU, and goes nowhere else in sight."""
    return come_from([Place(facts, node)], before_on_cpu)


def before_on_cpu(place: Place) -> Iterable[Place] | None:
    """None for what may be elsewhere than on the CPU; else the tensors that one is made of."""
    facts, node = place.facts, place.node
    if not isinstance(node, ast.Call):
        return _holder(place) or sources(place)
    if any(k.arg == "device" for k in node.keywords):
        return None
    if is_on_cpu(node):
        return ()
    name = facts.name(node.func)
    if name == _PAD:
        # The lengths that torch gives.
        return () if place.content[:1] == (1,) else None
    if name in _MAKERS or _is_made_of_sizes(name):
        return None if node.args and isinstance(facts.value(node.args[0]), Tensor) else ()
    if name is not None and name.startswith("torch."):
        tensors = [a for a in node.args if isinstance(facts.value(a), Tensor)]
        return _places(facts, tensors) or None
    if name is not None or not isinstance(node.func, ast.Attribute):
        return sources(place)
    is_moved = node.func.attr in ("cuda", "to", "type")
    return None if is_moved else _places(facts, [node.func.value])


def _is_made_of_sizes(name: str | None) -> bool:
    """Whether a function of torch makes a tensor, and not where one that it is given lies."""
    is_like = name is not None and name.rpartition(".")[2] in torch_api.LIKE
    return name is not None and torch_effects.does(name, "makes") and not is_like


def is_on_cpu(node: ast.expr) -> bool:
    """``x.cpu()``, ``x.to("cpu")``."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    return node.func.attr == "cpu" or (
        node.func.attr == "to" and bool(node.args) and _names_cpu(node.args[0])
    )


def _names_cpu(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value == "cpu"


def _before_result(place: Place, call: ast.Call) -> Iterable[Place] | None:
    facts, function = place.facts, call.func
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    if "device" in keywords:
        # A function of the project may bring back what it computes on the device it is given.
        is_here = come_from(sources(place) or (), before_on_cpu)
        return () if is_here else _before_device(facts, keywords["device"])
    if is_on_cpu(call):
        return ()
    name = facts.name(function)
    if name is not None and name.startswith("torch.cuda."):
        return None if isinstance(facts.value(call), Tensor) else ()
    if name is not None and not name.startswith("torch."):
        # Another file of the project may give it.
        return sources_in_sight(place)
    if name is not None:
        # What is calculated with what lies on the CPU lies there, too, or fails.
        is_here = name == "torch.from_numpy" or _calculates_on_cpu(facts, name, call)
        return () if is_here else _places(facts, call.args)
    if isinstance(facts.value(function), Module):
        return _places(facts, call.args)
    if not isinstance(function, ast.Attribute):
        return sources_in_sight(place)
    method = function.attr
    if method == "cuda":
        return None if isinstance(facts.value(call), Tensor) else ()
    device = call.args[0] if method == "to" and call.args else None
    of_device = () if device is None else _before_device(facts, device)
    # Numbers, wherever the tensor is.
    if of_device is None or torch_effects.tells(method) or torch_effects.leaves_torch(method):
        return None if of_device is None else ()
    is_here = device is not None and _is_cpu(facts, device)
    is_tensor = isinstance(facts.value(function.value), Tensor) and not is_here
    return [*of_device, *_places(facts, [function.value] if is_tensor else [])]


def _calculates_on_cpu(facts: Facts, name: str, call: ast.Call) -> bool:
    """Whether a function of torch is given first what certainly is on the CPU.

    A tensor without dimensions may be calculated with wherever it lies.
    """
    given = call.args[0] if call.args else None
    if name.rpartition(".")[0] not in ("torch", "torch.nn.functional") or given is None:
        return False
    if not isinstance(facts.value(given), Tensor) or not is_made_on_cpu(facts, given):
        return False
    is_default = not may_change_default_type(facts) and not may_change_default_device(facts)
    return is_default and has_dimensions(facts, given)


def _before_device(facts: Facts, node: ast.expr) -> Iterable[Place] | None:
    """None for a device that may be a GPU: no type, and not the CPU; ``x`` of ``x.device``."""
    if isinstance(node, ast.Constant):
        is_gpu = isinstance(node.value, int) or str(node.value).startswith("cuda")
        return None if is_gpu else ()
    if not isinstance(facts.value(node), Device):
        return ()
    made = definition_of(node.id, node, facts) if isinstance(node, ast.Name) else node
    if isinstance(made, ast.Attribute) and isinstance(facts.value(made.value), Tensor):
        return _places(facts, [made.value])
    return () if _is_cpu(facts, node) else None


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
