"""The nodes at and below a node, changed one by one."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from torchfix_codemods.edit import cst

_Root = TypeVar("_Root", bound="cst.CSTNode")
_Node = TypeVar("_Node", bound="cst.CSTNode")


def changed_below(
    root: _Root,
    kind: type[_Node],
    change: Callable[[_Node, _Node], cst.CSTNode | cst.RemovalSentinel],
    without: tuple[type[cst.CSTNode], ...] = (),
) -> _Root:
    """``root`` with all nodes of one class replaced, the innermost first.

    Args:
        root: what to look through; it stays a node of its own class.
        kind: the class of the nodes.
        change: gives what replaces a node, from the node as it was and as it is by then, or says
            that a statement goes.
        without: nodes of these classes stay as they are, with all that is in them.
    """
    changed = root.visit(_transformer()(kind, change, without))
    assert isinstance(changed, type(root))
    return changed


@functools.cache
def _transformer() -> Callable[..., cst.CSTTransformer]:
    # Written down where libcst is in use: to derive from its class would import it.
    class Transformer(cst.CSTTransformer):
        def __init__(
            self,
            kind: type[cst.CSTNode],
            change: Callable[[Any, Any], Any],
            without: tuple[type[cst.CSTNode], ...],
        ) -> None:
            super().__init__()
            self._kind, self._change, self._without = kind, change, without

        def on_visit(self, node: cst.CSTNode) -> bool:
            return not isinstance(node, self._without)

        def on_leave(self, original_node: Any, updated_node: Any) -> Any:
            if isinstance(original_node, self._kind):
                return self._change(original_node, updated_node)
            return updated_node

    return Transformer


def code_of(node: cst.CSTNode) -> str:
    """The text of a part of the code."""
    return cst.Module([]).code_for_node(node)
