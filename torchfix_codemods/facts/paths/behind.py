"""The graph of values walked back through the project: whether any way answers a question.

:mod:`torchfix_codemods.facts.paths.origins` asks whether *all* that a value comes from is of one
kind; here one way is enough. So all that is written down counts: what any call passes for a
parameter, what any statement stores under an attribute or a key of that name.
"""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable, Iterable, Iterator

from torchfix_codemods.facts.evaluation.parameters import (
    CALLED_BY_OTHER_NAMES,
    argument_for,
    default_of,
    may_take,
)
from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque, whole_number
from torchfix_codemods.facts.language.nodes import is_cut, values_returned
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import container_methods, torch_table
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Content, Place
from torchfix_codemods.facts.paths.handed_objects import calls_of_objects, met_with
from torchfix_codemods.facts.paths.held import parameter_kept
from torchfix_codemods.facts.paths.named import (
    function_named,
    function_run,
    gets_object_before,
    is_same_function,
    is_self,
    method_run,
)
from torchfix_codemods.facts.paths.uses import uses_of
from torchfix_codemods.facts.paths.uses_by_name import is_of_any_module
from torchfix_codemods.facts.values.lattice import Loader, Unknown

Question = Callable[[Place], Iterable[Place] | None]
"""Says for a place where the value comes from there; None where the place is the answer."""

#: More places than these are not looked at: what comes so far is out of sight.
_MOST_PLACES = 200

#: Through so many functions it is followed which files call a function.
_MOST_FUNCTIONS = 50


def found_behind(starts: Iterable[Place], question: Question) -> Place | None:
    """The nearest place in sight that a value may come from and that answers a question."""
    pending, seen = deque(starts), set[tuple[ast.expr, Content]]()
    while pending and len(seen) < _MOST_PLACES:
        place = pending.popleft()
        if (place.node, place.content) in seen:
            continue
        seen.add((place.node, place.content))
        before = question(place)
        if before is None:
            return place
        pending += before
    return None


def behind(place: Place, by_name: bool = True) -> list[Place]:
    """What a value may be, or is a part of, one step back, as far as it is written down.

    Args:
        place: where the value is.
        by_name: whether a parameter that no call is seen to pass may be what goes by its name.
    """
    facts, node, content = place.facts, place.node, place.content
    if isinstance(node, ast.Name):
        bindings = facts.flow.reaching(node)
        found = (_bound(facts, binding, content, by_name) for binding in bindings)
        return [each for part in found for each in part]
    if isinstance(node, ast.Attribute):
        return [*_stored_as(facts, node.value, node.attr, content)]
    if isinstance(node, ast.Subscript):
        return [*_item(facts, node, content)]
    if isinstance(node, ast.IfExp):
        return [Place(facts, either, content) for either in (node.body, node.orelse)]
    if isinstance(node, ast.BoolOp):
        return [Place(facts, each, content) for each in node.values]
    if isinstance(node, (ast.NamedExpr, ast.Await, ast.Starred)):
        return [Place(facts, node.value, content)]
    if isinstance(node, ast.Call):
        return [*_given_back(facts, node, content)]
    return [*_parts(facts, node, content)] if content else []


def _bound(
    facts: Facts, binding: Binding, content: Content, by_name: bool = True
) -> Iterator[Place]:
    if binding.kind == "parameter":
        yield from _passed(facts, binding, content, by_name)
    elif binding.value is not None and binding.kind in ("assign", "for", "walrus"):
        inside = ("*", *binding.path) if binding.kind == "for" else binding.path
        yield Place(facts, binding.value, (*inside, *content))
        if content and not binding.path and binding.kind == "assign":
            yield from _put_into(facts, binding, content[1:])


def _put_into(facts: Facts, binding: Binding, content: Content) -> Iterator[Place]:
    """What is put into the list that a name is bound to: ``masks.append(mask)``."""
    for use in uses_of(facts, binding):
        method = facts.parent(use)
        call = facts.parent(method) if isinstance(method, ast.Attribute) else None
        if not isinstance(method, ast.Attribute) or not isinstance(call, ast.Call):
            continue
        if call.func is method and call.args and container_methods.is_of("list", method.attr):
            inside = ("*", *content) if method.attr == "extend" else content
            yield Place(facts, call.args[-1], inside)


def _passed(facts: Facts, binding: Binding, content: Content, by_name: bool) -> Iterator[Place]:
    """What the calls of a function in the project pass for a parameter."""
    parameter = binding.node
    function = facts.parent(facts.parent(parameter) or parameter)
    if not isinstance(function, ast.FunctionDef) or not isinstance(parameter, ast.arg):
        return
    default = default_of(facts.inference, parameter)
    if default is not None:
        yield Place(facts, default, content)
    is_hidden = function.name in CALLED_BY_OTHER_NAMES
    owner = facts.parent(function)
    is_handed = isinstance(owner, ast.ClassDef) and function.name == "forward"
    handed = calls_of_objects(facts, owner) if is_handed and isinstance(owner, ast.ClassDef) else []
    for call, there in (*calls_in_sight(facts, function), *handed):
        bound = gets_object_before(facts, function, call, there)
        given = argument_for(function, parameter, call, bound)
        is_hidden = given is None and (is_hidden or is_opaque(call))
        if given is not None:
            yield Place(there, given, content)
    if is_hidden and by_name:
        yield from _of_that_name(facts, parameter.arg, content)


def _of_that_name(facts: Facts, name: str, content: Content) -> Iterator[Place]:
    """What goes by the name of a parameter that no call is seen to pass: ``f(*inputs)``."""
    for there in (facts, *met_with(name, facts)):
        for scope in there.names.scopes.values():
            bindings = scope.bindings.get(name, ())
            is_own = all(binding.kind != "parameter" for binding in bindings)
            if is_own and any(_is_handed_out(there, use) for use in scope.uses.get(name, ())):
                for binding in bindings:
                    yield from _bound(there, binding, content)
    yield from _stored_under(facts, name, content)


def _is_handed_out(facts: Facts, use: ast.Name) -> bool:
    """Whether a value leaves its function: returned, or given to what is not torch's."""
    node: ast.AST = use
    above = facts.parent(node)
    while isinstance(above, (ast.Tuple, ast.List, ast.Dict, ast.Starred, ast.keyword)):
        node, above = above, facts.parent(above)
    if isinstance(above, ast.Call):
        is_given = above.func is not node and facts.names.builtin(above.func) is None
        return is_given and facts.name(above.func) is None
    return isinstance(above, (ast.Return, ast.Yield))


def calls_in_sight(facts: Facts, function: ast.FunctionDef) -> Iterator[tuple[ast.Call, Facts]]:
    """The calls in the project that run a function, or a method of that name of what is unknown."""
    owner = facts.parent(function)
    is_method = isinstance(owner, ast.ClassDef)
    is_unnamed = is_method and function.name in CALLED_BY_OTHER_NAMES
    name = owner.name if is_unnamed and isinstance(owner, ast.ClassDef) else function.name
    bound = facts.classes.gets_object(function)
    for there in (facts, *met_with(name, facts)):
        named = there.names.nodes.get(ast.Call, ()) if is_unnamed else there.names.calls(name)
        for call in named:
            assert isinstance(call, ast.Call)
            found = function_run(call.func, there) or function_named(call.func, there)
            if found is not None:
                if is_same_function(facts, function, *found):
                    yield call, there
            elif is_method and not is_unnamed and isinstance(call.func, ast.Attribute):
                value = there.value(call.func)
                is_any = isinstance(value, Unknown) or is_of_any_module(value)
                if is_any and may_take(function, call, bound):
                    yield call, there


def _stored_as(facts: Facts, holder: ast.expr, name: str, content: Content) -> Iterator[Place]:
    """What is stored as ``x.name`` in the project; of ``self.name`` what the class stores."""
    owner = facts.names.enclosing_class(holder) if is_self(facts, holder) else None
    if owner is not None:
        own = facts.classes.attribute_sources(owner, name)
        buffers = [*facts.classes.buffers(owner, name)]
        yield from (Place(facts, value, content) for value in buffers)
        for source in own:
            if source.value is not None:
                yield Place(facts, source.value, (*source.path, *content))
        if own or buffers:
            return
    stored = facts.remembered(("stored as", name), lambda: [*_stored_by_any(facts, name)])
    yield from (Place(there, value, content) for there, value in stored)


def _stored_by_any(facts: Facts, name: str) -> Iterator[tuple[Facts, ast.expr]]:
    for there in (facts, *met_with(name, facts)):
        for stored in there.names.changed_attributes:
            statement = there.parent(stored)
            if stored.attr == name and isinstance(statement, (ast.Assign, ast.AnnAssign)):
                if statement.value is not None:
                    yield there, statement.value


def _item(facts: Facts, node: ast.Subscript, content: Content) -> Iterator[Place]:
    if is_cut(node.slice):
        # A part holds what the whole does, if at another place; it is no element of a list.
        other = ("*", *content[1:]) if content and isinstance(content[0], int) else content
        yield Place(facts, node.value, other)
        return
    index = whole_number(node.slice)
    if index is not None:
        yield Place(facts, node.value, (index, *content))
        return
    key = constant(node.slice)
    if not isinstance(key, str):
        yield Place(facts, node.value, ("*", *content))
        return
    yield Place(facts, node.value, (key, *content))
    yield from _stored_under(facts, key, content)


def _stored_under(facts: Facts, key: str, content: Content) -> Iterator[Place]:
    """What the project stores under a key: ``{"mask": x}``, ``x["mask"] = y``, ``f(mask=x)``."""
    for there in (facts, *met_with(key, facts)):
        for keyword in there.names.nodes.get(ast.keyword, ()):
            assert isinstance(keyword, ast.keyword)
            if keyword.arg == key:
                yield Place(there, keyword.value, content)
        for display in there.names.nodes.get(ast.Dict, ()):
            assert isinstance(display, ast.Dict)
            for at, value in zip(display.keys, display.values, strict=True):
                if at is not None and constant(at) == key:
                    yield Place(there, value, content)
        for item in there.names.nodes.get(ast.Subscript, ()):
            assert isinstance(item, ast.Subscript)
            statement = there.parent(item)
            if isinstance(item.ctx, ast.Store) and constant(item.slice) == key:
                if isinstance(statement, ast.Assign):
                    yield Place(there, statement.value, content)


def _parts(facts: Facts, node: ast.expr, content: Content) -> Iterator[Place]:
    """The parts of a display that lie at a place."""
    step, inside = content[0], content[1:]
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        is_open = any(isinstance(each, ast.Starred) for each in node.elts)
        for position, element in enumerate(node.elts):
            if is_open or step in ("*", position, position - len(node.elts)):
                yield Place(facts, element, inside)
    elif isinstance(node, ast.Dict):
        for key, value in zip(node.keys, node.values, strict=True):
            if step == "*" or (key is not None and constant(key) == step):
                yield Place(facts, value, inside)
    elif isinstance(node, (ast.ListComp, ast.GeneratorExp, ast.SetComp)):
        yield Place(facts, node.elt, inside)
    elif isinstance(node, ast.DictComp):
        yield Place(facts, node.value, inside)


def _given_back(facts: Facts, call: ast.Call, content: Content) -> Iterator[Place]:
    """What a call gives that hands on what it is given, or that runs a function of the project."""
    builtin = facts.names.builtin(call.func)
    first = call.args[0] if call.args else None
    if builtin is not None:
        yield from _of_builtin(facts, builtin, call, content)
    elif isinstance(facts.value(call), Loader):
        yield from _batch(facts, call, content)
    elif (found := function_run(call.func, facts)) is not None:
        if found[1].name == "__init__":
            yield from _of_object(facts, call, content)
        else:
            yield from _results(*found, content)
    elif (name := facts.name(call.func)) is not None:
        yield from _of_library(facts, name, call, content)
    elif isinstance(call.func, ast.Attribute):
        key = None if first is None else constant(first)
        if call.func.attr in ("get", "pop") and isinstance(key, str):
            yield Place(facts, call.func.value, (key, *content))
            yield from _stored_under(facts, key, content)
        elif call.func.attr == "values" and content:
            yield Place(facts, call.func.value, content)
        elif call.func.attr == "items" and content[1:2] == (1,):
            yield Place(facts, call.func.value, (content[0], *content[2:]))
        elif not torch_table.is_method(call.func.attr):
            for there, method in methods_named(facts, call.func.attr):
                if may_take(method, call, there.classes.gets_object(method)):
                    yield from _results(there, method, content)


def methods_named(facts: Facts, name: str) -> Iterator[tuple[Facts, ast.FunctionDef]]:
    """The methods of that name in the project, which an unknown object may have."""
    for there in (facts, *met_with(name, facts)):
        for method in there.names.nodes.get(ast.FunctionDef, ()):
            assert isinstance(method, ast.FunctionDef)
            if method.name == name and isinstance(there.parent(method), ast.ClassDef):
                yield there, method


def _of_library(facts: Facts, name: str, call: ast.Call, content: Content) -> Iterator[Place]:
    """What goes through others: ``tqdm(loader)``, ``chain.from_iterable(loaders)``."""
    if name == "torch.utils.data.TensorDataset" and len(content) > 1:
        position = content[1]
        if isinstance(position, int) and position < len(call.args):
            yield Place(facts, call.args[position], content[2:])
    elif name.startswith("tqdm.") and call.args:
        yield Place(facts, call.args[0], content)
    elif name == "functools.partial" and call.args and not content:
        yield Place(facts, call.args[0])
    elif name == "itertools.chain.from_iterable" and call.args:
        yield Place(facts, call.args[0], ("*", *content))


def _of_builtin(facts: Facts, builtin: str, call: ast.Call, content: Content) -> Iterator[Place]:
    first = call.args[0] if call.args else None
    if builtin == "dict" and content:
        for keyword in call.keywords:
            if keyword.arg == content[0]:
                yield Place(facts, keyword.value, content[1:])
    elif builtin == "getattr" and len(call.args) > 1 and first is not None:
        name = constant(call.args[1])
        if isinstance(name, str):
            yield from _stored_as(facts, first, name, content)
    elif isinstance(first, ast.Starred) and builtin == "zip":
        if len(content) > 1:
            yield Place(facts, first.value, (content[1], content[0], *content[2:]))
    elif builtin == "zip" and len(content) > 1:
        position = content[1]
        if isinstance(position, int) and position < len(call.args):
            yield Place(facts, call.args[position], (content[0], *content[2:]))
    elif builtin == "enumerate" and content[1:2] == (1,) and first is not None:
        yield Place(facts, first, (content[0], *content[2:]))
    elif builtin == "next" and first is not None:
        yield Place(facts, first, ("*", *content))
    elif builtin in ("list", "tuple", "sorted", "reversed", "iter") and first is not None:
        yield Place(facts, first, content)


def _batch(facts: Facts, loader: ast.Call, content: Content) -> Iterator[Place]:
    """What the batches of a loader hold: what its function collates, or what its data set gives."""
    collate, data = argument(loader, 6, "collate_fn"), argument(loader, 0, "dataset")
    run = None if collate is None else function_run(collate, facts)
    found = run if run or collate is None else method_run(collate, "__call__", facts)
    if found is not None:
        yield from _results(*found, content[1:])
    elif data is not None:
        yield Place(facts, data, content)


def _of_object(facts: Facts, made: ast.Call, content: Content) -> Iterator[Place]:
    """What an object of the project gives where it is gone through, or asked for an item."""
    found = method_run(made, "__getitem__", facts) if content else None
    for place in () if found is None else _results(*found, content[1:]):
        yield from _when_made(place, facts, made)


def _when_made(place: Place, facts: Facts, made: ast.Call) -> Iterator[Place]:
    """Of what an object keeps that it was made of: what it was given, not what others are."""
    there, node, content = place.facts, place.node, place.content
    inside: Iterable[Place] = ()
    if content and isinstance(node, (ast.Tuple, ast.List)):
        inside = _parts(there, node, content)
    elif isinstance(node, ast.Subscript):
        inside = _item(there, node, content)
    for part in inside:
        yield from _when_made(part, facts, made)
    kept = parameter_kept(node, there) if isinstance(node, ast.Attribute) else (None, None)
    built = None if kept[0] is None else method_run(made, "__init__", facts)
    if kept[0] is not None and kept[1] is not None and built is not None and built[1] is kept[0]:
        given = argument_for(kept[0], kept[1], made, bound=True) or default_of(
            there.inference, kept[1]
        )
        if given is not None:
            yield Place(facts, given, content)
    elif not inside:
        yield place


def _results(facts: Facts, function: ast.FunctionDef, content: Content) -> Iterator[Place]:
    if not facts.classes.is_wrapped(function):
        for value in values_returned(function) or ():
            if value is not None:
                yield Place(facts, value, content)
