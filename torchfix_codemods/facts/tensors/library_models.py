"""Models that a library builds, of whose results something is known."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.libraries import torch_table
from torchfix_codemods.facts.module import Facts


def is_of_torchvision(facts: Facts, model: ast.expr) -> bool:
    """Whether a model is one of torchvision's, which give a batch of scores."""
    made = facts.assigned(model) if isinstance(model, ast.Name) else None
    return bool(made) and all(
        (facts.name(_built(value)) or "").startswith("torchvision.models.") for value in made or ()
    )


def _built(value: ast.expr) -> ast.expr:
    """``resnet`` of ``resnet().eval().cuda()``."""
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        if not torch_table.gives_its_module(value.func.attr):
            break
        value = value.func.value
    return value.func if isinstance(value, ast.Call) else value
