"""Names of methods: what a module defines or assigns, but for what holds plain data."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.libraries import python_functions

_DATA = (
    ast.BinOp,
    ast.Compare,
    ast.Constant,
    ast.Dict,
    ast.DictComp,
    ast.JoinedStr,
    ast.List,
    ast.ListComp,
    ast.Set,
    ast.SetComp,
    ast.Tuple,
    ast.UnaryOp,
)

#: Functions of torch that give data, besides those of Python.
_GIVE_FLAGS = frozenset({"torch.cuda.is_available", "torch.cuda.device_count"})


def method_names(names: Names) -> frozenset[str]:
    """The names of all methods that the classes of the module define, or that it may assign."""
    return names.remembered(method_names, lambda: _method_names(names))


def _method_names(names: Names) -> frozenset[str]:
    defined = {
        statement.name
        for node in names.nodes.get(ast.ClassDef, ())
        if isinstance(node, ast.ClassDef)
        for statement in node.body
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef))
    }
    return (names.assigned_attributes - data_attributes(names)) | defined


def data_attributes(names: Names) -> frozenset[str]:
    """The attributes of which everything that the module assigns to them is certainly data."""
    stores: dict[str, list[ast.Attribute]] = {}
    for node in names.changed_attributes:
        if isinstance(node.ctx, ast.Store):
            stores.setdefault(node.attr, []).append(node)
    return frozenset(
        name for name, nodes in stores.items() if all(_gets_data(node, names) for node in nodes)
    )


def _gets_data(target: ast.Attribute, names: Names) -> bool:
    statement = names.parents.get(target)
    if isinstance(statement, ast.AugAssign):
        return True
    if not isinstance(statement, ast.Assign) or statement.targets != [target]:
        return False
    return _is_data(statement.value, target, names)


def _is_data(value: ast.expr, target: ast.Attribute, names: Names) -> bool:
    if isinstance(value, _DATA):
        # What is None may be set by others.
        return constant(value) is not None
    if isinstance(value, ast.BoolOp):
        # ``args.cuda = args.cuda and torch.cuda.is_available()``
        text = ast.unparse(target)
        operands = [v for v in value.values if ast.unparse(v) != text]
        return all(_is_data(operand, target, names) for operand in operands)
    if isinstance(value, ast.IfExp):
        return all(_is_data(either, target, names) for either in (value.body, value.orelse))
    if isinstance(value, ast.Call):
        is_flag = names.name(value.func) in _GIVE_FLAGS
        return is_flag or python_functions.gives_data(names.builtin(value.func))
    return isinstance(value, ast.Name) and _is_given_data(value, target, names)


def _is_given_data(value: ast.Name, target: ast.Attribute, names: Names) -> bool:
    """``self.size = size`` of a parameter, where either is calculated with, or gone through."""
    method = names.enclosing_function(target)
    owner = None if method is None else names.parents.get(method)
    found = names.scope_of(value).lookup(value.id)
    if method is None or found is None or found[0].node is not method:
        return False
    if any(binding.kind != "parameter" for binding in found[1]):
        return False
    uses: list[ast.expr] = list(names.uses_of(found[0], value.id))
    if isinstance(owner, ast.ClassDef) and isinstance(target.value, ast.Name):
        uses += _reads(owner, target, names)
    return any(_is_used_as_data(use, names) for use in uses)


def _reads(owner: ast.ClassDef, target: ast.Attribute, names: Names) -> Iterator[ast.Attribute]:
    """Where the same attribute of the same name is read in the class."""
    holder = target.value
    for node in names.attributes(target.attr):
        if isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Name):
            is_same = isinstance(holder, ast.Name) and node.value.id == holder.id
            if is_same and owner in names.ancestors(node):
                yield node


def _is_used_as_data(use: ast.expr, names: Names) -> bool:
    """``size * 2``, ``size < 3``, ``w, h = size``, ``size[0]``, ``range(size)``: no function."""
    parent = names.parents.get(use)
    if isinstance(parent, ast.BinOp):
        return not isinstance(parent.op, ast.Mod) or parent.left is use
    if isinstance(parent, ast.Compare):
        return any(isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) for op in parent.ops)
    if isinstance(parent, ast.Subscript):
        return parent.value is use
    if isinstance(parent, ast.Assign):
        return parent.value is use and isinstance(parent.targets[0], (ast.Tuple, ast.List))
    if isinstance(parent, (ast.For, ast.comprehension)):
        return parent.iter is use
    is_argument = isinstance(parent, ast.Call) and use in parent.args
    return (
        isinstance(parent, ast.Call)
        and is_argument
        and python_functions.takes_data(names.builtin(parent.func))
    )
