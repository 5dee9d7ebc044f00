"""`nn.Linear(…)(x)` in `forward` has new weights in every call: layers are made in `__init__`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import is_called, uses_given_by
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_DIMENSIONAL = ("Conv{}d", "ConvTranspose{}d", "BatchNorm{}d")
_LAYERS = frozenset(
    f"torch.nn.{name}"
    for name in (
        *(layer.format(n) for layer in _DIMENSIONAL for n in (1, 2, 3)),
        *"Linear Bilinear Embedding EmbeddingBag LSTM GRU RNN LSTMCell GRUCell RNNCell".split(),
    )
)


class LayerInForward(Rule):
    """
    ## What it does
    Finds layers with weights that `forward` makes and applies itself.

    ## Why
    Such a layer is a new one in each call: with other random weights, or for BatchNorm without any
    statistics. The optimizer never sees its parameters, and no checkpoint holds them.

    ## Example
    ```python
    def forward(self, x):
        return nn.Linear(64, 10)(self.features(x))
    ```
    is reported: write
    ```python
    def __init__(self):
        ...
        self.linear = nn.Linear(64, 10)

    def forward(self, x):
        return self.linear(self.features(x))
    ```

    ## Numbers
    Nothing is rewritten: the sizes may be known in `forward` only, and checkpoints get new keys.

    ## When it stays its hand
    On layers without weights, such as `nn.ReLU()(x)`; where the layer is kept in an attribute;
    where something is done with it besides calling it, which may set its weights.

    ## References
    - https://pytorch.org/docs/stable/notes/modules.html
    """

    code = "TP705"
    name = "layer-in-forward"
    since = "0.1"
    numerics = Numerics.ADVICE
    words = frozenset(name.rpartition(".")[2] for name in _LAYERS)
    message = "a new layer with new weights in every call of forward"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if facts.name(call.func) not in _LAYERS or not _is_in_forward(facts, call):
            return
        if _is_only_called(facts, call):
            layer = facts.segment(call.func).rpartition(".")[2].lower()
            made = f"self.{layer} = {facts.segment(call)}"
            sizes = " and ".join(facts.segment(size) for size in _only_known_here(facts, call))
            known = f" with numbers for {sizes}" if sizes else ""
            yield self.advice(
                call,
                f"{self.message}: in __init__, write {made}{known}, and self.{layer}(...) here",
            )


def _only_known_here(facts: Facts, call: ast.Call) -> list[ast.expr]:
    """The arguments of a layer that speak of what forward gets or calculates."""
    here = facts.names.scope_of(call)

    def is_of_call(node: ast.AST) -> bool:
        if not isinstance(node, ast.Name) or node.id == "self":
            return False
        found = facts.names.scope_of(node).lookup(node.id)
        return found is not None and found[0] is here

    return [given for given in values_given(call) if any(map(is_of_call, ast.walk(given)))]


def _is_in_forward(facts: Facts, call: ast.Call) -> bool:
    function = facts.names.enclosing_function(call)
    owner = None if function is None else facts.parent(function)
    return (
        function is not None
        and function.name == "forward"
        and isinstance(owner, ast.ClassDef)
        and facts.classes.kind(owner) == "module"
    )


def _is_only_called(facts: Facts, layer: ast.expr) -> bool:
    """Whether all that becomes of a layer is that it is moved and called."""
    parent = facts.parent(layer)
    if isinstance(parent, ast.Call):
        return parent.func is layer
    if isinstance(parent, ast.Attribute) and torch_effects.moves_or_casts(parent.attr):
        moved = facts.parent(parent)
        return isinstance(moved, ast.Call) and _is_only_called(facts, moved)
    if not (isinstance(parent, ast.Assign) and len(parent.targets) == 1):
        return False
    target = parent.targets[0]
    if not isinstance(target, ast.Name):
        return False
    uses = uses_given_by(facts, parent, target.id)
    return bool(uses) and all(is_called(facts, use) for use in uses)
