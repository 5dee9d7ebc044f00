"""What a module keeps in a list or a dict that is an attribute of it, and how it is used."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from torchfix_codemods.facts.language.arguments import only_argument
from torchfix_codemods.facts.libraries import container_methods
from torchfix_codemods.facts.module import Facts, facts_of

_READERS = frozenset({"len", "enumerate", "zip", "range", "reversed", "list"})
_READERS_OF_DICTS = frozenset({"len", "enumerate", "list", "sorted"})


@dataclass
class Contents:
    """What a list or a dict holds that is only filled in ``__init__`` and read elsewhere."""

    items: list[ast.expr] = field(default_factory=list)
    keys: list[ast.expr] = field(default_factory=list)
    """For a dict."""
    is_iterated: bool = False
    """Whether the order of a dict matters."""


def contents(
    target: ast.Attribute, value: ast.expr, owner: ast.ClassDef, facts: Facts
) -> Contents | None:
    """What ``self.layers = []`` or ``self.layers = {}`` holds in the end.

    Args:
        target: the attribute.
        value: the list, the dict, or the comprehension of one.
        owner: the class.
        facts: the facts of its module.

    Returns:
        None where that is not certain, where only ``__init__`` uses it, or gives what is in it to
        another part of the module, and where it is used as no ``nn.ModuleList`` or
        ``nn.ModuleDict`` can be.
    """
    if len(facts.classes.attribute_sources(owner, target.attr)) != 1:
        return None
    if is_used_elsewhere(target.attr, facts):
        return None
    held = _written(value)
    is_dict = isinstance(value, (ast.Dict, ast.DictComp))
    is_used = False
    for use in facts.names.attributes(target.attr):
        method = facts.names.enclosing_function(use)
        if use is target or is_of_another(use, method, owner, facts):
            continue
        if not isinstance(method, ast.FunctionDef) or facts.parent(method) is not owner:
            return None
        if method.name == "__init__" and _adds(held, use, is_dict, facts):
            continue
        if not (_reads_as_dict(held, use, facts) if is_dict else _reads_as_list(use, facts)):
            return None
        if method.name == "__init__" and _hands_layers_on(use, facts):
            return None
        is_used |= method.name != "__init__"
    return held if is_used else None


def _written(value: ast.expr) -> Contents:
    if isinstance(value, ast.ListComp):
        return Contents([value.elt])
    if isinstance(value, ast.List):
        return Contents([*value.elts])
    if isinstance(value, ast.DictComp):
        return Contents([value.value], [value.key])
    assert isinstance(value, ast.Dict)
    return Contents([*value.values], [key for key in value.keys if key is not None])


def _adds(held: Contents, use: ast.Attribute, is_dict: bool, facts: Facts) -> bool:
    """Whether a use puts one more item into the container, which is then noted."""
    if not is_dict:
        appended = only_argument(facts.names, use, "append")
        held.items += [] if appended is None else [appended]
        return appended is not None
    stored = facts.parent(use)
    if not isinstance(stored, ast.Subscript) or not isinstance(stored.ctx, ast.Store):
        return False
    statement = facts.parent(stored)
    if not isinstance(statement, ast.Assign) or statement.targets != [stored]:
        return False
    held.keys.append(stored.slice)
    held.items.append(statement.value)
    return True


def is_used_elsewhere(name: str, facts: Facts) -> bool:
    """Whether another file reads an attribute of that name of anything but its own ``self``."""
    mentioning = () if facts.files is None else facts.files.mentioning(name)
    return mentioning is None or any(
        (there := facts_of(file)) is None
        or any(_is_outside(use, there) for use in there.names.attributes(name))
        for file in mentioning
    )


def _is_outside(use: ast.Attribute, there: Facts) -> bool:
    method = there.names.enclosing_function(use)
    is_method = isinstance(method, ast.FunctionDef) and isinstance(
        there.parent(method), ast.ClassDef
    )
    if not is_method or not isinstance(method, ast.FunctionDef):
        return True
    return not isinstance(use.value, ast.Name) or use.value.id != there.classes.self_name(method)


def is_of_another(
    use: ast.Attribute, method: ast.AST | None, owner: ast.ClassDef, facts: Facts
) -> bool:
    """Whether ``self.layers`` is an attribute of a class that has nothing to do with ``owner``."""
    other = facts.parent(method) if isinstance(method, ast.FunctionDef) else None
    if not isinstance(other, ast.ClassDef) or not isinstance(method, ast.FunctionDef):
        return False
    is_self = isinstance(use.value, ast.Name) and use.value.id == facts.classes.self_name(method)
    families = [*facts.classes.bases(other)], [*facts.classes.bases(owner)]
    return is_self and owner not in families[0] and other not in families[1]


def _hands_layers_on(use: ast.Attribute, facts: Facts) -> bool:
    """Whether an item becomes part of something else: ``nn.Sequential(self.layers[0])``."""
    item = facts.parent(use)
    if isinstance(item, ast.Subscript):
        return _is_handed_on(item, facts)
    walked = item
    while isinstance(walked, (ast.Attribute, ast.Call)):
        walked = facts.parent(walked)
    if isinstance(walked, ast.comprehension):
        walked = facts.parent(walked)
        assert isinstance(walked, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp))
        targets = [generator.target for generator in walked.generators]
    elif isinstance(walked, ast.For):
        targets = [walked.target]
    else:
        return False
    names = {n.id for target in targets for n in ast.walk(target) if isinstance(n, ast.Name)}
    return any(
        isinstance(node, ast.Name)
        and node.id in names
        and isinstance(node.ctx, ast.Load)
        and _is_handed_on(node, facts)
        for node in ast.walk(walked)
    )


def _is_handed_on(item: ast.expr, facts: Facts) -> bool:
    """Whether an item is more than asked for its attributes or given to a call for its effect."""
    parent = facts.parent(item)
    if isinstance(parent, (ast.Attribute, ast.Subscript)):
        return False
    if not isinstance(parent, ast.Call):
        return True
    if facts.names.builtin(parent.func) in ("isinstance", "type", "print"):
        return False
    method = parent.func.attr if isinstance(parent.func, ast.Attribute) else ""
    is_kept = method == "add_module" or container_methods.adds(method)
    return is_kept or not isinstance(facts.parent(parent), ast.Expr)


def _reads_as_list(use: ast.Attribute, facts: Facts) -> bool:
    """Whether a list is only walked through, measured, or asked for one of its items."""
    parent = facts.parent(use)
    if isinstance(parent, ast.Subscript) and parent.value is use:
        return isinstance(parent.ctx, ast.Load) and not isinstance(parent.slice, ast.Slice)
    if isinstance(parent, (ast.For, ast.comprehension)):
        return parent.iter is use
    return isinstance(parent, ast.Call) and facts.names.builtin(parent.func) in _READERS


def _reads_as_dict(held: Contents, use: ast.Attribute, facts: Facts) -> bool:
    """Whether a dict is only asked for its items, its keys and its size."""
    parent = facts.parent(use)
    if isinstance(parent, ast.Subscript) and parent.value is use:
        return isinstance(parent.ctx, ast.Load)
    if isinstance(parent, ast.Compare):
        operators = zip(parent.ops, parent.comparators, strict=True)
        return any(isinstance(o, (ast.In, ast.NotIn)) and c is use for o, c in operators)
    viewed: ast.AST = use
    if isinstance(parent, ast.Attribute):
        call = facts.parent(parent)
        if not isinstance(call, ast.Call) or call.func is not parent:
            return False
        if not container_methods.gives_view(parent.attr):
            return False
        viewed, parent = call, facts.parent(call)
    if isinstance(parent, (ast.For, ast.comprehension)):
        held.is_iterated = True
        return parent.iter is viewed
    if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name):
        held.is_iterated |= parent.func.id not in ("len", "sorted")
        return facts.names.builtin(parent.func) in _READERS_OF_DICTS
    return False
