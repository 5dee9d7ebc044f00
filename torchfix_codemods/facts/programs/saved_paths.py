"""Which files ``torch.save`` and ``torch.load`` name, and whether two of them are the same."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation import parameters
from torchfix_codemods.facts.language.arguments import argument, is_opaque
from torchfix_codemods.facts.language.nodes import same_expression
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.classes_below import classes_below
from torchfix_codemods.facts.paths.named import class_named, class_of_object, is_self
from torchfix_codemods.facts.values.lattice import Function

_MAX_DEPTH = 6


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
    return None if is_opaque(save) else argument(save, 0, "obj")


def saved_path(save: ast.Call) -> ast.expr | None:
    """The path of ``torch.save(obj, path)``."""
    return None if is_opaque(save) else argument(save, 1, "f")


def loaded_path(load: ast.Call) -> ast.expr | None:
    """The path of ``torch.load(path)``."""
    return None if is_opaque(load) else argument(load, 0, "f")


def same_path(facts: Facts, left: ast.expr | None, right: ast.expr | None) -> bool:
    """Whether two expressions certainly name the same file: same text, same values of names."""
    left, right = _resolved(facts, left), _resolved(facts, right)
    if left is None or right is None or not same_expression(left, right):
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


def written_alike(facts: Facts, left: ast.expr | None, right: ast.expr | None) -> bool:
    """Whether two places write a path down alike, which ends in the same name of a file.

    ``os.path.join(folder, OPTIONS_FILE)`` in two functions, or ``self.path`` in two methods: where
    ``folder`` is another one there, the file is still another of the same kind. So it is where a
    function of this file gives the path: ``model_path, log_path = paths(folder, tag)``.
    """
    made = _given_by_function(facts, left)
    if made is not None and made == _given_by_function(facts, right):
        return True
    left, right = _joined(facts, left), _joined(facts, right)
    if left is None or right is None or not same_expression(left, right):
        return False
    if isinstance(left, ast.Attribute) and isinstance(right, ast.Attribute):
        return _is_kept_once(facts, left) and _is_kept_once(facts, right)
    name = file_name(facts, left)
    return name is not None and name == file_name(facts, right)


def _given_by_function(facts: Facts, path: ast.expr | None) -> tuple[object, ...] | None:
    """The function of this file that gives a path, what it is given, and which part is taken."""
    bindings = facts.flow.reaching(path) if isinstance(path, ast.Name) else ()
    only = bindings[0] if len(bindings) == 1 and bindings[0].kind == "assign" else None
    call, part = (path, ()) if only is None else (only.value, only.path)
    if not isinstance(call, ast.Call) or is_opaque(call) or not (call.args or call.keywords):
        return None
    called = facts.value(call.func)
    if not isinstance(called, Function):
        return None
    given = sorted(f"{k.arg}={ast.unparse(k.value)}" for k in call.keywords)
    return called.definition, part, *map(ast.unparse, call.args), *given


def _joined(facts: Facts, path: ast.expr | None) -> ast.expr | None:
    """The path behind the only name that it has where it is used."""
    path = _resolved(facts, path)
    bindings = facts.flow.reaching(path) if isinstance(path, ast.Name) else ()
    only = bindings[0] if len(bindings) == 1 else None
    return only.value if only is not None and only.kind == "assign" and not only.path else path


def _is_kept_once(facts: Facts, path: ast.Attribute) -> bool:
    """Whether a path is ``self.path``, which the class of the method sets in one place."""
    owner = facts.names.enclosing_class(path)
    sources = [] if owner is None else facts.classes.attribute_sources(owner, path.attr)
    return is_self(facts, path.value) and len(sources) == 1


def other_path(facts: Facts, left: ast.expr | None, right: ast.expr | None) -> bool:
    """Whether two expressions certainly name different files: their last parts differ."""
    ends = [file_name(facts, path) for path in (left, right)]
    return None not in ends and ends[0] != ends[1]


def file_name(facts: Facts, path: ast.expr | None) -> str | None:
    """The file's name, where the path ends in a literal, or in one that a class has."""
    if isinstance(path, ast.Name):
        found = facts.names.scope_of(path).lookup(path.id)
        only = found[1][0] if found is not None and len(found[1]) == 1 else None
        is_value = only is not None and only.kind == "assign" and not only.path
        return file_name(facts, only.value) if only is not None and is_value else None
    if isinstance(path, ast.Attribute):
        return _name_of_class(facts, path)
    if isinstance(path, ast.Constant) and isinstance(path.value, str):
        return path.value.replace("\\", "/").rpartition("/")[2]
    if isinstance(path, ast.Call) and facts.name(path.func) == "os.path.join" and path.args:
        return file_name(facts, path.args[-1])
    return _name_of_filled(path)


def _name_of_filled(path: ast.expr | None) -> str | None:
    """The file's name behind what is filled in: ``"data/{}/labels.pt".format(size)``."""
    method = path.func if isinstance(path, ast.Call) else None
    is_filled = isinstance(method, ast.Attribute) and method.attr == "format"
    text = method.value if is_filled and isinstance(method, ast.Attribute) else None
    if not isinstance(text, ast.Constant) or not isinstance(text.value, str):
        return None
    _, slash, name = text.value.rpartition("/")
    return name if slash and not set(name) & set("{}") else None


def _name_of_class(facts: Facts, path: ast.Attribute) -> str | None:
    """The file's name that a class has: ``Checkpoint.MODEL_NAME``, its ``cls.`` and ``self.``."""
    named = class_named(path.value, facts)
    found = named or class_of_object(facts.value(path.value), facts) or _class_around(facts, path)
    if found is None:
        return None
    home, cls = found
    sources = home.classes.attribute_sources(cls, path.attr)
    if len(sources) != 1 or not isinstance(sources[0].value, ast.Constant):
        return None
    below = [] if named else classes_below(home, cls, in_project=True)
    is_kept = (
        isinstance(home.parent(home.statement(sources[0].value)), ast.ClassDef)
        and below is not None
        # Of a class below this one the name may be another.
        and not any(path.attr in there.names.scopes[one].bindings for there, one in below)
        and home.files is not None
        and not home.files.is_assigned_anywhere(path.attr)
    )
    return file_name(home, sources[0].value) if is_kept else None


def _class_around(facts: Facts, path: ast.Attribute) -> tuple[Facts, ast.ClassDef] | None:
    """The class of the class method of whose first parameter an attribute is read."""
    method = facts.names.enclosing_function(path)
    cls = facts.names.enclosing_class(path)
    bindings = facts.flow.reaching(path.value) if isinstance(path.value, ast.Name) else ()
    is_first = (
        isinstance(method, ast.FunctionDef)
        and facts.classes.gets_object(method)
        and [b.node for b in bindings] == method.args.args[:1]
    )
    return (facts, cls) if cls is not None and is_first else None


def opened_name(facts: Facts, path: ast.expr | None) -> str | None:
    """The same of a path, or of the file that is opened there: ``open(join(d, "a.pt"), "wb")``."""
    return file_name(facts, _resolved(facts, path))


def literal_path(facts: Facts, path: ast.expr | None) -> str | None:
    """The path, where it is written out in one string."""
    path = _resolved(facts, path)
    text = path.value if isinstance(path, ast.Constant) else None
    return text if isinstance(text, str) else None


def _is_pure(facts: Facts, call: ast.Call) -> bool:
    """Whether a call in a path gives the same text each time."""
    if isinstance(call.func, ast.Attribute) and call.func.attr == "format":
        return True
    return facts.name(call.func) == "os.path.join"
