"""What finds out what the expressions of a module are, behind one door."""

from __future__ import annotations

from torchfix_codemods.facts.evaluation.bindings import attribute, bound, joined, returned, total
from torchfix_codemods.facts.evaluation.calls import call_value as called
from torchfix_codemods.facts.evaluation.classes_elsewhere import class_kind
from torchfix_codemods.facts.evaluation.elsewhere import name_of_star, starred_name
from torchfix_codemods.facts.evaluation.expressions import expression
from torchfix_codemods.facts.evaluation.fixtures import provided
from torchfix_codemods.facts.evaluation.passing import is_taken_as_tensor, parameter_shows
from torchfix_codemods.facts.evaluation.reached_returns import reached_returns

__all__ = [
    "attribute",
    "bound",
    "called",
    "class_kind",
    "expression",
    "is_taken_as_tensor",
    "joined",
    "name_of_star",
    "parameter_shows",
    "provided",
    "reached_returns",
    "returned",
    "starred_name",
    "total",
]
