"""What the files that a module saves and loads hold: tensors, or whole pickled objects."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from torchfix_codemods.facts.evaluation import parameters
from torchfix_codemods.facts.evidence.kind_checks import is_kind_checked
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths import callers
from torchfix_codemods.facts.paths.uses import uses_of
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import (
    Array,
    ClassObject,
    Foreign,
    Function,
    Instance,
    Module,
    Optimizer,
    Text,
    Unknown,
)
from torchfix_codemods.record import record

_MAX_DEPTH = 6

#: What a dict, a list or a tensor has as well: reading one of these proves nothing.
_PLAIN_ATTRIBUTES = frozenset(
    """data shape dtype device grad grad_fn T H mT is_cuda requires_grad is_leaf ndim layout real
    imag names _metadata""".split()
)
#: Methods that a module has and neither a dict nor a tensor.
_MODULE_METHODS = frozenset(
    """eval train parameters named_parameters modules named_modules children named_children forward
    state_dict zero_grad load_state_dict""".split()
)


#: Classes of Python that ``torch.load`` refuses; it takes sets and counters.
_REFUSED = frozenset(
    """argparse.Namespace collections.defaultdict collections.deque datetime.date datetime.datetime
    datetime.timedelta decimal.Decimal fractions.Fraction pathlib.Path pathlib.PosixPath
    pathlib.PurePath random.Random types.SimpleNamespace uuid.UUID""".split()
)


def calls_of(facts: Facts, name: str) -> list[ast.Call]:
    """The calls of a function of torch in this module."""
    return facts.remembered("calls by name", lambda: _calls_by_name(facts)).get(name, [])


def _calls_by_name(facts: Facts) -> dict[str | None, list[ast.Call]]:
    found: dict[str | None, list[ast.Call]] = {}
    for node in facts.names.nodes.get(ast.Call, ()):
        assert isinstance(node, ast.Call)
        found.setdefault(facts.name(node.func), []).append(node)
    return found


def saved_object(save: ast.Call) -> ast.expr | None:
    """The object of ``torch.save(obj, path)``."""
    return _argument(save, 0, "obj")


def saved_path(save: ast.Call) -> ast.expr | None:
    """The path of ``torch.save(obj, path)``."""
    return _argument(save, 1, "f")


def loaded_path(load: ast.Call) -> ast.expr | None:
    """The path of ``torch.load(path)``."""
    return _argument(load, 0, "f")


def same_path(facts: Facts, left: ast.expr | None, right: ast.expr | None) -> bool:
    """Whether two expressions certainly name the same file: same text, same values of names."""
    left, right = _resolved(facts, left), _resolved(facts, right)
    if left is None or right is None or ast.dump(left) != ast.dump(right):
        return False
    for a, b in zip(ast.walk(left), ast.walk(right), strict=True):
        if isinstance(a, ast.Name) and isinstance(b, ast.Name):
            found = facts.names.scope_of(a).lookup(a.id)
            other = facts.names.scope_of(b).lookup(b.id)
            if (found is None) != (other is None):
                return False
            if found is not None and other is not None:
                if found[0] is not other[0] or len(found[1]) != 1:
                    return False
        elif isinstance(a, ast.Call) and not _is_pure(facts, a):
            return False
    return True


def _resolved(facts: Facts, path: ast.expr | None) -> ast.expr | None:
    """The path behind an open file, or behind a parameter that only one call gives."""
    for _ in range(_MAX_DEPTH):
        opened = path
        if isinstance(path, ast.Name):
            bindings = facts.flow.reaching(path)
            if len(bindings) != 1:
                return path
            binding = bindings[0]
            if binding.kind == "parameter":
                given = parameters.arguments_given(facts.inference, binding.node)
                if len(given) != 1 or len(facts.names.scope_of(path).bindings[path.id]) != 1:
                    return path
                path = given[0]
                continue
            opened = binding.value if binding.kind in ("with", "assign") else None
        if not (
            isinstance(opened, ast.Call)
            and isinstance(opened.func, ast.Name)
            and opened.func.id == "open"
            and opened.args
        ):
            return path
        path = opened.args[0]
    return path


def other_path(facts: Facts, left: ast.expr | None, right: ast.expr | None) -> bool:
    """Whether two expressions certainly name different files: their last parts differ."""
    ends = [_file_name(facts, path) for path in (left, right)]
    return None not in ends and ends[0] != ends[1]


def _file_name(facts: Facts, path: ast.expr | None) -> str | None:
    """The file's name, where the path ends in a literal."""
    if isinstance(path, ast.Name):
        found = facts.names.scope_of(path).lookup(path.id)
        only = found[1][0] if found is not None and len(found[1]) == 1 else None
        is_value = only is not None and only.kind == "assign" and not only.path
        return _file_name(facts, only.value) if only is not None and is_value else None
    if isinstance(path, ast.Constant) and isinstance(path.value, str):
        return path.value.replace("\\", "/").rpartition("/")[2]
    if isinstance(path, ast.Call) and facts.name(path.func) == "os.path.join" and path.args:
        return _file_name(facts, path.args[-1])
    return None


@record
class Place:
    """A call in another file of the project that saves or loads a file."""

    path: Path
    """Of the file that the call stands in."""
    facts: Facts
    """Of that file."""
    call: ast.Call
    is_load: bool
    is_same: bool
    """Whether it names the same file for certain, as far as its last part tells."""


def whole_elsewhere(facts: Facts, path: ast.expr | None) -> list[Place] | None:
    """Where other files of the project save or load, or may do so, a whole object at ``path``.

    Returns:
        those places, the certain ones first; None where the project cannot be searched.
    """
    if facts.files is None:
        return []
    found = []
    own = _file_name(facts, path)
    for word, location, is_whole in (
        ("load", loaded_path, loads_object),
        ("save", saved_path, saves_module),
    ):
        mentioning = facts.files.mentioning(word)
        if mentioning is None:
            return None
        for file in mentioning:
            there = facts_of(file)
            for call in calls_of(there, f"torch.{word}") if there is not None else ():
                assert there is not None
                name = _file_name(there, location(call))
                is_same = name is not None and name == own
                may_be = name is None or own is None
                if is_same or (may_be and is_whole(there, call)):
                    found.append(Place(file.path, there, call, word == "load", is_same))
    return sorted(found, key=lambda place: not place.is_same)


def literal_path(facts: Facts, path: ast.expr | None) -> str | None:
    """The path, where it is written out in one string."""
    path = _resolved(facts, path)
    text = path.value if isinstance(path, ast.Constant) else None
    return text if isinstance(text, str) else None


def saves_module(facts: Facts, save: ast.Call) -> bool:
    """Whether ``torch.save`` certainly gets a module, maybe from all callers of a helper."""
    saved = saved_object(save)
    value = facts.value(saved or save)
    if isinstance(value, Unknown) and isinstance(saved, ast.Name):
        value = callers.value_by_all_calls(saved, facts)
    return isinstance(value.value if isinstance(value, Imported) else value, Module)


def loads_object(facts: Facts, load: ast.Call) -> bool:
    """Whether ``torch.load`` certainly reads an object that is more than tensors in containers."""
    if _is_used_as_object(facts, load, 0):
        return True
    return any(
        same_path(facts, saved_path(save), loaded_path(load))
        and holds_object(facts, saved_object(save))
        for save in calls_of(facts, "torch.save")
    )


def reads_back_object(facts: Facts, load: ast.Call) -> bool:
    """Whether ``torch.load`` reads a dict that this file saves with an object in it.

    The path may be any: the keys that are read are those of the dict. ``{"config": self.config}``
    holds an object where ``self.config.save_dir`` is read, which no dict has.
    """
    saves = calls_of(facts, "torch.save")
    keys = _keys_read(facts, load) if saves else frozenset()
    return len(keys) > 1 and any(
        keys <= saved.keys() and any(_is_shown_object(facts, saved[key]) for key in saved)
        for save in saves
        if not other_path(facts, saved_path(save), loaded_path(load))
        and (saved := _items_of(facts, saved_object(save))) is not None
    )


def _keys_read(facts: Facts, load: ast.Call) -> frozenset[str]:
    """The texts by which items of a loaded dict are taken: ``checkpoint["epoch"]``."""
    return frozenset(
        parent.slice.value
        for target, statement in _assigned_to(facts, load)
        for use in _uses_of(facts, target, statement)
        if isinstance(parent := facts.parent(use), ast.Subscript)
        and isinstance(parent.slice, ast.Constant)
        and isinstance(parent.slice.value, str)
    )


def _items_of(facts: Facts, saved: ast.expr | None) -> dict[str, ast.expr] | None:
    """The items of a dict that is written down, directly or by the name it has."""
    if isinstance(saved, ast.Name):
        bindings = facts.flow.reaching(saved)
        saved = bindings[0].value if len(bindings) == 1 and not bindings[0].path else None
    if not isinstance(saved, ast.Dict):
        return None
    keys = [key.value if isinstance(key, ast.Constant) else None for key in saved.keys]
    return {k: v for k, v in zip(keys, saved.values, strict=True) if isinstance(k, str)}


def _is_shown_object(facts: Facts, saved: ast.expr) -> bool:
    """Whether a value is an object, or is used as no dict, tensor or number can be."""
    if holds_object(facts, saved):
        return True
    if isinstance(saved, ast.Attribute):
        saved = _given_to(facts, saved) or saved
    if not isinstance(saved, ast.Name):
        return False
    bindings = facts.flow.reaching(saved)
    if len(bindings) != 1 or bindings[0].kind != "parameter":
        return False
    scope = facts.names.scope_of(saved)
    return len(scope.bindings.get(saved.id, ())) == 1 and any(
        _is_read_as_object(facts, use) for use in scope.uses.get(saved.id, ())
    )


def _given_to(facts: Facts, attribute: ast.Attribute) -> ast.expr | None:
    """What ``self.config`` is assigned, where that is done once."""
    owner = facts.names.enclosing_class(attribute)
    method = facts.names.enclosing_function(attribute)
    if owner is None or not isinstance(method, ast.FunctionDef):
        return None
    if getattr(attribute.value, "id", "") != facts.classes.self_name(method):
        return None
    sources = facts.classes.attribute_sources(owner, attribute.attr)
    return sources[0].value if len(sources) == 1 and not sources[0].path else None


def _is_read_as_object(facts: Facts, use: ast.Name) -> bool:
    """``config.save_dir``, which is read and not called."""
    read = facts.parent(use)
    if not isinstance(read, ast.Attribute) or not isinstance(read.ctx, ast.Load):
        return False
    call = facts.parent(read)
    is_called = isinstance(call, ast.Call) and call.func is read
    return not is_called and read.attr not in _PLAIN_ATTRIBUTES


def holds_object(facts: Facts, saved: ast.expr | None, within: tuple[ast.expr, ...] = ()) -> bool:
    """Whether something that is saved is, or holds, more than tensors in containers.

    ``within`` are the containers around it, one of which it may be itself.
    """
    if saved is None or saved in within:
        return False
    if isinstance(saved, (ast.Dict, ast.List, ast.Tuple)):
        held = saved.values if isinstance(saved, ast.Dict) else saved.elts
        return any(holds_object(facts, value, (*within, saved)) for value in held)
    if isinstance(saved, ast.Name):
        bindings = facts.flow.reaching(saved)
        if len(bindings) == 1 and _is_built(bindings[0]):
            return holds_object(facts, bindings[0].value, within)
    if isinstance(saved, ast.Call) and _is_parse_args(saved):
        return True
    value = facts.value(saved)
    if isinstance(value, Imported):
        value = value.value
    if isinstance(value, Unknown) and isinstance(saved, ast.Name):
        return _is_called_as_module(facts, saved)
    is_other = isinstance(value, Foreign) and value.name in _REFUSED
    return is_other or isinstance(value, (Module, Instance, Array, Optimizer))


def _is_called_as_module(facts: Facts, name: ast.Name) -> bool:
    """Whether what a name holds has methods called that a module has: ``model.state_dict()``."""
    bindings = facts.flow.reaching(name)
    methods = (facts.parent(use) for b in bindings for use in uses_of(facts, b))
    return len(bindings) == 1 and any(
        isinstance(method, ast.Attribute)
        and method.attr in _MODULE_METHODS
        and isinstance(call := facts.parent(method), ast.Call)
        and call.func is method
        for method in methods
    )


def _is_built(binding: Binding) -> bool:
    value = binding.value
    return (
        binding.kind == "assign"
        and not binding.path
        and (isinstance(value, ast.Dict) or (isinstance(value, ast.Call) and _is_parse_args(value)))
    )


def _is_parse_args(call: ast.Call) -> bool:
    """``args = parser.parse_args()`` is an ``argparse.Namespace``."""
    return isinstance(call.func, ast.Attribute) and call.func.attr == "parse_args"


def _is_used_as_object(facts: Facts, node: ast.expr, depth: int) -> bool:
    """Whether a use of a value shows that it is neither a tensor nor a container."""
    if depth > _MAX_DEPTH:
        return False
    parent = facts.parent(node)
    if isinstance(parent, ast.keyword):
        parent = facts.parent(parent)
    if isinstance(parent, ast.Return):
        function = facts.names.enclosing_function(parent)
        return isinstance(function, ast.FunctionDef) and any(
            _is_used_as_object(there, call, depth + 1)
            for call, there in callers.known_calls(function, facts)
        )
    if isinstance(parent, ast.Attribute) and parent.value is node:
        call = facts.parent(parent)
        if not (isinstance(call, ast.Call) and call.func is parent):
            return isinstance(parent.ctx, ast.Load) and parent.attr not in _PLAIN_ATTRIBUTES
        if parent.attr in ("get", "pop") or torch_effects.moves_or_casts(parent.attr):
            return _is_used_as_object(facts, call, depth + 1)
        return parent.attr in _MODULE_METHODS
    if isinstance(parent, ast.Call):
        is_vars = isinstance(parent.func, ast.Name) and parent.func.id == "vars"
        return (
            parent.func is node
            or is_vars
            # A numpy array is no tensor.
            or facts.name(parent.func) == "torch.from_numpy"
            or any(
                _is_used_as_object(home, use, depth + 1)
                for home, use in _uses_as_parameter(facts, parent, node)
            )
        )
    if isinstance(parent, ast.Subscript) and parent.value is node:
        is_item = isinstance(parent.ctx, ast.Load) and isinstance(facts.value(parent.slice), Text)
        return is_item and _is_used_as_object(facts, parent, depth + 1)
    return any(
        _is_used_as_object(facts, use, depth + 1)
        for target, statement in _assigned_to(facts, node)
        for use in _uses_of(facts, target, statement)
    )


def _assigned_to(facts: Facts, node: ast.expr) -> Iterator[tuple[ast.expr, ast.Assign]]:
    """``a`` of ``a = node`` and of ``a, b = node, other``."""
    parent = facts.parent(node)
    if isinstance(parent, ast.Assign) and parent.value is node:
        yield from ((target, parent) for target in parent.targets)
    statement = facts.parent(parent) if isinstance(parent, (ast.Tuple, ast.List)) else None
    if not isinstance(statement, ast.Assign) or statement.value is not parent:
        return
    assert isinstance(parent, (ast.Tuple, ast.List))
    for target in statement.targets:
        if isinstance(target, (ast.Tuple, ast.List)) and len(target.elts) == len(parent.elts):
            if not any(isinstance(e, ast.Starred) for e in (*target.elts, *parent.elts)):
                yield target.elts[parent.elts.index(node)], statement


def _uses_of(facts: Facts, target: ast.expr, statement: ast.Assign) -> Iterator[ast.expr]:
    """The places that read what ``statement`` assigns to ``target``, or a part of it."""
    if isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            if not isinstance(element, ast.Starred):
                yield from _uses_of(facts, element, statement)
    elif isinstance(target, ast.Name):
        for scope in facts.names.scopes.values():
            for use in scope.uses.get(target.id, ()):
                nodes = [binding.node for binding in facts.flow.reaching(use)]
                if nodes == [statement] or (
                    statement in nodes and _always_follows(facts, use, statement)
                ):
                    yield use
    elif isinstance(target, ast.Attribute):
        owner = facts.names.enclosing_class(target)
        if not _is_only_store(facts, target, owner):
            return
        spelling = ast.dump(target.value)
        for node in facts.names.nodes.get(ast.Attribute, ()):
            if (
                isinstance(node, ast.Attribute)
                and node.attr == target.attr
                and isinstance(node.ctx, ast.Load)
                and ast.dump(node.value) == spelling
                and facts.names.enclosing_class(node) is owner
            ):
                yield node


def _always_follows(facts: Facts, use: ast.Name, statement: ast.stmt) -> bool:
    """Whether nothing between an assignment and a use may ask whether it was this one that ran."""
    if is_kind_checked(facts.inference.names, use):
        return False
    around = {statement, *facts.names.ancestors(statement)}
    if not any(isinstance(parent, _CHOICES) for parent in around):
        return True
    return all(
        parent in around
        for parent in facts.names.ancestors(use)
        if isinstance(parent, (*_CHOICES, ast.FunctionDef, ast.Lambda))
    )


_CHOICES = (ast.If, ast.IfExp, ast.BoolOp, ast.Try)


def _is_only_store(facts: Facts, target: ast.Attribute, owner: ast.ClassDef | None) -> bool:
    """Whether nothing else of the file gives an attribute a value.

    Of an object that is no ``self`` it is looked for in all of the file, whatever the object.
    """
    if owner is not None:
        return len(facts.classes.attribute_sources(owner, target.attr)) == 1
    stores = [n for n in facts.names.attributes(target.attr) if not isinstance(n.ctx, ast.Load)]
    return isinstance(target.value, ast.Name) and stores == [target]


def _uses_as_parameter(
    facts: Facts, call: ast.Call, argument: ast.expr
) -> Iterator[tuple[Facts, ast.expr]]:
    """The places that read an argument inside the function that gets it, with its file's facts."""
    callee = facts.value(call.func)
    home = facts_of(callee.owner) if isinstance(callee, Imported) else facts
    callee = callee.value if isinstance(callee, Imported) else callee
    function: ast.AST | None = None
    if isinstance(callee, Function):
        function = callee.definition
    elif isinstance(callee, ClassObject) and home is not None:
        function = home.classes.method(callee.definition, "__init__")
    if home is None or not isinstance(function, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return
    scope = home.names.scopes[function]
    is_bound = isinstance(callee, ClassObject)
    for node in (*function.args.args, *function.args.kwonlyargs):
        if parameters.argument_for(function, node, call, bound=is_bound) is argument:
            if len(scope.bindings[node.arg]) == 1:
                for use in scope.uses.get(node.arg, ()):
                    yield home, use


def _is_pure(facts: Facts, call: ast.Call) -> bool:
    """Whether a call in a path gives the same text each time."""
    if isinstance(call.func, ast.Attribute) and call.func.attr == "format":
        return True
    return facts.name(call.func) == "os.path.join"


def _argument(call: ast.Call, position: int, name: str) -> ast.expr | None:
    for keyword in call.keywords:
        if keyword.arg == name:
            return keyword.value
    if any(isinstance(argument, ast.Starred) for argument in call.args[: position + 1]):
        return None
    return call.args[position] if position < len(call.args) else None
