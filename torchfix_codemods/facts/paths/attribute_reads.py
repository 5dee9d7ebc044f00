"""Where an attribute is read that a method keeps on its object, in all files of the project."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.evaluation.classes_elsewhere import class_of
from torchfix_codemods.facts.language.branches import statements_above
from torchfix_codemods.facts.module import Facts, facts_of
from torchfix_codemods.facts.paths.callers import others_with
from torchfix_codemods.facts.paths.classes_below import classes_below
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.named import is_one_file, is_self
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
    return any(
        cls.name == other.name and cls.lineno == other.lineno and is_one_file(facts, there)
        for there, other in family
    )


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
