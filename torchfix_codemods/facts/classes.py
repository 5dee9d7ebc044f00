"""The classes of one module: which are ``nn.Module``s, their methods and attributes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Literal

from torchfix_codemods.facts.names import Binding, Names

ClassKind = Literal["module", "plain", "unknown"]

_KNOWN_PLAIN = frozenset({"object", "Exception", "ValueError", "dict", "list", "tuple"})


class Classes:
    """Queries about the classes of one module.

    Args:
        names: the scopes of the module.
    """

    def __init__(self, names: Names) -> None:
        self._names = names
        self._kinds: dict[ast.ClassDef, ClassKind] = {}
        self._attributes: dict[ast.ClassDef, dict[str, list[Binding]]] = {}

    def kind(self, definition: ast.ClassDef) -> ClassKind:
        """Whether a class is an ``nn.Module``; "unknown" where a base comes from elsewhere."""
        if definition not in self._kinds:
            self._kinds[definition] = "unknown"
            self._kinds[definition] = self._kind(definition)
        return self._kinds[definition]

    def bases(self, definition: ast.ClassDef) -> Iterator[ast.ClassDef]:
        """The class and its bases in this file, nearest first."""
        seen: set[ast.ClassDef] = set()
        pending = [definition]
        while pending:
            current = pending.pop(0)
            if current not in seen:
                seen.add(current)
                yield current
                pending += [b for b in map(self.definition_of, current.bases) if b is not None]

    def definition_of(self, node: ast.AST) -> ast.ClassDef | None:
        """The class of this file that a name stands for."""
        if not isinstance(node, ast.Name):
            return None
        found = self._names.scope_of(node).lookup(node.id)
        if found is None or len(found[1]) != 1:
            return None
        definition = found[1][0].node
        return definition if isinstance(definition, ast.ClassDef) else None

    def method(self, definition: ast.ClassDef, name: str) -> ast.FunctionDef | None:
        """The method ``name`` of a class, its own or inherited within this file."""
        for cls in self.bases(definition):
            for statement in cls.body:
                if isinstance(statement, ast.FunctionDef) and statement.name == name:
                    return statement
        return None

    def is_property(self, method: ast.FunctionDef) -> bool:
        """Whether reading the attribute calls the method."""
        return any(isinstance(d, ast.Name) and d.id == "property" for d in method.decorator_list)

    def self_name(self, method: ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
        """The name of a method's first parameter, unless it is a static or class method."""
        for decorator in method.decorator_list:
            if isinstance(decorator, ast.Name) and decorator.id in ("staticmethod", "classmethod"):
                return None
        parameters = [*method.args.posonlyargs, *method.args.args]
        return parameters[0].arg if parameters else None

    def attribute_sources(self, definition: ast.ClassDef, name: str) -> list[Binding]:
        """Every assignment of ``self.name`` in a class and its bases in this file."""
        result = []
        for cls in self.bases(definition):
            result += self._own_attributes(cls).get(name, [])
        return result

    def attribute_names(self, definition: ast.ClassDef) -> list[str]:
        """The attributes that a class of this file assigns itself."""
        return list(self._own_attributes(definition))

    def _kind(self, definition: ast.ClassDef) -> ClassKind:
        if not definition.bases:
            return "plain"
        kinds = {self._kind_of_base(base) for base in definition.bases}
        if "module" in kinds:
            return "module"
        return "plain" if kinds == {"plain"} else "unknown"

    def _kind_of_base(self, base: ast.expr) -> ClassKind:
        local = self.definition_of(base)
        if local is not None:
            return self.kind(local)
        name = self._names.name(base)
        if name is not None and name.startswith("torch.nn.") and name.count(".") == 2:
            return "module"
        if name is not None and name.startswith(("torch.utils.data.", "torch.autograd.")):
            return "plain"
        if isinstance(base, ast.Name) and base.id in _KNOWN_PLAIN:
            return "plain"
        return "unknown"

    def _own_attributes(self, definition: ast.ClassDef) -> dict[str, list[Binding]]:
        if definition not in self._attributes:
            table: dict[str, list[Binding]] = {}
            for binding in self._assignments(definition):
                table.setdefault(binding.name, []).append(binding)
            self._attributes[definition] = table
        return self._attributes[definition]

    def _assignments(self, definition: ast.ClassDef) -> Iterator[Binding]:
        for statement in definition.body:
            if isinstance(statement, ast.Assign):
                for target in statement.targets:
                    if isinstance(target, ast.Name):
                        yield Binding(target.id, "assign", statement, statement.value)
            elif isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                self_name = self.self_name(statement)
                if self_name is not None:
                    yield from _self_assignments(statement, self_name)


def _self_assignments(method: ast.AST, self_name: str) -> Iterator[Binding]:
    for node in ast.walk(method):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                yield from _targets(target, node, node.value, self_name, ())
        elif isinstance(node, ast.AnnAssign) and node.value is not None:
            yield from _targets(node.target, node, node.value, self_name, ())
        elif isinstance(node, (ast.AugAssign, ast.For, ast.AsyncFor)):
            yield from _targets(node.target, node, None, self_name, ())


def _targets(
    target: ast.AST,
    node: ast.AST,
    value: ast.expr | None,
    self_name: str,
    path: tuple[int, ...],
) -> Iterator[Binding]:
    if isinstance(target, (ast.Tuple, ast.List)):
        for index, element in enumerate(target.elts):
            yield from _targets(element, node, value, self_name, (*path, index))
    elif (
        isinstance(target, ast.Attribute)
        and isinstance(target.value, ast.Name)
        and target.value.id == self_name
    ):
        yield Binding(target.attr, "assign", node, value, path)
