"""`[nn.Linear(…)] * n` is one layer n times, with the same weights: a comprehension makes n."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchfix_codemods.facts.language.arguments import whole_number
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.behind import behind, found_behind
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.uses import uses_given_by
from torchfix_codemods.facts.programs.models import has_weights
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_COPY = "copy.deepcopy"


class RepeatedLayer(Rule):
    """
    ## What it does
    Finds lists that hold one layer with weights several times, because they were multiplied.

    ## Why
    Multiplying a list copies nothing: `nn.ModuleList([nn.Linear(8, 8)] * 3)` is one layer, which
    has the parameters of one and is applied three times.

    ## Example
    ```python
    self.layers = nn.ModuleList([nn.Linear(8, 8)] * 3)
    ```
    is reported: where three layers are meant, write
    ```python
    self.layers = nn.ModuleList([nn.Linear(8, 8) for _ in range(3)])
    ```

    ## Numbers
    Nothing is rewritten: more layers have more weights, and other checkpoints. Some models share
    their weights on purpose.

    ## When it stays its hand
    On layers without weights; where the layer has a name, which tells that it is one; where the
    list holds something else as well, or is repeated once: also where the number has a default of 1
    and nothing in sight gives another. Where each of the elements is copied (`copy.deepcopy`), or
    others are put in their places.

    ## References
    - https://docs.python.org/3/library/stdtypes.html#common-sequence-operations
    """

    code = "TP706"
    name = "repeated-layer"
    since = "0.1"
    numerics = Numerics.ADVICE
    words = frozenset({"nn", "Module"})
    message = "one layer several times, with the same weights"

    def find_BinOp(self, node: ast.BinOp, facts: Facts) -> Iterator[Found]:
        if not isinstance(node.op, ast.Mult):
            return
        listed, times = node.left, node.right
        if isinstance(times, ast.List):
            listed, times = times, listed
        if not isinstance(listed, ast.List):
            return
        if not all(facts.is_module(e) or has_weights(facts, e) for e in listed.elts):
            return
        if _is_copied(facts, node):
            return
        if any(has_weights(facts, layer) for layer in listed.elts) and _is_more(facts, times):
            new = _comprehension(facts, listed, times)
            yield self.advice(node, f"{self.message}: write {new} for layers of their own")


def _is_copied(facts: Facts, repeated: ast.BinOp) -> bool:
    """Whether each element is copied, or replaced by another one: ``layers[i] = …``."""
    around = facts.parent(repeated)
    if isinstance(around, ast.comprehension):
        owner = facts.parent(around)
        made = owner.value if isinstance(owner, ast.DictComp) else getattr(owner, "elt", None)
        return isinstance(made, ast.Call) and facts.name(made.func) == _COPY
    if isinstance(around, ast.Call) and facts.names.builtin(around.func) == "map":
        return facts.name(around.args[0]) == _COPY
    if isinstance(around, ast.Assign) and len(around.targets) == 1:
        target = around.targets[0]
        uses = uses_given_by(facts, around, target.id) if isinstance(target, ast.Name) else ()
        places = [place for use in uses if isinstance(place := facts.parent(use), ast.Subscript)]
        return any(isinstance(place.ctx, ast.Store) for place in places)
    return False


def _comprehension(facts: Facts, listed: ast.List, times: ast.expr) -> str:
    """What builds new layers each time."""
    layers, rounds = [facts.segment(layer) for layer in listed.elts], facts.segment(times)
    if len(layers) == 1:
        return f"[{layers[0]} for _ in range({rounds})]"
    return f"[layer for _ in range({rounds}) for layer in ({', '.join(layers)})]"


def _is_more(facts: Facts, times: ast.expr) -> bool:
    """Whether a number may be more than 1: all that is in sight of it is not 1 or less."""
    least = 2
    if isinstance(times, ast.BinOp) and isinstance(times.op, (ast.Add, ast.Sub)):
        by = whole_number(times.right)
        if by is not None:
            least += by if isinstance(times.op, ast.Sub) else -by
            times = times.left
    fewer: list[int] = []

    def before_more(place: Place) -> Iterable[Place] | None:
        number = whole_number(place.node)
        if number is None:
            return behind(place)
        if number >= least:
            return None
        fewer.append(number)
        return ()

    return found_behind([Place(facts, times)], before_more) is not None or not fewer
