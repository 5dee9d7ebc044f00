"""Elements of tensors: each is a tensor that was made anew, and is hashed as that object."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.language.nodes import COMPREHENSIONS, walk
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import container_methods
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.batches import gone_through, is_of_batch
from torchfix_codemods.facts.paths.callers import value_by_all_calls
from torchfix_codemods.facts.paths.graph import Place, use_of
from torchfix_codemods.facts.paths.origins import come_from, sources
from torchfix_codemods.facts.paths.uses import uses_given_by, uses_of
from torchfix_codemods.facts.tensors.scalars import indexed_scalar
from torchfix_codemods.facts.values.lattice import Number, Sequence, Tensor, Unknown
from torchfix_codemods.rules.questions.keys import has_numbers, is_set
from torchfix_codemods.rules.scalars.questions.dicts import is_dict

_MAY_BE_ELEMENTS = (ast.BinOp, ast.Name, ast.Subscript)

#: Through so many names an element is followed.
_LONGEST_CHAIN = 3


def asked_by_hash(facts: Facts, asking: ast.expr) -> ast.expr | None:
    """By what a dict or a set is asked: ``k`` of ``d[k]``, ``d.get(k)``, ``k in seen``.

    None of what can be no element as it is written.
    """
    kept, key = asked_of(asking), _key_of(facts, asking)
    if kept is None or not isinstance(key, _MAY_BE_ELEMENTS):
        return None
    is_kept = is_dict(facts, kept) or (isinstance(asking, ast.Compare) and is_set(facts, kept))
    return key if is_kept else None


def _key_of(facts: Facts, asking: ast.expr) -> ast.expr | None:
    """What is asked for, of whatever is asked."""
    if isinstance(asking, ast.Subscript):
        is_counted = isinstance(facts.parent(asking), ast.AugAssign)
        return asking.slice if is_counted or isinstance(asking.ctx, ast.Load) else None
    if isinstance(asking, ast.Compare):
        is_asked = len(asking.ops) == 1 and isinstance(asking.ops[0], (ast.In, ast.NotIn))
        return asking.left if is_asked else None
    if not isinstance(asking, ast.Call) or not isinstance(asking.func, ast.Attribute):
        return None
    is_asked = container_methods.asks_by_key(asking.func.attr) and bool(asking.args)
    return asking.args[0] if is_asked else None


def asked_of(asking: ast.expr) -> ast.expr | None:
    """The dict or set that is asked: ``d`` of ``d[k]``, ``d.get(k)``, ``k in d``."""
    if isinstance(asking, ast.Subscript):
        return asking.value
    if isinstance(asking, ast.Compare):
        return asking.comparators[0]
    method = asking.func if isinstance(asking, ast.Call) else None
    return method.value if isinstance(method, ast.Attribute) else None


def is_new_element(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression is an element of a tensor that no dict or set can have seen before.

    What is calculated of one, as ``x[i] + 1``, is a new tensor, too.
    """
    if isinstance(node, ast.BinOp):
        sides = [node.left, node.right]
        numbers = [side for side in sides if isinstance(facts.value(side), Number)]
        return len(numbers) == 1 and any(
            is_element(facts, side) for side in sides if side not in numbers
        )
    return is_element(facts, node) and not (isinstance(node, ast.Name) and _is_kept(facts, node))


def is_element(facts: Facts, node: ast.expr, depth: int = 0) -> bool:
    """Whether an expression is certainly an element, or a part, that was taken of a tensor.

    ``x[i]``, and the name of a loop over x.
    """
    if isinstance(node, ast.Subscript):
        # What may have no dimension to index is told as that.
        may_raise = indexed_scalar(facts, node) in ("graph", "maybe", "number")
        return not may_raise and has_numbers(facts, node) and _is_tensor(facts, node.value)
    if not isinstance(node, ast.Name) or depth > _LONGEST_CHAIN:
        return False
    if not isinstance(facts.value(node), (Tensor, Unknown)):
        return False
    bindings = facts.flow.reaching(node)
    return bool(bindings) and all(_gives_element(facts, each, depth) for each in bindings)


def listed_elements(facts: Facts, call: ast.Call) -> list[ast.expr]:
    """``x[i]`` of ``set([x[i] for i in at])``, and the elements of ``set([x[0], x[1]])``."""
    if facts.names.builtin(call.func) not in ("frozenset", "set"):
        return []
    given = call.args[0] if len(call.args) == 1 and not call.keywords else None
    if isinstance(given, (ast.GeneratorExp, ast.ListComp)):
        written = [given.elt]
    else:
        written = given.elts if isinstance(given, (ast.List, ast.Tuple)) else []
    return [element for element in written if is_kept_element(facts, element)]


def listing_elements(facts: Facts, call: ast.Call) -> ast.expr | None:
    """The list of elements of tensors that a set is made of: ``rows`` of ``set(rows)``."""
    is_one = len(call.args) == 1 and not call.keywords
    if not is_one or facts.names.builtin(call.func) not in ("frozenset", "set"):
        return None
    given = call.args[0]
    return given if isinstance(given, ast.Name) and _holds_elements(facts, given) else None


def is_kept_element(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression is an element of a tensor, or what a list or dict has kept of one.

    ``row["y"]`` of ``rows = [{"y": x[i]} for i in at]``.
    """
    if is_element(facts, node):
        return True
    is_tensor = isinstance(facts.value(node), Tensor)
    return is_tensor and come_from([Place(facts, node)], _before_element)


def _holds_elements(facts: Facts, node: ast.expr) -> bool:
    """Whether what lies in a list is such elements, which nothing changes since."""
    held = facts.value(node)
    is_of_tensors = isinstance(held, Sequence) and isinstance(held.element, Tensor)
    return is_of_tensors and come_from([Place(facts, node, ("*",))], _before_element)


def _before_element(place: Place) -> list[Place] | None:
    """Where a value was before, up to an element of a tensor: in what a list or dict is made of.

    That nothing else is put into it, the value that is known of it tells.
    """
    facts, node, content = place.facts, place.node, place.content
    if not content and is_element(facts, node):
        return []
    if isinstance(node, ast.Subscript) and isinstance(key := constant(node.slice), str):
        return [Place(facts, node.value, (key, *content))]
    if not content:
        return sources(place)
    if isinstance(node, (ast.GeneratorExp, ast.ListComp)):
        return [Place(facts, node.elt, content[1:])]
    if isinstance(node, ast.DictComp):
        held = node.key if content[0] == "*" else node.value
        return [Place(facts, held, content[1:])]
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values, strict=True)
        of_key = [value for key, value in pairs if constant(key) == content[0]]
        return [Place(facts, value, content[1:]) for value in of_key] or None
    return sources(place)


def _gives_element(facts: Facts, binding: Binding, depth: int) -> bool:
    if binding.value is None or isinstance(binding.node, ast.AugAssign):
        return False
    if binding.kind == "assign":
        # What is taken apart gives elements as well.
        is_part = bool(binding.path) and _is_tensor(facts, binding.value)
        return is_part or is_element(facts, binding.value, depth + 1)
    return binding.kind == "for" and _is_tensor(facts, gone_through(facts, binding))


def _is_tensor(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression is a tensor, as a parameter is for which all calls give one."""
    value = facts.value(node)
    if isinstance(value, Unknown):
        value = value_by_all_calls(node, facts)
    return isinstance(value, Tensor) and not is_of_batch(facts, node)


def _is_kept(facts: Facts, name: ast.Name) -> bool:
    """Whether the object that a name holds may have been stored by then, and is found again.

    What a round of a loop stores after it has asked, it asks for by another object next time.
    """
    for binding in facts.flow.reaching(name):
        asks_again = _loop_around(facts, name) not in (
            binding.node,
            _loop_around(facts, binding.node),
        )
        for use in uses_of(facts, binding):
            is_before = (use.lineno, use.col_offset) < (name.lineno, name.col_offset)
            if (asks_again or is_before) and _stores(facts, use):
                return True
    return False


def _loop_around(facts: Facts, node: ast.AST) -> ast.AST | None:
    loops = (ast.For, ast.While, ast.comprehension, *COMPREHENSIONS)
    return next((each for each in facts.names.ancestors(node) if isinstance(each, loops)), None)


def _stores(facts: Facts, use: ast.Name) -> bool:
    """``seen.add(use)``, ``d[use] = …``, ``[use]``."""
    around = facts.parent(use)
    if isinstance(around, ast.Subscript):
        return around.slice is use and isinstance(around.ctx, ast.Store)
    if isinstance(around, ast.Call) and isinstance(around.func, ast.Attribute):
        return use in around.args and container_methods.keeps(around.func.attr)
    return isinstance(around, (ast.Dict, ast.List, ast.Set, ast.Tuple))


def looked_up_by(facts: Facts, element: ast.expr) -> Place | None:
    """Where the function that an element is given to asks a dict or a set by it."""
    asked = next(filter(_asks_alone, use_of(Place(facts, element)).taken()), None)
    # Asked last: that seldom a dict is asked so is known without the values of the file.
    return asked if asked is not None and is_new_element(facts, element) else None


def _asks_alone(read: Place) -> bool:
    """Whether a dict or a set is asked by a name that holds nothing but what is given to it."""
    name, asking = read.node, read.facts.parent(read.node)
    return (
        isinstance(name, ast.Name)
        and isinstance(asking, ast.expr)
        and len(read.facts.flow.reaching(name)) == 1
        and asked_by_hash(read.facts, asking) is name
        and not _is_kept(read.facts, name)
    )


def named_elements(facts: Facts, loop: ast.For | ast.comprehension) -> Iterator[ast.Name]:
    """The names of a loop where a call is given what they hold."""
    for target in walk(loop.target):
        if isinstance(target, ast.Name):
            for use in uses_given_by(facts, loop, target.id):
                if isinstance(facts.parent(use), (ast.Call, ast.keyword)):
                    yield use
