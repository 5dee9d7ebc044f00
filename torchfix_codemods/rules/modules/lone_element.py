"""`nn.InstanceNorm2d` of images of one pixel: there is nothing to normalise, which raises today."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.evaluation.extents import sizes_of
from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque, whole_number
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values import torch_api
from torchfix_codemods.facts.values.lattice import Module
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_NORMS = {f"InstanceNorm{n}d": n for n in (1, 2, 3)}
_POOLS = frozenset(f"Adaptive{kind}Pool{n}d" for kind in ("Avg", "Max") for n in (1, 2, 3))
_CONVOLUTIONS = frozenset(f"Conv{n}d" for n in (1, 2, 3))
#: Layers that leave the sizes of an image as they are, and that a block may have between the two.
_ELEMENTWISE = frozenset(
    name
    for name in torch_api.LAYERS - _CONVOLUTIONS - _NORMS.keys() - {"Linear", "PixelShuffle"}
    if not any(word in name for word in ("Pool", "Pad", "Upsampl", "Transpose"))
)


class LoneElement(Rule):
    """
    ## What it does
    Finds instance normalisation of images that certainly have one pixel: after
    `nn.AdaptiveAvgPool2d(1)` in an `nn.Sequential`, or of a tensor whose sizes are written down.

    ## Why
    Each channel is normalised by its own mean and deviation. Of one element, what is left is zero
    whatever came in, or the bias of the layer. Since torch 1.9 that raises, "Expected more than 1
    spatial element when training".

    ## Example
    ```python
    squeeze = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(8, 4, 1), nn.InstanceNorm2d(4))
    ```
    is reported: write
    ```python
    squeeze = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(8, 4, 1))
    ```

    ## Numbers
    Nothing is rewritten: without the layer something other than zeros comes out, and a checkpoint
    may hold its parameters.

    ## When it stays its hand
    Where the sizes are not certain, where a layer of another kind stands between the two, and on a
    layer that keeps the statistics of what it has seen, which `eval()` makes it use.

    ## References
    - https://github.com/pytorch/pytorch/pull/56659
    - https://pytorch.org/docs/stable/generated/torch.nn.InstanceNorm2d.html
    """

    code = "TP711"
    name = "lone-element"
    since = "0.4"
    numerics = Numerics.ADVICE
    words = frozenset(_NORMS)
    message = (
        "InstanceNorm of one element a channel raises since torch 1.9; it gave zeros, or its bias, "
        "whatever came in: leave it out there"
    )

    def find_Call(self, built: ast.Call, facts: Facts) -> Iterator[Found]:
        dimensions = _dimensions_normalised(facts, built)
        if dimensions is None:
            return
        around = facts.parent(built)
        if isinstance(around, ast.Call) and built in around.args:
            if facts.name(around.func) == "torch.nn.Sequential":
                before = around.args[: around.args.index(built)]
                if _ends_with_one_element(facts, before):
                    yield self.advice(built, self.message)
            return
        for call in _calls(facts, built):
            sizes = sizes_of(facts.inference, call.args[0])
            if sizes is not None and len(sizes) > dimensions:
                if set(sizes[-dimensions:]) == {1}:
                    yield self.advice(call, self.message)


def _dimensions_normalised(facts: Facts, built: ast.Call) -> int | None:
    """How many dimensions of an input a call of ``nn.InstanceNorm2d`` and its kind normalises."""
    module, _, cls = (facts.name(built.func) or "").rpartition(".")
    if module != "torch.nn" or cls not in _NORMS or is_opaque(built):
        return None
    tracks = argument(built, 4, "track_running_stats")
    return _NORMS[cls] if tracks is None or constant(tracks) is False else None


def _calls(facts: Facts, built: ast.Call) -> Iterator[ast.Call]:
    """The calls in the file that certainly are of the layer that a call builds."""
    for call in facts.names.nodes.get(ast.Call, ()):
        if not isinstance(call, ast.Call) or len(call.args) != 1 or call.keywords:
            continue
        if facts.names.may_be_built_here(call.func) and not is_opaque(call):
            layer = facts.value(call.func)
            if isinstance(layer, Module) and layer.call is built:
                yield call


def _ends_with_one_element(facts: Facts, layers: list[ast.expr]) -> bool:
    """Whether layers, one after the other, certainly end with one element a channel."""
    for layer in reversed(layers):
        module, _, cls = (facts.name(getattr(layer, "func", layer)) or "").rpartition(".")
        if module != "torch.nn" or not isinstance(layer, ast.Call) or is_opaque(layer):
            return False
        if cls in _POOLS:
            return _is_one(argument(layer, 0, "output_size"))
        if cls not in _ELEMENTWISE and not (cls in _CONVOLUTIONS and _is_of_one(layer)):
            return False
    return False


def _is_of_one(convolution: ast.Call) -> bool:
    """Whether a convolution has a kernel of one element, and pads nothing."""
    padding = argument(convolution, 4, "padding")
    return _is_one(argument(convolution, 2, "kernel_size")) and (
        padding is None or whole_number(padding) == 0
    )


def _is_one(size: ast.expr | None) -> bool:
    """``1``, ``(1, 1)``."""
    sizes = size.elts if isinstance(size, (ast.Tuple, ast.List)) else [size]
    return all(whole_number(one) == 1 for one in sizes)
