"""Which dimensions of a tensor certainly have one element, so that ``squeeze`` takes them away."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import (
    argument,
    constant,
    is_opaque,
    values_given,
    whole_number,
)
from torchfix_codemods.facts.language.nodes import values_returned
from torchfix_codemods.facts.language.scopes import Path
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import run_by_value
from torchfix_codemods.facts.values.lattice import Module, Number
from torchfix_codemods.rules.losses.questions.dimensions.added_layers import last_layer
from torchfix_codemods.rules.losses.questions.recurrent_dimensions import is_recurrent
from torchfix_codemods.rules.losses.questions.run_modules import (
    functions_run,
    modules_run,
)

#: What gives one number for so many neighbours.
_POOLS = frozenset({"max_pool1d", "avg_pool1d"})
#: What has been asked: a tensor, a dimension, and how many it has.
_Asked = frozenset[tuple[ast.expr, int, int]]
#: Through so many expressions a tensor is followed.
_MOST_ASKED = 60
#: So deep a layer is looked for inside of others.
_MAX_DEPTH = 8


def is_one(
    facts: Facts, tensor: ast.expr, place: int, ndim: int, above: _Asked = frozenset()
) -> bool:
    """Whether a tensor of so many dimensions certainly has one element in one of them.

    Args:
        facts: the facts of the module.
        tensor: the tensor.
        place: the dimension.
        ndim: how many it has.
        above: what is being asked already: a turn of a loop has what it had before the loop.
    """
    asked = (tensor, place, ndim)
    if asked in above:
        return True
    if len(above) > _MOST_ASKED:
        return False
    above |= {asked}
    if isinstance(tensor, ast.BinOp) and isinstance(tensor.op, ast.MatMult):
        return _is_one_of_product(facts, tensor.right, place, ndim, above)
    if isinstance(tensor, ast.Name):
        made = facts.assigned(tensor)
        if made is None:
            return _is_one_of_recurrent(facts, tensor, place, above)
        return bool(made) and all(is_one(facts, one, place, ndim, above) for one in made)
    if isinstance(tensor, ast.Subscript):
        return _is_one_of_recurrent(facts, tensor, place, above)
    if not isinstance(tensor, ast.Call):
        return False
    returned = _returned(facts, tensor)
    if returned:
        return all(is_one(there, node, place, ndim, above) for there, node in returned)
    layer = facts.value(tensor.func)
    if isinstance(layer, Module):
        if torch_effects.is_elementwise(layer.cls or "") and len(tensor.args) == 1:
            return is_one(facts, tensor.args[0], place, ndim, above)
        if layer.cls == "torch.nn.Linear" and place < ndim - 1 and len(tensor.args) == 1:
            return is_one(facts, tensor.args[0], place, ndim, above)
        columns = width(facts, layer)
        return place == ndim - 1 and columns is not None and constant(columns) == 1
    name = facts.name(tensor.func)
    if name is not None and not name.startswith("torch."):
        return False
    operands = values_given(tensor)
    if name is None and isinstance(tensor.func, ast.Attribute):
        operands = [tensor.func.value, *operands]
        name = f"torch.{tensor.func.attr}"
    bare = (name or "").rpartition(".")[2]
    if operands and torch_effects.keeps_sizes(torch_effects.of_any(bare)):
        # Another tensor may have more elements there.
        are_numbers = all(isinstance(facts.value(one), Number) for one in operands[1:])
        return are_numbers and is_one(facts, operands[0], place, ndim, above)
    if name == "torch.bmm" and len(operands) == 2:
        return place in (1, 2) and is_one(facts, operands[place - 1], place, 3, above)
    if name in ("torch.matmul", "torch.mm") and len(operands) == 2:
        return _is_one_of_product(facts, operands[1], place, ndim, above)
    if name == "torch.gather" and len(operands) == 3 and not tensor.keywords:
        return is_one(facts, operands[2], place, ndim, above)
    if name == "torch.cat" and len(operands) == 2:
        return _is_one_of_joined(facts, operands[0], operands[1], place, ndim, above)
    if name == "torch.unsqueeze" and len(operands) == 2:
        added = whole_number(operands[1])
        if added is None or added % ndim == place:
            return added is not None
        return is_one(facts, operands[0], place - (added % ndim < place), ndim - 1, above)
    if name in ("torch.view", "torch.reshape"):
        sizes = operands[1:] if len(operands) > 2 else []
        return len(sizes) == ndim and whole_number(sizes[place]) == 1
    if bare in _POOLS:
        kernel = operands[1] if len(operands) == 2 else None
        return place == ndim - 1 and kernel is not None and _is_last_size(kernel, operands[0])
    if name in ("torch.sum", "torch.mean"):
        positional = operands[: len(operands) - len(tensor.keywords)]
        return _is_one_of_reduced(facts, tensor, positional, place, ndim, above)
    return False


def _is_one_of_product(facts: Facts, right: ast.expr, place: int, ndim: int, above: _Asked) -> bool:
    """The same of ``a @ right``, which has as many columns as that, in the last dimension."""
    return place == ndim - 1 > 0 and is_one(facts, right, place, ndim, above)


def _is_one_of_joined(
    facts: Facts, listed: ast.expr, dim: ast.expr, place: int, ndim: int, above: _Asked
) -> bool:
    """The same of ``torch.cat((x, y), dim)``: in the other dimensions all are of one size."""
    along = whole_number(dim)
    if along is None or along % ndim == place or not isinstance(listed, (ast.Tuple, ast.List)):
        return False
    return any(is_one(facts, one, place, ndim, above) for one in listed.elts)


def _is_last_size(node: ast.expr, tensor: ast.expr) -> bool:
    """Whether a number is the last size of a sequence: ``x.size(2)``, ``x.size(-1)``."""
    method = node.func if isinstance(node, ast.Call) and len(node.args) == 1 else None
    if not isinstance(method, ast.Attribute) or method.attr != "size":
        return False
    assert isinstance(node, ast.Call)
    is_its_own = ast.dump(method.value) == ast.dump(tensor) and isinstance(tensor, ast.Name)
    return is_its_own and whole_number(node.args[0]) in (2, -1)


def _is_one_of_recurrent(facts: Facts, node: ast.expr, place: int, above: _Asked) -> bool:
    """The same of what a recurrent layer gives: ``output, hidden = lstm(x.unsqueeze(0))``.

    Its output is as long as its input, of as many sequences; its state has one row for each layer.
    """
    path: Path = ()
    while isinstance(node, ast.Subscript) and (part := whole_number(node.slice)) is not None:
        node, path = node.value, (part, *path)
    bindings = facts.flow.reaching(node) if isinstance(node, ast.Name) else ()
    if not bindings and isinstance(node, ast.Call):
        return _is_one_of_part(facts, node, path, place, above)
    return bool(bindings) and all(
        binding.kind == "assign"
        and isinstance(binding.value, ast.Call)
        and _is_one_of_part(facts, binding.value, (*binding.path, *path), place, above)
        for binding in bindings
    )


def _is_one_of_part(facts: Facts, call: ast.Call, path: Path, place: int, above: _Asked) -> bool:
    layers = [layer for _, layer in modules_run(facts, call.func)]
    if not path or not call.args or not all(map(is_recurrent, layers)):
        return False
    if path[0] == 0:
        return bool(layers) and place < 2 and is_one(facts, call.args[0], place, 3, above)
    if path[0] != 1 or place > 0:
        return False
    is_state = [len(path) == 1 + (layer.cls == "torch.nn.LSTM") for layer in layers]
    return bool(layers) and all(is_state) and all(map(_has_one_layer, layers))


def _has_one_layer(recurrent: Module) -> bool:
    """Whether a recurrent layer is one alone, which goes one way."""
    built = recurrent.call
    if built is None or is_opaque(built) or len(built.args) > 4:
        return False
    depth = argument(built, 2, "num_layers")
    both = argument(built, 6, "bidirectional")
    is_single = depth is None or whole_number(depth) == 1
    return is_single and (both is None or constant(both) is False)


def _is_one_of_reduced(
    facts: Facts, call: ast.Call, given: list[ast.expr], place: int, ndim: int, above: _Asked
) -> bool:
    """The same of ``x.sum(dim)``, which may keep the dimension that it reduces."""
    keywords = {keyword.arg: keyword.value for keyword in call.keywords}
    dim = keywords.get("dim", given[1] if len(given) > 1 else None)
    keepdim = keywords.get("keepdim", given[2] if len(given) > 2 else None)
    is_kept = False if keepdim is None else constant(keepdim)
    reduced = None if dim is None else whole_number(dim)
    if reduced is None or not given or not isinstance(is_kept, bool):
        return False
    before = ndim if is_kept else ndim + 1
    reduced %= before
    if is_kept and place == reduced:
        return True
    behind_it = not is_kept and place >= reduced
    return is_one(facts, given[0], place + behind_it, before, above)


def _returned(facts: Facts, call: ast.Call) -> list[tuple[Facts, ast.expr]]:
    """All that the function of the project returns that a call runs, or a module's ``forward``.

    Nothing where one of them is out of sight, or returns what no expression tells.
    """
    modules = modules_run(facts, call.func)
    runs = [run_by_value(module, home) for home, module in modules]
    runs = runs or [*functions_run(facts, call.func)]
    found: list[tuple[Facts, ast.expr]] = []
    for run in runs:
        values = None if run is None else values_returned(run[1])
        if run is None or not values or run[0].classes.is_wrapped(run[1]):
            return []
        found += [(run[0], node) for node in values if node is not None]
        if None in values:
            return []
    return found


def width(facts: Facts, layer: Module, depth: int = 0) -> ast.expr | None:
    """How many columns a linear layer gives, or the last of an ``nn.Sequential`` that is one.

    Args:
        facts: the facts of the module.
        layer: any layer.
        depth: in how many others it is the last; one may be made of itself.
    """
    call = layer.call
    if call is not None and layer.cls == "torch.nn.Sequential":
        if depth > _MAX_DEPTH:
            return None
        last = last_layer(facts, call)
        module = None if last is None else facts.value(last)
        return width(facts, module, depth + 1) if isinstance(module, Module) else None
    is_linear = call is not None and layer.cls == "torch.nn.Linear"
    return argument(call, 1, "out_features") if is_linear and call is not None else None
