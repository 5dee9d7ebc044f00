"""Functions that calculate nothing, and those of files that know nothing of torch.

``plot_images(images, path)`` is one of the latter.
"""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation.parameters import argument_for
from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.language.foreign import is_foreign
from torchfix_codemods.facts.language.nodes import walk
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import function_named
from torchfix_codemods.facts.values.lattice import Array, Foreign, Number, Text


def knows_no_torch(call: ast.Call, facts: Facts) -> bool:
    """Whether a call, a statement of its own, runs nothing that could ask for a graph.

    Its function stands in a file that imports neither torch nor other files of the project, and
    does no more than read what it is given, unless that is an array, a number or a text. A method
    there, such as ``logger.scalar_summary(tag, value, step)``, calls nothing that its object holds
    but what libraries gave it that know nothing of torch either.
    """
    found = function_named(call.func, facts)
    if found is None or is_opaque(call) or not isinstance(facts.parent(call), ast.Expr):
        return False
    there, called = found
    is_method = isinstance(there.parent(called), ast.ClassDef)
    if not _imports_foreign_alone(there) or (is_method and not _calls_foreign_alone(called, there)):
        return False
    arguments = called.args
    if arguments.vararg is not None or arguments.kwarg is not None:
        return False
    parameters = (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)
    for parameter in parameters[1:] if is_method else parameters:
        given = argument_for(called, parameter, call, bound=is_method)
        if given is None or isinstance(facts.value(given), (Array, Number, Text)):
            continue
        uses = there.names.uses_of(there.names.scopes[called], parameter.arg)
        if not all(_is_just_read(use, there) for use in uses):
            return False
    inside = (n for s in called.body for n in walk(s) if isinstance(n, ast.Call))
    return all(function_named(inner.func, there) is None for inner in inside)


def is_for_torchless(statement: ast.stmt, facts: Facts) -> bool:
    """``step = epoch * per_epoch + i`` that only functions get which :func:`knows_no_torch` of.

    Whatever is calculated there, nobody asks for a graph of it.
    """
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    target = targets[0] if len(targets) == 1 else None
    scope = facts.names.scope_of(statement)
    if not isinstance(target, ast.Name) or scope.kind != "function":
        return False
    uses = [use for use in facts.names.uses_of(scope, target.id) if use is not target]
    return bool(uses) and all(_is_given_to_torchless(use, facts) for use in uses)


def _is_given_to_torchless(use: ast.Name, facts: Facts) -> bool:
    call = facts.parent(use)
    return isinstance(call, ast.Call) and use in call.args and knows_no_torch(call, facts)


def calculates_nothing(call: ast.Call, facts: Facts) -> bool:
    """``shape_of(options)`` of the project, which looks things up, compares them and puts them
    together: of whatever it is given, it gives what has the graph that it had."""
    found = function_named(call.func, facts)
    if found is None or not isinstance(found[0].parent(found[1]), ast.Module):
        return False
    there, function = found
    return not there.classes.is_wrapped(function) and all(
        _is_no_operation(node, there) for statement in function.body for node in walk(statement)
    )


#: Statements that calculate nothing themselves, and what looks up, compares and puts together.
_NO_OPERATIONS = (
    *(ast.Assign, ast.Expr, ast.If, ast.Pass, ast.Raise, ast.Return),
    *(ast.BoolOp, ast.Compare, ast.Constant, ast.IfExp, ast.Name),
    *(ast.Dict, ast.FormattedValue, ast.JoinedStr, ast.keyword, ast.List, ast.Tuple),
    *(ast.boolop, ast.cmpop, ast.expr_context, ast.Not),
)
#: Functions of Python that give no part of a tensor, and call no operation that has a graph.
_ASKING = frozenset("hasattr isinstance len print str type".split())


def _is_no_operation(node: ast.AST, facts: Facts) -> bool:
    if isinstance(node, ast.Attribute):
        return not torch_effects.gives_alias(node.attr) and isinstance(node.ctx, ast.Load)
    if isinstance(node, ast.Call):
        is_raised = isinstance(facts.parent(node), ast.Raise)
        builtin = facts.names.builtin(node.func)
        return builtin is not None and (is_raised or builtin in _ASKING)
    if isinstance(node, ast.UnaryOp):
        return isinstance(node.op, ast.Not)
    if isinstance(node, (ast.Tuple, ast.List)):
        # To take a tensor apart gives parts of it.
        return isinstance(node.ctx, ast.Load)
    return isinstance(node, _NO_OPERATIONS)


def _calls_foreign_alone(method: ast.FunctionDef, facts: Facts) -> bool:
    """Whether a method calls what its object holds only where that is of another library."""
    own = facts.classes.self_name(method)
    if own is None or method.decorator_list:
        return False
    for use in facts.names.uses_of(facts.names.scopes[method], own):
        held = facts.parent(use)
        if not isinstance(held, ast.Attribute):
            return False
        whole, above = _reached_from(use, facts)
        is_called = isinstance(above, ast.Call) and above.func is whole
        if is_called and not isinstance(facts.value(held), Foreign):
            return False
    return True


def _reached_from(use: ast.AST, facts: Facts) -> tuple[ast.AST, ast.AST | None]:
    """``args.size[0]`` of ``args``, and what that stands in."""
    above = facts.parent(use)
    while isinstance(above, (ast.Attribute, ast.Subscript)) and above.value is use:
        use, above = above, facts.parent(above)
    return use, above


def _imports_foreign_alone(facts: Facts) -> bool:
    """Whether a file imports nothing but numpy and libraries that know nothing of torch."""
    named: list[str] = []
    for node in (
        *facts.names.nodes.get(ast.Import, ()),
        *facts.names.nodes.get(ast.ImportFrom, ()),
    ):
        if isinstance(node, ast.Import):
            named += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            named.append("" if node.level or facts.names.imports_own(node) else node.module or "")
    return all(is_foreign(name) or name.partition(".")[0] == "numpy" for name in named)


def _is_just_read(use: ast.AST, facts: Facts) -> bool:
    """``args.size[0]`` in a test, in arithmetic or as a size: it is neither called nor named."""
    whole, above = _reached_from(use, facts)
    if isinstance(above, ast.Call):
        return above.func is not whole
    if isinstance(above, ast.keyword):
        return True
    return isinstance(
        above, (ast.BinOp, ast.Compare, ast.If, ast.List, ast.Slice, ast.Subscript, ast.Tuple)
    ) and not isinstance(facts.parent(above), ast.Assign)
