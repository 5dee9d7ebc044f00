"""Where a value goes: the uses of a name, and whether a number could stand for a tensor there."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.evaluation.classes_elsewhere import function_of
from torchfix_codemods.facts.evaluation.parameters import call_sites
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.language.scopes import Binding, Scope
from torchfix_codemods.facts.libraries import python_functions
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.values.lattice import (
    Foreign,
    Mapping,
    Text,
)
from torchfix_codemods.patterns import lazy_pattern

_TAKES_NUMBER = (ast.FormattedValue, ast.Expr, ast.If, ast.While, ast.Assert, ast.Slice)
#: ``%s`` and ``%(name)-8r`` of a text to format.
_TEXT_FORM = lazy_pattern(r"%(\(\w+\))?[-#0 +.*\d]*[sr]")
_NUMBER_TAKERS = ("math.", "numpy.", "logging.", "matplotlib.")


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


def augmented(facts: Facts, binding: Binding) -> list[Binding]:
    """The ``name += …`` that start from the value of ``binding``."""
    return [
        other
        for other in _holder(facts, binding).bindings[binding.name]
        if other.kind == "augassign"
        and isinstance(other.node, ast.stmt)
        and binding in facts.flow.reaching_before(other.node, binding.name)
    ]


def is_used_as_number(facts: Facts, node: ast.expr, seen: frozenset[ast.AST] = frozenset()) -> bool:
    """Whether a number could stand for the 0-dim tensor ``node``: printed, compared, an index.

    A method of the tensor, or a function of unknown needs, is no such use.
    """
    parent = facts.parent(node)
    if parent is None or node in seen or len(seen) > 40:
        return parent is not None and node in seen
    seen = seen | {node}
    if isinstance(parent, ast.BinOp):
        return is_formatting(facts, parent, node) or is_used_as_number(facts, parent, seen)
    if isinstance(parent, ast.UnaryOp):
        return isinstance(parent.op, ast.Not) or is_used_as_number(facts, parent, seen)
    if isinstance(parent, ast.BoolOp):
        return is_used_as_number(facts, parent, seen)
    if isinstance(parent, ast.Compare):
        return not any(isinstance(op, (ast.Is, ast.IsNot)) for op in parent.ops)
    if isinstance(parent, ast.IfExp):
        return parent.test is node or is_used_as_number(facts, parent, seen)
    if isinstance(parent, _TAKES_NUMBER):
        return True
    if isinstance(parent, ast.keyword):
        call = facts.parent(parent)
        return isinstance(call, ast.Call) and _call_takes_number(facts, call, node, seen)
    if isinstance(parent, ast.Call):
        return parent.func is not node and _call_takes_number(facts, parent, node, seen)
    if isinstance(parent, ast.Subscript):
        return _is_index(facts, parent, node)
    if isinstance(parent, ast.Tuple):
        outer = facts.parent(parent)
        if isinstance(outer, ast.BinOp):
            return is_formatting(facts, outer, parent)
        if isinstance(outer, ast.Subscript):
            return _is_index(facts, outer, parent)
        if isinstance(outer, ast.Return):
            return _is_returned_as_number(facts, outer, parent.elts.index(node), seen)
        return False
    if isinstance(parent, ast.Dict):
        key = parent.keys[parent.values.index(node)] if node in parent.values else None
        return key is not None and not _has_method_called(facts, key)
    if isinstance(parent, ast.Return):
        return _is_returned_as_number(facts, parent, None, seen)
    if isinstance(parent, (ast.Assign, ast.AugAssign)):
        targets = parent.targets if isinstance(parent, ast.Assign) else [parent.target]
        return all(_is_kept_as_number(facts, parent, target, seen) for target in targets)
    return False


def _is_index(facts: Facts, item: ast.Subscript, index: ast.expr) -> bool:
    """``index`` of ``a[index]``; a dict finds other keys by a number than by a tensor."""
    return item.slice is index and not isinstance(facts.value(item.value), Mapping)


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


def _call_takes_number(
    facts: Facts, call: ast.Call, node: ast.expr, seen: frozenset[ast.AST]
) -> bool:
    function = call.func
    if isinstance(function, ast.Name) and python_functions.is_arithmetic(function.id):
        is_builtin = facts.names.builtin(function) is not None
        return is_builtin and is_used_as_number(facts, call, seen)
    found = function_of(facts.inference, facts.value(function))
    there = None if found is None else facts_of(found[0])
    if found is not None and there is not None and found[1] not in seen:
        definition = found[1]
        # None where ``*values`` takes it.
        bindings = parameter_bindings(there, definition, call, node)
        return (
            bool(bindings)
            and all(name_is_used_as_number(there, b, seen | {definition}) for b in bindings)
            and (there is facts or _keeps_numbers(facts, definition))
            and is_used_as_number(facts, call, seen)
        )
    return _takes_numbers(facts, call)


def _keeps_numbers(facts: Facts, definition: ast.FunctionDef) -> bool:
    """Whether what a function of another file stores in attributes may be a number here, too."""
    return not any(
        _has_method_called(facts, node)
        for node in ast.walk(definition)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)
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


def _takes_numbers(facts: Facts, call: ast.Call) -> bool:
    function = call.func
    if isinstance(function, ast.Name):
        return python_functions.reports(facts.names.builtin(function))
    name = facts.name(function)
    if name is not None:
        return name.startswith(_NUMBER_TAKERS)
    receiver = facts.value(function.value) if isinstance(function, ast.Attribute) else None
    if isinstance(receiver, Foreign):
        return receiver.name is not None and receiver.name.startswith(_NUMBER_TAKERS)
    return isinstance(receiver, Text)


def _is_kept_as_number(
    facts: Facts, statement: ast.stmt, target: ast.expr, seen: frozenset[ast.AST]
) -> bool:
    if isinstance(target, ast.Name):
        return all(
            name_is_used_as_number(facts, binding, seen)
            for binding in bindings_by(facts, statement, target.id)
        )
    if isinstance(target, ast.Subscript) and isinstance(facts.value(target.slice), Text):
        return not _has_method_called(facts, target.slice)
    return isinstance(target, ast.Attribute) and not _has_method_called(facts, target)


def _has_method_called(facts: Facts, holder: ast.expr) -> bool:
    """``results["accuracy"].item()`` or ``meter.avg.item()`` somewhere in the file.

    ``holder`` is the key, or the attribute.
    """
    for node in facts.names.nodes.get(ast.Attribute, ()):
        assert isinstance(node, ast.Attribute)
        owner = node.value
        if isinstance(owner, ast.Attribute) and isinstance(holder, ast.Attribute):
            if owner.attr == holder.attr:
                return True
        elif isinstance(owner, ast.Subscript) and ast.dump(owner.slice) == ast.dump(holder):
            return True
    return False


def name_is_used_as_number(
    facts: Facts, binding: Binding, seen: frozenset[ast.AST] = frozenset()
) -> bool:
    """Whether all that happens to the value of ``binding`` would happen to a number as well."""
    if binding.node in seen:
        return True
    seen = seen | {binding.node}
    return all(is_used_as_number(facts, use, seen) for use in uses_of(facts, binding)) and all(
        name_is_used_as_number(facts, other, seen) for other in augmented(facts, binding)
    )


def _is_returned_as_number(
    facts: Facts, statement: ast.Return, index: int | None, seen: frozenset[ast.AST]
) -> bool:
    function = facts.names.enclosing_function(statement)
    if function is None or function in seen:
        return function is not None
    seen = seen | {function}
    return all(
        is_used_as_number(facts, site, seen)
        if index is None
        else _is_unpacked_as_number(facts, site, index, seen)
        for site in call_sites(facts.inference, function)
    )


def _is_unpacked_as_number(
    facts: Facts, site: ast.Call, index: int, seen: frozenset[ast.AST]
) -> bool:
    parent = facts.parent(site)
    if isinstance(parent, ast.Expr):
        return True
    if not isinstance(parent, ast.Assign):
        return False
    for target in parent.targets:
        if not isinstance(target, (ast.Tuple, ast.List)) or index >= len(target.elts):
            return False
        if any(isinstance(element, ast.Starred) for element in target.elts):
            return False
        if not _is_kept_as_number(facts, parent, target.elts[index], seen):
            return False
    return True
