"""What minds that a tensor lost its first dimension: indices, loops, sizes, strict losses."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.arguments import is_opaque, values_given, whole_number
from torchfix_codemods.facts.language.nodes import indices, last_name
from torchfix_codemods.facts.libraries import python_functions, torch_effects
from torchfix_codemods.facts.libraries.losses import FUNCTION_OF
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.behind import behind, found_behind
from torchfix_codemods.facts.paths.called import returned_anywhere
from torchfix_codemods.facts.paths.graph import Place, Use, kept_in
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.tensors.least_dimensions import least_taken
from torchfix_codemods.facts.values.lattice import Module, Number
from torchfix_codemods.rules.tensors.questions.row_indices import is_of_shorter

#: What refuses a tensor without dimensions among those that it joins.
_JOINING = frozenset({"torch.cat", "torch.concat", "torch.concatenate", "numpy.concatenate"})

#: Losses that raise where prediction and target differ in shape; others broadcast, to the same
#: number for a batch of one.
_STRICT = frozenset({"binary_cross_entropy", "binary_cross_entropy_with_logits"})


def minding(call: ast.Call, facts: Facts, finds: bool) -> Use | None:
    """The nearest use in sight for which the first dimension of ``x.squeeze()`` has to be there.

    Without it, that raises, or takes another dimension for the first one.

    Args:
        call: ``x.squeeze()``, which may have lost it.
        facts: the file.
        finds: whether it gives the indices that ``nonzero`` found, so that nothing is left of it.

    Returns:
        the use, or None where nothing in sight minds: in sums with what keeps the dimension,
        broadcasting brings it back, and a mean of all numbers counts no dimensions.
    """

    def minds(use: Use) -> Iterable[Place] | None:
        if use.place.content:
            return None if _joins(use) else _onward(use)
        is_missed = _minds(use, finds) and (finds or not is_of_shorter(use))
        return None if is_missed else still_without(use, finds)

    trail = follow([Place(facts, call)], minds)
    return None if trail is None or trail.is_cut else trail.end


def _minds(use: Use, finds: bool) -> bool:
    if use.kind in ("iterated", "unpacked"):
        return True
    if use.kind in ("item", "put into"):
        return isinstance(use.by, ast.Subscript) and _names_first(use.by) and not _is_number(use)
    if use.kind == "attribute":
        return getattr(use.by, "attr", "") == "shape" and _reads_first(use.by, use.facts)
    if not isinstance(use.by, ast.Call):
        return False
    if use.kind == "method":
        method = last_name(use.by.func)
        if method == "size":
            is_named = bool(use.by.args) and whole_number(use.by.args[0]) is not None
            return is_named or (not use.by.args and _reads_first(use.by, use.facts))
        if method == "tolist":
            return finds
        return least_taken(use.facts, use.by, use.node) > 1
    if use.kind == "argument":
        builtin = use.facts.names.builtin(use.by.func)
        if builtin is not None:
            is_gone_through = python_functions.walks(builtin)
            is_sum = python_functions.is_arithmetic(builtin)
            return builtin == "len" or (is_gone_through and not is_sum)
        is_extended = isinstance(use.by.func, ast.Attribute) and use.by.func.attr == "extend"
        return is_extended or least_taken(use.facts, use.by, use.node) > 1 or _is_strict(use)
    return False


def _names_first(item: ast.Subscript) -> bool:
    """Whether ``x[0]``, ``x[:, 1]`` or ``x[mask]`` takes the first dimension, no ``x[None]``."""
    first = indices(item.slice)[0]
    if isinstance(first, ast.Constant):
        return isinstance(first.value, int) and not isinstance(first.value, bool)
    return not isinstance(first, ast.Starred)


def _is_number(use: Use) -> bool:
    """Whether ``x.data[0]`` reads the one number that x is: TP103 tells of that."""
    is_data = isinstance(use.node, ast.Attribute) and use.node.attr == "data"
    return is_data and isinstance(use.by, ast.Subscript) and whole_number(use.by.slice) == 0


def _reads_first(sizes: ast.AST, facts: Facts) -> bool:
    """Whether ``x.shape[0]`` or ``rows, columns = x.size()`` is read."""
    around = facts.parent(sizes)
    if isinstance(around, ast.Subscript) and around.value is sizes:
        return whole_number(around.slice) is not None
    if isinstance(around, ast.Assign):
        return any(isinstance(target, (ast.Tuple, ast.List)) for target in around.targets)
    return False


def _joins(use: Use) -> bool:
    """Whether tensors are put together along a dimension: ``torch.cat([x, y])``."""
    if use.kind != "argument" or not isinstance(use.by, ast.Call) or len(use.place.content) != 1:
        return False
    return use.by.args[:1] == [use.node] and use.facts.name(use.by.func) in _JOINING


def _is_strict(use: Use) -> bool:
    """Whether a loss is given a target, or a prediction, that nothing squeezes."""
    call = use.by
    if not isinstance(call, ast.Call) or is_opaque(call):
        return False
    name = use.facts.name(call.func) or ""
    value = use.facts.value(call.func)
    function = name.removeprefix("torch.nn.functional.")
    if not name and isinstance(value, Module):
        function = FUNCTION_OF.get(value.cls or "", "")
    given = values_given(call)[:2]
    if function not in _STRICT or len(given) != 2 or use.node not in given:
        return False
    (other,) = [each for each in given if each is not use.node]
    return found_behind([Place(use.facts, other)], _before_squeezed) is None


def _before_squeezed(place: Place) -> Iterable[Place] | None:
    """None for what has lost dimensions as well, or may have, and for several that are written."""
    node = place.node
    if isinstance(node, ast.List) and not place.content and len(node.elts) > 1:
        return None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in ("squeeze", "item", "view", "reshape"):
            return None
        if torch_effects.does(torch_effects.of_any(node.func.attr), "reduces"):
            return None
        return [*behind(place), Place(place.facts, node.func.value), *_given(place.facts, node)]
    if isinstance(node, ast.Call):
        return [*behind(place), *_given(place.facts, node)]
    if isinstance(node, ast.BinOp):
        return [Place(place.facts, node.left), Place(place.facts, node.right)]
    return behind(place)


def _given(facts: Facts, call: ast.Call) -> list[Place]:
    return [Place(facts, each) for each in call.args if not isinstance(each, ast.Starred)]


def _onward(use: Use) -> Iterable[Place]:
    """Where what holds the tensor goes."""
    if use.kind in ("attribute", "method", "compared", "asked", "tested", "formatted"):
        return ()
    if use.kind == "bound":
        return [*use.named(), *_kept_as(use)]
    further = [*returned_anywhere(use), *use.taken()]
    return [*use.result(), *use.held(), *further]


def still_without(use: Use, finds: bool) -> Iterable[Place]:
    """The expressions that lack the first dimension then."""
    if use.kind in ("bound", "chosen", "element"):
        return [*use.result(), *use.named(), *_kept_as(use)]
    if use.kind in ("returned", "yielded"):
        return returned_anywhere(use)
    if use.kind in ("operand", "compared"):
        return use.result() if _is_beside_number(use) else ()
    if use.kind == "index":
        chosen = _rows_chosen(use) if finds else None
        return [] if chosen is None else [Place(use.facts, chosen)]
    if use.kind == "attribute":
        return use.result() if getattr(use.by, "attr", "") == "data" else ()
    if use.kind not in ("argument", "method") or not isinstance(use.by, ast.Call):
        return ()
    return [*use.held(), *use.taken(), *(use.result() if _keeps_shape(use) else ())]


def _kept_as(use: Use) -> Iterable[Place]:
    """Where ``self.scores`` is read that its class sets but once, or an item of a dict or list."""
    facts = use.facts
    for target, content in use.targets():
        if isinstance(target, ast.Attribute):
            alike = [
                node
                for node in facts.names.attributes(target.attr)
                if ast.unparse(node) == ast.unparse(target)
                and facts.names.enclosing_class(node) is facts.names.enclosing_class(target)
            ]
            if sum(not isinstance(node.ctx, ast.Load) for node in alike) == 1:
                read = (node for node in alike if isinstance(node.ctx, ast.Load))
                yield from (Place(facts, node, content) for node in read)
        elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            yield from kept_in(facts, target, content)


def _keeps_shape(use: Use) -> bool:
    """Whether a call gives a tensor, or an array, of the same shape, whatever it is."""
    call = use.by
    assert isinstance(call, ast.Call)
    name = use.facts.name(call.func)
    module = use.facts.value(call.func)
    if name == "torch.autograd.Variable":
        return True
    if name is None and isinstance(module, Module):
        return torch_effects.is_elementwise(module.cls or "") and values_given(call) == [use.node]
    operation = name or torch_effects.of_any(last_name(call.func) or "")
    if use.kind == "argument" and name is None:
        return False
    is_alone = [*call.args, *call.keywords] == ([use.node] if name else [])
    if torch_effects.is_elementwise(operation) and is_alone:
        return True
    is_array = name is None and last_name(call.func) == "numpy"
    return use.kind == "method" and (torch_effects.moves_or_casts(operation) or is_array)


def _rows_chosen(use: Use) -> ast.expr | None:
    """``w[i]`` and ``w[i, :]`` of the index ``i``."""
    index: ast.AST = use.node
    around = use.facts.parent(index)
    if isinstance(around, ast.Tuple) and around.elts[0] is index:
        if not all(isinstance(each, ast.Slice) for each in around.elts[1:]):
            return None
        index, around = around, use.facts.parent(around)
    if not isinstance(around, ast.Subscript) or around.slice is not index:
        return None
    return around if isinstance(around.ctx, ast.Load) else None


def _is_beside_number(use: Use) -> bool:
    """``-x``, ``x * 2``, ``x > 0``: no other tensor comes in."""
    if isinstance(use.by, ast.Compare):
        others = [each for each in (use.by.left, *use.by.comparators) if each is not use.node]
    elif isinstance(use.by, ast.BinOp):
        others = [use.by.right if use.by.left is use.node else use.by.left]
    else:
        return isinstance(use.by, ast.UnaryOp)
    return all(isinstance(use.facts.value(other), Number) for other in others)
