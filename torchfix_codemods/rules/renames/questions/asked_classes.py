"""Classes that ``isinstance`` and ``issubclass`` are asked for, and what an answer leaves open."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.branches import tests_passed
from torchfix_codemods.facts.language.names import Names


def counts_as(names: Names, question: ast.Call, other: str) -> bool:
    """Whether it matters for a question if what is asked for is of the class ``other``.

    It does not where the file asks for that as well, ``isinstance(x, (A, Other))``,
    ``isinstance(x, A) or isinstance(x, Other)``, or has it denied, before or in the same test.
    """
    text = ast.unparse(question.args[0])
    if _asks(names, question, text, other):
        return False
    parent = names.parents.get(question)
    if isinstance(parent, ast.BoolOp):
        is_all = isinstance(parent.op, ast.And)
        if any(_denies(names, value, text, other, is_all) for value in parent.values):
            return False
    passed = tests_passed(names, question)
    return not any(_denies(names, test, text, other, outcome) for test, outcome in passed)


def _denies(names: Names, test: ast.expr, text: str, other: str, outcome: bool) -> bool:
    """Whether a test that came out so says that the expression of that text is no ``other``."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _denies(names, test.operand, text, other, not outcome)
    if isinstance(test, ast.BoolOp):
        return isinstance(test.op, ast.And) is outcome and any(
            _denies(names, value, text, other, outcome) for value in test.values
        )
    return not outcome and _asks(names, test, text, other)


def _asks(names: Names, test: ast.expr, text: str, other: str) -> bool:
    """Whether a test asks if the expression of that text is of the class, or of one of several."""
    if not (isinstance(test, ast.Call) and len(test.args) == 2):
        return False
    if names.builtin(test.func) not in ("isinstance", "issubclass"):
        return False
    asked, classes = test.args
    each = classes.elts if isinstance(classes, ast.Tuple) else [classes]
    return ast.unparse(asked) == text and any(names.name(cls) == other for cls in each)
