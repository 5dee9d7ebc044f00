"""`zero_gradients` is gone from `torch.autograd.gradcheck`: what it did is two lines."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.imports import without_names
from torchfix_codemods.facts.guards import is_guarded, is_import_guarded
from torchfix_codemods.facts.language.nodes import first_name
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.autograd.questions.graphless.gradients import has_plain_grad
from torchfix_codemods.rules.questions.unread_imports import is_unread

_NAME = "torch.autograd.gradcheck.zero_gradients"
_UNREAD = "zero_gradients is gone since torch 1.9, and nothing reads it"


class ZeroGradients(Rule):
    """
    ## What it does
    Writes what `zero_gradients(x)` did for one tensor: its gradient, if it has one, becomes 0. It
    is detached first (`x.grad.detach_()`) where the project may ask for gradients of gradients. An
    import that nothing reads goes.

    ## Why
    The function was a helper of torch's own tests, which adversarial attacks made use of. It is
    gone since torch 1.9, and the import of it fails.

    ## Example
    ```python
    zero_gradients(x)
    ```
    becomes
    ```python
    if x.grad is not None:
        x.grad.zero_()
    ```

    ## Numbers
    Restored: the import fails today.

    ## When it stays its hand
    Where the argument is not certainly a tensor, which may be a list of them, where it is no plain
    name, and where the import stands under `try`. A finding then says what to write.

    ## References
    - https://github.com/pytorch/pytorch/releases/tag/v1.9.0
    """

    code = "TP117"
    name = "zero-gradients"
    since = "0.4"
    numerics = Numerics.RESTORED
    changed_in = "1.9"
    words = frozenset({"zero_gradients"})
    message = "zero_gradients is gone since torch 1.9: this is what it did"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if facts.name(call.func) != _NAME or is_import_guarded(facts, call.func):
            return
        if is_guarded(facts, call, "zero_"):
            return
        statement = facts.parent(call)
        tensor = call.args[0] if len(call.args) == 1 and not call.keywords else None
        # It will be read several times.
        if isinstance(statement, ast.Expr) and tensor is not None and first_name(tensor):
            outer = facts.parent(statement)
            if facts.is_tensor(tensor) and getattr(outer, "lineno", 0) != statement.lineno:
                text = facts.segment(tensor)
                may_have_graph = not has_plain_grad(ast.Attribute(tensor, "grad"), facts)
                yield self.found(call, region=statement, tensor=text, detach=may_have_graph)
                return
        yield self.advice(
            call, "zero_gradients is gone since torch 1.9: `if x.grad is not None: x.grad.zero_()`"
        )

    def find_ImportFrom(self, node: ast.ImportFrom, facts: Facts) -> Iterator[Found]:
        for index, alias in enumerate(node.names):
            if f"{node.module}.{alias.name}" != _NAME or node.level:
                continue
            if is_unread(facts, node, alias) and not is_guarded(facts, node, alias.name):
                yield self.found(node, _UNREAD, unread=frozenset({index}))

    def leave_SimpleStatementLine(
        self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.SimpleStatementLine] | cst.RemovalSentinel:
        if "unread" in self.data:
            return without_names(updated, self.data["unread"])
        if len(updated.body) != 1:
            return updated
        grad = f"{self.data['tensor']}.grad"
        done = [f"{grad}.detach_()"] * self.data["detach"] + [f"{grad}.zero_()"]
        test = cst.parse_statement("\n    ".join([f"if {grad} is not None:", *done]) + "\n")
        assert isinstance(test, cst.If)
        return test.with_changes(leading_lines=updated.leading_lines)
