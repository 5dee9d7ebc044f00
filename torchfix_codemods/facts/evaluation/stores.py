"""What stays certain of what an object or a list holds, as other code puts something there."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import TYPE_CHECKING

from torchfix_codemods.facts.evaluation import operations
from torchfix_codemods.facts.evaluation.parameters import parameters_given
from torchfix_codemods.facts.evidence.changes import changes_in_place
from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import container_methods, torch_table
from torchfix_codemods.facts.values.lattice import (
    NOTHING,
    UNKNOWN,
    Mapping,
    Nothing,
    Number,
    Operation,
    Sequence,
    Tensor,
    TensorType,
    Text,
    Unknown,
    Value,
    join,
    of_any_caller,
)

if TYPE_CHECKING:
    from torchfix_codemods.facts.values.inference import Inference


def refine_by_stores(
    inference: Inference, definition: ast.ClassDef, name: str, value: Value
) -> Value:
    """What stays certain of ``self.name``, as other code may store to an attribute of that name.

    The receiver does not matter: ``model.hidden = …`` may be this class's or not, unless it is
    ``self`` of a class that has nothing to do with it.
    """
    own = {id(source.node) for source in inference.classes.attribute_sources(definition, name)}
    if isinstance(value, (Number, Text)):
        return _unless_stored(inference, name, own, value)
    if isinstance(value, (Operation, TensorType)):
        for use in _other_stores(inference, definition, name, own):
            value = join(value, _stored(inference, use) or UNKNOWN)
        return value
    if not isinstance(value, (Tensor, Sequence, Mapping)):
        return value
    for use in inference.names.attributes(name):
        if inference.classes.is_of_other(use, definition):
            continue
        if _may_store_history(inference, use, own) and not _is_same_sum(inference, use, value):
            return of_any_caller(value)
        if isinstance(use.ctx, ast.Store) and id(inference.names.statement(use)) not in own:
            value = join(value, _stored(inference, use) or NOTHING)
    return value


def _other_stores(
    inference: Inference, definition: ast.ClassDef, name: str, own: set[int]
) -> Iterator[ast.Attribute]:
    """Where an attribute is stored to that may be of a class, and is none of its own stores."""
    for use in inference.names.attributes(name):
        if isinstance(use.ctx, ast.Store) and id(inference.names.statement(use)) not in own:
            if not inference.classes.is_of_other(use, definition):
                yield use


def _stored(inference: Inference, use: ast.Attribute) -> Value | None:
    """What an assignment stores to an attribute; None where it is no plain assignment."""
    statement = inference.names.statement(use)
    return inference.value(statement.value) if isinstance(statement, ast.Assign) else None


def _is_same_sum(inference: Inference, use: ast.Attribute, value: Value) -> bool:
    """``self.total += loss`` of another class, which leaves no other kind of tensor there."""
    statement = inference.names.statement(use)
    if not (isinstance(statement, ast.AugAssign) and statement.target is use):
        return False
    added = operations.arithmetic(statement.op, Number(), inference.value(statement.value))
    return isinstance(added, Tensor) and join(value, added) == value


def _unless_stored(inference: Inference, name: str, own: set[int], value: Value) -> Value:
    """A number that no other class turns into something else: a sum may become a tensor."""
    for use in inference.names.attributes(name):
        statement = inference.names.statement(use)
        if isinstance(use.ctx, ast.Load) or id(statement) in own:
            continue
        stored = statement.value if isinstance(statement, ast.Assign) else None
        if stored is None or type(inference.value(stored)) is not type(value):
            return Unknown()
    return value


def _may_store_history(inference: Inference, use: ast.Attribute, own: set[int]) -> bool:
    """Whether a use of an attribute gives it, or a part of it, what may be part of a graph."""
    names = inference.names
    parent = names.parents.get(use)
    if not isinstance(use.ctx, ast.Load):
        statement = names.statement(use)
        if id(statement) in own:
            return False
        known = _stored(inference, use)
        return not (isinstance(known, Tensor) and known.grad is False)
    if isinstance(parent, ast.Subscript) and parent.value is use:
        if isinstance(parent.ctx, ast.Load):
            return False
        return not isinstance(getattr(names.statement(use), "value", None), ast.Constant)
    if isinstance(parent, ast.Attribute):
        return _fills(parent.attr) or changes_in_place(inference, parent)
    return False


def _fills(method: str) -> bool:
    """Whether a method puts something into a list or a dict, and no tensor has it."""
    return container_methods.keeps(method) and not torch_table.is_method(method)


#: What a list can be given to without getting other elements.
_LIST_READERS = frozenset("len sum max min list tuple zip enumerate reversed sorted print".split())


#: Libraries, and functions of them, that put nothing into a list which they are given.
_LIST_LIBRARIES = (
    *("torch.", "numpy.", "random.sample", "random.choice", "random.shuffle"),
    *("matplotlib.pyplot.", "json.dump", "pickle.dump"),
)
#: Of those, what changes the order.
_SHUFFLES = frozenset({"numpy.random.shuffle", "random.shuffle"})


#: Where a list stands that gets no other elements there; ``a + b`` is another list.
_LIST_READS = (ast.For, ast.comprehension, ast.Return, ast.Compare, ast.Starred, ast.BinOp)


#: What makes a number of the kinds of two.
_KEEP_KIND = (ast.Add, ast.Sub, ast.Mult)


def refine_list(inference: Inference, binding: Binding, value: Value) -> Value:
    """Add to a list what ``.append`` puts into it; nothing is certain where others may do so."""
    if not isinstance(value, Sequence):
        return value
    appended = put_into(inference, binding)
    if appended is None:
        return Sequence()
    element: Value = NOTHING
    first = (value.element,) if value.items is None else value.items
    for item in (*first, *map(inference.value, appended)):
        element = join(element, item)
    is_other = appended or any(_displaces(inference.names, u) for u in _uses(inference, binding))
    return Sequence(element) if is_other else value


def put_into(inference: Inference, binding: Binding) -> list[ast.expr] | None:
    """What ``.append`` puts into the list of a name; None where others may put something there."""
    appended: list[ast.expr] = []
    for use in _uses(inference, binding):
        change = None if binding.is_shared else appended_by(inference.names, use)
        if change is None and (binding.is_shared or not _only_reads(inference, use)):
            return None
        appended += change or []
    return appended


def _uses(inference: Inference, binding: Binding) -> Iterator[ast.Name]:
    """The uses of a name that it may have its value from a binding at."""
    for scope in inference.names.scopes_using(binding.name):
        found = scope.lookup(binding.name)
        if found is not None and binding in found[1]:
            uses = scope.uses[binding.name]
            yield from (use for use in uses if binding in inference.flow.reaching(use))


def _displaces(names: Names, use: ast.expr) -> bool:
    """Whether a use puts what is in a list to other places: ``xs.reverse()``, ``shuffle(xs)``."""
    parent = names.parents.get(use)
    if isinstance(parent, ast.Attribute):
        return container_methods.displaces(parent.attr)
    if not isinstance(parent, ast.Call) or use not in parent.args:
        return False
    return (names.name(parent.func) or "") in _SHUFFLES


def _only_reads(inference: Inference, use: ast.Name) -> bool:
    """Whether a list is given to a function of the same file that puts nothing into it.

    What the function returns could be the list itself, to be filled by another name.
    """
    names = inference.names
    call = names.parents.get(use)
    if not (isinstance(call, ast.Call) and use in call.args and isinstance(call.func, ast.Name)):
        return False
    found = names.scope_of(call.func).lookup(call.func.id)
    function = found[1][0].node if found is not None and len(found[1]) == 1 else None
    if not isinstance(function, ast.FunctionDef) or function.decorator_list:
        return False
    if inference.files is not None and inference.files.is_assigned(function.name, by_module=True):
        return False
    taken = parameters_given(function, use, call, bound=False)
    if len(taken) != 1 or len(names.scopes[function].bindings[taken[0].arg]) != 1:
        return False
    return all(
        not (_is_returned(names, read) or _displaces(names, read))
        and appended_by(names, read) == []
        for read in _uses_of_parameter(names, taken[0])
    )


def _uses_of_parameter(names: Names, parameter: ast.arg) -> Iterator[ast.Name]:
    """The uses of the name of a parameter, in functions inside as well."""
    for scope in names.scopes_using(parameter.arg):
        found = scope.lookup(parameter.arg)
        if found is not None and any(binding.node is parameter for binding in found[1]):
            yield from scope.uses[parameter.arg]


def _is_returned(names: Names, use: ast.expr) -> bool:
    """``return x``, and ``return net, {"losses": [x, y]}``: who gets it does so in the end."""
    parent = names.parents.get(use)
    while isinstance(parent, (ast.Dict, ast.List, ast.Tuple)):
        parent = names.parents.get(parent)
    return isinstance(parent, ast.Return)


def refine_parameter(inference: Inference, binding: Binding, value: Value) -> Value:
    """The same for a list that a function is given, where it is put into; a tuple never is."""
    if not isinstance(value, Sequence) or value.items is None:
        return value
    parents = inference.names.parents
    inside = inference.names.scopes[parents[parents[binding.node]]]
    above = map(parents.get, inside.uses.get(binding.name, ()))
    is_filled = any(isinstance(a, ast.Attribute) and _fills(a.attr) for a in above)
    return refine_list(inference, binding, value) if is_filled else value


def refine_list_attribute(inference: Inference, source: Binding, name: str, value: Value) -> Value:
    """Add to a list that is an attribute what ``….name.append`` and ``….name[i] = …`` put there."""
    if not isinstance(value, Sequence):
        return value
    element: Value = NOTHING
    is_displaced = False
    for use in inference.names.attributes(name):
        if isinstance(use.ctx, ast.Load):
            change = None if source.is_shared else appended_by(inference.names, use)
            if change is None:
                return Sequence()
            is_displaced = is_displaced or _displaces(inference.names, use)
            for given in change:
                element = join(element, inference.value(given))
    if isinstance(element, Nothing) and not is_displaced:
        return value
    for item in (value.element,) if value.items is None else value.items:
        element = join(element, item)
    return Sequence(element)


def appended_by(names: Names, use: ast.expr) -> list[ast.expr] | None:
    """What the use of a list puts into it; None where that is not known."""
    parent = names.parents.get(use)
    around = names.parents.get(parent) if parent is not None else None
    if _is_returned(names, use):
        return []
    if isinstance(parent, ast.Attribute):
        call = names.parents.get(parent)
        if parent.attr == "append" and isinstance(call, ast.Call) and len(call.args) == 1:
            return call.args
        return [] if container_methods.keeps_nothing(parent.attr) else None
    if isinstance(parent, (ast.Tuple, ast.List)) and isinstance(around, ast.Call):
        # ``torch.cat((x, mask), 1)``.
        use, parent = parent, around
    if isinstance(parent, ast.Call) and use in parent.args:
        name = names.name(parent.func)
        builtin = isinstance(parent.func, ast.Name) and parent.func.id in _LIST_READERS
        builtin = builtin and not isinstance(use, (ast.Tuple, ast.List))
        return [] if builtin or (name or "").startswith(_LIST_LIBRARIES) else None
    if isinstance(parent, ast.Subscript) and parent.value is use:
        return _stored_in(parent, around) if isinstance(parent.ctx, ast.Store) else []
    if isinstance(parent, ast.Assign):
        # ``x, y = pair`` names the elements.
        is_apart = all(isinstance(target, (ast.Tuple, ast.List)) for target in parent.targets)
        return [] if is_apart and parent.value is use else None
    return [] if isinstance(parent, _LIST_READS) else None


def _stored_in(element: ast.Subscript, statement: ast.AST | None) -> list[ast.expr] | None:
    """``v`` of ``x[i] = v`` and ``x[i] += v``: a whole number leaves whole numbers."""
    if isinstance(element.slice, ast.Slice):
        return None
    if isinstance(statement, ast.AugAssign) and isinstance(statement.op, _KEEP_KIND):
        return [statement.value]
    is_set = isinstance(statement, ast.Assign) and element in statement.targets
    return [statement.value] if is_set else None  # type: ignore[union-attr]
