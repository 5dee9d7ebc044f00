"""What shows that an element of a tensor is one number: that it is tested, averaged, or drawn."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Literal

from torchfix_codemods.facts.language.arguments import argument, constant, whole_number
from torchfix_codemods.facts.language.nodes import indices, same_expression
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place, Use, use_of
from torchfix_codemods.facts.paths.origins import come_from, sources
from torchfix_codemods.facts.paths.uses import uses_given_by
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.tensors.least_dimensions import choices_drawn
from torchfix_codemods.facts.tensors.reductions import function_of
from torchfix_codemods.facts.tensors.wrappers import unwrapped
from torchfix_codemods.facts.values.lattice import Array, Number, Tensor, TensorType

#: What makes one number of all that a list holds.
_AVERAGES = frozenset({"numpy.average", "numpy.mean"})


def is_tested_element(facts: Facts, element: ast.Subscript) -> bool:
    """Whether a test compares ``x.data[0, i]`` with a number, as no row of several can be.

    Or a tensor is made of it in a list, which took numbers alone until torch 0.3. Or what the same
    call gave beside ``x`` is used so at the same place: of ``v, i = x.topk(3)``, ``v[0, 1]`` is one
    number where ``i[0, 1]`` is.

    Args:
        facts: the facts of the module.
        element: what indices take out of a tensor.
    """
    if not all(isinstance(facts.value(index), Number) for index in indices(element.slice)):
        return False
    taken = [element] if (twin := twin_of(facts, element)) is None else [element, twin]
    taken += _twins_below(facts, element)
    return any(follow([Place(facts, each)], _is_tested) is not None for each in taken)


def twin_of(facts: Facts, element: ast.Subscript) -> ast.Subscript | None:
    """``i.data[0, 1]`` of ``best, at = v.data[0, 1], i.data[0, 1]`` with ``v, i = x.topk(3)``."""
    display = facts.parent(element)
    others = display.elts if isinstance(display, ast.Tuple) else []
    for other in others:
        if isinstance(other, ast.Subscript) and other is not element:
            if same_expression(other.slice, element.slice) and _are_of_one_call(
                facts, other, element
            ):
                return other
    return None


def _twins_below(facts: Facts, element: ast.Subscript) -> Iterator[ast.Subscript]:
    """``i[0][0]`` of any line behind ``v, i = x.topk(1)``, as ``v[0][0]`` is, of the same call."""
    core, depth = element.value, 1
    while isinstance(core, ast.Subscript):
        core, depth = core.value, depth + 1
    bindings = facts.flow.reaching(core) if isinstance(core, ast.Name) else ()
    made = bindings[0].node if len(bindings) == 1 and bindings[0].path else None
    targets = made.targets if isinstance(made, ast.Assign) else []
    if len(targets) != 1 or not isinstance(targets[0], ast.Tuple) or not isinstance(core, ast.Name):
        return
    if not isinstance(made, ast.Assign) or not _gives_indices(made.value):
        return
    for other in targets[0].elts:
        uses = uses_given_by(facts, made, other.id) if isinstance(other, ast.Name) else ()
        for use in uses if getattr(other, "id", core.id) != core.id else ():
            twin: ast.AST | None = use
            for _ in range(depth):
                twin = facts.parent(twin) if twin is not None else None
            end = ast.unparse(element).removeprefix(core.id)
            if isinstance(twin, ast.Subscript) and ast.unparse(twin) == use.id + end:
                yield twin


def _gives_indices(made: ast.expr) -> bool:
    return isinstance(made, ast.Call) and torch_effects.gives_indices(function_of(made))


def _are_of_one_call(facts: Facts, one: ast.Subscript, other: ast.Subscript) -> bool:
    cores = [unwrapped(each.value)[0] for each in (one, other)]
    made = [
        {binding.value for binding in facts.flow.reaching(core) if binding.path}
        for core in cores
        if isinstance(core, ast.Name)
    ]
    return len(made) == 2 and len(made[0]) == 1 and made[0] == made[1]


def _is_tested(use: Use) -> Iterable[Place] | None:
    if use.kind == "compared" and isinstance(use.by, ast.Compare) and not use.place.content:
        sides = [use.by.left, *use.by.comparators]
        others = (use.facts.value(side) for side in sides if side is not use.node)
        is_test = use_of(Place(use.facts, use.by)).kind == "tested"
        return None if is_test and all(isinstance(v, Number) for v in others) else ()
    if use.kind == "element" and isinstance(use.by, ast.List):
        return None if _is_made_tensor(use.facts, use.by) else ()
    if use.kind == "element" and isinstance(use.by, ast.Tuple):
        return use.result()
    return use.named() if use.kind == "bound" else ()


def _is_made_tensor(facts: Facts, written: ast.expr) -> bool:
    """``torch.LongTensor([[i]])`` around the list of ``i``."""
    while isinstance(around := facts.parent(written), ast.List):
        written = around
    if not isinstance(around, ast.Call) or around.args != [written]:
        return False
    return isinstance(facts.value(around.func), TensorType)


def is_averaged(facts: Facts, element: ast.expr) -> bool:
    """``losses.append(x.data[0])`` of a list of which ``np.mean(losses)`` is taken.

    So it is in ``losses.update(x.data[0], batch.size(0))``, which is told how many it stands for.
    """
    call = facts.parent(element)
    if _is_weighted(facts, element, call):
        return True
    method = call.func if isinstance(call, ast.Call) and call.args == [element] else None
    kept = method.value if isinstance(method, ast.Attribute) and method.attr == "append" else None
    found = facts.names.scope_of(kept).lookup(kept.id) if isinstance(kept, ast.Name) else None
    return found is not None and any(
        isinstance(taken := facts.parent(use), ast.Call)
        and taken.args == [use]
        and not taken.keywords
        and facts.name(taken.func) in _AVERAGES
        for use in facts.names.uses_of(found[0], getattr(kept, "id", ""))
    )


def _is_weighted(facts: Facts, element: ast.expr, call: ast.AST | None) -> bool:
    """Whether an object is given an element and how many there are in a batch, and no more."""
    if not isinstance(call, ast.Call) or len(call.args) != 2 or call.args[0] is not element:
        return False
    if not isinstance(call.func, ast.Attribute) or facts.name(call.func) is not None:
        return False
    size = call.args[1]
    if not isinstance(size, ast.Call) or facts.value(size) != Number("int"):
        return False
    is_size = isinstance(size.func, ast.Attribute) and size.func.attr == "size"
    return is_size or facts.names.builtin(size.func) == "len"


def is_choice(facts: Facts, core: ast.expr) -> bool:
    """``action`` of ``action = Categorical(probs).sample()``, which is made to be handed on."""
    made = (facts.assigned(core) or []) if isinstance(core, ast.Name) else [core]
    return bool(made) and all(
        isinstance(each, ast.Call) and choices_drawn(facts, each) is not None for each in made
    )


def is_drawn(facts: Facts, node: ast.expr) -> bool:
    """``probs.multinomial().data``, which has two dimensions at most, also by way of a function."""
    return come_from([Place(facts, node)], _before_draw)


def is_drawn_once(facts: Facts, node: ast.expr) -> bool:
    """The same of one choice of each row: ``probs.multinomial(1)``, and without a number."""
    return come_from([Place(facts, node)], _before_one_draw)


def _before_one_draw(place: Place) -> Iterable[Place] | None:
    before, core = _before_draw(place), unwrapped(place.node)[0]
    if before != () or not isinstance(core, ast.Call):
        return before
    is_function = place.facts.name(core.func) is not None
    count = argument(core, 1 if is_function else 0, "num_samples")
    return () if count is None or whole_number(count) == 1 else None


def _before_draw(place: Place) -> Iterable[Place] | None:
    """What a value comes from; nothing more for what is drawn."""
    facts, core = place.facts, unwrapped(place.node)[0]
    if core is not place.node:
        return [Place(facts, core, place.content)]
    if not isinstance(core, ast.Call) or place.content:
        return sources(place)
    is_draw = (
        isinstance(core.func, ast.Attribute)
        and core.func.attr == "multinomial"
        and facts.name(core.func) in (None, "torch.multinomial")
    )
    return () if is_draw else sources(place)


def is_looked_up(facts: Facts, node: ast.expr) -> bool:
    """Whether something is looked up by an expression, which is no list then: ``words[i]``."""
    return follow([Place(facts, node)], _is_looked_up) is not None


def _is_looked_up(use: Use) -> Iterable[Place] | None:
    if use.kind == "index" and isinstance(use.by, ast.Subscript) and not use.place.content:
        is_key = use.by.slice is use.node and not use.facts.is_tensor(use.by.value)
        return None if is_key and not isinstance(use.facts.value(use.by.value), Array) else ()
    return use.named() if use.kind == "bound" else ()


def how_element(facts: Facts, node: ast.Subscript) -> Literal["indexed", "data", "element"]:
    """What becomes of ``x.data[0]`` that was a number.

    "indexed" where it is all that x holds, so that ``x.item()`` says the same, "data" where it is
    an element of a tensor x, which is ``x[0].item()``. That x is a tensor is asked while a Variable
    still tells.
    """
    core, wrappers = unwrapped(node.value)
    value = facts.value(core)
    is_first = bool(wrappers) and constant(node.slice) == 0
    if is_first and isinstance(value, Tensor) and value.single and value.ndim == 1:
        return "indexed"
    indexed = node.value
    while isinstance(indexed, ast.Subscript):
        indexed = indexed.value
    if not isinstance(indexed, ast.Attribute) or indexed.attr != "data":
        return "element"
    return "data" if isinstance(facts.value(indexed.value), Tensor) else "element"
