"""Where losses are called: as functions, and as the objects that a file builds."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import (
    argument,
    call_taking,
    is_opaque,
    values_given,
)
from torchfix_codemods.facts.libraries.losses import FUNCTION_OF, OF_CLASSES
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import value_by_all_calls
from torchfix_codemods.facts.paths.named import is_self
from torchfix_codemods.facts.values.lattice import Module, Tensor
from torchfix_codemods.rules.losses.questions.dimensions.operands import ndim_where_tensor
from torchfix_codemods.rules.losses.questions.last_activations import may_be_replaced
from torchfix_codemods.rules.losses.questions.ranks import MANY

_CLASSES = frozenset({2, 4})
_IMAGES = frozenset({4})
_OF_IMAGES = "torch.nn.NLLLoss2d"
#: Since when ``cross_entropy`` takes what each class is likely.
_LIKELY = (1, 10)


def losses_called(
    facts: Facts, call: ast.Call, built_alike: bool = False
) -> Iterator[tuple[ast.Call, str]]:
    """The calls of losses that ``call`` is, or that are of the loss object it builds.

    Each with the name of the function that computes it: ``"nll_loss"``.

    Args:
        facts: the module.
        call: a function or a class that is called.
        built_alike: whether the object may be built in another branch, too, in the same way:
            ``nn.BCELoss().cuda()`` and ``nn.BCELoss()``. Then these are told of the first.
    """
    name = facts.name(call.func) or ""
    module, _, bare = name.rpartition(".")
    if module == "torch.nn.functional" and bare in FUNCTION_OF.values():
        yield call, bare
    elif name in FUNCTION_OF:
        key = ("calls of losses", built_alike)
        found = facts.remembered(key, lambda: _calls_of_losses(facts, built_alike))
        for use in found.get(call, ()):
            yield use, FUNCTION_OF[name]


def takes_classes(facts: Facts, call: ast.Call) -> frozenset[int] | None:
    """How many dimensions a loss of classes takes: one more than its target has.

    Until torch 0.3 it took two or four, where it is called by such code; since then it also takes
    three, of which softmax chooses another than the classes.

    Args:
        facts: the module.
        call: any call.

    Returns:
        the numbers; None for what is no such loss, and where nothing shows them.
    """
    function = loss_of_classes(facts, call)
    if function is None:
        return None
    old = _IMAGES if _loss_called(facts, call) == _OF_IMAGES else _CLASSES
    taken = old if facts.era_of(call).before((0, 4)) else None
    by_target = _over(facts, call, function)
    if taken is None or by_target is None:
        return taken or by_target
    return taken & by_target or taken


def takes_target(facts: Facts, use: ast.expr) -> frozenset[int] | None:
    """How many dimensions the target of a loss of classes has: one less than the classes.

    Args:
        facts: the module.
        use: what may be the target, an index for each element.

    Returns:
        the numbers; None for what is no such target, and where nothing shows them.
    """
    call = call_taking(facts.names, use)
    if call is None or is_opaque(call) or argument(call, 1, "target") is not use:
        return None
    function = loss_of_classes(facts, call)
    if function is None:
        return None
    if facts.era_of(call).before((0, 4)):
        of_images = _loss_called(facts, call) == _OF_IMAGES
        return frozenset(n - 1 for n in (_IMAGES if of_images else _CLASSES))
    classes = argument(call, 0, "input")
    ndim = None if classes is None else ndim_where_tensor(facts, classes)
    # Since torch 1.10 it may be what each class is likely.
    is_index = function != "cross_entropy" or facts.era_of(call).before(_LIKELY)
    return frozenset({min(ndim - 1, MANY)}) if ndim and ndim > 1 and is_index else None


def loss_of_classes(facts: Facts, call: ast.Call) -> str | None:
    """The function that a call computes, where that takes classes along the second dimension.

    Args:
        facts: the module.
        call: any call, also of a loss object.
    """
    name = _loss_called(facts, call)
    if name == _OF_IMAGES:
        return "nll_loss"
    function = FUNCTION_OF.get(name, name.removeprefix("torch.nn.functional."))
    return function if function in OF_CLASSES else None


def _loss_called(facts: Facts, call: ast.Call) -> str:
    """The qualified name of the function that is called, or of the class of the loss."""
    name = facts.name(call.func)
    if name is not None:
        return name
    loss = facts.value(call.func)
    if not isinstance(loss, Module):
        loss = value_by_all_calls(call.func, facts)
    return (loss.cls or "") if isinstance(loss, Module) else ""


def _over(facts: Facts, call: ast.Call, function: str) -> frozenset[int] | None:
    """How many dimensions classes have over a target of so many, one index for each."""
    target = None if is_opaque(call) else argument(call, 1, "target")
    ndim = None if target is None else ndim_where_tensor(facts, target)
    if target is None or not ndim or ndim == 2:
        # Of three dimensions torch takes another than the classes: that is asked, not written.
        return None
    value = facts.value(target)
    is_index = isinstance(value, Tensor) and (value.dtype or "").startswith("int")
    # Since torch 1.10 it also takes what each class is likely, in as many dimensions.
    alike = frozenset({ndim}) if function == "cross_entropy" and not is_index else frozenset()
    return frozenset(min(n, MANY) for n in {ndim + 1} | alike)


def _calls_of_losses(facts: Facts, built_alike: bool) -> dict[ast.Call, list[ast.Call]]:
    """The calls of loss objects, by the call that builds the object."""
    found: dict[ast.Call, list[ast.Call]] = {}
    for call in facts.names.nodes.get(ast.Call, ()):
        assert isinstance(call, ast.Call)
        if len(values_given(call)) < 2 or facts.name(call.func) is not None:
            continue
        if not facts.names.may_be_built_here(call.func):
            continue
        loss = facts.value(call.func)
        if not isinstance(loss, Module) or loss.cls not in FUNCTION_OF:
            continue
        built = loss.call
        if built is None and built_alike:
            built = _built_in_branches(facts, call.func)
        if built is None:
            continue
        if not isinstance(call.func, ast.Attribute) or not may_be_replaced(facts, call.func):
            found.setdefault(built, []).append(call)
    return found


def _built_in_branches(facts: Facts, loss: ast.expr) -> ast.Call | None:
    """The first of the calls that build a loss, where all of them are written alike."""
    sources = facts.assigned(loss) if isinstance(loss, ast.Name) else None
    owner = facts.names.enclosing_class(loss)
    if isinstance(loss, ast.Attribute) and owner is not None and is_self(facts, loss.value):
        bindings = facts.classes.attribute_sources(owner, loss.attr)
        sources = [b.value for b in bindings if b.value is not None and not b.path]
        if len(sources) != len(bindings):
            return None
    layers = [facts.value(source) for source in sources or ()]
    built = [layer.call for layer in layers if isinstance(layer, Module) and layer.call is not None]
    is_alike = len({ast.dump(call) for call in built}) == 1 and len(built) == len(layers)
    return built[0] if is_alike else None
