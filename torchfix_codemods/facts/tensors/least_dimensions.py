"""How many dimensions a call of torch leaves at least, by the ``dim`` that it names, and at most.

``x.sum(1)`` takes nothing with fewer than two dimensions, so that one is left; ``x.t()`` takes
nothing with more.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from torchfix_codemods.facts.evaluation.forms.fitting import Binding, Given, bind
from torchfix_codemods.facts.evaluation.forms.results import ndim_of_result
from torchfix_codemods.facts.evidence.proofs import proves_tensor
from torchfix_codemods.facts.language.arguments import argument, is_opaque, whole_number
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.libraries.taken_dimensions import taken_by
from torchfix_codemods.facts.libraries.torch_table import Form, Result, forms_of
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Distribution, Tensor

#: What takes the second dimension where none is named.
_OF_ROWS = frozenset({"torch.nn.functional.normalize"})

#: What the parameters are called that name one; ``transpose`` has two.
_DIMS = ("dim", "dim0", "dim1")

#: What puts elements in order, of which there are several: nobody sorts a single number.
_ORDERING = frozenset("sort topk argsort".split())


def leaves_dimensions(
    facts: Facts,
    call: ast.Call,
    part: int | None,
    has_dimensions: Callable[[ast.expr], bool],
    many: int = 1,
) -> bool:
    """Whether what a function or method of torch gives certainly has a dimension, or so many.

    Args:
        facts: the facts of the module.
        call: the call, of whatever, if a tensor has such a method.
        part: which of several tensors is asked for; None where it gives one.
        has_dimensions: tells whether its input has as many.
        many: how many dimensions are asked for.
    """
    tensor, fitting = _forms_called(facts, call)
    if tensor is None or not fitting:
        return False
    given = many if has_dimensions(tensor) else 0
    return all(_least(facts, form, binding, part, given) >= many for form, binding in fitting)


def least_taken(facts: Facts, call: ast.Call, tensor: ast.expr) -> int:
    """How many dimensions a call takes at least: two of ``x.topk(k, 1)`` and ``torch.max(x, 1)``.

    Args:
        facts: the facts of the module.
        call: the call of a function of torch, or of a method of a tensor.
        tensor: its input, or another of its arguments, of which nothing is said.

    Returns:
        the number, which is 0 where nothing shows one.
    """
    taken, fitting = _forms_called(facts, call)
    if taken is not tensor:
        return 0
    name = facts.name(call.func) or f"torch.Tensor.{getattr(call.func, 'attr', '')}"
    return min((_taken(facts, name, form, binding) for form, binding in fitting), default=0)


def most_left(facts: Facts, call: ast.Call) -> int | None:
    """How many dimensions a call leaves at most: two of ``x.t()``, which takes no more.

    Args:
        facts: the facts of the module.
        call: the call of a function of torch, or of a method of a tensor.

    Returns:
        the number; None where nothing shows one.
    """
    found = operated(facts, call)
    if found is None or not (taken := taken_by(found[0].rpartition(".")[2], 0)):
        return None
    # What may be a tuple as well is none where it is asked for that.
    is_tensor = facts.is_tensor(call) or proves_tensor(facts.names, found[1])
    _, fitting = _forms_called(facts, call) if is_tensor else (None, [])
    left = [
        _left(facts, form, binding, form.results[0], rank)
        for form, binding in fitting
        for rank in taken
        if form.word == "tensor"
    ]
    known = [rank for rank in left if rank is not None]
    return max(known) if known and len(known) == len(left) else None


def _taken(facts: Facts, name: str, form: Form, binding: Binding) -> int:
    if name in _OF_ROWS and "dim" not in binding.given:
        return 2
    rank = max(_rank_for(binding.given.get(name)) for name in _DIMS)
    if len([*binding.tensors()]) > 1:
        # It may be stretched to the dimensions of the others, unless it is only chosen from.
        return rank if torch_effects.does(name, "selects") else 0
    part = None if form.word == "tensor" else 0
    # Where a dimension is added, it may be the one that is named: ``x.unsqueeze(1)``.
    return rank if 0 < _least(facts, form, binding, part, rank) <= rank else 0


def operated(facts: Facts, call: ast.Call) -> tuple[str, ast.expr, ast.Call] | None:
    """What a call does to its input, if that is a tensor.

    Args:
        facts: the facts of the module.
        call: the call of a function, or of a method of whatever.

    Returns:
        the operation, ``torch.Tensor.sum`` of a method; the input; and the call of what is given
        behind it. None where there is no input.
    """
    name, method = facts.name(call.func), call.func
    if name is None and isinstance(method, ast.Attribute):
        return f"torch.Tensor.{method.attr}", method.value, call
    if name is None or not call.args:
        return None
    return name, call.args[0], ast.Call(method, call.args[1:], call.keywords)


def _forms_called(
    facts: Facts, call: ast.Call
) -> tuple[ast.expr | None, list[tuple[Form, Binding]]]:
    """The input of what may be an operation of torch, and its forms with what each is given."""
    found = None if is_opaque(call) else operated(facts, call)
    if found is None:
        return None, []
    name, tensor, rest = found
    return tensor, [
        (form, binding)
        for form in forms_of(name)
        if form.parameters and form.parameters[0].kind == "T"
        if (binding := bind(facts.inference, form, rest, Tensor())) is not None
    ]


def _least(facts: Facts, form: Form, binding: Binding, part: int | None, given: int) -> int:
    """The least number of dimensions of what a form gives, for an input of at least ``given``."""
    if form.word != ("tensor" if part is None else "tuple"):
        return 0
    place = part or 0
    if not -len(form.results) <= place < len(form.results):
        return 0
    result = form.results[place]
    rank = max(_rank_for(binding.given.get("dim")), given)
    return _left(facts, form, binding, result, rank) or 0


def _left(facts: Facts, form: Form, binding: Binding, result: Result, rank: int) -> int | None:
    """With how many dimensions a result of a form comes, for an input of ``rank``."""
    binding.given[form.parameters[0].name] = Given(Tensor(ndim=rank))
    return ndim_of_result(facts.inference, binding, result)


def _rank_for(dim: Given | None) -> int:
    """With how many dimensions a tensor must come to have a certain one; 0 and -1 any has."""
    if dim is None or dim.node is None:
        return 0
    nodes = dim.node.elts if isinstance(dim.node, (ast.Tuple, ast.List)) else [dim.node]
    named = [number for node in nodes if (number := whole_number(node)) is not None]
    least = [-number if number < 0 else number + 1 for number in named]
    return max((rank for rank in least if rank > 1), default=0)


def is_ordered(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression is ``x.sort()``, ``torch.topk(x, 3)`` or the like, of whatever."""
    if isinstance(node, ast.Name):
        assigned = facts.assigned(node)
        return bool(assigned) and all(
            isinstance(value, ast.Call) and is_ordered(facts, value) for value in assigned or ()
        )
    if not isinstance(node, ast.Call):
        return False
    name = facts.name(node.func)
    if name is not None:
        return name.removeprefix("torch.") in _ORDERING
    return isinstance(node.func, ast.Attribute) and node.func.attr in _ORDERING


def choices_drawn(facts: Facts, call: ast.Call) -> ast.expr | None:
    """``p`` of ``Categorical(p).sample()``, which has a dimension less than it.

    Args:
        facts: the facts of the module.
        call: the call, of whatever.
    """
    drawn = call.func
    if not isinstance(drawn, ast.Attribute) or drawn.attr != "sample" or is_opaque(call):
        return None
    if not isinstance(facts.value(drawn.value), Distribution):
        return None
    made = facts.assigned(drawn.value) if isinstance(drawn.value, ast.Name) else [drawn.value]
    (maker,) = made if made and len(made) == 1 else [None]
    if not isinstance(maker, ast.Call) or is_opaque(maker):
        return None
    if facts.name(maker.func) != "torch.distributions.Categorical":
        return None
    return argument(maker, 0, "probs") or argument(maker, 1, "logits")
