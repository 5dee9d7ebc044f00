"""The classes of one module: which are ``nn.Module``s, their methods and attributes."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Literal

from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.language.names import Names
from torchfix_codemods.facts.language.nodes import is_docstring
from torchfix_codemods.facts.language.scopes import Binding

ClassKind = Literal["module", "plain", "unknown"]

_KNOWN_PLAIN = frozenset({"object", "Exception", "ValueError", "dict", "list", "tuple"})

_PLAIN_OF_TORCH = ("torch.utils.data.", "torch.autograd.", "torch.distributions.")

#: Decorators after which a function still returns what it returns, and a class makes its objects.
_KEEPING = frozenset(
    """staticmethod classmethod property abstractmethod override abc.abstractmethod typing.override
    typing_extensions.override functools.lru_cache functools.cache six.add_metaclass
    six.python_2_unicode_compatible""".split()
)


class Classes:
    """Queries about the classes of one module.

    Args:
        names: the scopes of the module.
        kind_elsewhere: tells the kind of a base class that another file may define.
    """

    def __init__(
        self, names: Names, kind_elsewhere: Callable[[ast.expr], ClassKind] = lambda base: "unknown"
    ) -> None:
        self._names = names
        self._kind_elsewhere = kind_elsewhere
        self._kinds: dict[ast.ClassDef, ClassKind] = {}
        self._attributes: dict[ast.ClassDef, dict[str, list[Binding]]] | None = None
        self._bases: dict[ast.ClassDef, list[ast.ClassDef]] = {}
        self._methods_of: dict[ast.ClassDef, dict[str, ast.FunctionDef]] = {}

    def kind(self, definition: ast.ClassDef) -> ClassKind:
        """Whether a class is an ``nn.Module``; "unknown" where a base comes from elsewhere."""
        if definition not in self._kinds:
            self._kinds[definition] = "unknown"
            self._kinds[definition] = self._kind(definition)
        return self._kinds[definition]

    def bases(self, definition: ast.ClassDef) -> list[ast.ClassDef]:
        """The class and its bases in this file, nearest first."""
        if definition not in self._bases:
            found: dict[ast.ClassDef, None] = {}
            pending = [definition]
            while pending:
                current = pending.pop(0)
                if current not in found:
                    found[current] = None
                    pending += [b for b in map(self.definition_of, current.bases) if b is not None]
            self._bases[definition] = list(found)
        return self._bases[definition]

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
        if definition not in self._methods_of:
            methods: dict[str, ast.FunctionDef] = {}
            for cls in self.bases(definition):
                for statement in cls.body:
                    if isinstance(statement, ast.FunctionDef):
                        methods.setdefault(statement.name, statement)
            self._methods_of[definition] = methods
        return self._methods_of[definition].get(name)

    def overriding(self, definition: ast.ClassDef, name: str) -> Iterator[ast.FunctionDef]:
        """The methods ``name`` of the classes of this file below a class."""
        for cls, method in self._methods.get(name, ()):
            if cls is not definition and definition in self.bases(cls):
                yield method

    @functools.cached_property
    def _methods(self) -> dict[str, list[tuple[ast.ClassDef, ast.FunctionDef]]]:
        """The methods of all classes by name, with the class that each stands in."""
        table: dict[str, list[tuple[ast.ClassDef, ast.FunctionDef]]] = {}
        for cls in self._names.nodes.get(ast.ClassDef, ()):
            for statement in cls.body if isinstance(cls, ast.ClassDef) and cls.bases else ():
                if isinstance(statement, ast.FunctionDef):
                    table.setdefault(statement.name, []).append((cls, statement))  # type: ignore
        return table

    def has_own(self, definition: ast.ClassDef, name: str) -> bool:
        """Whether a class itself, not a base, sets a name, by a method or an assignment."""
        defined = any(getattr(statement, "name", None) == name for statement in definition.body)
        return defined or bool(self._own_attributes(definition).get(name))

    def is_property(self, method: ast.FunctionDef) -> bool:
        """Whether reading the attribute calls the method."""
        return any(isinstance(d, ast.Name) and d.id == "property" for d in method.decorator_list)

    def is_wrapped(self, definition: ast.AST) -> bool:
        """Whether a decorator may make another function, or class, of it."""
        return any(
            not self._keeps_function(decorator)
            for decorator in getattr(definition, "decorator_list", ())
        )

    def _keeps_function(self, decorator: ast.expr) -> bool:
        if isinstance(decorator, ast.Attribute) and decorator.attr == "setter":
            return True
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        name = self._names.name(called)
        if name is None and isinstance(decorator, ast.Name):
            name = decorator.id
        return name in _KEEPING or (name or "").startswith("torch.")

    def self_name(self, method: ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
        """The name of a method's first parameter, unless it is a static or class method."""
        for decorator in method.decorator_list:
            if isinstance(decorator, ast.Name) and decorator.id in ("staticmethod", "classmethod"):
                return None
        parameters = [*method.args.posonlyargs, *method.args.args]
        return parameters[0].arg if parameters else None

    def is_static(self, method: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
        """Whether a method gets nothing of the object, or class, that it is called on."""
        return "staticmethod" in {getattr(d, "id", None) for d in method.decorator_list}

    def gets_object(self, function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
        """Whether a function is a method that gets the object, or class, that it is called on."""
        is_method = isinstance(self._names.parents.get(function), ast.ClassDef)
        return is_method and not self.is_static(function)

    def handed_on(self, method: ast.FunctionDef) -> str | None:
        """The method of its object that one calls, whose result it gives, and nothing besides."""
        body = [statement for statement in method.body if not is_docstring(statement)]
        given = body[0].value if len(body) == 1 and isinstance(body[0], ast.Return) else None
        if not isinstance(given, ast.Call) or not isinstance(given.func, ast.Attribute):
            return None
        if not isinstance(given.func.value, ast.Name) or not self.gets_object(method):
            return None
        return given.func.attr if given.func.value.id == self.self_name(method) else None

    def is_in_forward(self, node: ast.AST) -> bool:
        """Whether a node stands in the ``forward`` of a module, and in no function inside of it."""
        function = self._names.enclosing_function(node)
        if not isinstance(function, ast.FunctionDef) or function.name != "forward":
            return False
        owner = self._names.parents.get(function)
        return isinstance(owner, ast.ClassDef) and self.kind(owner) == "module"

    def _object_name(self, method: ast.FunctionDef | ast.AsyncFunctionDef) -> str | None:
        """The name in a method of the object, or of the class, that it belongs to."""
        parameters = [*method.args.posonlyargs, *method.args.args]
        return None if self.is_static(method) or not parameters else parameters[0].arg

    def attribute_sources(self, definition: ast.ClassDef, name: str) -> list[Binding]:
        """Every assignment of ``self.name`` in a class and its bases in this file."""
        result = []
        for cls in self.bases(definition):
            result += self._own_attributes(cls).get(name, [])
        return result

    def is_of_other(self, node: ast.Attribute, definition: ast.ClassDef) -> bool:
        """Whether ``self.name`` in a method is certainly none of the objects of another class.

        Both classes have constructors of their own, and no class of this file is both.
        """
        method = self._method_around(node)
        owner = None if method is None else self._names.parents[method]
        if not isinstance(owner, ast.ClassDef) or not isinstance(node.value, ast.Name):
            return False
        if method is None or self._object_name(method) != node.value.id:
            return False
        both = {owner, definition}
        return all(self.has_own(cls, "__init__") for cls in both) and not any(
            both <= set(self.bases(cls))
            for cls in self._names.nodes.get(ast.ClassDef, ())
            if isinstance(cls, ast.ClassDef)
        )

    def buffers(self, definition: ast.ClassDef, name: str) -> Iterator[ast.expr]:
        """What ``self.register_buffer(name, …)`` is given in a class and its bases in this file."""
        for cls in self.bases(definition):
            yield from self._buffers.get((cls, name), ())

    @functools.cached_property
    def _buffers(self) -> dict[tuple[ast.ClassDef, object], list[ast.expr]]:
        table: dict[tuple[ast.ClassDef, object], list[ast.expr]] = {}
        for call in self._names.method_calls("register_buffer"):
            method = self._method_around(call)
            owner = None if method is None else self._names.parents[method]
            holder = call.func.value if isinstance(call.func, ast.Attribute) else None
            if method is None or not isinstance(owner, ast.ClassDef) or is_opaque(call):
                continue
            if isinstance(holder, ast.Name) and holder.id == self._object_name(method):
                name, value = argument(call, 0, "name"), argument(call, 1, "tensor")
                # Of None nothing is seen but that a tensor may be assigned later.
                if value is not None and not isinstance(value, ast.Constant):
                    table.setdefault((owner, constant(name)), []).append(value)
        return table

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
        if name is not None and name.startswith(_PLAIN_OF_TORCH):
            return "plain"
        if isinstance(base, ast.Name) and base.id in _KNOWN_PLAIN:
            return "plain"
        return self._kind_elsewhere(base)

    def _own_attributes(self, definition: ast.ClassDef) -> dict[str, list[Binding]]:
        if self._attributes is None:
            self._attributes = self._index_attributes()
        return self._attributes.get(definition, {})

    def _index_attributes(self) -> dict[ast.ClassDef, dict[str, list[Binding]]]:
        """All assignments of ``self.name`` and of class attributes, by class and name."""
        table: dict[ast.ClassDef, dict[str, list[Binding]]] = {}
        for scope in self._names.scopes.values():
            if isinstance(scope.node, ast.ClassDef):
                for name, bindings in scope.bindings.items():
                    own = [b for b in bindings if b.kind == "assign" and not b.path]
                    if _is_made_with_fields(scope.node):
                        own = [_as_field(binding) for binding in own]
                    table.setdefault(scope.node, {}).setdefault(name, []).extend(own)
        for node in self._names.changed_attributes:
            if not isinstance(node.value, ast.Name):
                continue
            method = self._method_around(node)
            owner = None if method is None else self._names.parents[method]
            if isinstance(owner, ast.ClassDef) and method is not None:
                if self._object_name(method) == node.value.id:
                    binding = self._attribute_binding(node)
                    table.setdefault(owner, {}).setdefault(node.attr, []).append(binding)
        return table

    def _method_around(self, node: ast.AST) -> ast.FunctionDef | ast.AsyncFunctionDef | None:
        """The method, not a function inside of it, that holds ``node``."""
        child = node
        for parent in self._names.ancestors(node):
            if isinstance(parent, ast.ClassDef):
                is_method = isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef))
                return child if is_method else None  # type: ignore[return-value]
            child = parent
        return None

    def _attribute_binding(self, node: ast.Attribute) -> Binding:
        """What an assignment to an attribute gives it; nothing is known of loops and ``with``."""
        path: tuple[int, ...] = ()
        child: ast.AST = node
        parent = self._names.parents[node]
        while isinstance(parent, (ast.Tuple, ast.List)):
            path = (parent.elts.index(child), *path)  # type: ignore[arg-type]
            child, parent = parent, self._names.parents[parent]
        value = parent.value if isinstance(parent, (ast.Assign, ast.AnnAssign)) else None
        return Binding(node.attr, "assign", parent, value, path)


def is_asked_for(names: Names, node: ast.AST) -> bool:
    """Whether a class stands where ``isinstance`` or ``issubclass`` takes its classes."""
    return question_for(names, node) is not None


def question_for(names: Names, node: ast.AST) -> ast.Call | None:
    """The ``isinstance`` or ``issubclass`` that a class, or a tuple with it, is handed to."""
    child, parent = _outermost(names, node)
    if not isinstance(parent, ast.Call) or child not in parent.args[1:]:
        return None
    return parent if getattr(parent.func, "id", "") in ("isinstance", "issubclass") else None


def _is_made_with_fields(definition: ast.ClassDef) -> bool:
    """Whether a decorator may give a class an ``__init__`` that sets its fields."""
    return bool(definition.decorator_list)


def _as_field(binding: Binding) -> Binding:
    """Of a field only the default is written down, not what it is given."""
    if not isinstance(binding.node, ast.AnnAssign):
        return binding
    return replace(binding, value=None)


def is_annotation(names: Names, node: ast.AST) -> bool:
    """Whether a class stands in the annotation of a parameter, a result or a variable."""
    child, parent = _outermost(names, node)
    return child in (getattr(parent, "annotation", None), getattr(parent, "returns", None))


def _outermost(names: Names, node: ast.AST) -> tuple[ast.AST, ast.AST | None]:
    """The tuple, union or generic type that a class is part of, and what holds it."""
    child = node
    for parent in names.ancestors(node):
        if not isinstance(parent, (ast.Subscript, ast.Tuple, ast.BinOp)):
            return child, parent
        child = parent
    return child, None


def is_initialized_above(node: ast.stmt, constructor: ast.FunctionDef) -> bool:
    """Whether ``super().__init__()`` comes before, without which no module takes a part."""
    return any(
        isinstance(statement, ast.Expr)
        and isinstance(statement.value, ast.Call)
        and isinstance(statement.value.func, ast.Attribute)
        and statement.value.func.attr == "__init__"
        and statement.lineno < node.lineno
        for statement in constructor.body
    )
