"""`nn.Parameter(torch.IntTensor(n))` fails: whole numbers take `requires_grad=False`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import keyword_argument, with_argument_added
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.origins import come_from, sources
from torchfix_codemods.facts.tensors.constructors import DTYPES
from torchfix_codemods.facts.values.lattice import WITHOUT_HISTORY, Tensor
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.questions.trials import is_trial

_PARAMETER = frozenset({"torch.nn.Parameter", "torch.nn.parameter.Parameter"})
_TYPED = DTYPES.keys() | {"torch.tensor", "torch.from_numpy"}

_MADE = (
    "this raises: only tensors of floats can require gradients, and this one is {}: write "
    "dtype={}, or leave requires_grad=True out where no gradient is wanted"
)


class WholeParameter(Rule):
    """
    ## What it does
    Gives parameters of whole numbers, such as packed bits or indices, `requires_grad=False`.

    ## Why
    A parameter requires gradients unless it is told otherwise, and torch refuses that for whole
    numbers, 1.0 as today's: "Only Tensors of floating point and complex dtype can require
    gradients". Torch 0.3 took such a parameter, and never gave it a gradient.

    ## Example
    ```python
    self.weight = nn.Parameter(torch.IntTensor(out_channels, words))
    ```
    becomes
    ```python
    self.weight = nn.Parameter(torch.IntTensor(out_channels, words), requires_grad=False)
    ```

    ## Numbers
    Restored: the parameter holds the same numbers, is saved and moved with its module, and has no
    gradient, as before.

    ## When it stays its hand
    Where the type of the numbers is not certain, and where `requires_grad` is not certainly true.
    What may have been floats in the torch that it was written for, such as `torch.arange(n)`, is
    told, and so is `torch.tensor([2], requires_grad=True)`, of which nothing says whether floats
    or no gradient are meant.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html
    - https://pytorch.org/docs/stable/notes/autograd.html#setting-requires-grad
    """

    code = "TP714"
    name = "whole-parameter"
    since = "0.1"
    numerics = Numerics.RESTORED
    words = frozenset({"Parameter", "requires_grad"})
    message = "a parameter of whole numbers cannot require gradients: requires_grad=False"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if is_opaque(call):
            return
        if facts.name(call.func) not in _PARAMETER:
            yield from self._find_made(call, facts)
            return
        data, asked = argument(call, 0, "data"), argument(call, 1, "requires_grad")
        value = None if data is None else facts.value(data)
        if data is None or not isinstance(value, Tensor) or value.dtype not in WITHOUT_HISTORY:
            return
        if asked is not None and constant(asked) is not True:
            return
        if come_from([Place(facts, data)], _before_typed):
            yield self.found(call)
            return
        yield self.advice(
            call,
            f"this raises: only tensors of floats can require gradients, and {facts.segment(data)} "
            f"is {value.dtype}: write requires_grad=False",
            fails=True,
        )

    def _find_made(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        """``torch.tensor([2], requires_grad=True)``."""
        if not any(k.arg == "requires_grad" and constant(k.value) is True for k in call.keywords):
            return
        name, made = facts.name(call.func) or "", facts.value(call)
        is_torchs = name.startswith("torch.") and name.count(".") == 1
        if not is_torchs or is_trial(facts.statement(call), facts):
            return
        if isinstance(made, Tensor) and made.dtype in WITHOUT_HISTORY:
            floats = spell(facts, "torch.float", call)
            dtype = "torch.float" if floats is None else floats.text
            yield self.advice(call, _MADE.format(made.dtype, dtype), fails=True)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        false = cst.Name("False")
        for index, arg in enumerate(updated.args):
            name = arg.keyword.value if arg.keyword is not None else ""
            if name == "requires_grad" or (index == 1 and not name):
                args = [*updated.args]
                args[index] = arg.with_changes(value=false)
                return updated.with_changes(args=args)
        return with_argument_added(updated, keyword_argument("requires_grad", false))


def _before_typed(place: Place) -> Iterable[Place] | None:
    """None for what another torch may have made floats of; nothing for what names its type."""
    node = place.node
    if not isinstance(node, ast.Call):
        return sources(place)
    name = place.facts.name(node.func)
    if name in _TYPED or any(keyword.arg == "dtype" for keyword in node.keywords):
        return ()
    if name is not None or not isinstance(node.func, ast.Attribute):
        return sources(place)
    method = node.func.attr
    if torch_effects.is_cast(method) or method == "type":
        return ()
    handed = torch_effects.hands_on(method) or torch_effects.hands_back(method)
    return [Place(place.facts, node.func.value)] if handed else sources(place)
