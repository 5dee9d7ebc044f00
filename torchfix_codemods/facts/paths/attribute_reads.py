"""Where an attribute is read that a method keeps on its object, and what is put into it there, in
all files of the project."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchfix_codemods.facts.evaluation.classes_elsewhere import class_of
from torchfix_codemods.facts.evaluation.outside import is_set_by_others
from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.language.branches import statements_above
from torchfix_codemods.facts.language.flow import ELEMENTWISE
from torchfix_codemods.facts.language.scopes import element_for
from torchfix_codemods.facts.libraries import container_methods, python_functions, torch_effects
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.callers import others_with
from torchfix_codemods.facts.paths.classes_below import classes_above, classes_below
from torchfix_codemods.facts.paths.graph import Place, Step, Use, use_of
from torchfix_codemods.facts.paths.named import is_one_file, is_self
from torchfix_codemods.facts.paths.origins import given_to
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import Instance, Maybe, Module, Unknown, Value

_Class = tuple[Facts, ast.ClassDef]


def reads_of_kept(
    facts: Facts, target: ast.Attribute, in_project: bool = False
) -> list[Place] | None:
    """The places that read what a method gives to ``self.name``, ``self.name += …`` among them.

    Args:
        facts: the facts of the module.
        target: the attribute that is given a value.
        in_project: whether what other projects read of a library does not matter.

    Returns:
        the places in any file; None where one may be out of sight, for what is read may be an
        attribute of another object.
    """
    owner = facts.names.enclosing_class(target)
    if (
        owner is None
        or not is_self(facts, target.value)
        or facts.classes.method(owner, target.attr)
    ):
        return None
    if facts.classes.kind(owner) == "unknown":
        return None
    below = classes_below(facts, owner, in_project)
    if below is None:
        return None
    family = [*((facts, cls) for cls in facts.classes.bases(owner)), *below]
    places: list[Place] = []
    for there in (facts, *others_with(target.attr, facts)):
        for node in there.names.attributes(target.attr):
            if isinstance(node.ctx, ast.Load) or _is_augmented(there, node):
                is_it = _is_of_one(there, node, family)
                if is_it is None:
                    return None
                places += [Place(there, node)] if is_it else []
    return places


def _is_augmented(facts: Facts, node: ast.Attribute) -> bool:
    parent = facts.parent(node)
    return isinstance(parent, ast.AugAssign) and parent.target is node


def _is_of_one(facts: Facts, node: ast.Attribute, family: list[_Class]) -> bool | None:
    """Whether an attribute is one of an object of some classes; None where that is not known."""
    if is_self(facts, node.value):
        owner = facts.names.enclosing_class(node)
        return owner is not None and _is_among(facts, owner, family)
    known = list(_classes(facts, facts.value(node.value)))
    if not known:
        return None
    return any(cls is not None and _is_among(*cls, family) for cls in known)


def _classes(facts: Facts, value: Value) -> Iterator[_Class | None]:
    """The class of the project that a value is an object of, None for what is none of any.

    Nothing comes where it is not known.
    """
    if isinstance(value, Maybe):
        value = value.value
    if isinstance(value, Module) and isinstance(value.origin, Imported):
        value = value.origin
    home: Facts | None = facts
    if isinstance(value, Imported):
        home, value = facts_of(value.owner), value.value
    definition = class_of(value)
    if definition is not None and home is not None:
        yield home, definition
    elif not isinstance(value, (Unknown, Imported, Instance)) and not (
        isinstance(value, Module) and value.cls is None
    ):
        yield None


def _is_among(facts: Facts, cls: ast.ClassDef, family: list[_Class]) -> bool:
    # A file that was read before lines of it went has its classes in other lines.
    return any(
        cls.name == other.name
        and is_one_file(facts, there)
        and _around(facts, cls) == _around(there, other)
        for there, other in family
    )


def _around(facts: Facts, cls: ast.ClassDef) -> str:
    return getattr(facts.parent(cls), "name", "")


def attributes_alike(facts: Facts, attribute: ast.Attribute) -> list[tuple[Facts, ast.Attribute]]:
    """The attributes of the project that may be the same one: of an object of another class none.

    Args:
        facts: the facts of the module.
        attribute: any use of it, which is given back as well.

    Returns:
        all of that name where the class of the object is not known, or stores none.
    """
    everywhere = [
        (there, node)
        for there in (facts, *others_with(attribute.attr, facts))
        for node in there.names.attributes(attribute.attr)
    ]
    family = _family_of(facts, attribute)
    alike = [
        (there, node)
        for there, node in everywhere
        if family and _is_of_one(there, node, family) is not False
    ]
    is_kept = any(isinstance(node.ctx, ast.Store) for _, node in alike)
    return alike if is_kept else everywhere


def _family_of(facts: Facts, attribute: ast.Attribute) -> list[_Class]:
    """The classes whose methods an object with an attribute may have; none where not all are
    known."""
    if is_self(facts, attribute.value):
        owner = facts.names.enclosing_class(attribute)
        known: list[_Class | None] = [] if owner is None else [(facts, owner)]
    else:
        known = [*_classes(facts, facts.value(attribute.value))]
    found: list[_Class] = []
    for each in known:
        below = None if each is None else _below(*each)
        if each is None or below is None:
            return []
        for one in (each, *below):
            found += [above for above in classes_above(*one) if above not in found]
    return found


def _below(facts: Facts, cls: ast.ClassDef) -> list[_Class] | None:
    if facts.files is not None:
        return classes_below(facts, cls, in_project=True)
    # What a file without a project around it shows are its own classes.
    others = facts.names.nodes.get(ast.ClassDef, ())
    return [
        (facts, other)
        for other in others
        if isinstance(other, ast.ClassDef) and cls in facts.classes.bases(other)
    ]


def stored_above(facts: Facts, node: ast.Attribute) -> ast.expr | None:
    """What ``self.x = …`` above a use keeps there, where only constructors store it else."""
    owner = facts.names.enclosing_class(node)
    if owner is None or not is_self(facts, node.value):
        return None
    above = set(statements_above(facts.names, node))
    sources = facts.classes.attribute_sources(owner, node.attr)
    stored = [source for source in sources if source.node in above and not source.path]
    others = [source.node for source in sources if source not in stored]
    functions = map(facts.names.enclosing_function, others)
    is_alone = all(getattr(function, "name", None) == "__init__" for function in functions)
    return stored[0].value if len(stored) == 1 and is_alone else None


def all_stored(facts: Facts, node: ast.Attribute) -> list[Place] | None:
    """All that a program keeps as ``self.n``, whichever object's; None where that is not known."""
    owner = facts.names.enclosing_class(node)
    if owner is None or not is_self(facts, node.value):
        return None
    stored = facts.classes.attribute_sources(owner, node.attr)
    changed = [each for each in facts.names.changed_attributes if each.attr == node.attr]
    if len(changed) != len(stored) or is_set_by_others(facts.inference, node.attr):
        return None
    given = [None if each.is_shared else given_to(facts, each, ()) for each in stored]
    known = [each for each in given if each is not None]
    return known if known and len(known) == len(given) else None


def put_into(facts: Facts, name: str, step: Step) -> list[Place] | None:
    """All that the project puts into the lists and dicts that it keeps as ``….name``.

    Args:
        facts: the facts of a module that reads one of them.
        name: the name of the attribute; of which object does not matter.
        step: the key that is asked for; ``"*"`` is any.

    Returns:
        what may lie there; None where something may be put in out of sight.
    """
    found: list[Place] = []
    for there in (facts, *others_with(name, facts)):
        classes = there.names.nodes.get(ast.ClassDef, ())
        if any(name in there.names.scopes[cls].bindings for cls in classes):
            return None
        for node in there.names.attributes(name):
            put = _put_by(there, node, step)
            if put is None:
                return None
            found += (Place(there, each) for each in put)
    return found


def _put_by(facts: Facts, keeper: ast.Attribute, step: Step) -> Iterable[ast.expr] | None:
    """What one use of an attribute puts into the list or dict that it keeps."""
    if isinstance(keeper.ctx, ast.Store):
        made = _assigned(facts, keeper)
        return None if made is None else _held_by(facts, made, step)
    use = use_of(Place(facts, keeper))
    if use.kind == "put into" and isinstance(use.by, ast.Subscript):
        return _stored_at(facts, use.by, step)
    if use.kind == "item":
        return None if _may_reshape(facts, use.by) else ()
    if use.kind == "method" and isinstance(use.by, ast.Call):
        method, call = getattr(use.by.func, "attr", ""), use.by
        if container_methods.keeps_whole(method) and call.args and not call.keywords:
            return call.args[-1:]
        return () if container_methods.keeps_nothing(method) else None
    return () if follow([use.place], _fills) is None else None


def _assigned(facts: Facts, target: ast.Attribute) -> ast.expr | None:
    """What an assignment gives an attribute, also beside others: ``x.a, x.b = [], {}``."""
    around = facts.parent(target)
    statement = facts.parent(around) if isinstance(around, ast.Tuple) else around
    if not isinstance(statement, (ast.Assign, ast.AnnAssign)) or statement.value is None:
        return None
    if not isinstance(around, ast.Tuple):
        return statement.value
    given = statement.value
    if not isinstance(given, (ast.Tuple, ast.List)):
        return None
    return element_for(given, around.elts.index(target))


def _held_by(facts: Facts, made: ast.expr, step: Step) -> Iterable[ast.expr] | None:
    """What lies in a list or dict where it is made; None for what may be something else."""
    if isinstance(made, ast.Dict):
        keys = [... if key is None else constant(key) for key in made.keys]
        if None in made.keys:
            return None
        pairs = zip(keys, made.values, strict=True)
        return [value for key, value in pairs if step == "*" or key in (..., step)]
    if isinstance(made, ast.List):
        return None if any(isinstance(each, ast.Starred) for each in made.elts) else made.elts
    if constant(made) is None:
        return ()
    is_empty = isinstance(made, ast.Call) and not made.args and not made.keywords
    function = made.func if isinstance(made, ast.Call) else made
    is_plain = facts.names.builtin(function) in ("dict", "list")
    is_plain = is_plain or facts.name(function) == "collections.OrderedDict"
    return () if is_empty and is_plain else None


def _stored_at(facts: Facts, item: ast.Subscript, step: Step) -> Iterable[ast.expr] | None:
    """What ``x.name[key] = value`` puts in, and what ``x.name[key] += value`` adds."""
    statement, key = facts.parent(item), constant(item.slice)
    if isinstance(item.ctx, ast.Del):
        return ()
    if isinstance(item.slice, ast.Slice) or not isinstance(statement, (ast.Assign, ast.AugAssign)):
        return None
    if isinstance(statement, ast.AugAssign) and not isinstance(statement.op, ELEMENTWISE):
        return None
    is_another = isinstance(key, str) and isinstance(step, str) and step not in ("*", key)
    return () if is_another else (statement.value,)


def _may_reshape(facts: Facts, item: ast.AST) -> bool:
    """``x.name[0].unsqueeze_(1)``"""
    method = facts.parent(item)
    name = method.attr if isinstance(method, ast.Attribute) else ""
    return name.endswith("_") and not torch_effects.keeps_sizes(name)


def _fills(use: Use) -> Iterable[Place] | None:
    """None for what may put something into a list or dict; else what is the same one next."""
    if use.kind in ("asked", "compared", "formatted", "statement", "tested"):
        return ()
    if use.kind in ("chosen", "element"):
        return use.result()
    if use.kind in ("iterated", "item"):
        # What lies in it is no matter here, unless it lies in another one itself.
        going_on = use.named() if use.kind == "iterated" else use.result()
        return going_on if use.place.content else ()
    if use.kind == "bound":
        is_named = all(isinstance(target, ast.Name) for target, _ in use.targets())
        return use.named() if is_named else None
    if use.kind == "put into":
        is_taken_out = isinstance(use.by, ast.Subscript) and isinstance(use.by.ctx, ast.Del)
        return () if is_taken_out else None
    if use.kind == "method" and isinstance(use.by, ast.Call) and not use.place.content:
        method = getattr(use.by.func, "attr", "")
        return () if container_methods.keeps_nothing(method) else None
    if use.kind == "argument" and isinstance(use.by, ast.Call) and not use.place.content:
        function = use.facts.names.builtin(use.by.func)
        return () if python_functions.keeps_nothing(function) else None
    return None
