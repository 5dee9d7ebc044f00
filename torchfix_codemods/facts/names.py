"""Scopes, bindings and imports of one module: which name is which qualified name."""

from __future__ import annotations

import ast
import builtins
import copy
import functools
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from torchfix_codemods.facts.kept_data import data_attributes
from torchfix_codemods.facts.torch_names import canonical, star_exports

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
        value = self.value
        for step in self.path:
            value = element_for(value, step) if isinstance(value, (ast.Tuple, ast.List)) else None
        return value


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


#: Python's own names, and those that Python 2 had.
_BUILTINS = frozenset(dir(builtins)) | frozenset(
    "apply basestring cmp execfile file long raw_input reduce reload unichr unicode xrange".split()
)

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)

#: Fields that hold strings, numbers, operators and contexts, never a node worth a visit.
_NOT_NODES = frozenset(
    """ctx op ops type_comment kind type_ignores id attr arg name asname names module level
    conversion simple is_async n s rest kwd_attrs""".split()
)

#: Nodes without a node below; what ``case True`` holds is a plain value.
_LEAVES = (ast.Constant, ast.Name, ast.Global, ast.Nonlocal, ast.MatchSingleton)


class _ChildFields(dict[type, tuple[str, ...]]):
    """The fields of each node class that hold a node, a list of nodes, or None."""

    def __missing__(self, cls: type[ast.AST]) -> tuple[str, ...]:
        is_leaf = issubclass(cls, _LEAVES)
        fields = () if is_leaf else tuple(f for f in cls._fields if f not in _NOT_NODES)
        self[cls] = fields
        return fields


_CHILD_FIELDS = _ChildFields()


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes directly below a node, but for operators and contexts, in source order."""
    found: list[ast.AST] = []
    for name in _CHILD_FIELDS[node.__class__]:
        value = getattr(node, name)
        if value.__class__ is list:
            found += value
        else:
            found.append(value)
    return [child for child in found if child is not None]


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """``ast.walk`` without operators and contexts, in half the time."""
    pending = [node]
    for current in pending:
        pending += children(current)
        yield current


class Names:
    """The scopes of one module, built in one walk.

    Args:
        tree: the parsed module.
    """

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.parents: dict[ast.AST, ast.AST] = {}
        self.scopes: dict[ast.AST, Scope] = {}
        self.nodes: dict[type, list[ast.AST]] = {ast.Module: [tree]}
        """All nodes of the module by class, in source order."""
        self.unknown_star_imports: list[ast.ImportFrom] = []
        self.star_imports_of_torch: list[str] = []
        self.is_method_of_project: Callable[[str], bool] = lambda name: False
        """Whether a class of the project may have a method of that name without arguments."""
        self.name_from_project: Callable[[str], str | None] = lambda name: None
        """The qualified name that the star imports of other files of the project give a name."""
        self.module = Scope(tree, "module", None)
        self.scopes[tree] = self.module
        self._names: dict[ast.AST, str | None] = {}
        self._starred: dict[str, str | None] = {}
        self._scopes_using: dict[str, list[Scope]] = {}
        self._method_calls: dict[str, list[ast.Call]] | None = None
        self._attributes: dict[str, list[ast.Attribute]] | None = None
        self._scope_of_name: dict[ast.AST, Scope] = {}
        self._visit_children(tree, self.module)

    def again(self) -> Names:
        """The same scopes, for other facts of the same tree: what a name means is asked anew."""
        fresh = copy.copy(self)
        fresh.name_from_project = lambda name: None
        fresh._names = {}
        fresh._starred = {}
        fresh.is_method_of_project = lambda name: False
        return fresh

    # Queries

    def scope_of(self, node: ast.AST) -> Scope:
        """The scope in which ``node`` is evaluated."""
        known = self._scope_of_name.get(node)
        if known is not None:
            return known
        child, parent = node, self.parents.get(node)
        while parent is not None:
            if isinstance(parent, ast.arguments):
                # A default runs where the function is defined.
                parent = self.parents[parent]
            elif parent in self.scopes and not self._evaluated_outside(child, parent):
                return self.scopes[parent]
            child, parent = parent, self.parents.get(parent)
        return self.module

    def name(self, node: ast.AST) -> str | None:
        """The qualified name of an expression such as ``F.softmax``.

        Returns:
            ``"torch.nn.functional.softmax"``, or None where the name is not certain: shadowed,
            bound in several ways, or possibly brought in by a star import of unknown content.
        """
        if node not in self._names:
            self._names[node] = None
            self._names[node] = self._resolve(node)
        return self._names[node]

    def uses_of(self, holder: Scope, name: str) -> Iterator[ast.Name]:
        """Every place that reads ``name`` of the scope ``holder``, in inner scopes too."""
        for scope in self.scopes_using(name):
            found = scope.lookup(name)
            if found is not None and found[0] is holder:
                yield from scope.uses[name]

    def method_calls(self, name: str) -> list[ast.Call]:
        """All calls of the form ``receiver.name(…)``."""
        if self._method_calls is None:
            self._method_calls = {}
            for node in self.nodes.get(ast.Call, ()):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                    self._method_calls.setdefault(node.func.attr, []).append(node)
        return self._method_calls.get(name, [])

    def attributes(self, name: str) -> list[ast.Attribute]:
        """All expressions of the form ``receiver.name``."""
        if self._attributes is None:
            self._attributes = {}
            for node in self.nodes.get(ast.Attribute, ()):
                if isinstance(node, ast.Attribute):
                    self._attributes.setdefault(node.attr, []).append(node)
        return self._attributes.get(name, [])

    @functools.cached_property
    def method_names(self) -> frozenset[str]:
        """The names of all methods that the classes of the module define, or that it may assign."""
        defined = {
            statement.name
            for node in self.nodes.get(ast.ClassDef, ())
            if isinstance(node, ast.ClassDef)
            for statement in node.body
            if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef))
        }
        return (self.assigned_attributes - data_attributes(self)) | defined

    @functools.cached_property
    def assigned_attributes(self) -> frozenset[str]:
        """The names of all attributes that the module assigns, of whatever object."""
        return frozenset(n.attr for n in self.changed_attributes if isinstance(n.ctx, ast.Store))

    def may_be_built_here(self, node: ast.expr) -> bool:
        """Whether an expression can be what the module itself builds: ``self.layer``.

        An attribute has to be given to something then, by an assignment, in the body of a class, or
        by its name as a string; a method of a tensor is not.
        """
        if not isinstance(node, ast.Attribute) or node.attr in self._given:
            return True
        return bool(self.method_calls("add_module") or self.scopes_using("setattr"))

    @functools.cached_property
    def _given(self) -> frozenset[str]:
        """The names of all that the module binds, attributes included."""
        bound = (name for scope in self.scopes.values() for name in scope.bindings)
        return self.assigned_attributes.union(bound)

    @functools.cached_property
    def defined(self) -> frozenset[str]:
        """The names of all functions and methods of the module, and of what stands for one."""
        functions = (n for cls in _FUNCTIONS for n in self.nodes.get(cls, ()))
        names = frozenset(n.name for n in functions if isinstance(n, _FUNCTIONS))
        return names | self.assigned_attributes

    @functools.cached_property
    def changed_attributes(self) -> list[ast.Attribute]:
        """All attributes that the module assigns or deletes, of whatever object."""
        return [
            node
            for node in self.nodes.get(ast.Attribute, ())
            if isinstance(node, ast.Attribute) and not isinstance(node.ctx, ast.Load)
        ]

    @functools.cached_property
    def stored_keys(self) -> frozenset[object]:
        """The literal keys and positions that the module stores something under."""
        stores = self._stores
        return frozenset(s.slice.value for s in stores if isinstance(s.slice, ast.Constant))

    @functools.cached_property
    def stores_by_computed_key(self) -> tuple[ast.Subscript, ...]:
        """``x[key] = …`` with a key that is no literal."""
        return tuple(s for s in self._stores if not isinstance(s.slice, ast.Constant))

    @functools.cached_property
    def _stores(self) -> tuple[ast.Subscript, ...]:
        return tuple(
            node
            for node in self.nodes.get(ast.Subscript, ())
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
        )

    @functools.cached_property
    def kind_checked(self) -> frozenset[str]:
        """The names of which the module asks anywhere what kind of thing they hold."""
        asking = ("isinstance", "type", "is_tensor")
        if not (any(map(self.scopes_using, asking)) or self.attributes("is_tensor")):
            return frozenset()
        calls = (node for node in self.nodes.get(ast.Call, ()) if isinstance(node, ast.Call))
        return frozenset(
            call.args[0].id
            for call in calls
            if call.args
            and isinstance(call.args[0], ast.Name)
            and getattr(call.func, "attr", getattr(call.func, "id", None)) in asking
        )

    @property
    def used(self) -> Collection[str]:
        """All names that the module reads."""
        return self._scopes_using.keys()

    def scopes_using(self, name: str) -> list[Scope]:
        """The scopes in which ``name`` is read."""
        return self._scopes_using.get(name, [])

    def ancestors(self, node: ast.AST) -> Iterator[ast.AST]:
        """The parents of ``node``, innermost first."""
        parent = self.parents.get(node)
        while parent is not None:
            yield parent
            parent = self.parents.get(parent)

    def statement(self, node: ast.AST) -> ast.stmt:
        """The innermost statement that holds ``node``."""
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node

    def enclosing_function(self, node: ast.AST) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """The innermost function whose body holds ``node``."""
        child = node
        for parent in self.ancestors(node):
            if isinstance(parent, _FUNCTIONS) and child in parent.body:
                return parent
            child = parent
        return None

    def enclosing_class(self, node: ast.AST) -> ast.ClassDef | None:
        """The innermost class whose body holds ``node``."""
        for parent in self.ancestors(node):
            if isinstance(parent, ast.ClassDef):
                return parent
        return None

    # Resolution

    def _resolve(self, node: ast.AST) -> str | None:
        if isinstance(node, ast.Attribute):
            base = self.name(node.value)
            return None if base is None else canonical(f"{base}.{node.attr}")
        if not isinstance(node, ast.Name):
            return None
        found = self.scope_of(node).lookup(node.id)
        if found is None:
            return self._from_star_import(node.id)
        return self._resolve_bindings(found[1])

    def _resolve_bindings(self, bindings: list[Binding]) -> str | None:
        names: set[str | None] = set()
        for binding in bindings:
            if binding.kind == "import":
                names.add(binding.qualified)
            elif self._is_missing_module(binding):
                continue
            elif (
                binding.kind == "assign"
                and not binding.path
                and isinstance(binding.value, (ast.Name, ast.Attribute))
            ):
                names.add(self.name(binding.value))
            else:
                return None
        if len(names) != 1:
            return None
        only = names.pop()
        return None if only is None else canonical(only)

    def _is_missing_module(self, binding: Binding) -> bool:
        """``torch = None`` under ``except ImportError``: no use of it is reached with None."""
        return (
            binding.kind == "assign"
            and isinstance(binding.value, ast.Constant)
            and binding.value.value is None
            and isinstance(self.parents.get(binding.node), ast.ExceptHandler)
        )

    def _from_star_import(self, name: str) -> str | None:
        if self.unknown_star_imports:
            if name not in self._starred:
                # Files that import each other in a circle give it no certain name.
                self._starred[name] = None
                self._starred[name] = self.name_from_project(name)
            return self._starred[name]
        names = self.names_from_torch(name)
        return names.pop() if len(names) == 1 else None

    def builtin(self, node: ast.AST) -> str | None:
        """The name of Python's own function or class, or of Python 2's, that an expression is.

        None for all else, and for a name that is bound here.
        """
        if not isinstance(node, ast.Name) or node.id not in _BUILTINS:
            return None
        return node.id if self.scope_of(node).lookup(node.id) is None else None

    def names_from_torch(self, name: str) -> set[str]:
        """The qualified names that star imports of torch's modules can give a name."""
        owners = [m for m in self.star_imports_of_torch if name in (star_exports(m) or ())]
        return {canonical(f"{owner}.{name}") for owner in owners}

    def name_left(self, name: str) -> str | None:
        """The qualified name of a name of the module level, as the module leaves it."""
        bindings = self.module.bindings.get(name)
        return self._resolve_bindings(bindings) if bindings else self._from_star_import(name)

    def _evaluated_outside(self, child: ast.AST, parent: ast.AST) -> bool:
        """Decorators, annotations and bases run in the scope around a definition."""
        return isinstance(parent, (*_FUNCTIONS, ast.ClassDef)) and child not in parent.body

    # The walk

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
        for name in _CHILD_FIELDS[node.__class__]:
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
                elif _CHILD_FIELDS[cls]:
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
            if alias.asname:
                self._bind(scope, Binding(alias.asname, "import", node, qualified=alias.name))
            else:
                top = alias.name.partition(".")[0]
                self._bind(scope, Binding(top, "import", node, qualified=top))

    def _visit_import_from(self, node: ast.ImportFrom, scope: Scope) -> None:
        module = "." * node.level + (node.module or "")
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


_HANDLERS: dict[type[ast.AST], Callable[[Names, Any, Scope], None]] = {
    ast.Name: Names._visit_name,
    ast.Import: Names._visit_import,
    ast.ImportFrom: Names._visit_import_from,
    ast.Assign: Names._visit_assign,
    ast.AnnAssign: Names._visit_annotated,
    ast.AugAssign: Names._visit_augmented,
    ast.NamedExpr: Names._visit_walrus,
    ast.For: Names._visit_for,
    ast.AsyncFor: Names._visit_for,
    ast.With: Names._visit_with,
    ast.AsyncWith: Names._visit_with,
    ast.ExceptHandler: Names._visit_except,
    ast.Delete: Names._visit_delete,
    ast.Global: Names._visit_global,
    ast.Nonlocal: Names._visit_nonlocal,
    ast.ClassDef: Names._visit_class,
    ast.FunctionDef: Names._visit_function,
    ast.AsyncFunctionDef: Names._visit_function,
    ast.Lambda: Names._visit_lambda,
    ast.ListComp: Names._visit_comprehension,
    ast.SetComp: Names._visit_comprehension,
    ast.DictComp: Names._visit_comprehension,
    ast.GeneratorExp: Names._visit_comprehension,
}


def last_name(node: ast.AST) -> str | None:
    """``weight`` of ``weight`` and of ``self.layer.weight``; None for what ends otherwise."""
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", None)


def own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function's body, without those of functions and classes inside it."""
    pending: list[ast.AST] = list(getattr(function, "body", []))
    while pending:
        node = pending.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            pending += children(node)
