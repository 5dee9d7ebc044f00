"""`nn.Linear(…)(x)` in `forward` has new weights in every call: layers are made in `__init__`."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import count

from torchfix_codemods.facts.language.arguments import argument, constant, values_given
from torchfix_codemods.facts.language.nodes import LOOPS, start_of
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import is_called, uses_given_by
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
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
    On layers without weights, such as `nn.ReLU()(x)` and `nn.BatchNorm1d(2, affine=False)(x)`;
    where the layer is kept in an attribute; where something is done with it besides calling it,
    which may set its weights.

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
        name = _names_of_layers(facts, call).get(call) if _is_found(facts, call) else None
        if name is None:
            return
        if _is_repeated(facts, call):
            told = "make one for each round of the loop in __init__, in an nn.ModuleList"
            yield self.advice(call, f"{self.message}: {told}")
            return
        made = f"self.{name} = {facts.segment(call)}"
        sizes = " and ".join(facts.segment(size) for size in _only_known_here(facts, call))
        known = f" with numbers for {sizes}" if sizes else ""
        yield self.advice(
            call, f"{self.message}: in __init__, write {made}{known}, and self.{name}(...) here"
        )


def _is_found(facts: Facts, call: ast.Call) -> bool:
    if facts.name(call.func) not in _LAYERS or not facts.classes.is_in_forward(call):
        return False
    is_bare = constant(argument(call, None, "affine")) is False
    return not is_bare and _is_only_called(facts, call)


def _names_of_layers(facts: Facts, call: ast.Call) -> dict[ast.Call, str]:
    """The attributes for the layers that the class around makes in ``forward``.

    None that it speaks of already, and each another one: ``linear``, ``linear2``.
    """
    owner = facts.names.enclosing_class(call)
    if owner is None:
        return {}

    def find_names() -> dict[ast.Call, str]:
        calls = [c for c in facts.names.inside(owner, ast.Call) if isinstance(c, ast.Call)]
        result: dict[ast.Call, str] = {}
        classes = [owner, *facts.classes.bases(owner)]
        own = {part.attr for cls in classes for part in facts.names.inside(cls, ast.Attribute)}
        for layer in sorted((c for c in calls if _is_found(facts, c)), key=start_of):
            kind = facts.segment(layer.func).rpartition(".")[2].lower()
            names = (f"{kind}{number if number > 1 else ''}" for number in count(1))
            taken = own.union(result.values())
            result[layer] = next(name for name in names if name not in taken)
        return result

    return facts.remembered(("layers of forward", owner), find_names)


def _is_repeated(facts: Facts, call: ast.Call) -> bool:
    """Whether ``forward`` makes a layer in each round of a loop, or for each element."""
    for outer in facts.names.ancestors(call):
        if isinstance(outer, (*LOOPS, *_COMPREHENSIONS)):
            return True
        if isinstance(outer, ast.FunctionDef):
            return False
    return False


def _only_known_here(facts: Facts, call: ast.Call) -> list[ast.expr]:
    """The arguments of a layer that speak of what forward gets or calculates."""
    here = facts.names.scope_of(call)

    def is_of_call(node: ast.AST) -> bool:
        if not isinstance(node, ast.Name) or node.id == "self":
            return False
        found = facts.names.scope_of(node).lookup(node.id)
        return found is not None and found[0] is here

    return [given for given in values_given(call) if any(map(is_of_call, ast.walk(given)))]


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
