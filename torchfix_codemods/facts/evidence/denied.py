"""Where code has asked what a value is, and goes on as for anything but a tensor."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from torchfix_codemods.facts.evidence.kind_checks import is_attribute_kind_checked, is_kind_checked
from torchfix_codemods.facts.language.asked_class import asked_for_class
from torchfix_codemods.facts.language.branches import tests_passed
from torchfix_codemods.facts.values.torch_api import TENSOR_CLASSES

if TYPE_CHECKING:
    from torchfix_codemods.facts.language.names import Names
    from torchfix_codemods.facts.values.inference import Inference

_SAME = (ast.Eq, ast.Is)
_OTHER = (ast.NotEq, ast.IsNot)


def is_said_to_be_no_tensor(inference: Inference, node: ast.Name | ast.Attribute) -> bool:
    """Whether what an expression holds was asked for, and is no tensor where it stands.

    So it is in the body of ``if not torch.is_tensor(x)`` and of ``if isinstance(x, list)``, behind
    ``if isinstance(x, torch.Tensor): return x``, whatever annotations and calls say of x.
    """
    if isinstance(node, ast.Name):
        is_asked = is_kind_checked(inference.names, node)
    else:
        is_asked = is_attribute_kind_checked(inference.names, node.attr)
    return is_asked and any(
        not _is_set_between(inference, test, node) for test in _tests(inference.names, node)
    )


def _tests(names: Names, node: ast.Name | ast.Attribute) -> list[ast.expr]:
    """The tests around an expression, and above it, that leave no tensor for it."""
    text = ast.unparse(node)
    passed = tests_passed(names, node)
    return [test for test, outcome in passed if _denies(names, test, text, outcome)]


def _denies(names: Names, test: ast.expr, text: str, outcome: bool) -> bool:
    """Whether a test that came out so says that the expression of that text is no tensor."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _denies(names, test.operand, text, not outcome)
    if isinstance(test, ast.BoolOp):
        return isinstance(test.op, ast.And) is outcome and any(
            _denies(names, value, text, outcome) for value in test.values
        )
    if isinstance(test, ast.Compare):
        asked, classes, is_same = _compared_type(names, test)
        if asked is None or ast.unparse(asked) != text:
            return False
        return _leaves_none(names, classes, outcome is is_same)
    if not (isinstance(test, ast.Call) and test.args and ast.unparse(test.args[0]) == text):
        return False
    if names.name(test.func) == "torch.is_tensor":
        return not outcome and not _has_variables(names)
    if names.builtin(test.func) != "isinstance" or len(test.args) != 2:
        return False
    return _leaves_none(names, test.args[1], outcome)


def _compared_type(names: Names, test: ast.Compare) -> tuple[ast.expr | None, ast.expr, bool]:
    """What ``type(x) == list`` asks for, the class, and whether it asks for that very one."""
    asked, classes = asked_for_class(names, test.left), test.comparators[0]
    if len(test.ops) != 1 or not isinstance(test.ops[0], (*_SAME, *_OTHER)):
        return None, classes, False
    return asked, classes, isinstance(test.ops[0], _SAME)


def _leaves_none(names: Names, classes: ast.expr, outcome: bool) -> bool:
    """Whether what is of one of the classes, or else of none of them, is no tensor."""
    each = classes.elts if isinstance(classes, ast.Tuple) else [classes]
    if outcome:
        return not any(_may_be_of_tensors(names, cls) for cls in each)
    return not _has_variables(names) and any(names.name(cls) in TENSOR_CLASSES for cls in each)


def _has_variables(names: Names) -> bool:
    """Whether a file knows Variables, which were no tensors: it asked which of both it has."""
    return any(
        binding.qualified == "torch.autograd.Variable"
        for binding in names.module.bindings.get("Variable", ())
    )


def _may_be_of_tensors(names: Names, cls: ast.expr) -> bool:
    """Whether a class is one of tensors, old or new; what a variable holds may be one."""
    name = names.name(cls)
    if name is not None:
        is_kind = name.startswith("torch.") and name.endswith(("Tensor", "Variable", "Parameter"))
        return is_kind or name in TENSOR_CLASSES
    builtin = names.builtin(cls)
    if builtin is not None:
        return builtin == "object"
    found = names.scope_of(cls).lookup(cls.id) if isinstance(cls, ast.Name) else None
    return found is None or any(binding.kind != "class" for binding in found[1])


def _is_set_between(inference: Inference, test: ast.expr, node: ast.Name | ast.Attribute) -> bool:
    """Whether the expression may hold something else by now than what was asked for."""
    if isinstance(node, ast.Name):
        lines = [getattr(b.node, "lineno", 0) for b in inference.flow.reaching(node)]
    else:
        attributes = inference.names.attributes(node.attr)
        lines = [other.lineno for other in attributes if not isinstance(other.ctx, ast.Load)]
    # What is set later, or by the statement itself, was asked for in the next round of a loop.
    return any(test.lineno < line < inference.names.statement(node).lineno for line in lines)
