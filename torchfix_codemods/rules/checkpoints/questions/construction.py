"""Whether a module can be built again at another place, so that its state dict says all."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.evaluation.classes_elsewhere import is_of_one_file
from torchfix_codemods.facts.libraries import torch_table
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.values.imported import imported_as
from torchfix_codemods.facts.values.lattice import Module
from torchfix_codemods.rules.checkpoints.questions.left_state import (
    freezes,
    leaves_as_built,
    state_dict_says_all,
)


def construction_of(facts: Facts, model: ast.expr) -> ast.expr | None:
    """The expression that built a model, with all that was done to it; None if not certain.

    ``Net(4).cuda()`` is one; a model whose layers are replaced or that is moved by a statement
    of its own has none. Nor has any model where the file says which parameters are trained: a
    pickled model remembers that, a state dict does not.
    """
    if freezes(facts):
        return None
    value = facts.value(model)
    if not isinstance(value, Module):
        return None
    if value.call is None:
        return _construction_by_class_elsewhere(facts, model, value)
    built: ast.expr = value.call
    while True:
        attribute = facts.parent(built)
        call = facts.parent(attribute) if attribute is not None else None
        if not (
            isinstance(attribute, ast.Attribute)
            and isinstance(call, ast.Call)
            and call.func is attribute
            and torch_table.gives_its_module(attribute.attr)
        ):
            break
        built = call
    if not isinstance(facts.parent(built), ast.Assign):
        return None
    if not all(leaves_as_built(facts, use, built) for use in _uses(facts, value.call)):
        return None
    return built if state_dict_says_all(facts) else None


def _construction_by_class_elsewhere(
    facts: Facts, model: ast.expr, value: Module
) -> ast.expr | None:
    """What built a model of another file's class, which has one name from then on."""
    origin = imported_as(value)
    home = None if origin is None else facts_of(origin.owner)
    found = facts.names.scope_of(model).lookup(getattr(model, "id", ""))
    if origin is None or home is None or found is None or len(found[1]) != 1:
        return None
    binding = found[1][0]
    if binding.kind != "assign" or binding.path or not isinstance(binding.value, ast.Call):
        return None
    if not isinstance(origin.value, Module) or freezes(home):
        return None
    if not is_of_one_file(origin.owner, origin.value):
        return None
    uses = facts.names.uses_of(found[0], binding.name)
    if not all(leaves_as_built(facts, use, binding.value) for use in uses):
        return None
    says_all = state_dict_says_all(facts) and state_dict_says_all(home)
    return binding.value if says_all else None


def _uses(facts: Facts, construction: ast.Call) -> Iterator[ast.expr]:
    """The names and attributes that hold the model which ``construction`` built."""
    for cls in (ast.Name, ast.Attribute):
        for node in facts.names.nodes.get(cls, ()):
            assert isinstance(node, (ast.Name, ast.Attribute))
            if isinstance(node.ctx, ast.Load):
                value = facts.value(node)
                if isinstance(value, Module) and value.call is construction:
                    yield node
