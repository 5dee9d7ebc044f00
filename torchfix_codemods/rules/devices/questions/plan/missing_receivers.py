"""What is moved under a test, and may not be there where the test does not hold."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.nodes import first_name, same_expression, same_target
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import is_self
from torchfix_codemods.facts.programs.unbound import UNORDERED
from torchfix_codemods.facts.programs.unset import has_known_bases


def is_missing_without(guard: ast.If, moved: ast.expr, facts: Facts) -> bool:
    """Whether only its test keeps ``if cuda: net.cuda()`` from asking for what is not there.

    That is a name, or an attribute of the object, that gets its values below alone, or under the
    same test alone.
    """
    root = first_name(moved)
    if root is None:
        return False
    if not is_self(facts, root):
        return _is_unbound_name(guard, root.id, facts)
    attribute = facts.parent(root)
    return isinstance(attribute, ast.Attribute) and _is_unset(guard, attribute, facts)


def _is_unbound_name(guard: ast.If, name: str, facts: Facts) -> bool:
    scope = facts.names.scope_of(guard)
    found = scope.lookup(name)
    if found is None or found[0] is not scope or scope.kind not in ("function", "module"):
        return False
    if any(binding.kind in UNORDERED for binding in found[1]):
        return False
    return _are_under_test(facts.flow.reaching_before(guard, name), guard, facts)


def _is_unset(guard: ast.If, attribute: ast.Attribute, facts: Facts) -> bool:
    owner, function = facts.names.enclosing_class(guard), facts.names.enclosing_function(guard)
    if owner is None or not isinstance(function, ast.FunctionDef):
        return False
    sources = facts.classes.attribute_sources(owner, attribute.attr)
    if any(_is_made_in(guard, source, attribute, facts) for source in sources):
        return True
    here = [s for s in sources if facts.names.enclosing_function(s.node) is function]
    above = [source for source in here if _line(source) < guard.lineno]
    if not here or not _are_under_test(above, guard, facts):
        return False
    is_all = len(here) == len(sources)
    if function.name != "__init__":
        return is_all
    if not _hands_itself_on(function, guard, facts):
        return True
    return is_all and all(has_known_bases(cls, facts) for cls in facts.classes.bases(owner))


def _is_made_in(guard: ast.If, source: Binding, attribute: ast.Attribute, facts: Facts) -> bool:
    """Whether the guard makes what is moved: ``self.net = Net(); self.net.cuda()``."""
    if source.value is None or guard not in facts.names.ancestors(source.node):
        return False
    return not any(
        isinstance(node, ast.Attribute) and same_target(node, attribute)
        for node in ast.walk(source.value)
    )


def _are_under_test(bindings: Iterable[Binding], guard: ast.If, facts: Facts) -> bool:
    """Whether all of some bindings stand under the test of a guard, in another ``if``."""
    around = {*facts.names.ancestors(guard)}
    return all(
        any(
            isinstance(choice, ast.If)
            and choice not in around
            and same_expression(choice.test, guard.test)
            and any(part is binding.node or part in within for part in choice.body)
            for choice in within
        )
        for binding in bindings
        for within in [{*facts.names.ancestors(binding.node)}]
    )


def _hands_itself_on(function: ast.FunctionDef, guard: ast.If, facts: Facts) -> bool:
    """Whether a constructor has a method, a base or a function above that may set attributes."""
    name = facts.classes.self_name(function)
    for node in ast.walk(function):
        if not isinstance(node, (ast.Name, ast.Attribute)) or node.lineno >= guard.lineno:
            continue
        around = facts.parent(node)
        if isinstance(node, ast.Name) and node.id in (name, "super"):
            if not isinstance(around, ast.Attribute):
                return True
        elif isinstance(node, ast.Attribute) and getattr(node.value, "id", None) == name:
            if isinstance(around, ast.Call) and around.func is node:
                return True
    return False


def _line(binding: Binding) -> int:
    return getattr(binding.node, "lineno", 0)
