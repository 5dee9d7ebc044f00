"""`BatchNorm` drew its weight until torch 1.1: the same seed leads to other numbers since."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from torchfix_codemods.facts.language.arguments import argument
from torchfix_codemods.facts.language.nodes import last_name, start_of
from torchfix_codemods.facts.libraries.torch_names import SEEDS
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import others_with
from torchfix_codemods.facts.programs.saved_paths import calls_of
from torchfix_codemods.facts.values.lattice import Module
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.modules.questions.norm_layers import (
    Layer,
    others_draw_otherwise,
    untouched,
)
from torchfix_codemods.text.wording import listed

#: What gives another number in each run.
_DRAWING = ("random.", "time.", "numpy.random.")
_ONES_SINCE = (1, 2)


class NormWeights(Rule):
    """
    ## What it does
    Tells, in code for torch 1.1 or older that seeds torch, that the layers of `BatchNorm` and
    `InstanceNorm` in the file, or in what it builds of its imports, start with other weights than
    they did.

    ## Why
    Until torch 1.1 their `weight` was drawn from 0 to 1. Since 1.2 it is 1, and nothing is drawn:
    training starts elsewhere, and all that is drawn after the layer is something else for the same
    seed.

    ## Example
    ```python
    torch.manual_seed(0)
    bn = nn.BatchNorm2d(3)
    ```
    is reported. For the numbers of then, write
    ```python
    torch.manual_seed(0)
    bn = nn.BatchNorm2d(3)
    nn.init.uniform_(bn.weight)
    ```
    and for `nn.Sequential(nn.BatchNorm2d(3), nn.Conv2d(3, 3, 1))`, where they are arguments,
    ```python
    class DrawnNorm(nn.BatchNorm2d):
        def reset_parameters(self):
            super().reset_parameters()
            nn.init.uniform_(self.weight)
    ```

    ## Numbers
    Nothing is rewritten: models train better from 1.

    ## When it stays its hand
    Where nothing shows that the file is as old as that, where the project requires torch 1.2 or
    newer by now, and where nothing is seeded, so that no run repeats another one. Where the file,
    or one that it imports, asks what is a `BatchNorm`, as functions do that set weights; where the
    class around the layer sets any, its file loads the weights of a trained model, or what is
    seeded only loads weights and trains nothing. Only those layers count that each run builds,
    whatever its options. One finding is given per project, at the first seed of its first file.
    Nothing is said in code for torch 0.4 or older with transposed or grouped convolutions, which
    drew their weights otherwise as well, as no line brings the old numbers back then.

    ## References
    - https://github.com/pytorch/pytorch/releases/tag/v1.2.0
    """

    code = "TP710"
    name = "norm-weights"
    since = "0.4"
    numerics = Numerics.ADVICE
    words = frozenset({"manual_seed"})
    message = "the same seed leads to other numbers since torch 1.2"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if facts.name(call.func) in SEEDS and call is _first_seed(facts):
            layers = _drawn_otherwise(call, facts)
            if layers and not _is_told_elsewhere(facts, self.code):
                yield self.advice(call, f"{_changed(layers, facts)}: {_remedy(layers)}")


def _first_seed(facts: Facts) -> ast.Call | None:
    seeds = [seed for name in SEEDS for seed in calls_of(facts, name)]
    return min(seeds, key=start_of, default=None)


def _drawn_otherwise(seed: ast.Call, facts: Facts) -> list[Layer]:
    """The layers that each run makes with other weights than it did for the same seed."""
    key = ("drawn otherwise", seed)
    return facts.remembered(key, lambda: _find_drawn_otherwise(seed, facts))


def _find_drawn_otherwise(seed: ast.Call, facts: Facts) -> list[Layer]:
    if not facts.numbers_before(seed, _ONES_SINCE):
        return []
    if _is_drawn_each_time(seed, facts) or _is_model_made_before(seed, facts):
        return []
    layers = untouched(facts, seed)
    # No line at the norms brings back what other layers drew otherwise as well.
    return [] if layers and others_draw_otherwise(facts, seed) else layers


def _is_told_elsewhere(facts: Facts, code: str) -> bool:
    """Whether the same is said of a file of the project that comes before this one."""
    files = facts.files
    return files is not None and any(
        there.files is not None
        and there.files.path < files.path
        and files.applies(there.files.path, code)
        and (seed := _first_seed(there)) is not None
        and bool(_drawn_otherwise(seed, there))
        for there in others_with("manual_seed", facts)
    )


def _changed(layers: Sequence[Layer], facts: Facts) -> str:
    by_class = {last_name(layer.func): ast.unparse(layer.func) for _, layer in layers}
    homes = dict.fromkeys(there for there, _ in layers)
    files = [there.files.called(there.files.path) for there in homes if there.files is not None]
    where = "" if [*homes] == [facts] or not files else f" in {listed(files)}"
    drew, starts = ("its weight", "starts") if len(by_class) == 1 else ("their weights", "start")
    return (
        f"{listed(by_class.values())}{where} drew {drew} until torch 1.1 and {starts} with ones"
        " since, so that the same seed leads to other numbers"
    )


def _remedy(layers: Sequence[Layer]) -> str:
    statements = [there.parent(layer) for there, layer in layers]
    if all(isinstance(each, ast.Assign) and len(each.targets) == 1 for each in statements):
        return (
            "for the old ones write torch.nn.init.uniform_(layer.weight) right after each is made"
        )
    drawn = "`torch.nn.init.uniform_(self.weight)`"
    return f"for the old ones use a subclass that adds {drawn} to reset_parameters()"


def _is_model_made_before(seed: ast.Call, facts: Facts) -> bool:
    """Whether a module of the project is made above the seed, whose weights were never the same."""
    around = facts.names.enclosing_function(seed)
    return any(
        isinstance(made, ast.Call)
        and made.lineno < seed.lineno
        and facts.names.enclosing_function(made) is around
        and isinstance(value := facts.value(made), Module)
        and value.definition is not None
        for made in facts.names.nodes.get(ast.Call, ())
    )


def _is_drawn_each_time(call: ast.Call, facts: Facts) -> bool:
    """Whether each run has another seed: ``seed = int(time.time())`` in the same scope."""
    seed = argument(call, 0, "seed")
    if seed is None:
        return False
    around = facts.names.enclosing_function(call) or facts.tree
    sources: list[ast.expr] = [seed]
    for assign in facts.names.inside(around, ast.Assign):
        if ast.unparse(seed) in map(ast.unparse, assign.targets):
            sources.append(assign.value)
    return any(
        (facts.name(node) or "").startswith(_DRAWING)
        for source in sources
        for node in ast.walk(source)
        if isinstance(node, ast.Name | ast.Attribute)
    )
