"""Which of a method's objects an expression gives: by the bindings of their names."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Number, Tensor, Text

Object = Binding | str
"""What a name was bound to, or an attribute of ``self`` by its name."""

_MEMBERS = (ast.Tuple, ast.List, ast.Set, ast.Dict, ast.Starred, ast.BoolOp)
_NEW = (ast.BinOp, ast.Compare, ast.UnaryOp, ast.Constant, ast.JoinedStr)
_CONTAINERS = ("tuple", "list", "set", "dict")


class Objects:
    """Follows expressions of a method back to the names of what they give.

    Args:
        facts: what is known of the file.
        own: the first parameter of the method.
        with_views: whether what shares the memory of an object, or holds it, counts as well; what
            code that is not known gives may hold all that it was given then.
    """

    def __init__(self, facts: Facts, own: str, with_views: bool) -> None:
        self._facts = facts
        self._own = own
        self._with_views = with_views
        self._seen: set[ast.AST] = set()

    def of(self, node: ast.expr) -> frozenset[Object]:
        """The objects that an expression may give, and those that these were made of."""
        self._seen = set()
        return frozenset(self._of(node))

    def _of(self, node: ast.expr) -> set[Object]:
        if node in self._seen or isinstance(node, _NEW):
            return set()
        self._seen.add(node)
        if isinstance(node, ast.Name):
            return self._of_bindings(self._facts.flow.reaching(node))
        if isinstance(node, _MEMBERS):
            return self._all(n for n in ast.iter_child_nodes(node) if isinstance(n, ast.expr))
        if isinstance(node, ast.IfExp):
            return self._all((node.body, node.orelse))
        if isinstance(node, ast.Attribute):
            return self._of_attribute(node)
        if isinstance(node, ast.Call):
            return self._of_call(node)
        if isinstance(node, ast.Subscript):
            is_part = isinstance(self._facts.value(node.value), Tensor)
            return self._of(node.value) if self._with_views or not is_part else set()
        inside = (n for n in ast.walk(node) if isinstance(n, ast.Name) and n is not node)
        return self._all(inside)

    def _all(self, nodes: Iterable[ast.expr]) -> set[Object]:
        return {found for node in nodes for found in self._of(node)}

    def _of_bindings(self, bindings: Iterable[Binding]) -> set[Object]:
        result: set[Object] = set()
        for binding in bindings:
            result.add(binding)
            statement = binding.node
            if isinstance(statement, ast.AugAssign):
                if statement not in self._seen:
                    self._seen.add(statement)
                    before = self._facts.flow.reaching_before(statement, binding.name)
                    result |= self._of_bindings(before)
            elif binding.kind == "assign":
                value = binding.written() or binding.value
                result |= set() if value is None else self._of(value)
        return result

    def _of_attribute(self, node: ast.Attribute) -> set[Object]:
        if isinstance(node.value, ast.Name) and node.value.id == self._own:
            return {node.attr}
        if not self._with_views or torch_effects.gives_no_memory(node.attr):
            return set()
        return set() if torch_effects.cuts_graph(node.attr) else self._of(node.value)

    def _of_call(self, call: ast.Call) -> set[Object]:
        given = values_given(call)
        if self._facts.names.builtin(call.func) in _CONTAINERS:
            return self._all(given)
        if isinstance(self._facts.value(call), (Number, Text)):
            return set()
        name = self._facts.name(call.func)
        function = call.func
        is_method = name is None and isinstance(function, ast.Attribute)
        bare = function.attr if isinstance(function, ast.Attribute) else ""
        if isinstance(function, ast.Attribute) and is_method:
            given = [function.value, *given]
        elif name is not None and name.startswith("torch."):
            bare = name.rpartition(".")[2]
        operation = torch_effects.of_any(bare)
        if not torch_effects.is_known(operation):
            return self._all(given) if self._with_views else set()
        if torch_effects.cuts_graph(bare):
            return set()
        follows = torch_effects.may_share if self._with_views else torch_effects.hands_back
        return self._of(given[0]) if given and follows(operation) else set()
