"""`params = filter(…)` can be gone through once: the clipping after the optimizer gets nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.names import walk
from torchfix_codemods.facts.uses import (
    bindings_by,
    is_builtin,
    uses_of,
    uses_of_attribute,
)
from torchfix_codemods.facts.values import Module, Optimizer, Unknown
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import TRAINING, Found, Rule

_LAZY = frozenset({"filter", "map", "zip"})
_EXHAUSTING = frozenset("list tuple set dict sum sorted max min all any".split())
_TAKERS = frozenset(
    f"torch.nn.utils.{name}"
    for name in """clip_grad_norm clip_grad_norm_ clip_grad_value_ clip_grad.clip_grad_norm
    clip_grad.clip_grad_norm_ clip_grad.clip_grad_value_ parameters_to_vector""".split()
)


class ExhaustedParameters(Rule):
    """
    ## What it does
    Makes a list of the parameters that a name or an attribute holds as a generator, `filter` or
    `map` object, where they are gone through more than once.

    ## Why
    An iterator is empty after its first use. Where that was the optimizer's, `clip_grad_norm_` gets
    no parameters and clips nothing, without an error. `filter` gave a list in Python 2.

    ## Example
    ```python
    params = filter(lambda p: p.requires_grad, model.parameters())
    optimizer = optim.Adam(params, lr=1e-3)
    for x, y in loader:
        criterion(model(x), y).backward()
        clip_grad_norm_(params, 5)
        optimizer.step()
    ```
    becomes
    ```python
    params = list(filter(lambda p: p.requires_grad, model.parameters()))
    optimizer = optim.Adam(params, lr=1e-3)
    for x, y in loader:
        criterion(model(x), y).backward()
        clip_grad_norm_(params, 5)
        optimizer.step()
    ```

    ## Numbers
    Changed: every use gets all parameters, so that the clipping clips. Restored where a later use
    is an optimizer's, which refuses to be built without parameters.

    ## When it stays its hand
    Where only one use is certain, where one of the uses is not known (`next(params)` takes no
    list), and where other assignments reach them as well.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm_.html
    - https://docs.python.org/3/whatsnew/3.0.html#views-and-iterators-instead-of-lists
    """

    code = "TP608"
    name = "exhausted-parameters"
    since = "0.1"
    numerics = Numerics.CHANGED
    moves = TRAINING
    words = frozenset({"parameters", "named_parameters"})
    message = "these parameters can be gone through once: the next use finds none"

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        if len(node.targets) != 1 or not _is_lazy(facts, node.value):
            return
        target, numerics = node.targets[0], None
        if isinstance(target, ast.Name):
            numerics = _claim_of_name(facts, node, target)
        elif isinstance(target, ast.Attribute) and _is_kept_for_more(facts, target):
            numerics = Numerics.CHANGED
        if numerics is not None and facts.names.scope_of(node).lookup("list") is None:
            yield self.found(node, region=node.value, numerics=numerics)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        bare = updated.with_changes(lpar=[], rpar=[])
        return cst.Call(cst.Name("list"), [cst.Arg(bare)], lpar=updated.lpar, rpar=updated.rpar)

    def leave_GeneratorExp(
        self, original: cst.GeneratorExp, updated: cst.GeneratorExp
    ) -> cst.ListComp:
        return cst.ListComp(
            updated.elt,
            updated.for_in,
            lbracket=cst.LeftSquareBracket(updated.lpar[-1].whitespace_after),
            rbracket=cst.RightSquareBracket(updated.rpar[0].whitespace_before),
            lpar=updated.lpar[:-1],
            rpar=updated.rpar[1:],
        )


def _is_lazy(facts: Facts, value: ast.expr) -> bool:
    """Whether an expression gives parameters one after the other, and only once."""
    if isinstance(value, ast.GeneratorExp):
        return any(_gives_parameters(facts, part) for part in walk(value))
    if not isinstance(value, ast.Call):
        return False
    function = value.func
    if isinstance(function, ast.Name) and function.id in _LAZY and is_builtin(facts, function):
        return any(_gives_parameters(facts, part) for part in walk(value))
    return _gives_parameters(facts, value)


def _gives_parameters(facts: Facts, node: ast.AST) -> bool:
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
        return False
    method = node.func
    if method.attr not in ("parameters", "named_parameters") or facts.name(method) is not None:
        return False
    receiver = facts.value(method.value)
    return isinstance(receiver, Module) or (
        isinstance(receiver, Unknown) and method.attr not in facts.names.method_names
    )


def _claim_of_name(facts: Facts, statement: ast.Assign, target: ast.Name) -> Numerics | None:
    """What a list changes where a name is certainly gone through twice; None where it is not."""
    uses = [u for b in bindings_by(facts, statement, target.id) for u in uses_of(facts, b)]
    function = facts.names.enclosing_function(statement)
    if any(
        facts.assigned(use) != [statement.value]
        or facts.names.enclosing_function(use) is not function
        or not (_goes_through(facts, use) or _only_asks(facts, use))
        for use in uses
    ):
        return None
    uses = sorted(
        (use for use in uses if _goes_through(facts, use)), key=lambda u: (u.lineno, u.col_offset)
    )
    if not (_is_one_after_another(facts, uses) or _is_repeated(facts, uses, statement)):
        return None
    # An optimizer refuses to be built without parameters.
    is_refused = any(_is_optimizers(facts, use) for use in uses[1:])
    return Numerics.RESTORED if is_refused else Numerics.CHANGED


def _is_one_after_another(facts: Facts, uses: Sequence[ast.expr]) -> bool:
    runs_with = facts.inference.branches.runs_with
    return any(runs_with(first, use) for i, use in enumerate(uses) for first in uses[:i])


def _is_kept_for_more(facts: Facts, target: ast.Attribute) -> bool:
    """Whether other methods go through what ``self.params`` is assigned, whenever they are called.

    One that builds an optimizer may be called just once.
    """
    method = facts.names.enclosing_function(target)
    uses = uses_of_attribute(facts, target)
    if not all(_goes_through(facts, use) or _only_asks(facts, use) for use in uses):
        return False
    return any(
        facts.names.enclosing_function(use) is not method
        and _goes_through(facts, use)
        and not _is_optimizers(facts, use)
        for use in uses
    )


def _goes_through(facts: Facts, use: ast.expr) -> bool:
    """Whether the place takes all parameters out of the iterator."""
    parent = facts.parent(use)
    if isinstance(parent, (ast.For, ast.comprehension)):
        return parent.iter is use
    call = _call_of(facts, use)
    if call is None:
        return False
    if isinstance(call.func, ast.Name) and is_builtin(facts, call.func):
        return call.func.id in _EXHAUSTING
    return facts.name(call.func) in _TAKERS or isinstance(facts.value(call), Optimizer)


def _call_of(facts: Facts, use: ast.expr) -> ast.Call | None:
    """The call that gets ``use`` as its first argument."""
    parent = facts.parent(use)
    if isinstance(parent, ast.keyword) and parent.arg in ("params", "parameters"):
        call = facts.parent(parent)
        return call if isinstance(call, ast.Call) else None
    return parent if isinstance(parent, ast.Call) and parent.args[:1] == [use] else None


def _only_asks(facts: Facts, use: ast.expr) -> bool:
    """``params is None``."""
    parent = facts.parent(use)
    return isinstance(parent, ast.Compare) and all(
        isinstance(operator, (ast.Is, ast.IsNot)) for operator in parent.ops
    )


def _is_optimizers(facts: Facts, use: ast.expr) -> bool:
    call = _call_of(facts, use)
    return call is not None and isinstance(facts.value(call), Optimizer)


def _is_repeated(facts: Facts, uses: Sequence[ast.expr], statement: ast.Assign) -> bool:
    """Whether a loop that does not hold ``statement`` comes by one of the uses again and again."""
    loops = (_loop_around(facts, use) for use in uses)
    return any(
        loop is not None and all(node is not statement for node in walk(loop)) for loop in loops
    )


def _loop_around(facts: Facts, use: ast.expr) -> ast.For | ast.While | None:
    """The innermost loop whose body holds a use."""
    child: ast.AST = use
    for parent in facts.names.ancestors(use):
        if isinstance(parent, (ast.For, ast.While)) and child in parent.body:
            return parent
        child = parent
    return None
