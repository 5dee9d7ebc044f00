"""What holds one number, is part of no graph, and is wanted as a number."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.backward import way_to_backward
from torchfix_codemods.facts.paths.numbers import indexes_tensor, is_used_as_number
from torchfix_codemods.facts.recording.plain_tensors import was_plain
from torchfix_codemods.rules.autograd.questions.graphless.made_of import is_without_graph
from torchfix_codemods.rules.autograd.questions.graphless.switched_off import is_without_grad
from torchfix_codemods.rules.autograd.questions.legacy.data_elements import is_sum_of_data


def is_written_as_number(facts: Facts, node: ast.Subscript) -> bool:
    """Whether ``x[0]`` of one number is wanted as one, and is part of no graph.

    It was one of Python until torch 0.3 where x was no Variable. Of what was summed up where
    gradients are off, as an earlier run may have written it for ``.data``, its use shows it.
    """
    if _is_number_of_plain(facts, node):
        return True
    summed = facts.flow.reaching(node.value) if isinstance(node.value, ast.Name) else ()
    return (
        any(is_without_grad(each.node, facts) for each in summed)
        and is_used_as_number(facts, node)
        and is_without_graph(node.value, facts)
    )


def _is_number_of_plain(facts: Facts, node: ast.Subscript) -> bool:
    """Whether ``x[0]`` of one number was one of Python until torch 0.3, as x was no Variable.

    For the index of a tensor newer files have no other meaning.
    """
    era = facts.era_of(node)
    if not era.before((0, 4)):
        is_index = era.needs((0, 4)) and indexes_tensor(facts, node)
        return is_index and is_used_as_number(facts, node)
    if is_sum_of_data(facts, node.value):
        return True
    return was_plain(facts, node.value) and way_to_backward(facts, node) is None
