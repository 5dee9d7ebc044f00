"""What the comparisons of Python do."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

COMPARES: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
"""By the node of an operator, the function that compares two numbers, or two versions, so."""
