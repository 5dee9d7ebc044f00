"""Where a value goes: the uses of a name, and whether a number could stand for a tensor there."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.language.scopes import Binding, Scope
from torchfix_codemods.facts.libraries import python_functions
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import (
    Text,
)
from torchfix_codemods.patterns import lazy_pattern

#: ``%s`` and ``%(name)-8r`` of a text to format.
_TEXT_FORM = lazy_pattern(r"%(\(\w+\))?[-#0 +.*\d]*[sr]")


def uses_of(facts: Facts, binding: Binding) -> Iterator[ast.Name]:
    """The places that may read the value which ``binding`` gives to its name."""
    for use in facts.names.uses_of(_holder(facts, binding), binding.name):
        if binding in facts.flow.reaching(use):
            yield use


def bindings_given(
    facts: Facts,
    definition: ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda,
    call: ast.Call,
    node: ast.expr,
    keyword: str | None,
    bound: bool = False,
) -> list[Binding]:
    """The parameter of a function of this file that gets the argument ``node`` of a call.

    Args:
        facts: the facts of the module.
        definition: the function.
        call: the call of it.
        node: one of the arguments.
        keyword: the name that it is given by; None: by its position.
        bound: whether the call leaves out the first parameter, as that of a method does.

    Returns:
        the bindings of the parameter; none where it is not known which one gets it.
    """
    arguments = [*definition.args.posonlyargs, *definition.args.args]
    if any(isinstance(argument, ast.Starred) for argument in call.args):
        return []
    if keyword is not None:
        found = [a for a in (*arguments, *definition.args.kwonlyargs) if a.arg == keyword]
    else:
        index = call.args.index(node) + (1 if bound else 0)
        found = arguments[index : index + 1]
    if not found:
        return []
    bindings = facts.names.scopes[definition].bindings.get(found[0].arg, ())
    return [binding for binding in bindings if binding.kind == "parameter"]


def uses_of_attribute(facts: Facts, target: ast.Attribute) -> list[ast.Attribute]:
    """The places of a class that read the ``self.name`` which one of its methods assigns.

    There are none where that is no attribute of the method's own object.
    """
    method = facts.names.enclosing_function(target)
    owner = None if method is None else facts.parent(method)
    if method is None or not isinstance(owner, ast.ClassDef):
        return []
    if not isinstance(target.value, ast.Name) or facts.classes.self_name(method) != target.value.id:
        return []
    text = ast.unparse(target)
    return [
        node
        for node in walk(owner)
        if isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Load)
        and node.attr == target.attr
        and ast.unparse(node) == text
    ]


def _holder(facts: Facts, binding: Binding) -> Scope:
    """The scope that holds the name of a binding."""
    for scope in facts.names.scopes.values():
        if binding in scope.bindings.get(binding.name, ()):
            return scope
    raise ValueError("not a binding of this module")


def bindings_by(facts: Facts, statement: ast.stmt, name: str) -> list[Binding]:
    """The bindings that ``statement`` makes of ``name``."""
    found = facts.names.scope_of(statement).lookup(name)
    return [] if found is None else [b for b in found[1] if b.node is statement]


def uses_given_by(facts: Facts, statement: ast.stmt, name: str) -> list[ast.Name]:
    """The places that may read what ``statement`` gives to ``name``."""
    return [use for b in bindings_by(facts, statement, name) for use in uses_of(facts, b)]


def is_called(facts: Facts, node: ast.expr) -> bool:
    """Whether an expression is what a call calls."""
    parent = facts.parent(node)
    return isinstance(parent, ast.Call) and parent.func is node


def augmented(facts: Facts, binding: Binding) -> list[Binding]:
    """The ``name += …`` that start from the value of ``binding``."""
    return [
        other
        for other in _holder(facts, binding).bindings[binding.name]
        if other.kind == "augassign"
        and isinstance(other.node, ast.stmt)
        and binding in facts.flow.reaching_before(other.node, binding.name)
    ]


def is_formatting(facts: Facts, operation: ast.BinOp, operand: ast.expr) -> bool:
    """Whether an operand is what ``"%d" % operand`` writes."""
    return (
        isinstance(operation.op, ast.Mod)
        and operation.right is operand
        and isinstance(facts.value(operation.left), Text)
    )


def writes_text_of(facts: Facts, operation: ast.BinOp, operand: ast.expr) -> bool:
    """Whether ``"%s" % x`` writes what ``str`` gives; ``%.3f`` makes a number of anything."""
    if not is_formatting(facts, operation, operand):
        return False
    form = operation.left
    return not isinstance(form, ast.Constant) or bool(_TEXT_FORM.search(str(form.value)))


def has_to_be_number(facts: Facts, node: ast.expr) -> bool:
    """Whether Python takes nothing but one number there: ``float(x)``, ``"%.3f" % x``."""
    parent = facts.parent(node)
    if isinstance(parent, ast.Tuple):
        node, parent = parent, facts.parent(parent)
    if isinstance(parent, ast.BinOp):
        return is_formatting(facts, parent, node) and not writes_text_of(facts, parent, node)
    return isinstance(parent, ast.Call) and python_functions.makes_number(
        facts.names.builtin(parent.func)
    )


def parameter_bindings(
    facts: Facts, definition: ast.FunctionDef, call: ast.Call, node: ast.expr
) -> list[Binding]:
    """The parameter of a function of this file that an argument is given for, as a binding."""
    arguments = [*definition.args.posonlyargs, *definition.args.args]
    keyword = next((k.arg for k in call.keywords if k.value is node), None)
    if keyword is None and node in call.args:
        is_method = isinstance(facts.parent(definition), ast.ClassDef)
        bound = is_method and facts.classes.self_name(definition) is not None
        index = call.args.index(node) + (1 if bound else 0)
        keyword = arguments[index].arg if index < len(arguments) else None
    scope = facts.names.scopes[definition]
    return [b for b in scope.bindings.get(keyword or "", ()) if b.kind == "parameter"]
