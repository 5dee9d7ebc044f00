"""``module.forward(x)`` counts as a call of the module.

Otherwise ``module(x)``, which is what it ought to be, would be one event where the other is none,
or one for each module inside.
"""

from __future__ import annotations

import ast
import builtins
from typing import Any, Callable

import torch

from .events import Recorder
from .places import fill_places

MARK = "__torchfix_forward__"


def install(recorder: Recorder) -> Callable[[ast.Module, str], None]:
    """Be ready for the calls of ``forward``.

    Returns:
        what marks them in a module, given the module and its path within the tree.
    """

    def forward_of(owner: Any) -> Any:
        if isinstance(owner, torch.nn.Module):
            forward = owner.forward
            return recorder.recorded(lambda _, *args, **kwargs: forward(*args, **kwargs), owner)
        return owner.forward

    setattr(builtins, MARK, forward_of)

    def transform(tree: ast.Module, path: str) -> None:
        _Calls().visit(tree)
        fill_places(tree)

    return transform


class _Calls(ast.NodeTransformer):
    def visit_Call(self, node: ast.Call) -> ast.AST:
        self.generic_visit(node)
        function = node.func
        if isinstance(function, ast.Attribute) and function.attr == "forward":
            owner = function.value
            is_super = isinstance(owner, ast.Call) and getattr(owner.func, "id", "") == "super"
            if not is_super:
                mark = ast.Call(ast.Name(MARK, ast.Load()), [owner], [])
                node.func = ast.copy_location(mark, function)
        return node
