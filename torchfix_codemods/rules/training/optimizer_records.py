"""What old code reads of an optimizer: its steps were an `int`, its parameters an `id()`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.language.arguments import argument, constant
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.recording.gradient_reads import read_next
from torchfix_codemods.facts.values.lattice import Optimizer
from torchfix_codemods.facts.values.options import by_default
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_COUNTED = "the steps that an optimizer counted were an int until torch 1.11: write int({text})"
_NUMBERED = "state_dict() numbers parameters from 0 since torch 1.6, where it gave the id() of each"
_DECAYED = (
    "until torch 1.4 step() added the weight decay to the gradients themselves: what is read below"
    " was p.grad + weight_decay * p, of p before the step"
)

#: The optimizers whose step changed the gradients themselves until torch 1.4, and since when.
_CHANGED_GRADIENTS: dict[str, tuple[int, ...]] = {
    "torch.optim.SGD": (),
    "torch.optim.Adam": (1, 0),
}


class OptimizerRecords(Rule):
    """
    ## What it does
    Finds what a file for an older torch reads of an optimizer or after its step, where that is
    something else today: the steps that it counted, the parameters in its `state_dict()`, and
    gradients behind a step with weight decay.

    ## Why
    `optimizer.state[p]["step"]` was an `int` and is a tensor of floats since torch 1.12. The
    parameters in `optimizer.state_dict()["param_groups"]` were the `id()` of each until torch 1.5,
    and are indices since. Until torch 1.4 the `step()` of `SGD` wrote the gradient with weight
    decay into `p.grad`, so that what logs gradients after the step logged another one; that of
    `Adam` did so in torch 1.0 to 1.4, and those of other optimizers never.

    ## Example
    ```python
    rate = 0.1 / optimizer.state[p]["step"]
    ```
    is reported: write
    ```python
    rate = 0.1 / int(optimizer.state[p]["step"])
    ```

    ## Numbers
    Nothing is rewritten: old files may be read with either.

    ## When it stays its hand
    Where nothing shows that the file is as old as that, on optimizers that are not certainly
    torch's own, and where the steps are converted already.

    ## References
    - https://github.com/pytorch/pytorch/releases/tag/v1.12.0
    - https://github.com/pytorch/pytorch/releases/tag/v1.6.0
    - https://github.com/pytorch/pytorch/releases/tag/v1.5.0
    - https://github.com/pytorch/pytorch/issues/12218
    """

    code = "TP611"
    name = "optimizer-records"
    since = "0.4"
    numerics = Numerics.ADVICE
    words = frozenset({"state", "state_dict", "step"})
    beside = frozenset({"state", "state_dict", "weight_decay"})
    message = "an optimizer of today keeps something else here"

    def find_Subscript(self, node: ast.Subscript, facts: Facts) -> Iterator[Found]:
        key = constant(node.slice)
        if key not in ("step", "params") or not isinstance(node.ctx, ast.Load):
            return
        if key == "step" and _is_of_state(node.value, facts):
            if facts.numbers_before(node, (1, 12)) and not _is_converted(node, facts):
                yield self.advice(node, _COUNTED.format(text=facts.segment(node)))
        if (
            key == "params"
            and facts.era_of(node).before((1, 6))
            and _is_of_groups(node.value, facts)
        ):
            yield self.advice(node, _NUMBERED)

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        function = call.func
        if not isinstance(function, ast.Attribute) or function.attr != "step":
            return
        if facts.numbers_before(call, (1, 5)) and _decays(function.value, facts):
            if _decayed_gradients(call, function.value, facts):
                if read_next(call, facts) is not None:
                    yield self.advice(call, _DECAYED)


def _is_converted(node: ast.expr, facts: Facts) -> bool:
    user = facts.parent(node)
    return isinstance(user, ast.Call) and facts.names.builtin(user.func) in {"int", "float"}


def _is_of_state(node: ast.expr, facts: Facts) -> bool:
    """``optimizer.state[p]``, ``optimizer.state_dict()["state"][0]``."""
    if not isinstance(node, ast.Subscript):
        return False
    holder = node.value
    if isinstance(holder, ast.Subscript):
        return constant(holder.slice) == "state" and _is_dict(holder.value, facts)
    is_state = isinstance(holder, ast.Attribute) and holder.attr == "state"
    return is_state and isinstance(holder, ast.Attribute) and _is_of_torch(holder.value, facts)


def _is_of_groups(node: ast.expr, facts: Facts) -> bool:
    """``optimizer.state_dict()["param_groups"][0]``."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.value, ast.Subscript):
        return False
    groups = node.value
    return constant(groups.slice) == "param_groups" and _is_dict(groups.value, facts)


def _is_dict(node: ast.expr, facts: Facts) -> bool:
    """``optimizer.state_dict()``."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    return node.func.attr == "state_dict" and _is_of_torch(node.func.value, facts)


def _is_of_torch(node: ast.expr, facts: Facts) -> bool:
    value = facts.value(node)
    return isinstance(value, Optimizer) and (value.name or "").startswith("torch.optim.")


def _decayed_gradients(step: ast.Call, optimizer: ast.expr, facts: Facts) -> bool:
    """Whether the step of a kind of optimizer changed the gradients themselves."""
    value = facts.value(optimizer)
    name = value.name if isinstance(value, Optimizer) else None
    since = _CHANGED_GRADIENTS.get(name or "")
    return since is not None and (facts.era_of(step).oldest or ()) >= since


def _decays(optimizer: ast.expr, facts: Facts) -> bool:
    """Whether an optimizer was certainly built with weight decay."""
    built = facts.assigned(optimizer) if isinstance(optimizer, ast.Name) else None
    if not built or not _is_of_torch(optimizer, facts):
        return False
    decays = [argument(b, None, "weight_decay") for b in built if isinstance(b, ast.Call)]
    return len(decays) == len(built) and not any(d is None or _is_zero(d, facts) for d in decays)


def _is_zero(decay: ast.expr, facts: Facts) -> bool:
    """Whether a weight decay is 0: as the one value of its name, or its option's default."""
    given = facts.assigned(decay) if isinstance(decay, ast.Name) else [decay]
    return bool(given) and all(
        constant(by_default(value, facts.names)) == 0 for value in given or ()
    )
