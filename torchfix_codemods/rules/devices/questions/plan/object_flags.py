"""Flags that an object keeps from its ``__init__`` on: ``self.use_cuda``, ``self.args.cuda``."""

from __future__ import annotations

import ast

from torchfix_codemods.edit.insertions import line_in_function
from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import others_with
from torchfix_codemods.facts.programs.devices import Flag
from torchfix_codemods.rules.devices.questions.gpu_moves import asks_for_place

#: The device that an object makes of its flag.
DEVICE = "self.device"


def object_flag(test: ast.expr, facts: Facts) -> Flag | None:
    """The flag of a test in a method, where ``__init__`` sets it once and nothing else does.

    Not of a module: one that was saved whole before has no device.
    """
    owner = _owner_of(test, facts)
    kept = _kept_part(test)
    if owner is None or kept is None or asks_for_place(test, facts):
        return None
    methods = [method for method in owner.body if isinstance(method, ast.FunctionDef)]
    init = next((method for method in methods if method.name == "__init__"), None)
    if init is None or not _is_plain(owner, facts):
        return None
    settings = [
        facts.statement(node)
        for node in facts.names.attributes(kept.attr)
        if isinstance(node.ctx, ast.Store)
        # Another class keeps something else under that name.
        if not _is_self(node.value) or facts.names.enclosing_class(node) is owner
    ]
    if len(settings) != 1 or settings[0] not in init.body or not _is_simple(settings[0]):
        return None
    if test is not kept and _is_set(test, facts):
        return None
    if _is_set_elsewhere(kept.attr, facts) or line_in_function(init, settings[0], facts) is None:
        return None
    return Flag(facts.segment(test), settings[0], init)


def as_given(flag: Flag, facts: Facts) -> Flag:
    """A flag as its constructor is given it: ``args.cuda`` of ``self.args.cuda``.

    Args:
        flag: any flag.
        facts: the facts of the module.

    Returns:
        the same flag, for a line of the constructor, or as it is where that keeps something else.
    """
    kept, init = flag.after, flag.function
    if not flag.is_of_object or not isinstance(kept, ast.Assign) or init is None:
        return flag
    given, name = kept.value, ast.unparse(kept.targets[0])
    if not isinstance(given, ast.Name) or not f"{flag.text}.".startswith(f"{name}."):
        return flag
    bound = facts.names.scopes[init].bindings.get(given.id, [])
    if [binding.kind for binding in bound] != ["parameter"]:
        return flag
    return Flag(given.id + flag.text.removeprefix(name), kept, init)


def makes_device(owner: ast.ClassDef, facts: Facts) -> ast.expr | None:
    """What the ``__init__`` of a class makes its device of, where nothing else does."""
    made = [
        statement.value
        for node in facts.names.attributes("device")
        if isinstance(node.ctx, ast.Store) and ast.unparse(node) == DEVICE
        if isinstance(statement := facts.statement(node), ast.Assign)
        if facts.names.enclosing_class(node) is owner
    ]
    return made[0] if len(made) == 1 else None


def has_device(owner: ast.ClassDef) -> bool:
    """Whether the objects of a class have a device of any kind already."""
    return any(
        (isinstance(node, ast.Attribute) and node.attr == "device" and _is_self(node.value))
        or getattr(node, "name", None) == "device"
        for node in ast.walk(owner)
    ) or any(
        isinstance(node, ast.Name) and node.id == "device" and isinstance(node.ctx, ast.Store)
        for statement in owner.body
        if isinstance(statement, (ast.Assign, ast.AnnAssign))
        for node in ast.walk(statement)
    )


def _owner_of(node: ast.AST, facts: Facts) -> ast.ClassDef | None:
    """The class of a method that a node stands in."""
    method = facts.names.enclosing_function(node)
    owner = None if method is None else facts.parent(method)
    return owner if isinstance(owner, ast.ClassDef) else None


def _kept_part(test: ast.expr) -> ast.Attribute | None:
    """``self.args`` of ``self.args.cuda``."""
    part = test
    while isinstance(part, ast.Attribute):
        if _is_self(part.value):
            return part
        part = part.value
    return None


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == "self"


def _is_plain(owner: ast.ClassDef, facts: Facts) -> bool:
    """Whether all that sets attributes of the objects of a class is in sight."""
    bases = [*owner.bases, *owner.keywords]
    if not all(isinstance(b, ast.expr) and facts.names.builtin(b) == "object" for b in bases):
        return False
    if any(
        last_name(node) in _OUT_OF_SIGHT
        for node in facts.names.inside(owner, ast.Name, ast.Attribute)
    ):
        return False
    if any(getattr(member, "name", None) in _OUT_OF_SIGHT for member in owner.body):
        return False
    return not any(
        last_name(base) == owner.name
        for there in (facts, *others_with(owner.name, facts))
        for definition in there.names.nodes.get(ast.ClassDef, ())
        if isinstance(definition, ast.ClassDef)
        for base in definition.bases
    )


#: What sets attributes by names that are made, or makes objects without ``__init__``.
_OUT_OF_SIGHT = frozenset(
    "__new__ __getattr__ __getattribute__ __setattr__ __setstate__ __dict__ setattr vars".split()
)


def _is_simple(setting: ast.stmt) -> bool:
    return isinstance(setting, ast.Assign) and len(setting.targets) == 1


def _is_set(test: ast.expr, facts: Facts) -> bool:
    """Whether the file sets an attribute of that name, of whatever."""
    return isinstance(test, ast.Attribute) and any(
        isinstance(node.ctx, ast.Store) for node in facts.names.attributes(test.attr)
    )


def _is_set_elsewhere(attribute: str, facts: Facts) -> bool:
    """Whether another file sets it for an object: ``agent.use_cuda = False``."""
    return any(
        isinstance(node.ctx, ast.Store) and not _is_self(node.value)
        for other in others_with(attribute, facts)
        for node in other.names.attributes(attribute)
    )
