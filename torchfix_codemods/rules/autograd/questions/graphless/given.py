"""What a name is given, each way that it can: by assignments, loops, all calls of a function."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.evaluation.operations import OPTIONS
from torchfix_codemods.facts.evaluation.parameters import (
    argument_for,
    calls_of_lambda,
    default_of,
)
from torchfix_codemods.facts.language.arguments import only_argument
from torchfix_codemods.facts.language.scopes import Binding, element_for
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import (
    arguments_of_all_calls,
    calls_of,
    constructions,
)
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.handed_objects import arguments_of_all_applications
from torchfix_codemods.facts.paths.named import gets_object_before
from torchfix_codemods.facts.paths.origins import given_to, taken_from
from torchfix_codemods.facts.values.lattice import (
    Foreign,
    Mapping,
    Sequence,
    element_of,
    item_at,
)
from torchfix_codemods.facts.values.options import is_only_declared
from torchfix_codemods.rules.autograd.questions.graphless.followed import given_by_call
from torchfix_codemods.rules.autograd.questions.graphless.image_steps import gets_tensor_of_image
from torchfix_codemods.rules.questions.uncalled import is_uncalled


def given_by(
    place: Place, binding: Binding, seen: frozenset[Binding] = frozenset()
) -> list[Place] | None:
    """What a binding gives a name, each way that it can; None where that is out of sight.

    Of ``seen`` is told already: ``r *= g`` and ``r += x`` of a loop give each other what they make.
    """
    facts, content = place.facts, place.content
    if isinstance(binding.node, ast.AugAssign):
        seen |= {binding}
        before = facts.flow.reaching_before(binding.node, binding.name)
        found = [given_by(place, each, seen) for each in before if each not in seen]
        added = [Place(facts, binding.node.value)]
        return None if None in found else [*added, *(p for given in found for p in given or ())]
    if isinstance(binding.node, ast.arg):
        function = facts.parent(facts.parent(binding.node) or binding.node)
        if isinstance(function, ast.Lambda):
            return _given_to_lambda(place, function, binding.node)
        if not isinstance(function, ast.FunctionDef):
            return None
        if function.args.vararg is binding.node:
            return _given_as_rest(place, function)
        if (by_call := given_by_call(place, function, binding.node)) is not None:
            return [by_call]
        is_run = function.name == "forward"
        arguments = arguments_of_all_applications if is_run else arguments_of_all_calls
        given = arguments(function, binding.node, facts)
        if given is None and content[:1] == ("*",) and _is_loader(binding.name, function, facts):
            return []
        given = given or _default_of_unmade(function, binding.node, facts)
        if given is None:
            return None
        # What no line leads to gives nothing, where others do.
        called = [(there, each) for there, each in given if not is_uncalled(each, there)]
        return [Place(there, each, content) for there, each in called or given]
    assigned = given_to(facts, binding, content)
    return None if assigned is None or binding.is_shared else [assigned]


def _is_loader(name: str, function: ast.FunctionDef, facts: Facts) -> bool:
    """``len(loader.dataset)``: what goes through its data set makes batches of no graph."""
    uses = facts.names.uses_of(facts.names.scopes[function], name)
    for use in uses:
        asked = facts.parent(use)
        if isinstance(asked, ast.Attribute) and asked.attr == "dataset":
            call = facts.parent(asked)
            if isinstance(call, ast.Call) and facts.names.builtin(call.func) == "len":
                return True
    return False


def _default_of_unmade(
    function: ast.FunctionDef, parameter: ast.arg, facts: Facts
) -> list[tuple[Facts, ast.expr]] | None:
    """What a constructor has for a parameter, where the project makes no object of its class."""
    owner, default = facts.parent(function), default_of(facts.inference, parameter)
    if default is None or not isinstance(owner, ast.ClassDef) or function.name != "__init__":
        return None
    return [(facts, default)] if constructions(owner, facts) == [] else None


def _given_as_rest(place: Place, function: ast.FunctionDef) -> list[Place] | None:
    """What all calls of a function give for ``*rest``, or for one place in it."""
    facts, at, found = place.facts, place.content[:1], list[Place]()
    is_known = facts.files is not None and not facts.files.is_of_library()
    if facts.files is None or not (is_known and at) or facts.classes.is_wrapped(function):
        return None
    for call, there in calls_of(facts, facts.files, function):
        named = len(function.args.posonlyargs) + len(function.args.args)
        rest = call.args[named - gets_object_before(facts, function, call, there) :]
        spread = [each for each in call.args if isinstance(each, ast.Starred)]
        if spread and spread != rest:
            return None
        if spread:
            found.append(Place(there, spread[0].value, place.content))
            continue
        found += [
            Place(there, each, place.content[1:])
            for step, each in enumerate(rest)
            if at in (("*",), (step,))
        ]
    return found or None


def container_in(place: Place, depth: int) -> str:
    """Whether what lies in a value is a ``list``: all that holds several but a tuple in sight, and
    a ``dict``; else an empty text."""
    value, node = place.facts.value(place.node), place.node
    for step in place.content[:depth]:
        is_display = isinstance(node, (ast.Tuple, ast.List)) and isinstance(step, int)
        node = element_for(node, step) or node if is_display else node  # type: ignore[arg-type]
        value = item_at(value, step) if isinstance(step, int) else element_of(value)
    if isinstance(value, Mapping):
        return "dict"
    return "list" if isinstance(value, Sequence) and not isinstance(node, ast.Tuple) else ""


def given_in_dict(place: Place, node: ast.Dict | ast.DictComp) -> Iterable[Place] | None:
    """What lies in a dict, and its keys, which loops give."""
    facts, inside = place.facts, place.content[1:]
    if isinstance(node, ast.DictComp):
        return [Place(facts, node.value, inside), Place(facts, node.key)] if place.content else None
    if not place.content and not isinstance(facts.parent(node), ast.Return):
        return None
    pairs = zip(node.keys, node.values, strict=True)
    return [
        each
        for key, value in pairs
        for each in (
            [Place(facts, value, place.content)]
            if key is None
            else [Place(facts, value, inside), Place(facts, key)]
        )
    ]


def extended_by(use: ast.expr, facts: Facts) -> ast.expr | None:
    """``ys`` of ``xs.extend(ys)``, whose elements are put into a list; None of every other use."""
    return only_argument(facts.names, use, "extend")


def is_extending(use: ast.expr, facts: Facts) -> bool:
    """Whether a list is ``ys`` of ``xs.extend(ys)``, and stays as it is."""
    call = facts.parent(use)
    method = call.func if isinstance(call, ast.Call) else None
    return isinstance(method, ast.Attribute) and extended_by(method.value, facts) is use


def is_taken_from(use: ast.expr, facts: Facts) -> bool:
    """Whether a generator gives its next element: ``xs.__next__()``, ``next(xs)``.

    So does what ``iter(xs)`` makes, which nothing can be put into.
    """
    around = facts.parent(use)
    if isinstance(around, ast.Call):
        is_first = around.args[:1] == [use]
        return is_first and facts.names.builtin(around.func) in ("iter", "next")
    call = facts.parent(around or use)
    return isinstance(call, ast.Call) and taken_from(call, facts) is use


def is_option(node: ast.Attribute, facts: Facts) -> bool:
    """Whether an attribute is what the command line gives: ``args.dropout``."""
    is_of_command_line = facts.value(node.value) == Foreign(OPTIONS)
    return is_of_command_line and is_only_declared(facts.inference, node.attr)


def _given_to_lambda(place: Place, function: ast.Lambda, parameter: ast.arg) -> list[Place] | None:
    """What the calls of the name that a lambda gets pass; None where one is out of sight.

    One that transforms images is called by torchvision.
    """
    if gets_tensor_of_image(function, place.facts):
        return []
    calls = calls_of_lambda(place.facts.inference, function)
    given = [argument_for(function, parameter, call, bound=False) for call in calls]
    known = [Place(place.facts, each, place.content) for each in given if each is not None]
    return known if known and len(known) == len(given) else None
