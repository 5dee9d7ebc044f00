"""Whether other files of the project apply a layer that a class of this one keeps."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation.applications import calls_among, list_with
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import others_with
from torchfix_codemods.facts.paths.classes_below import classes_below
from torchfix_codemods.facts.paths.named import is_one_file, is_self
from torchfix_codemods.facts.values.lattice import Array, Module, Tensor
from torchfix_codemods.facts.values.sequential import sequential_with
from torchfix_codemods.rules.losses.questions.run_modules import at_home

_Classes = list[tuple[Facts, ast.ClassDef]]


def is_applied_elsewhere(facts: Facts, layer: ast.Call, within: tuple[ast.Call, ...] = ()) -> bool:
    """Whether another file may call a layer that an attribute keeps: ``net.soft(x)``.

    Args:
        facts: the facts of the module.
        layer: the call that builds the layer, possibly as one of an ``nn.Sequential``.
        within: what holds it, as far as it was asked for.
    """
    built = sequential_with(facts.names, layer)
    if built is not None:
        return is_applied_elsewhere(facts, built, within)
    statement, owner = facts.statement(layer), facts.names.enclosing_class(layer)
    if not isinstance(statement, ast.Assign) or owner is None or facts.files is None:
        return False
    target = statement.targets[0]
    name = target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", "")
    below = classes_below(facts, owner, in_project=True) or []
    classes = [(facts, owner), *below]
    kept = (list_with(facts.names, use) for use in facts.names.attributes(name))
    lists = {built for built in kept if built is not None and built not in within}
    if any(is_applied_elsewhere(facts, built, (*within, built)) for built in lists):
        return True
    return any(_reads(there, name, classes) for there in others_with(name, facts))


def _reads(there: Facts, name: str, classes: _Classes) -> bool:
    """Whether a file calls what is kept by a name, or gives it away: it may ask for its weights."""
    uses = (
        use
        for use in there.names.attributes(name)
        if isinstance(use.ctx, ast.Load)
        and there.name(use) is None
        and _may_be_of(there, use.value, classes)
    )
    return calls_among(there.names, uses) != []


def _may_be_of(there: Facts, holder: ast.expr, classes: _Classes) -> bool:
    """Whether an expression may be an object of some classes."""
    if is_self(there, holder):
        own = there.names.enclosing_class(holder)
        return own is not None and _is_among(there, own, classes)
    value = there.value(holder)
    if isinstance(value, Module):
        homes = at_home(there, value)
        known = [
            _is_among(home, module.definition, classes)
            for home, module in homes
            if module.definition is not None
        ]
        # What is torch's own keeps no layer of a class of the project.
        return any(known) or not homes
    return not isinstance(value, (Tensor, Array))


def _is_among(home: Facts, definition: ast.ClassDef, classes: _Classes) -> bool:
    return any(definition.name == cls.name and is_one_file(home, there) for there, cls in classes)
