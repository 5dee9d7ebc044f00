"""Whether a place sees the flag of a test elsewhere in its file, and how it asks for it there."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Sequence

from torchfix_codemods.facts.evaluation.elsewhere import module_of
from torchfix_codemods.facts.language.nodes import first_name
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import given_for, is_given_always
from torchfix_codemods.facts.paths.named import is_self
from torchfix_codemods.facts.values.options import unchangeable_default
from torchfix_codemods.rules.devices.questions.flags.cuda_flags import (
    is_cuda_available,
    without_not,
)
from torchfix_codemods.rules.devices.questions.named.device_names import precedes


def asked_by(test: ast.expr, call: ast.Call, facts: Facts) -> str | None:
    """What asks for a flag of the file at a move; None where ``call`` does not see it."""
    flag = without_not(test)
    root = first_name(flag)
    if root is not None and is_self(facts, root) and ast.unparse(flag).count(".") > 1:
        # Which options an object was given is known to who made it.
        return None
    is_flag = isinstance(flag, (ast.Name, ast.Attribute)) or is_cuda_available(flag, facts)
    return _asked_at(test, call, facts) if is_flag else None


def is_bound_nowhere(test: ast.expr, facts: Facts) -> bool:
    """Whether a test asks for a name that nothing binds: a cell that is gone did, and it raises.

    Args:
        test: the test.
        facts: the facts of its module.
    """
    return any(
        isinstance(node, ast.Name)
        and facts.names.scope_of(node).lookup(node.id) is None
        and not hasattr(builtins, node.id)
        and not _may_be_starred(node.id, facts)
        for node in ast.walk(test)
    )


def is_constant(test: ast.expr, facts: Facts) -> bool:
    """Whether a flag is nothing but the constant that is written for it: ``use_cuda = True``.

    A device that is made by it is one and the same: what needs a GPU goes on to, or never uses it.

    Args:
        test: the flag.
        facts: the facts of its module.
    """
    return _constant_of(test, facts) is not None


def is_left_on(test: ast.expr, facts: Facts) -> bool:
    """Whether a flag is nothing but a constant that is true: its program has a GPU.

    One that is off was turned off by someone who has none. A parameter is left on where all calls
    in the project leave it so.

    Args:
        test: the flag.
        facts: the facts of its module.
    """
    value = _constant_of(test, facts)
    if value is None:
        return is_given_always(test, True, facts)
    return bool(value) is (without_not(test) is test)


def _constant_of(test: ast.expr, facts: Facts) -> object:
    flag = without_not(test)
    if isinstance(flag, ast.Name):
        found = facts.names.scope_of(flag).lookup(flag.id)
        bindings = found[1] if found is not None else []
        written = [binding.written() for binding in bindings]
    elif isinstance(flag, ast.Attribute):
        default = unchangeable_default(flag.attr, facts.names)
        if default is not None:
            return default
        # Also of an object of which a line sets it: ``opt.cuda = True`` decides for all options.
        stores = [
            facts.statement(node)
            for node in facts.names.attributes(flag.attr)
            if isinstance(node.ctx, ast.Store)
        ]
        written = [each.value if isinstance(each, ast.Assign) else None for each in stores]
    else:
        return None
    values = {value.value if isinstance(value, ast.Constant) else None for value in written}
    return values.pop() if len(values) == 1 else None


def _may_be_starred(name: str, facts: Facts) -> bool:
    """Whether a star import of a file may bring a name; of a library's flags there is no sign."""
    stars = [] if facts.files is None else facts.names.unknown_star_imports
    files = [facts.files.module(module_of(star)) for star in stars if facts.files is not None]
    return any(file is not None and file.may_bind(name) for file in files)


def _asked_at(test: ast.expr, call: ast.Call, facts: Facts) -> str | None:
    """What asks at a call what a test elsewhere does; None where its names mean another thing.

    ``self.gpu`` in the methods of a class whose ``__init__`` is given ``gpu`` and keeps it.
    """
    unseen = [
        node
        for node in ast.walk(test)
        if isinstance(node, ast.Name) and not _is_seen(node, call, facts)
    ]
    if not unseen:
        return facts.segment(test)
    flag = without_not(test)
    kept = _kept_at(unseen[0], call, facts) if unseen == [first_name(flag)] else None
    if kept is None:
        return None
    text = kept + ast.unparse(flag).removeprefix(unseen[0].id)
    return text if flag is test else f"not {text}"


def _is_seen(name: ast.Name, call: ast.Call, facts: Facts) -> bool:
    """Whether a name means the same at a call; one that is bound nowhere is Python's own."""
    there = facts.names.scope_of(name).lookup(name.id)
    here = facts.names.scope_of(call).lookup(name.id)
    if there is None or here is None:
        return there is here
    if there[0] is here[0]:
        is_own = here[0] is facts.names.scope_of(call) is not facts.names.module
        return not is_own or _is_bound_above(here[1], call, facts)
    if is_self(facts, name):
        return _is_in_class(name, call, facts)
    return _is_handed_on(name, call, facts)


def _is_handed_on(name: ast.Name, call: ast.Call, facts: Facts) -> bool:
    """Whether all known calls of a function give it by its name what it is: ``train(net, opt)``."""
    found = facts.names.scope_of(name).lookup(name.id)
    here = facts.names.scope_of(call).lookup(name.id)
    if found is None or here is None or len(found[1]) > 1 or len(here[1]) > 1:
        return False
    parameter = here[1][0].node
    function = facts.parent(facts.parent(parameter) or parameter)
    if not isinstance(parameter, ast.arg) or not isinstance(function, ast.FunctionDef):
        return False
    given = [
        each if there is facts else None for each, there in given_for(parameter, function, facts)
    ]
    return bool(given) and all(
        isinstance(each, ast.Name)
        and each.id == name.id
        and facts.names.scope_of(each).lookup(name.id) == found
        for each in given
    )


def _is_bound_above(bindings: Sequence[Binding], call: ast.Call, facts: Facts) -> bool:
    """Whether a function certainly has a value for one of its own names where it calls."""
    return any(
        isinstance(binding.node, ast.arg)
        or (isinstance(binding.node, ast.stmt) and precedes(binding.node, call, facts))
        for binding in bindings
    )


def _kept_at(name: ast.Name, call: ast.Call, facts: Facts) -> str | None:
    """``self.gpu`` of the ``gpu`` of an ``__init__``, in another method of its class."""
    init, owner = facts.names.enclosing_function(name), facts.names.enclosing_class(call)
    method = facts.names.enclosing_function(call)
    if not isinstance(init, ast.FunctionDef) or init.name != "__init__" or init not in _own(owner):
        return None
    if not isinstance(method, ast.FunctionDef) or method not in _own(owner) or method is init:
        return None
    assert owner is not None
    for attribute in facts.classes.attribute_names(owner):
        sources = facts.classes.attribute_sources(owner, attribute)
        values = [source.value for source in sources]
        if len(values) == 1 and isinstance(value := values[0], ast.Name) and value.id == name.id:
            if not sources[0].path and facts.names.enclosing_function(value) is init:
                return f"{facts.classes.self_name(method)}.{attribute}"
    return None


def _own(owner: ast.ClassDef | None) -> list[ast.stmt]:
    return [] if owner is None else owner.body


def _is_in_class(name: ast.Name, call: ast.Call, facts: Facts) -> bool:
    """Whether a call stands in a method of the class whose ``self`` a name is."""
    method = facts.names.enclosing_function(call)
    if method is None or facts.names.enclosing_class(name) is not facts.names.enclosing_class(call):
        return False
    return isinstance(method, ast.FunctionDef) and facts.classes.self_name(method) == name.id
