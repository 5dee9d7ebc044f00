"""Tensors that certainly have a dimension: a batch of images has an index 0."""

from __future__ import annotations

import ast
from dataclasses import field, replace

from torchfix_codemods.facts.evaluation.parameters import argument_for
from torchfix_codemods.facts.language.arguments import is_opaque, whole_number
from torchfix_codemods.facts.language.foreign import TRANSPARENT
from torchfix_codemods.facts.language.nodes import indices, values_returned
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import torch_effects, torch_table
from torchfix_codemods.facts.libraries.kept_dimensions import DISTANCE
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.attribute_reads import stored_above
from torchfix_codemods.facts.paths.callers import arguments_of_all_calls
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.held import parameter_held
from torchfix_codemods.facts.paths.origins import (
    before_changes,
    come_from,
    given_to,
    sources,
)
from torchfix_codemods.facts.tensors.asked_sizes import is_asked_for_one_size
from torchfix_codemods.facts.tensors.called_bodies import bodies_run, function_called
from torchfix_codemods.facts.tensors.least_dimensions import (
    choices_drawn,
    is_ordered,
    leaves_dimensions,
)
from torchfix_codemods.facts.tensors.library_models import is_of_torchvision
from torchfix_codemods.facts.tensors.reductions import keeps_dimensions
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.imported import imported_as
from torchfix_codemods.facts.values.lattice import (
    Batch,
    Collated,
    Loader,
    Module,
    NoneValue,
    Number,
    Tensor,
)
from torchfix_codemods.facts.values.sequential import layers_in_order
from torchfix_codemods.record import record

#: Through so many names, calls and operations a tensor is followed.
_LONGEST = 14

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
_LISTS = (ast.List, ast.Tuple, ast.ListComp)
#: What makes a tensor, or an array, with the dimensions of what it is given.
_MAKERS = frozenset({"array", "from_numpy", "tensor", *torch_api.LEGACY_TYPES})
_JOINING = frozenset({"torch.stack", "torch.cat", "torch.unsqueeze"})


@record(eq=False)
class _Way:
    """How it came that an expression is asked for.

    Attributes:
        length: how many expressions were followed.
        call: the call that runs the function in which the expression stands, where it is known.
        facts: what is known of the file of that call.
        before: how it came to that call.
        seen: what was found of each expression with its call; none certain of what asks for itself.
        is_old: whether all tensors of the torch that the code was written for had a dimension.
        many: how many dimensions are asked for.
    """

    length: int = 0
    call: ast.Call | None = None
    facts: Facts | None = None
    before: _Way | None = None
    seen: dict[tuple[ast.expr, ast.Call | None, int], bool] = field(default_factory=dict)
    is_old: bool = False
    many: int = 1

    @property
    def is_long(self) -> bool:
        return self.length > _LONGEST

    def further(self) -> _Way:
        """The way to a part of the expression, or to what it comes from."""
        return replace(self, length=self.length + 1)

    def into(self, facts: Facts, call: ast.Call | None) -> _Way:
        """The way into what a call runs."""
        return replace(self, length=self.length + 1, call=call, facts=facts, before=self)

    def back(self) -> _Way:
        """The way back out to what the call is given."""
        return replace(self.before or self, length=self.length + 1, many=self.many)

    def to_whole(self) -> _Way:
        """The way to the tensor of which a part is taken, which has one dimension more."""
        return replace(self, length=self.length + 1, many=self.many + 1)


def has_dimensions(facts: Facts, node: ast.expr, way: _Way | None = None) -> bool:
    """Whether an expression, if it is a tensor, certainly has a dimension.

    ``x.view(-1)`` has, whatever x is; so has x where ``x.size(0)`` or ``len(x)`` is asked, what a
    convolution gives, and what a loader yields.
    """
    way = way or _Way()
    if way.is_long:
        return False
    asked = (node, way.call, way.many)
    if asked not in way.seen:
        way.seen[asked] = False
        way.seen[asked] = _is_certain(facts, node, way)
    return way.seen[asked]


def had_dimensions(facts: Facts, node: ast.expr) -> bool:
    """The same of what was written for torch 0.3 at most, in which all tensors had a dimension.

    What is 0-dim today was a number there if a tensor gave it, of which no Variable could be made,
    and had a dimension of length 1 if a Variable did; neither is a batch, nor is wrapped.
    """
    return has_dimensions(facts, node, _Way(is_old=True))


def _is_certain(facts: Facts, node: ast.expr, way: _Way) -> bool:
    value = facts.value(node)
    if isinstance(value, Tensor) and value.ndim:
        return value.ndim >= way.many
    if isinstance(node, ast.Name):
        if way.many == 1 and is_asked_for_one_size(facts, node):
            return True
        if comes_with_dimensions(facts, node, way):
            return True
        return _is_given_dimensions(facts, node, way)
    if isinstance(node, ast.Attribute):
        if node.attr == "data":
            return has_dimensions(facts, node.value, way.further())
        stored = stored_above(facts, node)
        return stored is not None and has_dimensions(facts, stored, way.further())
    if isinstance(node, (ast.BinOp, ast.Compare)):
        sides = [side for side in ast.iter_child_nodes(node) if isinstance(side, ast.expr)]
        return any(has_dimensions(facts, side, way.further()) for side in sides)
    if isinstance(node, ast.IfExp):
        return _have_dimensions(facts, [node.body, node.orelse], way)
    if isinstance(node, ast.Subscript):
        # What is cut along a dimension keeps it: ``x[..., 1:]``.
        if any(isinstance(index, ast.Slice) for index in indices(node.slice)):
            return way.many == 1
        # A number or a tensor takes one dimension.
        is_row = isinstance(facts.value(node.slice), (Number, Tensor))
        if is_row and facts.is_tensor(node.value):
            if has_dimensions(facts, node.value, way.to_whole()):
                return True
        part = whole_number(node.slice)
        return part is not None and _part_has_dimensions(facts, node.value, part, way)
    return isinstance(node, ast.Call) and _gives_dimensions(facts, node, way)


def _have_dimensions(facts: Facts, nodes: list[ast.expr], way: _Way) -> bool:
    """Whether each of several expressions has a dimension; None is no tensor."""
    tensors = [node for node in nodes if not isinstance(facts.value(node), NoneValue)]
    return bool(tensors) and all(has_dimensions(facts, each, way.further()) for each in tensors)


def _is_given_dimensions(facts: Facts, name: ast.Name, way: _Way) -> bool:
    """Whether a name is a parameter for which the call that is followed gives a dimension.

    Where none is followed, and the code is old, all calls in the project have to give one.
    """
    function, parameter = parameter_held(name, facts)
    if function is None or parameter is None:
        return False
    if way.call is None or way.facts is None:
        known = arguments_of_all_calls(function, parameter, facts) if way.is_old else None
        return bool(known) and all(has_dimensions(*each, way.further()) for each in known or ())
    is_bound = facts.classes.gets_object(function)
    given = argument_for(function, parameter, way.call, is_bound)
    return given is not None and has_dimensions(way.facts, given, way.back())


def _part_has_dimensions(facts: Facts, node: ast.expr, part: int, way: _Way) -> bool:
    """Whether a part of ``x.max(1)``, of a tuple or of what a function returns has a dimension."""
    if way.is_long:
        return False
    if way.many == 1 and is_ordered(facts, node):
        return True
    if isinstance(node, ast.Name):
        made = facts.assigned(node) or []
        return bool(made) and all(
            _part_has_dimensions(facts, each, part, way.further()) for each in made
        )
    if isinstance(node, (ast.Tuple, ast.List)):
        is_there = -len(node.elts) <= part < len(node.elts)
        is_plain = not any(isinstance(each, ast.Starred) for each in node.elts)
        return is_there and is_plain and has_dimensions(facts, node.elts[part], way.further())
    if not isinstance(node, ast.Call):
        return False
    run = bodies_run(facts, node, may_be_likely=way.is_old)
    if run:
        return all(_returns_dimensions(*body, way.into(facts, node), part) for body in run)
    return _leaves_dimensions(facts, node, part, way)


def _leaves_dimensions(facts: Facts, call: ast.Call, part: int | None, way: _Way) -> bool:
    def is_dimensional(tensor: ast.expr) -> bool:
        return has_dimensions(facts, tensor, way.further())

    return leaves_dimensions(facts, call, part, is_dimensional, way.many)


def comes_with_dimensions(facts: Facts, name: ast.Name, way: _Way | None = None) -> bool:
    """Whether all tensors that a name gets have a dimension, whatever is asked of it later."""
    way = way or _Way()
    tensors = tensors_bound(facts, name)
    return bool(tensors) and all(_is_dimensional(facts, binding, way) for binding in tensors)


def tensors_bound(facts: Facts, name: ast.Name) -> list[Binding]:
    """What may give a name a tensor: a sum starts as a number, which is none."""
    bindings = facts.flow.reaching(name)
    return [b for b in bindings if not isinstance(facts.inference.bound(b), Number)]


def _is_dimensional(facts: Facts, binding: Binding, way: _Way) -> bool:
    if isinstance(statement := binding.node, ast.AugAssign):
        # In place, a tensor without a dimension takes none that has one, and loses none.
        if has_dimensions(facts, statement.value, way.further()):
            return True
        before = before_changes(facts, binding)
        return bool(before) and all(_is_dimensional(facts, b, way.further()) for b in before)
    if binding.kind == "assign" and binding.value is not None:
        if not binding.path:
            return has_dimensions(facts, binding.value, way.further())
        part = binding.path[0] if len(binding.path) == 1 else None
        is_part = isinstance(part, int) and _part_has_dimensions(
            facts, binding.value, part, way.further()
        )
        return is_part or _is_given_in_turn(given_to(facts, binding, ()), way)
    loop = binding.node
    if not isinstance(loop, ast.For):
        return False
    if _is_given_in_turn(given_to(facts, binding, ()), way):
        return True
    value = facts.inference.bound(binding)
    if way.many > 1:
        return False
    if isinstance(value, Collated):
        return way.is_old
    return isinstance(value, (Batch, Tensor)) and _stacks(facts, loop.iter)


def _is_given_in_turn(place: Place | None, way: _Way) -> bool:
    """Whether all that lies at a place has a dimension, as what a generator yields."""

    def before(each: Place) -> list[Place] | None:
        if each.content:
            return sources(each)
        return [] if has_dimensions(each.facts, each.node, way.further()) else None

    return place is not None and come_from([place], before)


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


def _gives_dimensions(facts: Facts, call: ast.Call, way: _Way) -> bool:
    """Whether what a call gives has a dimension."""
    name = facts.name(call.func)
    if name == "numpy.array" or (name is not None and name.startswith("torch.")):
        return _function_gives(facts, name, call, way)
    if way.many == 1:
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if torch_table.gives_dimensions(method) or is_ordered(facts, call):
            return True
    if facts.names.builtin(call.func) == "next" and len(call.args) == 1:
        return _is_given_in_turn(Place(facts, call.args[0], ("*",)), way)
    if (choices := choices_drawn(facts, call)) is not None:
        return has_dimensions(facts, choices, way.to_whole())
    callee = facts.value(call.func)
    if isinstance(callee, Module):
        is_classifier = way.many == 1 and is_of_torchvision(facts, call.func)
        return is_classifier or _module_gives(facts, callee, way)
    function = function_called(facts, call)
    if function is not None:
        return _returns_dimensions(*function, way.into(facts, call))
    if isinstance(call.func, ast.Attribute):
        method = call.func.attr
        is_kept = keeps_dimensions(call) or torch_effects.keeps_sizes(method)
        is_kept = is_kept or torch_effects.does(method, "repeats")
        if is_kept and has_dimensions(facts, call.func.value, way.further()):
            return True
    return _leaves_dimensions(facts, call, None, way)


def _function_gives(facts: Facts, name: str, call: ast.Call, way: _Way) -> bool:
    if way.is_old and name == DISTANCE:
        return way.many <= 2  # A column, which ``keepdim=True`` keeps.
    module, _, function = name.rpartition(".")
    is_one = name in _JOINING or (module == "torch.nn.functional" and function in _FUNCTIONS)
    if way.many == 1 and (is_one or is_ordered(facts, call)):
        return True
    if not call.args or is_opaque(call):
        return False
    is_made = function in _MAKERS
    is_wrapped = name in ("torch.autograd.Variable", "torch.nn.Parameter")
    is_listed = is_made and isinstance(call.args[0], _LISTS)
    # Of a tensor type called, and of what was wrapped, nothing was without a dimension.
    is_old = way.is_old and (is_wrapped or function in torch_api.LEGACY_TYPES)
    if way.many == 1 and (is_listed or is_old):
        return True
    is_kept = is_wrapped or keeps_dimensions(call) or torch_effects.keeps_sizes(name)
    if (is_made or is_kept) and has_dimensions(facts, call.args[0], way.further()):
        return True
    return _leaves_dimensions(facts, call, None, way)


def _module_gives(facts: Facts, module: Module, way: _Way) -> bool:
    """Whether what a module makes of its input has a dimension."""
    if way.is_long:
        return False
    origin = imported_as(module)
    if origin is not None and (home := facts_of(origin.owner)) is not None:
        there = origin.value
        return isinstance(there, Module) and _module_gives(home, there, way.further())
    if module.definition is not None:
        forward = facts.classes.method(module.definition, "forward")
        return forward is not None and _returns_dimensions(facts, forward, way.into(facts, None))
    if module.cls == "torch.nn.Sequential":
        return module.call is not None and _ends_with_dimensions(facts, module.call, way)
    return way.many == 1 and _is_layer(module, _LAYERS)


def _is_layer(module: Module, layers: frozenset[str]) -> bool:
    return (module.cls or "").removeprefix("torch.nn.") in layers


def _ends_with_dimensions(facts: Facts, sequential: ast.Call, way: _Way) -> bool:
    """Whether the last layers of a Sequential give a dimension, or keep what others give."""
    for layer in reversed(layers_in_order(facts.names, sequential)):
        module = facts.value(layer)
        if not isinstance(module, Module):
            return False
        if _module_gives(facts, module, way.further()):
            return True
        if module.definition is not None or not _is_layer(module, torch_api.LAYERS):
            return False
    return False


def _returns_dimensions(
    facts: Facts, function: ast.AST, way: _Way, part: int | None = None
) -> bool:
    """Whether all that a function returns has a dimension, or that part of all of it.

    Tuples have other uses, where no part is asked for.
    """
    returned = values_returned(function)
    if returned is None:
        return False
    if part is not None:
        return bool(returned) and all(
            value is not None and _part_has_dimensions(facts, value, part, way)
            for value in returned
        )
    given = [value for value in returned if not isinstance(value, (ast.Tuple, ast.List))]
    return None not in given and _have_dimensions(facts, [v for v in given if v is not None], way)
