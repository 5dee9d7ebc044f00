"""Names that stand where only a number can: ``n`` where ``nn.Linear(n, 2)`` is beside it."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterable, Iterator

from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.language.branches import statements_above
from torchfix_codemods.facts.language.flow import Flow
from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.language.nodes import first_name, without_items
from torchfix_codemods.facts.language.scopes import Scope
from torchfix_codemods.facts.libraries.tensor_methods import takes_sizes
from torchfix_codemods.facts.values import torch_api

#: Layers of ``torch.nn`` whose first arguments are numbers, and how many of them.
_COUNTS = {
    **dict.fromkeys("Linear Bilinear Embedding EmbeddingBag RNN LSTM GRU".split(), 2),
    **dict.fromkeys("RNNCell LSTMCell GRUCell Conv1d Conv2d Conv3d".split(), 2),
    **dict.fromkeys("ConvTranspose1d ConvTranspose2d ConvTranspose3d".split(), 2),
    **dict.fromkeys("BatchNorm1d BatchNorm2d BatchNorm3d".split(), 1),
}

#: Functions of torch that take sizes one by one.
_TAKES_SIZES = torch_api.FACTORIES - {"full"} | torch_api.LEGACY_TYPES.keys()

#: Functions of torch that take one size, or a shape, and never what a tensor holds.
_TAKES_SHAPES = torch_api.FACTORIES - {"full"}

#: What gives a whole number of whole numbers alone; a list that is repeated is no number.
_WHOLE = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv)


class Counts:
    """What the calls of a module tell of the names that they are given.

    Args:
        names: the scopes of the module.
        flow: its reaching definitions.
    """

    def __init__(self, names: Names, flow: Flow) -> None:
        self._names = names
        self._flow = flow

    def is_count(self, node: ast.expr) -> bool:
        """Whether a name or attribute is given elsewhere where only a number can be."""
        return self._is_among(node, self._counted) or self._is_calculated_with(node)

    def _is_calculated_with(self, node: ast.expr) -> bool:
        """Whether a statement that has run takes what is calculated: ``nn.Linear(2 * n, 3)``.

        In one that may not have run, an array may be meant, whose items are calculated with.
        """
        used = self._calculated.get(ast.unparse(node), ())
        above = statements_above(self._names, node) if used else ()
        beside = {*above, self._names.statement(node)} if used else ()
        return any(self._names.statement(o) in beside and self._is_same(node, o) for o in used)

    def is_count_or_shape(self, node: ast.expr) -> bool:
        """Whether a name or attribute is given elsewhere for a number or a shape."""
        return self.is_count(node) or self._is_among(node, self._shapes)

    @functools.cached_property
    def _counted(self) -> dict[str, list[ast.expr]]:
        found = self._by_text(self._numbers)
        for kept in self._names.nodes.get(ast.Assign, ()):
            assert isinstance(kept, ast.Assign)
            target, value = kept.targets[0], kept.value
            # What a constructor keeps of its arguments: ``self.n = n``.
            if isinstance(target, ast.Attribute) and isinstance(value, ast.Name):
                if self._is_among(value, found):
                    found.setdefault(ast.unparse(target), []).append(target)
                elif self._is_among(target, found) and self._is_kept_once(target):
                    found.setdefault(value.id, []).append(value)
        return found

    def _is_kept_once(self, target: ast.Attribute) -> bool:
        """Whether no other statement stores on such an attribute, which then is what it says."""
        stored = [one for one in self._names.attributes(target.attr) if not _is_read(one)]
        return stored == [target]

    @functools.cached_property
    def _calculated(self) -> dict[str, list[ast.expr]]:
        calculated = (node for node in self._numbers if isinstance(node, ast.BinOp))
        return self._by_text(part for node in calculated for part in _parts(node))

    @functools.cached_property
    def _shapes(self) -> dict[str, list[ast.expr]]:
        return self._by_text(self._given(self._shape_given))

    def _is_among(self, node: ast.expr, given: dict[str, list[ast.expr]]) -> bool:
        text = node.id if isinstance(node, ast.Name) else ast.unparse(node)
        return any(self._is_same(node, other) for other in given.get(text, ()))

    def _by_text(self, given: Iterable[ast.expr]) -> dict[str, list[ast.expr]]:
        """The names and attributes among what the calls of the module are given, by their text."""
        found: dict[str, list[ast.expr]] = {}
        for node in given:
            if isinstance(node, (ast.Name, ast.Attribute)) or _is_option(node):
                found.setdefault(ast.unparse(node), []).append(node)
        return found

    @functools.cached_property
    def _numbers(self) -> list[ast.expr]:
        """What the calls of the module are given where only numbers can be."""
        return self._given(self._numbers_given)

    def _given(self, by: Callable[[ast.Call], list[ast.expr]]) -> list[ast.expr]:
        calls = self._names.nodes.get(ast.Call, ())
        return [node for call in calls if isinstance(call, ast.Call) for node in by(call)]

    def _numbers_given(self, call: ast.Call) -> list[ast.expr]:
        name = self._names.name(call.func)
        if name is None:
            is_range = self._names.builtin(call.func) == "range"
            return call.args if is_range or self._gives_sizes(call) else []
        module, _, function = name.rpartition(".")
        if module == "torch.nn":
            given = call.args[: _COUNTS.get(function, 0)]
            return [] if any(isinstance(node, ast.Starred) for node in given) else given
        if module == "torch" and function in _TAKES_SIZES and len(call.args) > 1:
            return call.args
        return []

    def _gives_sizes(self, call: ast.Call) -> bool:
        """Whether it is ``x.new_zeros(n, 1)``, or ``x.view(n, -1)`` of a tensor and not of an
        array, which takes types.
        """
        method = call.func.attr if isinstance(call.func, ast.Attribute) else ""
        if len(call.args) < 2 or not (method == "view" or takes_sizes(method)):
            return False
        if method == "view" and call.keywords:
            return False
        is_of_users = method in method_names(self._names)
        return not is_of_users and not any(map(self._is_no_size, call.args))

    def _is_no_size(self, given: ast.expr) -> bool:
        is_other = isinstance(given, (ast.Starred, ast.List, ast.Tuple, ast.ListComp))
        return is_other or self._names.name(given) is not None

    def _shape_given(self, call: ast.Call) -> list[ast.expr]:
        module, _, function = (self._names.name(call.func) or "").rpartition(".")
        takes_shape = module == "torch" and function in _TAKES_SHAPES
        return call.args if takes_shape and len(call.args) == 1 else []

    def _is_same(self, node: ast.expr, other: ast.expr) -> bool:
        """Whether two expressions of the same text stand for the same thing."""
        root, other_root = first_name(without_items(node)), first_name(without_items(other))
        if root is None or other_root is None:
            return False
        if root is node or isinstance(node, ast.Subscript):
            scope = self._scope_around(root)
            uses = scope.uses.get(root.id, ())
            above = [self._names.parents.get(use) for use in uses]
            is_checked = any(_asks_for_kind(one) or _stores(one) for one in above)
            if is_checked or scope is not self._scope_around(other_root):
                return False
            reaching = self._flow.reaching(root)
            return bool(reaching) and set(reaching) == set(self._flow.reaching(other_root))
        if self._names.enclosing_class(node) is not self._names.enclosing_class(other):
            return False
        found = self._names.scope_of(node).lookup(root.id)
        other_found = self._names.scope_of(other).lookup(root.id)
        if found is None or other_found is None:
            return False
        kinds = {binding.kind for binding in (*found[1], *other_found[1])}
        return found[0] is other_found[0] or (root.id == "self" and kinds == {"parameter"})

    def _scope_around(self, name: ast.Name) -> Scope:
        """The scope whose name is read: a comprehension that binds none reads that around it."""
        scope = self._names.scope_of(name)
        while scope.kind == "comprehension" and name.id not in scope.bindings and scope.parent:
            scope = scope.parent
        return scope


def _parts(number: ast.expr) -> Iterator[ast.expr]:
    """What a number is calculated from: ``n`` of ``4 * n``."""
    if isinstance(number, ast.BinOp) and isinstance(number.op, _WHOLE):
        yield from _parts(number.left)
        yield from _parts(number.right)
    else:
        yield number


def _is_option(node: ast.expr) -> bool:
    """``options["n"]``."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Name):
        return False
    return isinstance(constant(node.slice), str)


def _is_read(node: ast.Attribute) -> bool:
    return isinstance(node.ctx, ast.Load)


def _stores(parent: ast.AST | None) -> bool:
    """``options["n"] = …``."""
    return isinstance(parent, ast.Subscript) and not isinstance(parent.ctx, ast.Load)


def _asks_for_kind(parent: ast.AST | None) -> bool:
    """``isinstance(n, int)``: a name that is checked can be one thing here, another there."""
    return (
        isinstance(parent, ast.Call)
        and isinstance(parent.func, ast.Name)
        and parent.func.id in ("isinstance", "hasattr", "type", "callable", "len")
    )
