"""What finds out what the expressions of a module are, behind one door."""

from __future__ import annotations

from torchfix_codemods.facts.bindings import attribute, bound, joined, returned, total
from torchfix_codemods.facts.calls import call_value as called
from torchfix_codemods.facts.classes_elsewhere import class_kind
from torchfix_codemods.facts.elsewhere import starred_name
from torchfix_codemods.facts.expressions import expression
from torchfix_codemods.facts.fixtures import provided
from torchfix_codemods.facts.passing import is_taken_as_tensor, parameter_shows
from torchfix_codemods.facts.reached_returns import reached_returns

__all__ = [
    "attribute",
    "bound",
    "called",
    "class_kind",
    "expression",
    "is_taken_as_tensor",
    "joined",
    "parameter_shows",
    "provided",
    "reached_returns",
    "returned",
    "starred_name",
    "total",
]
