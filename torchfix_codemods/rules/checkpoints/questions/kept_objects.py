"""Where an attribute is read that holds what ``torch.load`` gives, whatever else it may hold."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.branches import are_exclusive
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import is_self
from torchfix_codemods.facts.values.imported import Imported
from torchfix_codemods.facts.values.lattice import Module

#: What may decide that a use is meant for something else that the attribute holds.
CHOICES = (ast.If, ast.IfExp, ast.BoolOp, ast.Try)


def uses_of_kept(facts: Facts, target: ast.Attribute) -> Iterator[ast.Attribute]:
    """The places that read an attribute which certainly may hold what it is set to at ``target``.

    All that do, where nothing else sets it: of an object that is no ``self`` that is looked for in
    all of the file, whatever the object. Where else it is a module, those that no test chooses.
    """
    owner = facts.names.enclosing_class(target)
    is_only = _is_only_store(facts, target, owner)
    if not is_only and not _is_module_otherwise(facts, target, owner):
        return
    spelling = ast.dump(target.value)
    for node in facts.names.attributes(target.attr):
        if (
            isinstance(node.ctx, ast.Load)
            and ast.dump(node.value) == spelling
            and facts.names.enclosing_class(node) is owner
            and (is_only or _always_follows(facts, node, target))
        ):
            yield node


def _is_only_store(facts: Facts, target: ast.Attribute, owner: ast.ClassDef | None) -> bool:
    """Whether nothing else of the file gives an attribute a value."""
    if owner is not None:
        return len(facts.classes.attribute_sources(owner, target.attr)) == 1
    return isinstance(target.value, ast.Name) and _stores(facts, target.attr) == [target]


def _stores(facts: Facts, name: str) -> list[ast.Attribute]:
    return [n for n in facts.names.attributes(name) if not isinstance(n.ctx, ast.Load)]


def _is_module_otherwise(facts: Facts, target: ast.Attribute, owner: ast.ClassDef | None) -> bool:
    """``if path: self.net = torch.load(path) else: self.net = Net()``, or ``Net()`` at first."""
    if owner is None or not is_self(facts, target.value):
        return False
    sources = facts.classes.attribute_sources(owner, target.attr)
    return len(sources) == len(_stores(facts, target.attr)) and all(
        source.node is facts.statement(target) or _is_module_beside(facts, source, target)
        for source in sources
    )


def _is_module_beside(facts: Facts, source: Binding, target: ast.Attribute) -> bool:
    """Whether an attribute is set to a module, but not with what is loaded in hand: a state dict.

    Or to what another call of ``torch.load`` reads, which needs nothing in hand.
    """
    made = source.written() if source.kind == "assign" else None
    is_loaded = isinstance(made, ast.Call) and facts.name(made.func) == "torch.load"
    value = None if made is None else facts.value(made)
    if not is_loaded and not isinstance(
        value.value if isinstance(value, Imported) else value, Module
    ):
        return False
    method = facts.names.enclosing_function(source.node)
    if method is facts.names.enclosing_function(target):
        return are_exclusive(facts.names, source.node, target)
    return is_loaded or getattr(method, "name", "") == "__init__"


def _always_follows(facts: Facts, use: ast.Attribute, target: ast.Attribute) -> bool:
    """Whether a use gets what ``target`` was set to, and no test chooses it for something else."""
    method = facts.names.enclosing_function(use)
    if method is facts.names.enclosing_function(target):
        if use.lineno < target.lineno or are_exclusive(facts.names, use, target):
            return False
    elif getattr(method, "name", "__init__") == "__init__":
        return False
    around = {*facts.names.ancestors(target)}
    return not any(
        isinstance(parent, (*CHOICES, ast.Lambda)) and parent not in around
        for parent in facts.names.ancestors(use)
    )
