"""The nodes at and below a node, changed one by one."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator
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
    on_the_way: set[int] = set()
    if not _leads_to(kind, root, on_the_way):
        return root
    changed = root.visit(_transformer()(kind, change, without, on_the_way))
    assert isinstance(changed, type(root))
    return changed


def nodes_below(root: cst.CSTNode, kind: type[_Node]) -> Iterator[_Node]:
    """The nodes of one class at and below a node, those around others first."""
    pending = [root]
    for node in pending:
        if isinstance(node, kind):
            yield node
        pending += _children(node)


def _leads_to(kind: type[cst.CSTNode], node: cst.CSTNode, found: set[int]) -> bool:
    """Whether nodes of a class are at or below a node; ``found`` gets what leads to them, by id."""
    leads = isinstance(node, kind)
    for child in _children(node):
        leads = _leads_to(kind, child, found) or leads
    if leads:
        found.add(id(node))
    return leads


def _children(node: cst.CSTNode) -> list[cst.CSTNode]:
    """The nodes directly below a node: ``children`` of libcst visits and builds them all anew."""
    found: list[cst.CSTNode] = []
    for name in _fields_of(type(node)):
        value = getattr(node, name)
        if isinstance(value, (list, tuple)):
            found += [part for part in value if _is_node(part.__class__)]
        elif _is_node(value.__class__):
            found.append(value)
    return found


@functools.cache
def _is_node(kind: type) -> bool:
    # Their class is an abstract one, which takes long to say what is of it.
    return issubclass(kind, cst.CSTNode)


@functools.cache
def _fields_of(kind: type[cst.CSTNode]) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))


@functools.cache
def _transformer() -> Callable[..., cst.CSTTransformer]:
    # Written down where libcst is in use: to derive from its class would import it.
    class Transformer(cst.CSTTransformer):
        def __init__(
            self,
            kind: type[cst.CSTNode],
            change: Callable[[Any, Any], Any],
            without: tuple[type[cst.CSTNode], ...],
            on_the_way: set[int],
        ) -> None:
            super().__init__()
            self._kind, self._change, self._without = kind, change, without
            self._on_the_way = on_the_way

        def on_visit(self, node: cst.CSTNode) -> bool:
            return id(node) in self._on_the_way and not isinstance(node, self._without)

        def on_leave(self, original_node: Any, updated_node: Any) -> Any:
            if isinstance(original_node, self._kind):
                return self._change(original_node, updated_node)
            return updated_node

        def on_visit_attribute(self, node: cst.CSTNode, attribute: str) -> None:
            """Nothing hangs on attributes, which libcst would look for methods about."""

        def on_leave_attribute(self, original_node: cst.CSTNode, attribute: str) -> None:
            """As before it."""

    return Transformer


def code_of(node: cst.CSTNode) -> str:
    """The text of a part of the code."""
    return cst.Module([]).code_for_node(node)
