"""How many dimensions that can have which a layer is given, as all around it shows."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation.applications import applications, as_applied
from torchfix_codemods.facts.language.arguments import argument, is_opaque, values_given
from torchfix_codemods.facts.language.branches import statements_above
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import others_with
from torchfix_codemods.facts.paths.named import is_self
from torchfix_codemods.facts.paths.uses import uses_given_by
from torchfix_codemods.facts.values.lattice import Module
from torchfix_codemods.facts.values.sequential import layers_in_order, sequential_with
from torchfix_codemods.rules.losses.questions.asked_dimensions import shown_by_uses
from torchfix_codemods.rules.losses.questions.dimensions.added_layers import layer_before
from torchfix_codemods.rules.losses.questions.dimensions.alike import FUNCTIONS
from torchfix_codemods.rules.losses.questions.dimensions.compared import other_softmax
from torchfix_codemods.rules.losses.questions.dimensions.meant import others
from torchfix_codemods.rules.losses.questions.ranks import ANY
from torchfix_codemods.rules.losses.questions.shown_dimensions import after_part, shown_dimensions


def shown_ndims(facts: Facts, call: ast.Call, tensor: ast.expr | None) -> frozenset[int]:
    """The numbers of dimensions that the input of a softmax can have, by all that is done with it.

    Args:
        facts: the facts of the module.
        call: the softmax, or the call that builds its layer.
        tensor: its input; None of a layer.

    Returns:
        some of 0 to 5, where 5 stands for more as well.
    """
    if tensor is None:
        return shown_given(facts, call)
    ndims = _shown(facts, call, tensor)
    other = _other_distribution(facts, call) if len(ndims) > 1 else None
    given = None if other is None else argument(other, 0, "input")
    return ndims if other is None or given is None else ndims & _shown(facts, other, given) or ndims


def _other_distribution(facts: Facts, call: ast.Call) -> ast.Call | None:
    """``F.softmax(y)`` of ``F.kl_div(F.log_softmax(x), F.softmax(y))``: both are of one shape."""
    divergence = facts.parent(call)
    if not isinstance(divergence, ast.Call) or is_opaque(divergence):
        return None
    if facts.name(divergence.func) != "torch.nn.functional.kl_div":
        loss = facts.value(divergence.func)
        if not isinstance(loss, Module) or loss.cls != "torch.nn.KLDivLoss":
            return None
    return other_softmax(facts, call, divergence.args[:2])


def _shown(facts: Facts, call: ast.Call, tensor: ast.expr) -> frozenset[int]:
    """The same of one softmax alone, and of those beside it that are given the same."""
    ndims = shown_dimensions(facts, tensor)
    block = {*facts.block(facts.statement(call)), *statements_above(facts.names, call)}
    beside = [other for other in others(facts, tensor) if facts.statement(other) in block]
    softmaxes = [other for other in beside if facts.name(other.func) in FUNCTIONS]
    for softmax in (call, *softmaxes):
        ndims = ndims & shown_by_uses(facts, softmax) or ndims
    return ndims


def shown_given(facts: Facts, layer: ast.Call, keeps: bool = True) -> frozenset[int]:
    """The numbers of dimensions of what a layer is given: 2 or 3 behind a ``BatchNorm1d``.

    Args:
        facts: the facts of the module.
        layer: the call that builds the layer, possibly as one of an ``nn.Sequential``.
        keeps: whether what the layer gives has as many dimensions.

    Returns:
        some of 0 to 5, where 5 stands for more as well.
    """
    built, around = sequential_with(facts.names, layer), facts.parent(layer)
    if built is None:
        is_given = isinstance(around, ast.Call) and layer in around.args
        if is_given or isinstance(around, (ast.List, ast.Tuple)):
            return _behind(facts, layer)
        return _of_applications(facts, layer, keeps)
    ndims = shown_given(facts, built, keeps=False)
    layers = layers_in_order(facts.names, built)
    for before in layers[: layers.index(layer)]:
        ndims = after_part(facts, before, ndims)
    return ndims


def _behind(facts: Facts, layer: ast.expr) -> frozenset[int]:
    """What the layers show that stand before one in an ``nn.Sequential``, one after the other."""
    before = layer_before(facts, layer) if isinstance(layer, ast.Call) else None
    return ANY if before is None else after_part(facts, before, _behind(facts, before))


def is_never_applied(facts: Facts, layer: ast.Call) -> bool:
    """Whether nothing in the project calls a layer that an attribute keeps, or reads its name.

    That others call the layer of a library by its name is nothing that shows here.
    """
    kept = facts.parent(layer)
    target = kept.targets[0] if isinstance(kept, ast.Assign) and len(kept.targets) == 1 else None
    if isinstance(kept, ast.Assign) and isinstance(target, ast.Name):
        found = facts.names.scope_of(target).lookup(target.id)
        is_own = found is not None and (
            found[0].kind == "function"
            or (found[0].kind == "module" and not _is_offered(facts, target))
        )
        return is_own and not uses_given_by(facts, kept, target.id)
    if not isinstance(target, ast.Attribute) or applications(facts.inference, layer) != []:
        return False
    return _is_read_nowhere_else(facts, target.attr)


def unnamed(facts: Facts, layer: ast.Call) -> str | None:
    """``self.softmax`` of a layer that nothing reads by this name, though more may reach it.

    ``net.children()`` gives it as well.
    """
    kept = facts.parent(layer)
    target = kept.targets[0] if isinstance(kept, ast.Assign) and len(kept.targets) == 1 else None
    if not isinstance(target, ast.Attribute) or not is_self(facts, target.value):
        return None
    uses = facts.names.attributes(target.attr)
    if any(isinstance(use.ctx, ast.Load) and facts.name(use) is None for use in uses):
        return None
    return ast.unparse(target) if _is_read_nowhere_else(facts, target.attr) else None


def _is_read_nowhere_else(facts: Facts, attribute: str) -> bool:
    if facts.files is None:
        return False
    return not any(_may_read(there, attribute) for there in others_with(attribute, facts))


def _is_offered(facts: Facts, name: ast.Name) -> bool:
    """Whether other files may take a name of a module from it."""
    if facts.files is None or facts.files.is_of_library():
        return True
    if not facts.is_used_elsewhere(name.id):
        return False
    return any(_may_take(there, name.id) for there in others_with(name.id, facts))


def _may_take(facts: Facts, name: str) -> bool:
    """Whether a file reads a name that may be of another one: it sets no such name itself."""
    uses = [use for scope in facts.names.scopes.values() for use in scope.uses.get(name, ())]
    read = (facts.name(use) or "" for use in facts.names.attributes(name))
    is_imported = any(name and not name.startswith("torch.") for name in read)
    return is_imported or _may_read(facts, name) or not all(_is_own(facts, use) for use in uses)


def _is_own(facts: Facts, use: ast.Name) -> bool:
    found = facts.flow.reaching(use)
    return bool(found) and all(binding.kind not in ("import", "other") for binding in found)


def _may_read(facts: Facts, name: str) -> bool:
    """Whether a file reads an attribute of that name of what may be of another file."""
    return any(
        isinstance(use.ctx, ast.Load) and facts.name(use) is None and not is_self(facts, use.value)
        for use in facts.names.attributes(name)
    )


def _of_applications(facts: Facts, layer: ast.Call, keeps: bool) -> frozenset[int]:
    found = ANY - ANY
    for call in applications(facts.inference, layer) or ():
        given = values_given(as_applied(facts.names, call))
        ndims = shown_dimensions(facts, given[0]) if len(given) == 1 else ANY
        found |= (ndims & shown_by_uses(facts, call) if keeps else ndims) or ANY
    return found or ANY
