"""`pin_memory=torch.cuda.is_available` asks nothing, because a function is always true."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.uses import bindings_by, uses_of
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import TRAINING, Found, Rule

_QUESTIONS = frozenset(
    {
        "torch.cuda.is_available",
        "torch.cuda.is_initialized",
        "torch.cuda.is_bf16_supported",
        "torch.backends.cudnn.is_available",
        "torch.backends.mkl.is_available",
        "torch.backends.mps.is_available",
        "torch.backends.mps.is_built",
        "torch.distributed.is_available",
        "torch.distributed.is_initialized",
        "torch.is_grad_enabled",
    }
)
#: What the class told of new tensors until 0.4, where it stood for the default type.
_OF_THE_CLASS = "torch.Tensor.is_cuda"
_ASKED_OF_NEW = "{} is true on every machine since torch 0.4: ask a new tensor"
_ALWAYS_TRUE = (
    "{} is true on every machine: write torch.Tensor().is_cuda for whether new tensors are on the"
    " GPU, or torch.cuda.is_available() for whether there is one"
)


class UncalledIsAvailable(Rule):
    """
    ## What it does
    Calls `torch.cuda.is_available` and its like where only the function itself is asked whether it
    is true: in a condition, as `pin_memory=`, in a flag that is only used in conditions.

    ## Why
    A function is always true, and so is an attribute of the class of tensors. Without the call the
    code takes the way of a machine with a GPU on every machine; `pin_memory` then warns, and moves
    to the GPU fail.

    ## Example
    ```python
    loader = DataLoader(data, batch_size=64, pin_memory=torch.cuda.is_available)
    ```
    becomes
    ```python
    loader = DataLoader(data, batch_size=64, pin_memory=torch.cuda.is_available())
    ```

    ## Numbers
    Changed where the answer is no: the other branch runs. Where it is yes they stay as they are.

    ## When it stays its hand
    Where the function may be wanted as a function: passed on, returned, assigned to an attribute
    or to a name that is called, compared or used by other files, replaced in a test.
    `torch.Tensor.is_cuda` in files that need torch 0.4 or newer is reported.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.cuda.is_available.html
    """

    code = "TP802"
    name = "uncalled-is-available"
    since = "0.1"
    numerics = Numerics.CHANGED
    moves = TRAINING
    words = frozenset(name.rpartition(".")[2] for name in (*_QUESTIONS, _OF_THE_CLASS))
    message = "a function is always true: call it"

    def find_Attribute(self, node: ast.Attribute, facts: Facts) -> Iterator[Found]:
        if facts.name(node) != _OF_THE_CLASS:
            yield from self._find(node, facts)
        elif isinstance(node.ctx, ast.Load) and _is_kept_as_answer(facts, node):
            said = facts.segment(node)
            if (facts.era_of(node).oldest or ()) < (0, 4):
                yield self.found(node, _ASKED_OF_NEW.format(said), of_class=True)
            else:
                yield self.advice(node, _ALWAYS_TRUE.format(said))

    def find_Name(self, node: ast.Name, facts: Facts) -> Iterator[Found]:
        if all(binding.kind == "import" for binding in facts.flow.reaching(node)):
            yield from self._find(node, facts)

    def _find(self, node: ast.Attribute | ast.Name, facts: Facts) -> Iterator[Found]:
        if not isinstance(node.ctx, ast.Load) or facts.name(node) not in _QUESTIONS:
            return
        if _is_only_asked(facts, node):
            message = f"{facts.segment(node)} is always true: call it"
            yield self.found(node, message, of_class=False)

    def leave_Attribute(
        self, original: cst.Attribute, updated: cst.Attribute
    ) -> cst.BaseExpression:
        if self.data["of_class"]:
            return updated.with_changes(value=cst.Call(updated.value))
        return cst.Call(updated)

    def leave_Name(self, original: cst.Name, updated: cst.Name) -> cst.BaseExpression:
        return cst.Call(updated)


def _is_kept_as_answer(facts: Facts, node: ast.expr) -> bool:
    """Whether an attribute of a class is asked as a flag: in a condition, or stored by a function.

    In the body of a class it may make a property, and elsewhere be wanted as the object it is.
    """
    parent = facts.parent(node)
    while isinstance(parent, (ast.IfExp, ast.BoolOp)):
        if isinstance(parent, ast.IfExp) and parent.test is node:
            return True
        node, parent = parent, facts.parent(parent)
    is_stored = isinstance(parent, (ast.Assign, ast.Return))
    is_within = facts.names.enclosing_function(node) is not None
    return (is_stored and is_within) or _is_only_asked(facts, node)


def _is_only_asked(facts: Facts, node: ast.expr, seen: frozenset[ast.AST] = frozenset()) -> bool:
    """Whether all that matters of a value is whether it is true."""
    parent = facts.parent(node)
    if isinstance(parent, (ast.If, ast.While, ast.Assert)):
        return parent.test is node
    if isinstance(parent, ast.comprehension):
        return node in parent.ifs
    if isinstance(parent, ast.UnaryOp):
        return isinstance(parent.op, ast.Not)
    if isinstance(parent, ast.IfExp):
        return parent.test is node or _is_only_asked(facts, parent, seen)
    if isinstance(parent, ast.BoolOp):
        # `function and x` is never the function.
        is_passed_over = isinstance(parent.op, ast.And) and parent.values[-1] is not node
        return is_passed_over or _is_only_asked(facts, parent, seen)
    if isinstance(parent, ast.Compare):
        others = [other for other in (parent.left, *parent.comparators) if other is not node]
        return all(isinstance(constant(other), bool) for other in others)
    if isinstance(parent, ast.keyword):
        return parent.arg == "pin_memory" and _is_of_torch(facts, facts.parent(parent))
    if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name):
        return facts.names.builtin(parent.func) == "bool"
    return isinstance(parent, ast.Assign) and _is_flag(facts, parent, seen)


def _is_of_torch(facts: Facts, call: ast.AST | None) -> bool:
    return isinstance(call, ast.Call) and (facts.name(call.func) or "").startswith("torch.")


def _is_flag(facts: Facts, assignment: ast.Assign, seen: frozenset[ast.AST]) -> bool:
    """Whether an assignment gives a name its only value, which is only asked whether it is true."""
    target = assignment.targets[0]
    if assignment in seen:
        return True
    if len(assignment.targets) != 1 or not isinstance(target, ast.Name):
        return False
    bindings = bindings_by(facts, assignment, target.id)
    is_global = facts.names.scope_of(assignment).lookup(target.id) == facts.names.module.lookup(
        target.id
    )
    if len(bindings) != 1 or (is_global and facts.is_used_elsewhere(target.id)):
        return False
    seen |= {assignment}
    uses = list(uses_of(facts, bindings[0]))
    return bool(uses) and all(_is_only_asked(facts, use, seen) for use in uses)
