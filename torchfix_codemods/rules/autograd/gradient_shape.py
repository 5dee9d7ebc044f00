"""`D(x).mean().backward(one)`: today the gradient of a single number has no dimension."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import without_argument
from torchfix_codemods.edit.parentheses import as_operand
from torchfix_codemods.facts.language.arguments import argument, is_opaque, values_given
from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.called_numbers import gives_number
from torchfix_codemods.facts.tensors.scalars import is_number
from torchfix_codemods.facts.values.lattice import UNKNOWN, Tensor, Unknown
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.autograd.questions.gradients.listed import (
    are_ones,
    gradients_of_numbers,
    has_number,
)
from torchfix_codemods.rules.autograd.questions.gradients.sources import (
    is_vector,
    made_as_gradients,
    without_dimension,
)
from torchfix_codemods.text.wording import worded

_BACKWARD = "torch.autograd.backward"
_NEEDLESS = (
    "a gradient of shape (1,) raises where its tensor is 0-dim, as losses are since torch 0.4: "
    "torch takes a 1 where none is given"
)
_OF_MORE = "a gradient has the shape of its tensor, and raises with a dimension more"
_TOLD_OF_MORE = (
    "this gradient is calculated with {0} and has a dimension more, which raises: calculate it "
    "with {0}.squeeze({1}) if {0} is a column beside vectors there, or else leave .unsqueeze({1}) "
    "out"
)
_LISTED = (
    "each gradient in {given} has the shape (1,), and raises where its tensor is 0-dim, as losses "
    "are since torch 0.4: write {call}, for which torch takes ones"
)


class GradientShape(Rule):
    """
    ## What it does
    Writes `x.backward(one.squeeze())` where x has no dimension and `one` has one, of one number.
    A tensor that a function or a script makes for nothing else is made without the dimension:
    `one = torch.tensor(1.0)`. Those that `torch.autograd.backward` gets in a list are squeezed;
    where each of them is a single 1 (`torch.ones(1)`), the list goes:
    `torch.autograd.backward([loss, other])`. `q.backward(e.unsqueeze(1))` loses the dimension where
    `e` is calculated with `q`, which is a vector or squeezed.

    ## Why
    What `mean()` and `sum()` return had a dimension until torch 0.3, and so had the gradient that
    WGAN gives to `backward()`. torch took such gradients for a while, and raises today: "Mismatch
    in shape".

    ## Example
    ```python
    one = torch.FloatTensor([1])
    loss = net(x).mean()
    loss.backward(one * -1)
    ```
    becomes
    ```python
    one = torch.tensor(1.0)
    loss = net(x).mean()
    loss.backward(one * -1)
    ```

    ## Numbers
    Restored: the program raised.

    ## When it stays its hand
    Where it is not certain that the tensor has no dimension, and that the gradient has one. That
    is told where one of several lines that set the tensor certainly gives no dimension, or where
    the same gradient is that of a single number in the same block. A single 1 of one dimension
    fits a tensor of one number alone, for which torch takes a 1 by itself: in files for torch 0.3
    a list of such ones goes whatever the tensors are, and a finding says so where the list has a
    name. A gradient of several numbers raises as before.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.Tensor.backward.html
    - https://pytorch.org/blog/pytorch-0_4_0-migration-guide/ ("Support for 0-dimensional (scalar)
      Tensors")
    """

    code = "TP119"
    name = "gradient-shape"
    since = "0.4"
    numerics = Numerics.RESTORED
    words = frozenset({"backward"})
    message = "the gradient of a single number has no dimension since torch 0.4"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        function = call.func
        if is_opaque(call):
            return
        if facts.name(function) == _BACKWARD:
            yield from self._find_listed(call, facts)
        if not isinstance(function, ast.Attribute) or facts.name(function) is not None:
            return
        given = argument(call, 0, "gradient")
        if given is not None and without_dimension(facts, given, function.value) is not None:
            yield from self._of_more(given, function, facts)
            return
        gradient = UNKNOWN if given is None else facts.value(given)
        if given is None or not isinstance(gradient, Tensor) or gradient.ndim != 1:
            return
        is_tensor = _is_of_tensor(function, facts)
        if is_tensor and _is_number(function.value, facts):
            made = made_as_gradients(given, _is_of_number, facts)
            if made is None:
                yield self.found(given)
            elif facts.remembered(("gradient at", made.place), lambda: call) is call:
                yield self.found(made.place, needs=made.needs, text=made.text)
        elif is_tensor and gradient.single and not facts.era_of(call).needs((0, 4)):
            yield from self._may_have_no_dimension(given, function.value, facts)

    def _of_more(self, given: ast.expr, function: ast.Attribute, facts: Facts) -> Iterator[Found]:
        """A gradient that is calculated with its tensor, and has a dimension more."""
        if not _is_of_tensor(function, facts):
            return
        if is_vector(facts, function.value):
            yield self.found(given, _OF_MORE, is_more=True)
        else:
            assert isinstance(given, ast.Call)
            (dim,) = map(ast.unparse, values_given(given))
            yield self.advice(given, _TOLD_OF_MORE.format(ast.unparse(function.value), dim))

    def _find_listed(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        """The gradients that ``torch.autograd.backward`` gets for its tensors."""
        tensors, given = argument(call, 0, "tensors"), argument(call, 1, "grad_tensors")
        if tensors is None or given is None:
            return
        ones = are_ones(facts, given)
        is_told = has_number(facts, tensors) or facts.era_of(call).before((0, 4))
        if ones and is_told and not isinstance(given, ast.Name) and call.args[1:] in ([], [given]):
            arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
            yield self.found(call, _NEEDLESS, needless=arguments.index(given))
            return
        gradients = gradients_of_numbers(facts, tensors, given)
        if gradients is not None:
            for gradient in gradients:
                yield self.found(gradient)
        elif ones and is_told and isinstance(given, ast.Name):
            alone = ast.Call(call.func, [tensors], [])
            said = _LISTED.format(given=given.id, call=worded(alone, f"{_BACKWARD}(…)"))
            yield self.advice(call, said)

    def _may_have_no_dimension(
        self, given: ast.expr, tensor: ast.expr, facts: Facts
    ) -> Iterator[Found]:
        if not isinstance(tensor, ast.Name):
            return
        value = facts.value(tensor)
        if not isinstance(value, Unknown) and not (
            isinstance(value, Tensor) and value.ndim is None
        ):
            return
        numbers = [each for each in _choices(tensor, facts) if is_number(facts, each)]
        beside = None if numbers else _number_beside(given, facts)
        if numbers:
            where = f"as line {facts.origin(numbers[0].lineno)} makes it"
        elif beside is not None:
            where = f"as the loss in line {facts.origin(beside.lineno)} is"
        else:
            return
        # Its own shape is right whether it has a dimension or not.
        shaped = ast.Call(ast.Attribute(given, "view_as"), [tensor], [])
        yield self.advice(
            given,
            f"this gradient raises where {tensor.id} is 0-dim, {where}: "
            f"write {ast.unparse(shaped)}",
        )

    def on_leave(self, original: cst.CSTNode, updated: cst.CSTNode) -> cst.CSTNode:
        if "needless" in self.data and isinstance(updated, cst.Call):
            return without_argument(updated, self.data["needless"])
        # The region can be an expression of any kind.
        assert isinstance(updated, cst.BaseExpression)
        if "is_more" in self.data and isinstance(updated, cst.Call):
            method = updated.func
            return method.value if isinstance(method, cst.Attribute) else updated
        if "text" in self.data:
            return cst.parse_expression(self.data["text"])
        return cst.Call(cst.Attribute(as_operand(updated), cst.Name("squeeze")))


def _is_of_tensor(function: ast.Attribute, facts: Facts) -> bool:
    return facts.is_tensor(function.value) or "backward" not in method_names(facts.names)


def _is_of_number(call: ast.Call, facts: Facts) -> bool:
    """Whether a call is ``loss.backward(…)`` of a tensor without dimensions."""
    function = call.func
    is_backward = isinstance(function, ast.Attribute) and function.attr == "backward"
    if not isinstance(function, ast.Attribute) or not is_backward or is_opaque(call):
        return False
    return _is_of_tensor(function, facts) and _is_number(function.value, facts)


def _is_number(tensor: ast.expr, facts: Facts) -> bool:
    """Whether a tensor has no dimension, also by what functions of the project return."""
    return is_number(facts, tensor) or gives_number(facts, tensor)


def _number_beside(given: ast.expr, facts: Facts) -> ast.Call | None:
    """``loss.backward(one)`` of one number in the block of ``other.backward(one)``."""
    if not isinstance(given, ast.Name):
        return None
    made, block = facts.flow.reaching(given), facts.parent(facts.names.statement(given))
    for call in facts.names.method_calls("backward"):
        if facts.parent(facts.names.statement(call)) is not block:
            continue
        gradient = argument(call, 0, "gradient")
        if isinstance(gradient, ast.Call) and isinstance(gradient.func, ast.Attribute):
            # It lost its dimension where that was known first.
            gradient = gradient.func.value if gradient.func.attr == "squeeze" else None
        is_same = isinstance(gradient, ast.Name) and facts.flow.reaching(gradient) == made
        if is_same and _is_of_number(call, facts):
            return call
    return None


def _choices(tensor: ast.Name, facts: Facts) -> Iterator[ast.expr]:
    """What is assigned to a name, by each branch of ``a if full else b``."""
    for value in facts.assigned(tensor) or ():
        yield from (value.body, value.orelse) if isinstance(value, ast.IfExp) else (value,)
