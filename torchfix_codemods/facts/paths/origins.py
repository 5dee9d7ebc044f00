"""The graph of values walked back: whether all that a value comes from is of one kind.

A question is a function from a place to where its value comes from, to be asked on; None where it
is of another kind. What is of that kind comes from nowhere: the answer is empty there.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable

from torchfix_codemods.facts.evaluation.elsewhere import may_be_set_elsewhere, module_of
from torchfix_codemods.facts.language.arguments import argument, is_opaque, whole_number
from torchfix_codemods.facts.language.foreign import TRANSPARENT
from torchfix_codemods.facts.language.scopes import Binding, element_for
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.callers import arguments_of_all_calls
from torchfix_codemods.facts.paths.graph import Calling, Content, Place, Step
from torchfix_codemods.facts.paths.in_turn import given_in_turn, may_be_replaced, returned_by
from torchfix_codemods.facts.paths.named import function_named
from torchfix_codemods.facts.values.lattice import Loader, Method

#: What gives some of the elements, or gives them again.
_SOME_OF = ("itertools.islice", "itertools.cycle", "random.sample")
#: What gives the same elements in another order.
_IN_ORDER = ("sorted", "reversed")
#: More places than these are not looked at: what comes so far is out of sight.
_MOST_PLACES = 400


def come_from(starts: Iterable[Place], question: Callable[[Place], Iterable[Place] | None]) -> bool:
    """Whether all that some expressions come from, whichever way, answers a question.

    What a loop makes of itself is what it was before: ``x = x.view(-1)``.
    """
    pending, seen = [*starts], set[tuple[ast.expr, Content, Calling | None]]()
    for place in pending:
        key = (place.node, place.content, place.calling)
        if key in seen:
            continue
        seen.add(key)
        before = question(place)
        if before is None or len(seen) > _MOST_PLACES:
            return False
        pending += before
    return bool(pending)


def sources(place: Place) -> list[Place] | None:
    """What a value is, or is a part of, one step back, each way that it can come.

    None where one of them is out of sight, and for what makes a value of others.
    """
    facts, node, content = place.facts, place.node, place.content
    if content and (in_turn := given_in_turn(place)) is not None:
        return in_turn
    if content and isinstance(node, ast.Constant) and node.value is None:
        # Nothing lies in None: what takes a part of it raises.
        return []
    if isinstance(node, ast.Call) and isinstance(facts.value(node), Loader):
        return _collated(facts, node, content)
    if isinstance(node, ast.Name):
        known = sources_in_sight(place)
        return known if known and len(known) == len(facts.flow.reaching(node)) else None
    if isinstance(node, ast.IfExp):
        return [Place(facts, either, content) for either in (node.body, node.orelse)]
    if isinstance(node, ast.NamedExpr):
        return [Place(facts, node.value, content)]
    if isinstance(node, ast.Subscript) and (index := whole_number(node.slice)) is not None:
        return [Place(facts, node.value, (index, *content))]
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice) and content:
        return [Place(facts, node.value, ("*", *content[1:]))]
    if isinstance(node, (ast.Tuple, ast.List)) and content:
        parts = [] if _may_change(facts, node) else _parts(node, content[0])
        return [Place(facts, part, content[1:]) for part in parts] or None
    if isinstance(node, (ast.ListComp, ast.GeneratorExp)) and content:
        return None if _may_change(facts, node) else [Place(facts, node.elt, content[1:])]
    if isinstance(node, ast.Call) and (together := _gone_through_together(place, node)):
        return together
    if isinstance(node, ast.Call) and not isinstance(facts.value(node.func), Method):
        # A class below may have another method of that name.
        called = function_named(node.func, facts)
        return None if called is None else returned_by(*called, content)
    return None


def _collated(facts: Facts, loader: ast.Call, content: Content) -> list[Place] | None:
    """What a function of the project makes the batches of a loader of, or parts of them."""
    collate = argument(loader, 6, "collate_fn")
    made = None if collate is None or is_opaque(loader) else function_named(collate, facts)
    return returned_by(*made, content[1:]) if made is not None and content else None


def _gone_through_together(place: Place, call: ast.Call) -> list[Place]:
    """Of what a part of ``enumerate(xs)``, ``zip(xs, ys)`` or ``tqdm(xs)`` is a part."""
    if place.facts.name(call.func) in TRANSPARENT and call.args:
        return [Place(place.facts, call.args[0], place.content)]
    function = place.facts.names.builtin(call.func)
    if function == "next" and len(call.args) == 1:
        return [Place(place.facts, call.args[0], ("*", *place.content))]
    if function == "iter" and len(call.args) == 1:
        return [Place(place.facts, call.args[0], place.content)]
    walked, at, inside = place.content[:1], place.content[1:2], place.content[2:]
    name = place.facts.name(call.func)
    if name in _SOME_OF and walked and call.args:
        return [Place(place.facts, call.args[0], ("*", *place.content[1:]))]
    if function in _IN_ORDER and walked and call.args:
        return [Place(place.facts, call.args[0], ("*", *place.content[1:]))]
    if name == "random.choice" and len(call.args) == 1:
        return [Place(place.facts, call.args[0], ("*", *place.content))]
    if function == "zip" and walked and len(call.args) == 1:
        # Rows become columns.
        rows = call.args[0].value if isinstance(call.args[0], ast.Starred) else None
        return [] if rows is None else [Place(place.facts, rows, (*(at or "*"), *walked, *inside))]
    if function not in ("enumerate", "zip") or walked != ("*",) or is_opaque(call):
        return []
    if function == "enumerate":
        given = call.args[:1] if at == (1,) else []
    else:
        given = [each for step, each in enumerate(call.args) if at == (step,)]
    return [Place(place.facts, each, ("*", *inside)) for each in given]


def taken_from(call: ast.Call, facts: Facts) -> ast.expr | None:
    """What ``xs.__next__()`` takes an element of, as ``next(xs)`` does.

    So did ``xs.next()`` in Python 2, where the project has none of that name itself.
    """
    method = call.func
    if not isinstance(method, ast.Attribute) or call.args or call.keywords:
        return None
    if method.attr == "next":
        files = facts.files
        is_own = files is None or files.is_defined("next") or files.is_assigned_anywhere("next")
        return None if is_own else method.value
    return method.value if method.attr == "__next__" else None


def sources_in_sight(place: Place) -> list[Place]:
    """The same, without the bindings of a name that are out of sight."""
    facts, node, content = place.facts, place.node, place.content
    if not isinstance(node, ast.Name):
        return sources(place) or []
    found = (given_to(facts, binding, content) for binding in facts.flow.reaching(node))
    return [each for each in found if each is not None]


def stays_as_made(facts: Facts, call: ast.Call) -> bool:
    """Whether the list that a call makes is gone through, and gets no others: ``xs.extend(ys)``."""
    made = facts.parent(call)
    while isinstance(made, (ast.Call, ast.Subscript)):
        made = facts.parent(made)
    targets = made.targets if isinstance(made, ast.Assign) else []
    return isinstance(made, (ast.For, ast.comprehension)) or all(
        isinstance(target, ast.Name)
        and not any(
            isinstance(facts.parent(use), ast.Attribute)
            for use in facts.names.uses_of(facts.names.scope_of(target), target.id)
        )
        for target in targets or [call]
    )


def _may_change(facts: Facts, display: ast.expr) -> bool:
    """Whether a list is more than taken apart, or gone through, where it is written down."""
    around = facts.parent(display)
    if isinstance(around, ast.Assign):
        is_apart = all(isinstance(target, (ast.Tuple, ast.List)) for target in around.targets)
    else:
        is_apart = isinstance(around, (ast.For, ast.comprehension, ast.Subscript))
    return isinstance(display, (ast.List, ast.ListComp)) and not is_apart


def _parts(display: ast.Tuple | ast.List, step: Step) -> list[ast.expr]:
    """The elements of a display that lie at a place; none where that is not certain."""
    if step == "*" and not any(isinstance(each, ast.Starred) for each in display.elts):
        return display.elts
    element = element_for(display, step) if isinstance(step, int) else None
    return [] if element is None else [element]


def sources_in_project(place: Place) -> list[Place] | None:
    """The same, also by a name that another file gives once: ``from sizes import n``.

    That file, or any other, may write into it: good for what no such change takes away.
    """
    facts, node = place.facts, place.node
    bindings = facts.flow.reaching(node) if isinstance(node, ast.Name) else []
    if len(bindings) == 1 and bindings[0].kind == "import":
        made = _made_elsewhere(facts, bindings[0], place.content)
        return None if made is None else [made]
    return sources(place)


def _made_elsewhere(facts: Facts, binding: Binding, content: Content) -> Place | None:
    """What the one line of another file gives a name, where nothing takes its place."""
    node, name = binding.node, (binding.qualified or "").rpartition(".")[2]
    if facts.files is None or not isinstance(node, ast.ImportFrom):
        return None
    file = facts.files.module(module_of(node))
    there = None if file is None or file.submodule(name) is not None else facts_of(file)
    if there is None or there.files is None or there.names.unknown_star_imports:
        return None
    made = there.names.module.bindings.get(name, [])
    if len(made) != 1 or made[0].kind != "assign" or there.files.is_assigned(name, by_module=True):
        return None
    return given_to(there, made[0], content)


def returned_by_method(place: Place) -> list[Place] | None:
    """What the method returns that a call runs, where nothing in the project has another of it.

    Other projects may: good for what a method of that name gives in any class.
    """
    facts, call = place.facts, place.node
    if not isinstance(call, ast.Call) or not isinstance(facts.value(call.func), Method):
        return None
    called = function_named(call.func, facts)
    if called is None or may_be_replaced(*called):
        return None
    return returned_by(*called, place.content)


def given_to(facts: Facts, binding: Binding, content: Content) -> Place | None:
    """What an assignment or a loop gives a name; None of what binds it in another way."""
    if binding.value is None or binding.kind not in ("assign", "for", "walrus"):
        return None
    inside = ("*", *binding.path) if binding.kind == "for" else binding.path
    return Place(facts, binding.value, (*inside, *content))


def given_by_all(facts: Facts, parameter: ast.AST) -> list[Place] | None:
    """What all calls of the project give a parameter; None of what is none, or is not seen."""
    around = facts.parent(parameter)
    function = None if around is None else facts.parent(around)
    if not isinstance(function, ast.FunctionDef) or not isinstance(parameter, ast.arg):
        return None
    given = arguments_of_all_calls(function, parameter, facts)
    if given is None:
        return None
    if any(isinstance(a, ast.Name) and may_be_set_elsewhere(t.inference, a) for t, a in given):
        return None
    return [Place(there, argument) for there, argument in given]


def before_changes(facts: Facts, binding: Binding) -> list[Binding]:
    """What gave the name its value before ``x += y``, ``x -= z``; none where that is not known."""
    pending, found = [binding], list[Binding]()
    for each in pending:
        if not isinstance(each.node, ast.AugAssign):
            found.append(each)
            continue
        before = facts.flow.reaching_before(each.node, each.name)
        if not before:
            return []
        pending += [one for one in before if one not in pending]
    return found
