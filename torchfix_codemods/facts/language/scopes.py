"""Scopes and bindings of one module: where which names get values, and where they are used."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from torchfix_codemods.facts.language.nodes import CHILD_FIELDS
from torchfix_codemods.facts.libraries.torch_names import star_exports

ScopeKind = Literal["module", "function", "class", "lambda", "comprehension"]
BindingKind = Literal[
    "import",
    "assign",
    "augassign",
    "for",
    "with",
    "parameter",
    "function",
    "class",
    "except",
    "delete",
    "walrus",
    "other",
]

Path = tuple[int | Literal["*"], ...]
"""The way into a nested target: ``(a, (b, c)) = value`` binds ``c`` by the path ``(1, 1)``.

What stands behind a starred name is counted from the end: ``c`` of ``a, *b, c`` is ``(-1,)``.
"""


def element_for(display: ast.Tuple | ast.List, step: int | Literal["*"]) -> ast.expr | None:
    """The element of a display that a step of a path leads to, where it is one for certain."""
    elements = display.elts
    if step == "*" or not -len(elements) <= step < len(elements):
        return None
    passed = elements[step:] if step < 0 else elements[: step + 1]
    return None if any(isinstance(e, ast.Starred) for e in passed) else elements[step]


def part_of(node: ast.expr, path: Path) -> ast.expr | None:
    """What is written at a place of a display, or of one in it; None where that is not certain."""
    part: ast.expr | None = node
    for step in path:
        part = element_for(part, step) if isinstance(part, (ast.Tuple, ast.List)) else None
    return part


@dataclass(eq=False, slots=True)
class Binding:
    """One place where a scope gives a value to a name."""

    name: str
    kind: BindingKind
    node: ast.AST
    """The statement that binds (for a parameter its ``ast.arg``)."""
    value: ast.expr | None = None
    path: Path = ()
    qualified: str | None = None
    """For imports: the full dotted name of what is bound."""

    @property
    def is_shared(self) -> bool:
        """Whether another name is bound to the same value: ``a = b = []``."""
        return isinstance(self.node, ast.Assign) and len(self.node.targets) > 1

    def written(self) -> ast.expr | None:
        """What is written for this name alone: ``[]`` of ``x, xs = 0, []``."""
        return None if self.value is None else part_of(self.value, self.path)


@dataclass(eq=False, slots=True)
class Scope:
    """One namespace of the module."""

    node: ast.AST
    kind: ScopeKind
    parent: Scope | None
    bindings: dict[str, list[Binding]] = field(default_factory=dict)
    uses: dict[str, list[ast.Name]] = field(default_factory=dict)
    outer_names: dict[str, Scope] = field(default_factory=dict)
    """Names declared ``global`` or ``nonlocal`` here, and the scope that holds them."""

    def lookup(self, name: str) -> tuple[Scope, list[Binding]] | None:
        """The scope that holds ``name`` as seen from this one, and its bindings there."""
        scope: Scope | None = self
        first = True
        while scope is not None:
            if name in scope.outer_names:
                scope = scope.outer_names[name]
            if (first or scope.kind != "class") and name in scope.bindings:
                return scope, scope.bindings[name]
            scope, first = scope.parent, False
        return None


class Scopes:
    """The scopes of one module, built in one walk.

    Args:
        tree: the parsed module.
        own: what stands before the name of a library that the project has itself, as in the
            relative import of the same: no name of it is one of the library's.
    """

    def __init__(self, tree: ast.Module, own: Mapping[str, str] | None = None) -> None:
        self.tree = tree
        self._own = own or {}
        self.parents: dict[ast.AST, ast.AST] = {}
        self.scopes: dict[ast.AST, Scope] = {}
        self.nodes: dict[type, list[ast.AST]] = {ast.Module: [tree]}
        """All nodes of the module by class, in source order."""
        self.unknown_star_imports: list[ast.ImportFrom] = []
        self.star_imports_of_torch: list[str] = []
        self.module = Scope(tree, "module", None)
        self.scopes[tree] = self.module
        self._scopes_using: dict[str, list[Scope]] = {}
        self._scope_of_name: dict[ast.AST, Scope] = {}
        self._visit_children(tree, self.module)

    def _visit(self, node: ast.AST, scope: Scope) -> None:
        cls = node.__class__
        nodes = self.nodes.get(cls)
        if nodes is None:
            self.nodes[cls] = [node]
        else:
            nodes.append(node)
        handler = _HANDLERS.get(cls)
        if handler is not None:
            handler(self, node, scope)
        else:
            self._visit_children(node, scope)

    def _visit_children(self, node: ast.AST, scope: Scope) -> None:
        # Written out, because this is where most of the time goes in a file without findings.
        parents = self.parents
        nodes = self.nodes
        for name in CHILD_FIELDS[node.__class__]:
            value = getattr(node, name, None)
            if value is None:
                continue
            for child in value if value.__class__ is list else (value,):
                if child is None:
                    continue
                parents[child] = node
                cls = child.__class__
                if cls in nodes:
                    nodes[cls].append(child)
                else:
                    nodes[cls] = [child]
                if cls is ast.Name:
                    self._visit_name(child, scope)
                elif cls in _HANDLERS:
                    _HANDLERS[cls](self, child, scope)
                elif CHILD_FIELDS[cls]:
                    self._visit_children(child, scope)

    def _visit_field(self, node: ast.AST, child: ast.AST | None, scope: Scope) -> None:
        if child is not None:
            self.parents[child] = node
            self._visit(child, scope)

    def _visit_name(self, node: ast.Name, scope: Scope) -> None:
        if node.ctx.__class__ is ast.Load:
            self._scope_of_name[node] = scope
            uses = scope.uses.get(node.id)
            if uses is None:
                scope.uses[node.id] = [node]
                self._scopes_using.setdefault(node.id, []).append(scope)
            else:
                uses.append(node)

    def _bind(self, scope: Scope, binding: Binding) -> None:
        holder = scope.outer_names.get(binding.name, scope)
        holder.bindings.setdefault(binding.name, []).append(binding)

    def _bind_target(
        self,
        target: ast.AST,
        kind: BindingKind,
        node: ast.AST,
        value: ast.expr | None,
        scope: Scope,
        path: Path = (),
    ) -> None:
        if isinstance(target, ast.Name):
            self._bind(scope, Binding(target.id, kind, node, value, path))
        elif isinstance(target, ast.Starred):
            self._bind_target(target.value, kind, node, value, scope, (*path[:-1], "*"))
        elif isinstance(target, (ast.Tuple, ast.List)):
            starred = False
            for index, element in enumerate(target.elts):
                starred = starred or isinstance(element, ast.Starred)
                step: int | Literal["*"] = index - len(target.elts) if starred else index
                self._bind_target(element, kind, node, value, scope, (*path, step))

    def _visit_import(self, node: ast.Import, scope: Scope) -> None:
        for alias in node.names:
            top = alias.name.partition(".")[0]
            qualified = self._own.get(top, "") + (alias.name if alias.asname else top)
            self._bind(scope, Binding(alias.asname or top, "import", node, qualified=qualified))

    def _visit_import_from(self, node: ast.ImportFrom, scope: Scope) -> None:
        module = "." * node.level + (node.module or "")
        module = self._own.get(module.partition(".")[0], "") + module
        for alias in node.names:
            if alias.name == "*":
                if star_exports(module) is not None:
                    self.star_imports_of_torch.append(module)
                else:
                    self.unknown_star_imports.append(node)
            else:
                separator = "" if module.endswith(".") else "."
                name = f"{module}{separator}{alias.name}"
                self._bind(
                    scope, Binding(alias.asname or alias.name, "import", node, qualified=name)
                )

    def imports_own(self, node: ast.AST) -> bool:
        """Whether a statement imports a library that the project has itself."""
        if isinstance(node, ast.ImportFrom):
            return not node.level and self.is_of_own(node.module or "")
        return isinstance(node, ast.Import) and any(self.is_of_own(a.name) for a in node.names)

    def is_of_own(self, dotted: str) -> bool:
        """Whether a dotted name begins with a library that the project has itself."""
        return bool(self._own) and dotted.partition(".")[0] in self._own

    def _visit_assign(self, node: ast.Assign, scope: Scope) -> None:
        self._visit_children(node, scope)
        for target in node.targets:
            self._bind_target(target, "assign", node, node.value, scope)

    def _visit_annotated(self, node: ast.AnnAssign, scope: Scope) -> None:
        self._visit_children(node, scope)
        self._bind_target(node.target, "assign", node, node.value, scope)

    def _visit_augmented(self, node: ast.AugAssign, scope: Scope) -> None:
        self._visit_children(node, scope)
        self._bind_target(node.target, "augassign", node, node.value, scope)

    def _visit_walrus(self, node: ast.NamedExpr, scope: Scope) -> None:
        self._visit_children(node, scope)
        holder: Scope = scope
        while holder.kind == "comprehension" and holder.parent is not None:
            holder = holder.parent
        self._bind_target(node.target, "walrus", node, node.value, holder)

    def _visit_for(self, node: ast.For, scope: Scope) -> None:
        self._bind_target(node.target, "for", node, node.iter, scope)
        self._visit_children(node, scope)

    def _visit_with(self, node: ast.With, scope: Scope) -> None:
        for item in node.items:
            if item.optional_vars is not None:
                self._bind_target(item.optional_vars, "with", node, item.context_expr, scope)
        self._visit_children(node, scope)

    def _visit_except(self, node: ast.ExceptHandler, scope: Scope) -> None:
        if node.name:
            self._bind(scope, Binding(node.name, "except", node))
        self._visit_children(node, scope)

    def _visit_delete(self, node: ast.Delete, scope: Scope) -> None:
        for target in node.targets:
            self._bind_target(target, "delete", node, None, scope)
        self._visit_children(node, scope)

    def _visit_global(self, node: ast.Global, scope: Scope) -> None:
        for name in node.names:
            scope.outer_names[name] = self.module

    def _visit_nonlocal(self, node: ast.Nonlocal, scope: Scope) -> None:
        for name in node.names:
            outer = scope.parent
            while outer is not None and (outer.kind == "class" or name not in outer.bindings):
                outer = outer.parent
            if outer is not None:
                scope.outer_names[name] = outer

    def _visit_class(self, node: ast.ClassDef, scope: Scope) -> None:
        self._bind(scope, Binding(node.name, "class", node))
        for outside in (*node.decorator_list, *node.bases, *node.keywords):
            self._visit_field(node, outside, scope)
        inner = self.scopes[node] = Scope(node, "class", scope)
        for statement in node.body:
            self._visit_field(node, statement, inner)

    def _visit_function(self, node: ast.FunctionDef, scope: Scope) -> None:
        self._bind(scope, Binding(node.name, "function", node))
        for decorator in node.decorator_list:
            self._visit_field(node, decorator, scope)
        self._visit_field(node, node.returns, scope)
        inner = self.scopes[node] = Scope(node, "function", scope)
        self._visit_parameters(node, node.args, scope, inner)
        for statement in _declarations_first(node.body):
            self._visit_field(node, statement, inner)

    def _visit_lambda(self, node: ast.Lambda, scope: Scope) -> None:
        inner = self.scopes[node] = Scope(node, "lambda", scope)
        self._visit_parameters(node, node.args, scope, inner)
        self._visit_field(node, node.body, inner)

    def _visit_parameters(
        self, owner: ast.AST, arguments: ast.arguments, outside: Scope, inside: Scope
    ) -> None:
        self.parents[arguments] = owner
        for default in (*arguments.defaults, *arguments.kw_defaults):
            self._visit_field(arguments, default, outside)
        parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
        extra = [a for a in (arguments.vararg, arguments.kwarg) if a is not None]
        for parameter in (*parameters, *extra):
            self.parents[parameter] = arguments
            self.nodes.setdefault(ast.arg, []).append(parameter)
            self._visit_field(parameter, parameter.annotation, outside)
            kind: BindingKind = "parameter" if parameter not in extra else "other"
            self._bind(inside, Binding(parameter.arg, kind, parameter))

    def _visit_comprehension(self, node: ast.ListComp, scope: Scope) -> None:
        inner = self.scopes[node] = Scope(node, "comprehension", scope)
        for generator in node.generators:
            self._bind_target(generator.target, "for", generator, generator.iter, inner)
        for generator in node.generators:
            self._visit_field(node, generator, inner)
        if isinstance(node, ast.DictComp):
            self._visit_field(node, node.key, inner)
            self._visit_field(node, node.value, inner)
        else:
            self._visit_field(node, node.elt, inner)


def _declarations_first(body: list[ast.stmt]) -> list[ast.stmt]:
    """``global`` and ``nonlocal`` hold for the whole function, wherever they stand in it."""
    if not any(isinstance(s, (ast.Global, ast.Nonlocal)) for s in body):
        return body
    return sorted(body, key=lambda s: not isinstance(s, (ast.Global, ast.Nonlocal)))


_HANDLERS: dict[type[ast.AST], Callable[[Scopes, Any, Scope], None]] = {
    ast.Name: Scopes._visit_name,
    ast.Import: Scopes._visit_import,
    ast.ImportFrom: Scopes._visit_import_from,
    ast.Assign: Scopes._visit_assign,
    ast.AnnAssign: Scopes._visit_annotated,
    ast.AugAssign: Scopes._visit_augmented,
    ast.NamedExpr: Scopes._visit_walrus,
    ast.For: Scopes._visit_for,
    ast.AsyncFor: Scopes._visit_for,
    ast.With: Scopes._visit_with,
    ast.AsyncWith: Scopes._visit_with,
    ast.ExceptHandler: Scopes._visit_except,
    ast.Delete: Scopes._visit_delete,
    ast.Global: Scopes._visit_global,
    ast.Nonlocal: Scopes._visit_nonlocal,
    ast.ClassDef: Scopes._visit_class,
    ast.FunctionDef: Scopes._visit_function,
    ast.AsyncFunctionDef: Scopes._visit_function,
    ast.Lambda: Scopes._visit_lambda,
    ast.ListComp: Scopes._visit_comprehension,
    ast.SetComp: Scopes._visit_comprehension,
    ast.DictComp: Scopes._visit_comprehension,
    ast.GeneratorExp: Scopes._visit_comprehension,
}
