"""Named tuples: what is given for a field, and what ``x.field`` is a part of."""

from __future__ import annotations

import ast
import functools

from torchfix_codemods.facts.evaluation.elsewhere import module_of
from torchfix_codemods.facts.language.arguments import constant, is_opaque
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.named import class_named
from torchfix_codemods.rules.autograd.questions.graphless.always import is_always

#: Through so many files and names a class of named tuples is followed.
_MOST_FOLLOWED = 4


def before_making(place: Place, call: ast.Call) -> list[Place] | None:
    """What ``Pair(x, y)``, ``Pair(*xs)`` and ``Pair._make(xs)`` are given for a field.

    Args:
        place: the call, and where in it a value lies.
        call: the call.

    Returns:
        what is given there; None of what makes no named tuple, or is not that certain.
    """
    facts, content, made = place.facts, place.content, call.func
    if not content or (not call.args and not call.keywords):
        return None
    if isinstance(made, ast.Attribute) and made.attr == "_make" and len(call.args) == 1:
        is_one = _fields(made.value, facts) is not None
        return [Place(facts, call.args[0], content)] if is_one else None
    fields = _fields(made, facts)
    if fields is None:
        return None
    if len(call.args) == 1 and isinstance(spread := call.args[0], ast.Starred):
        return None if call.keywords else [Place(facts, spread.value, content)]
    if is_opaque(call):
        return None
    given = {**dict(zip(fields, call.args, strict=False))}
    given |= {keyword.arg or "": keyword.value for keyword in call.keywords}
    at = content[0]
    asked = fields if at == "*" else fields[at : at + 1] if isinstance(at, int) and at >= 0 else []
    if not asked or any(name not in given for name in asked):
        return None
    return [Place(facts, given[name], content[1:]) for name in asked]


def before_field(place: Place, node: ast.Attribute) -> list[Place] | None:
    """Of what ``x.field`` is a part, where x certainly is a named tuple; else None."""
    found: list[int] = []
    asked = functools.partial(_has_field, node.attr, found)
    if not is_always(Place(place.facts, node.value), asked) or len(set(found)) != 1:
        return None
    return [Place(place.facts, node.value, (found[0], *place.content))]


def _has_field(name: str, found: list[int], node: ast.expr, facts: Facts) -> bool:
    made = node.func if isinstance(node, ast.Call) else None
    if isinstance(made, ast.Attribute) and made.attr == "_make":
        made = made.value
    fields = None if made is None else _fields(made, facts)
    if fields is None or name not in fields:
        return False
    found.append(fields.index(name))
    return True


def _fields(node: ast.expr, facts: Facts, depth: int = 0) -> list[str] | None:
    """The fields of the named tuples that an expression makes; None of what makes no such."""
    if isinstance(node, ast.Call) and facts.name(node.func) == "collections.namedtuple":
        return _listed(node)
    if not isinstance(node, ast.Name) or depth > _MOST_FOLLOWED:
        return None
    if (cls := class_named(node, facts)) is not None:
        is_one = [cls[0].name(base) for base in cls[1].bases] == ["typing.NamedTuple"]
        own = [each for each in cls[1].body if isinstance(each, ast.AnnAssign)]
        names = [each.target.id for each in own if isinstance(each.target, ast.Name)]
        has_new = any(getattr(each, "name", "") == "__new__" for each in cls[1].body)
        return names if is_one and not has_new else None
    bindings = facts.flow.reaching(node) or _of_module(node.id, facts)
    return _bound(bindings[0], facts, depth) if len(bindings) == 1 else None


def _of_module(name: str, facts: Facts) -> list[Binding]:
    return facts.names.module.bindings.get(name, [])


def _bound(binding: Binding, facts: Facts, depth: int) -> list[str] | None:
    """The same of the one thing that a name is bound to, in this file or in one it imports."""
    if binding.kind == "assign" and binding.value is not None and not binding.path:
        return _fields(binding.value, facts, depth + 1)
    if not isinstance(binding.node, ast.ImportFrom) or facts.files is None:
        return None
    there = facts_of(facts.files.module(module_of(binding.node)))
    names = [each.name for each in binding.node.names if (each.asname or each.name) == binding.name]
    if there is None or len(names) != 1:
        return None
    bindings = _of_module(names[0], there)
    return _bound(bindings[0], there, depth + 1) if len(bindings) == 1 else None


def _listed(call: ast.Call) -> list[str] | None:
    """``["x", "y"]`` of ``namedtuple("Pair", "x y")`` and of ``namedtuple("Pair", ["x", "y"])``."""
    if len(call.args) != 2 or call.keywords:
        return None
    fields = call.args[1]
    if isinstance(fields, (ast.List, ast.Tuple)):
        listed = [constant(each) for each in fields.elts]
    else:
        text = constant(fields)
        listed = [*text.replace(",", " ").split()] if isinstance(text, str) else []
    names = [each for each in listed if isinstance(each, str)]
    return names if names and len(names) == len(listed) else None
