"""Names of one module: which name is which qualified name, and where it is used."""

from __future__ import annotations

import ast
import builtins
import copy
import functools
import itertools
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, TypeVar

from torchfix_codemods.facts.language.nodes import last_name, own_nodes, walk
from torchfix_codemods.facts.language.scopes import Binding, Scope, Scopes
from torchfix_codemods.facts.language.stars_below import StarsBelow
from torchfix_codemods.facts.libraries.torch_names import canonical, star_exports

T = TypeVar("T")

#: Python's own names, and those that Python 2 had.
_BUILTINS = frozenset(dir(builtins)) | frozenset(
    "apply basestring cmp execfile file long raw_input reduce reload unichr unicode xrange".split()
)

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def is_of_python(name: str) -> bool:
    """Whether Python has a name of its own, or Python 2 had."""
    return name in _BUILTINS


class Names(Scopes):
    """What the names of one module mean.

    Args:
        tree: the parsed module.
        own: the libraries that the project has itself, as :class:`Scopes` takes them.
    """

    def __init__(self, tree: ast.Module, own: Mapping[str, str] | None = None) -> None:
        super().__init__(tree, own)
        self.is_method_of_project: Callable[[str], bool] = lambda name: False
        """Whether a class of the project may have a method of that name without arguments."""
        self.name_from_project: Callable[[str], str | None] = lambda name: None
        """The qualified name that the star imports of other files of the project give a name."""
        self.stars_below = StarsBelow()
        self._names: dict[ast.AST, str | None] = {}
        self._starred: dict[str, str | None] = {}
        self._method_calls: dict[str, list[ast.Call]] | None = None
        self._attributes: dict[str, list[ast.Attribute]] | None = None
        self._memory: dict[object, Any] = {}

    def again(self) -> Names:
        """The same scopes, for other facts of the same tree: what a name means is asked anew."""
        fresh = copy.copy(self)
        fresh.name_from_project = lambda name: None
        fresh.stars_below = StarsBelow()
        fresh._names = {}
        fresh._starred = {}
        fresh._memory = {}
        fresh.is_method_of_project = lambda name: False
        return fresh

    def remembered(self, key: object, compute: Callable[[], T]) -> T:
        """What ``compute`` returned when this was first asked with ``key``."""
        if key not in self._memory:
            self._memory[key] = compute()
        result: T = self._memory[key]
        return result

    # Queries

    def scope_of(self, node: ast.AST) -> Scope:
        """The scope in which ``node`` is evaluated."""
        known = self._scope_of_name.get(node)
        if known is not None:
            return known
        scope = self._scope_of_name[node] = self._scope_around(node)
        return scope

    def _scope_around(self, node: ast.AST) -> Scope:
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
        if node.__class__ is not ast.Name and node.__class__ is not ast.Attribute:
            return None
        names = self._names
        if node not in names:
            names[node] = None
            names[node] = self._resolve(node)
        return names[node]

    def uses_of(self, holder: Scope, name: str) -> Iterator[ast.Name]:
        """Every place that reads ``name`` of the scope ``holder``, in inner scopes too."""
        for scope in self.scopes_using(name):
            found = scope.lookup(name)
            if found is not None and found[0] is holder:
                yield from scope.uses[name]

    def inside(self, holder: ast.AST, *classes: type[T]) -> Iterator[T]:
        """The nodes of some classes in a class or function, that one included.

        For what is asked again and again; :func:`~torchfix_codemods.facts.language.nodes.walk`
        goes through a part of a statement.
        """
        found = self.remembered(("inside", holder), lambda: _by_class(holder))
        for cls in classes:
            yield from found.get(cls, ())

    def method_calls(self, name: str) -> list[ast.Call]:
        """All calls of the form ``receiver.name(…)``."""
        if self._method_calls is None:
            self._method_calls = {}
            for node in self.nodes.get(ast.Call, ()):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                    self._method_calls.setdefault(node.func.attr, []).append(node)
        return self._method_calls.get(name, [])

    def calls(self, name: str) -> list[ast.Call]:
        """All calls of the forms ``name(…)`` and ``receiver.name(…)``."""
        return self.remembered("calls", self._find_calls).get(name, [])

    def _find_calls(self) -> dict[str | None, list[ast.Call]]:
        found: dict[str | None, list[ast.Call]] = {}
        for call in self.nodes.get(ast.Call, ()):
            if isinstance(call, ast.Call):
                found.setdefault(last_name(call.func), []).append(call)
        return found

    def own_nodes(self, holder: ast.AST) -> list[ast.AST]:
        """The nodes of a body, without those of functions and classes inside it, to ask again."""
        return self.remembered(("own nodes", holder), lambda: [*own_nodes(holder)])

    def attributes(self, name: str) -> list[ast.Attribute]:
        """All expressions of the form ``receiver.name``."""
        if self._attributes is None:
            self._attributes = {}
            for node in self.nodes.get(ast.Attribute, ()):
                if isinstance(node, ast.Attribute):
                    self._attributes.setdefault(node.attr, []).append(node)
        return self._attributes.get(name, [])

    def texts(self, text: str) -> list[ast.Constant]:
        """All strings that are nothing but a certain text."""
        return self.remembered("texts", self._find_texts).get(text, [])

    def _find_texts(self) -> dict[str, list[ast.Constant]]:
        found: dict[str, list[ast.Constant]] = {}
        for node in self.nodes.get(ast.Constant, ()):
            if isinstance(node, ast.Constant) and node.value.__class__ is str:
                found.setdefault(node.value, []).append(node)
        return found

    def imports(self, name: str) -> list[Binding]:
        """What binds something by an import that is called so where it comes from."""
        return self.remembered("imports", self._find_imports).get(name, [])

    def _find_imports(self) -> dict[str, list[Binding]]:
        found: dict[str, list[Binding]] = {}
        for scope in self.scopes.values():
            for binding in itertools.chain.from_iterable(scope.bindings.values()):
                if binding.kind == "import":
                    original = (binding.qualified or "").rpartition(".")[2]
                    found.setdefault(original, []).append(binding)
        return found

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

    def is_compared_class(self, node: ast.Attribute) -> bool:
        """Whether it is the ``x.__class__`` of a comparison: ``x.__class__ is Variable``."""
        return node.attr == "__class__" and isinstance(self.parents.get(node), ast.Compare)

    @functools.cached_property
    def kind_checked(self) -> frozenset[str]:
        """The names of which the module asks anywhere what kind of thing they hold."""
        asking = ("isinstance", "type", "is_tensor")
        compared = frozenset(
            asked.value.id
            for asked in self.attributes("__class__")
            if isinstance(asked.value, ast.Name) and self.is_compared_class(asked)
        )
        if not (any(map(self.scopes_using, asking)) or self.attributes("is_tensor")):
            return compared
        calls = (node for node in self.nodes.get(ast.Call, ()) if isinstance(node, ast.Call))
        return compared.union(
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
        scope: Scope | None = self.scope_of(node)
        while scope is not None:
            if isinstance(scope.node, _FUNCTIONS):
                return scope.node
            scope = scope.parent
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
        known = self._resolve_bindings(found[1])
        return None if known is not None and self.is_given_by_star(node, known) else known

    def is_given_by_star(self, node: ast.Name, known: str) -> bool:
        """Whether a star import below the lines that make ``known`` of a name makes another of it.

        While the module level itself runs, only the imports above have been.
        """
        stars = self.unknown_star_imports
        found = self.scope_of(node).lookup(node.id) if stars else None
        if found is None or found[0] is not self.module:
            return False
        before = node.lineno if self.scope_of(node) is self.module else None
        return self.stars_below.change(node.id, known, found[1], stars, before)

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
        if not bindings:
            return self._from_star_import(name)
        known = self._resolve_bindings(bindings)
        stars = self.unknown_star_imports if known is not None else ()
        is_changed = stars and self.stars_below.change(name, known or "", bindings, stars)
        return None if is_changed else known

    def _evaluated_outside(self, child: ast.AST, parent: ast.AST) -> bool:
        """Decorators, annotations and bases run in the scope around a definition."""
        return isinstance(parent, (*_FUNCTIONS, ast.ClassDef)) and child not in parent.body


def _by_class(holder: ast.AST) -> dict[type, list[Any]]:
    found: dict[type, list[Any]] = {}
    for node in walk(holder):
        found.setdefault(node.__class__, []).append(node)
    return found
