"""Lists of tensors of the graph that numpy is to sum up."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.placement import may_be_on_gpu
from torchfix_codemods.facts.values.lattice import Tensor
from torchfix_codemods.rules.autograd.questions.wanted_tensors import is_wanted_as_tensor
from torchfix_codemods.rules.questions.listed_elements import elements


def sums_graph(call: ast.Call, facts: Facts) -> bool:
    """Whether ``np.sum(losses)`` is of single numbers of the graph, and is wanted as one.

    numpy added up the tensors themselves, as Python's ``sum`` does, until torch refused to make
    arrays of those that require grad.

    Args:
        call: a call of ``numpy.sum``.
        facts: the facts of its file.
    """
    if len(call.args) != 1 or call.keywords or isinstance(call.args[0], ast.Starred):
        return False
    if facts.names.scope_of(call).lookup("sum") is not None:
        return False
    added = elements(facts, call.args[0])
    values = [facts.value(each) for each in added or ()]
    is_of_graph = bool(values) and all(
        isinstance(value, Tensor) and value.ndim == 0 and value.grad is not False
        for value in values
    )
    return is_of_graph and is_wanted_as_tensor(facts, call)


def are_numbers_of_gpu(listed: ast.Name, facts: Facts) -> bool:
    """Whether a list holds nothing but tensors without dimensions or graph, some of a GPU.

    Until torch 0.3 each made an array of itself, wherever it was.

    Args:
        listed: what numpy is given.
        facts: the facts of its file.
    """
    kept = elements(facts, listed)
    values = [facts.value(each) for each in kept or ()]
    are_numbers = bool(values) and all(
        isinstance(value, Tensor) and value.ndim == 0 and value.grad is False for value in values
    )
    return are_numbers and any(may_be_on_gpu(facts, each) for each in kept or ())
