"""What shows that a number in a text of Python 2 is no whole one, as a Decimal, or is no number."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evidence import proofs
from torchfix_codemods.facts.libraries import numpy_functions, torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values import standard_library
from torchfix_codemods.facts.values.array_dtypes import is_array_of_floats
from torchfix_codemods.facts.values.lattice import Number

#: What keeps a Decimal, a Fraction, a timedelta or a complex number what it is; divisions are
#: written as `%` here.
KEEPING = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Mod)

#: Methods of times alone, which give floats.
_OF_TIMES = frozenset({"total_seconds", "timestamp"})


def is_no_integer(node: ast.expr, facts: Facts) -> bool:
    """Whether an expression certainly gives no whole number, and nothing that becomes one by ``/``.

    Args:
        node: what is divided, or what it is divided by, or what that comes from.
        facts: the facts of its file.
    """
    if facts.value(node) == Number("float"):
        return True
    if isinstance(node, ast.Constant):
        return isinstance(node.value, (complex, float))
    if isinstance(node, ast.UnaryOp):
        return is_no_integer(node.operand, facts)
    if isinstance(node, ast.BinOp) and isinstance(node.op, KEEPING):
        return is_no_integer(node.left, facts) or is_no_integer(node.right, facts)
    return isinstance(node, ast.Call) and _gives_no_integer(node, facts)


def _gives_no_integer(call: ast.Call, facts: Facts) -> bool:
    if facts.names.builtin(call.func) == "complex" or is_array_of_floats(facts.inference, call):
        return True
    name, method = facts.name(call.func), call.func
    if name is not None:
        return standard_library.gives_no_integer(name)
    if not isinstance(method, ast.Attribute) or proofs.defines_method(facts.names, method.attr):
        return False
    return method.attr in _OF_TIMES or _is_mean(method.attr)


def _is_mean(method: str) -> bool:
    """``x.mean()`` and ``x.std()``, of whatever library, but not ``x.median()``."""
    operation = f"torch.Tensor.{method}"
    is_of_all = torch_effects.does(operation, "reduces")
    is_picked = torch_effects.may_do(operation, "chooses")
    return is_of_all and not is_picked and numpy_functions.gives_floats(f"numpy.{method}")
