"""`kl_div` takes log-probabilities and, unless told otherwise, averages over all elements."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.spelling import spell_beside
from torchfix_codemods.facts.evaluation.parameters import arguments_given
from torchfix_codemods.facts.language.arguments import argument, is_opaque, values_given
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import value_by_all_calls
from torchfix_codemods.facts.paths.held import parameter_held
from torchfix_codemods.facts.values.lattice import Tensor
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import TRAINING, Found, Rule
from torchfix_codemods.rules.losses.questions.criteria import losses_called
from torchfix_codemods.rules.losses.questions.last_activations import activation_of

_LOGARITHMS = frozenset({"log_softmax", "logsigmoid", "log"})
_SOFTMAX = frozenset({"torch.softmax", "torch.nn.functional.softmax"})
_FLAGS = frozenset({"reduction", "size_average", "reduce"})

#: Through so many names a tensor is followed to what makes it.
_MAX_DEPTH = 4

_INPUT = "kl_div takes the log-probabilities of the model first"
_SWAPPED = "kl_div takes log-probabilities first and probabilities second: swap the arguments"
_TARGET = "kl_div takes probabilities as its target: write log_target=True for their logarithms"
_AVERAGES = "kl_div averages over all elements unless a reduction is given"
# Written out, reduction="mean" warns as well: the next major release takes "batchmean" for it.
_SAME = (
    f'{_AVERAGES}: write reduction="none" and .mean() for the same number without torch\'s warning'
)
_DIVERGENCE = f'{_SAME}, or reduction="batchmean" for the divergence'
_MEAN = (
    f'{_SAME}, or reduction="batchmean", which divides the sum by the size of dim 0 alone, for the '
    "divergence"
)


class KlDiv(Rule):
    """
    ## What it does
    Writes `F.kl_div(F.log_softmax(x, 1), target)` for `F.kl_div(F.softmax(x, 1), target)`. Says
    where `kl_div` and `KLDivLoss` average over all elements because no `reduction` is given, where
    the target is a logarithm, and where the arguments are in the wrong order.

    ## Why
    `kl_div` does not take two distributions: its first argument is the logarithm of one. With a
    probability there nothing fails, and a loss that says nothing is minimised. The default
    reduction divides by the number of all elements, so that the result is smaller than the
    divergence by the number of classes; `"batchmean"` gives the divergence of what has a batch
    and classes.

    ## Example
    ```python
    loss = F.kl_div(F.softmax(logits, dim=1), target, reduction="batchmean")
    ```
    becomes
    ```python
    loss = F.kl_div(F.log_softmax(logits, dim=1), target, reduction="batchmean")
    ```

    ## Numbers
    Changed, to the divergence that was meant.

    ## When it stays its hand
    The reduction is never changed: the learning rate may be chosen for it. Nothing is said where
    `reduction`, `size_average` or `reduce` is given, where the mean is multiplied by a size, also
    by one that the target was made with, where the arguments have one dimension or none, and where
    it is not certain what the arguments come out of.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.nn.KLDivLoss.html
    """

    code = "TP309"
    name = "kl-div"
    since = "0.4"
    numerics = Numerics.CHANGED
    moves = TRAINING
    words = frozenset({"kl_div", "KLDivLoss"})
    message = _INPUT

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        uses = [use for use, loss in losses_called(facts, call) if loss == "kl_div"]
        if is_opaque(call) or not (uses or _is_passed_on(call, facts)):
            return
        if _averages(call, facts) and not any(_is_scaled(use, facts) for use in uses):
            dimensions = {_dimensions(use, facts) for use in uses}
            # Of what has no batch, or no dimensions, "batchmean" is the same mean.
            if not dimensions & {0, 1}:
                yield self.advice(call, _DIVERGENCE if dimensions == {2} else _MEAN)
        has_log_target = argument(call, None, "log_target") is not None
        for use in uses:
            given, target = argument(use, 0, "input"), argument(use, 1, "target")
            if given is not None and target is not None and not is_opaque(use):
                yield from self._mismatches(use, given, target, has_log_target, facts)

    def _mismatches(
        self,
        call: ast.Call,
        given: ast.expr,
        target: ast.expr,
        has_log_target: bool,
        facts: Facts,
    ) -> Iterator[Found]:
        is_log_target = _kind(target, facts) in _LOGARITHMS
        if _kind(given, facts) == "softmax":
            if is_log_target:
                yield self.advice(call, _SWAPPED)
            elif isinstance(given, ast.Call) and facts.name(given.func) in _SOFTMAX:
                new = (facts.name(given.func) or "").replace("softmax", "log_softmax")
                path = spell_beside(facts, new, given.func)
                if path is not None:
                    yield self.found(given, needs=path.needs, path=path.text)
            else:
                yield self.advice(call, f"{_INPUT}: {facts.segment(given)} holds probabilities")
        elif is_log_target and not has_log_target:
            yield self.advice(call, _TARGET)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        return updated.with_changes(func=cst.parse_expression(self.data["path"]))


def _kind(node: ast.expr, facts: Facts) -> str | None:
    activation = activation_of(facts, node)
    return None if activation is None else activation.kind


def _averages(call: ast.Call, facts: Facts) -> bool:
    """Whether nothing is said about the reduction."""
    positional = 2 if facts.name(call.func) == "torch.nn.functional.kl_div" else 0
    return len(call.args) <= positional and not any(k.arg in _FLAGS for k in call.keywords)


def _is_passed_on(call: ast.Call, facts: Facts) -> bool:
    """Whether a loss object, or a name that it is assigned to, is an argument of another call."""
    if facts.name(call.func) != "torch.nn.KLDivLoss":
        return False
    parent = facts.parent(call)
    places: list[ast.expr] = [call]
    if isinstance(parent, ast.Assign) and isinstance(parent.targets[0], ast.Name):
        found = facts.names.scope_of(parent).lookup(parent.targets[0].id)
        places = [] if found is None else list(facts.names.uses_of(found[0], parent.targets[0].id))
    return any(_is_argument(place, facts) for place in places)


def _is_argument(place: ast.expr, facts: Facts) -> bool:
    parent = facts.parent(place)
    if isinstance(parent, ast.keyword):
        return True
    return isinstance(parent, ast.Call) and place is not parent.func


def _is_scaled(use: ast.Call, facts: Facts) -> bool:
    """Whether the mean is multiplied by a size: ``F.kl_div(p, q) * p.size(1)``.

    Or by what the function, or all that calls it, names for one (``* scale``), or by what the
    target was made with: ``* n`` of a ``torch.full((len(x), n), 1 / n)``.
    """
    parent = facts.parent(use)
    if not isinstance(parent, ast.BinOp):
        return False
    other = parent.left if parent.right is use else parent.right
    if _speaks_of_size(other):
        return True
    if not isinstance(parent.op, ast.Mult):
        return False
    if any(ast.dump(other) == made for given in use.args[:2] for made in _made_with(given, facts)):
        return True
    if not isinstance(other, ast.Name):
        return False
    given = facts.assigned(other) or _given_by_calls(other, facts)
    return any(map(_speaks_of_size, given))


def _dimensions(use: ast.Call, facts: Facts) -> int | None:
    """How many dimensions an argument certainly has."""
    for node in (argument(use, 0, "input"), argument(use, 1, "target")):
        for value in () if node is None else (facts.value(node), value_by_all_calls(node, facts)):
            if isinstance(value, Tensor) and value.ndim is not None:
                return value.ndim
    return None


def _made_with(tensor: ast.expr, facts: Facts, depth: int = 0) -> Iterator[str]:
    """What the calls of torch are given that a tensor comes out of, as far as they are seen."""
    for node in ast.walk(tensor):
        if isinstance(node, ast.Call) and (facts.name(node.func) or "").startswith("torch."):
            for given in values_given(node):
                sizes = given.elts if isinstance(given, (ast.Tuple, ast.List)) else [given]
                yield from map(ast.dump, sizes)
        elif isinstance(node, ast.Name) and depth < _MAX_DEPTH:
            for binding in facts.flow.reaching(node):
                written = binding.written()
                if written is not None:
                    yield from _made_with(written, facts, depth + 1)


def _given_by_calls(name: ast.Name, facts: Facts) -> list[ast.expr]:
    """What the calls of a function give for its parameter, and what those names are made of."""
    _, parameter = parameter_held(name, facts)
    given = [] if parameter is None else arguments_given(facts.inference, parameter)
    whole = [g.value if isinstance(g, ast.Subscript) else g for g in given if g is not None]
    names = [g for g in whole if isinstance(g, ast.Name)]
    return [*whole, *(made for name in names for made in facts.assigned(name) or ())]


def _speaks_of_size(expression: ast.expr) -> bool:
    return any(
        isinstance(node, ast.Attribute) and node.attr in ("size", "shape", "numel", "nelement")
        for node in ast.walk(expression)
    )
