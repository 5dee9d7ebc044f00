"""`Variable` and tensors were merged in 0.4: the wrapper is not needed any more."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.elements import only_elements
from torchfix_codemods.edit.imports import (
    unused_variables,
    with_class_from_module,
    without_names,
)
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.edit.statements import without_branch
from torchfix_codemods.edit.tensors.variables import as_isinstance, without_mapping, without_wrapper
from torchfix_codemods.facts.guards import is_guarded
from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.libraries.torch_names import VARIABLE
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.wrapping import had_no_graph, maps_wrapper
from torchfix_codemods.facts.values.lattice import Array, Number, Sequence, Text
from torchfix_codemods.finding import Numerics, Reason
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.autograd.questions.volatile import given
from torchfix_codemods.rules.autograd.questions.wrapped import converting_branches, variable_class
from torchfix_codemods.rules.autograd.questions.wrapped.idle_branches import why_idle
from torchfix_codemods.rules.autograd.questions.wrapped.raising_branches import why_raises
from torchfix_codemods.rules.autograd.questions.wrapped.tensor_branches import (
    names_tensor,
    repeated_for_tensors,
)
from torchfix_codemods.rules.autograd.questions.wrapped.variable_branches import (
    compares_type,
    is_annotation,
    is_type_argument,
    says_something,
    why_not_tensor,
    wraps_what_was_plain,
)
from torchfix_codemods.rules.autograd.questions.wrapped.wrapped_tensors import how_written, is_plain

_NEVER_MADE = (
    "{}(...) gives a plain tensor since 0.4, and nothing that this class says of it ever runs: "
    "write `def {}(...):` that returns the tensor"
)
_NO_MODULE = "`import` takes modules, and Variable is a class: this raises"
_NOT_USED = "Variable and Tensor are one since 0.4, and nothing here uses this import"
_NO_METHODS = "Variable has no methods since 0.4: tensors have them"
_SAME = "both branches are for tensors, and do the same: the second never runs"


class VariableWrapper(Rule):
    """
    ## What it does
    Takes away `Variable(...)`: `Variable(x)` becomes `x` where `x` certainly has no autograd
    history, else `x.detach()`, which is what the wrapper does today. `requires_grad=` moves into
    the factory that makes the tensor, or to `.requires_grad_()`. `isinstance(h, Variable)`,
    `type(h) == Variable`, `Variable.chunk(h, 2)` and annotations name `torch.Tensor`.
    `map(Variable, xs)` that is unpacked, made a list of or gone through is `xs`. Assignments that
    only wrapped go, and so do branches that only unwrapped for plain tensors (`if not isinstance(x,
    Variable): y = y.data` below `x.size(0)`), the test of `if isinstance(x, Variable): x = x.data`
    there, and an import that nothing uses.

    ## Why
    Since 0.4 every tensor can require grad; `Variable(x)` returns a tensor. `type(h) == Variable`
    is never true any more, so the well-known `repackage_hidden` recurses until it crashes.

    ## Example
    ```python
    data, target = Variable(data), Variable(target)
    x = Variable(torch.ones(2, 2), requires_grad=True)
    ```
    becomes
    ```python
    x = torch.ones(2, 2, requires_grad=True)
    ```

    ## Numbers
    Identical. `Variable(y)` of a tensor that is part of a graph detaches it, so `y.detach()` is
    written unless `y` cannot have a history: data from a loader, from a factory or numpy, `.data`
    that is not returned at once, the target of `cross_entropy` or `nll_loss` in code for a torch
    before 1.10, or any argument in a file for 0.3 or older, where `Variable` took plain tensors.
    `type(h) == Variable` is restored to what it meant, and so are `Variable.chunk` and `import
    torch.autograd.Variable as V`, which raise.

    ## When it stays its hand
    Where `volatile=` is given (TP102 rewrites that first), where `*args` could hold an argument,
    where the argument is no tensor, where a keyword is misspelt (`require_grad=` raises in every
    torch), where a branch for tensors that were no Variables follows and does something else, where
    one that raises let those pass, and where `Variable` is used in other ways than those above. A
    class of the file's own below `Variable` is reported: its `__init__` does not run since 0.4.

    ## References
    - https://pytorch.org/blog/pytorch-0_4_0-migration-guide/ ("Merging Tensor and Variable")
    - https://github.com/pytorch/pytorch/releases/tag/v0.4.0
    """

    code = "TP101"
    name = "variable-wrapper"
    since = "0.4"
    numerics = Numerics.IDENTICAL
    words = frozenset({"Variable"})
    message = "Variable and Tensor are one since 0.4"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if facts.name(call.func) != VARIABLE or is_opaque(call):
            return
        data = argument(call, 0, "data")
        if data is None or constant(data) is None:
            return
        refused = variable_class.why_refused(call, facts)
        if refused is not None:
            yield self.advice(call, refused)
            return
        if given.is_still_flagged(call) or converting_branches.is_of_what_passes(call, facts):
            return
        if isinstance(facts.value(data), (Array, Number, Text, Sequence)):
            yield self.advice(call, "Variable() takes a tensor, and fails for what this gives it")
            return
        does = wraps_what_was_plain(call, facts)
        if does is not None:
            yield self.advice(call, f"this wrapped what was no Variable yet; today it {does}")
        elif not given.is_beside_flagged(call, facts):
            how, holds = how_written(call, data, facts)
            yield self.found(call, waits=how == "detached", how=how, holds=holds)

    def _find_mapped(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        """``x, y = map(Variable, (x, y))``, where nothing would be detached."""
        mapped, around = call.args[1], facts.parent(call)
        wrapped = mapped.elts if isinstance(mapped, (ast.Tuple, ast.List)) else [mapped]
        values = [facts.value(data) for data in wrapped]
        if any(isinstance(value, (Array, Number, Text)) for value in values):
            return
        if all(
            is_plain(value) or had_no_graph(data, facts)
            for data, value in zip(wrapped, values, strict=True)
        ):
            region = around if isinstance(around, ast.Call) else call
            yield self.found(call, how="mapped", region=region, is_kind=region is around)

    def find_Import(self, node: ast.Import, facts: Facts) -> Iterator[Found]:
        """``import torch.autograd.Variable as Variable``."""
        for index, alias in enumerate(node.names):
            if alias.name == VARIABLE and not is_guarded(facts, node, "Variable"):
                yield self.found(node, _NO_MODULE, numerics=Numerics.RESTORED, index=index)
                return

    def find_ImportFrom(self, node: ast.ImportFrom, facts: Facts) -> Iterator[Found]:
        if unused := unused_variables(node, facts):
            yield self.found(node, _NOT_USED, reason=Reason.MODERN, unused=unused)

    def find_ClassDef(self, node: ast.ClassDef, facts: Facts) -> Iterator[Found]:
        """``class Variable(autograd.Variable)``, which moves to the GPU what it is made of."""
        if any(facts.name(base) == VARIABLE for base in node.bases) and says_something(node):
            yield self.advice(node, _NEVER_MADE.format(node.name, node.name))

    def find_Name(self, node: ast.Name | ast.Attribute, facts: Facts) -> Iterator[Found]:
        if facts.name(node) != VARIABLE or not isinstance(node.ctx, ast.Load):
            return
        parent = facts.parent(node)
        if isinstance(parent, ast.Call) and maps_wrapper(parent, facts):
            yield from self._find_mapped(parent, facts)
        elif is_annotation(node, facts):
            yield from self._as_tensor(node, facts)
        elif variable_class.holds_method(node, facts):
            yield from self._as_tensor(node, facts, _NO_METHODS)
        elif is_type_argument(node, facts):
            reason = why_not_tensor(node, facts) or why_raises(node, facts)
            if reason:
                yield self.advice(node, reason)
            elif reason is None:
                yield from self._as_tensor(node, facts)

    find_Attribute = find_Name

    def find_If(self, node: ast.If, facts: Facts) -> Iterator[Found]:
        """``if not isinstance(x, Variable): x = Variable(x)`` has nothing left to do."""
        if (idle := why_idle(node, facts)) is not None:
            why, is_taken = idle
            yield self.found(node, why, depth=None, is_taken=is_taken)
        elif (repeated := repeated_for_tensors(node, facts)) is not None:
            first, depth = repeated
            yield self.found(node, _SAME, region=first, depth=depth)

    def find_Compare(self, node: ast.Compare, facts: Facts) -> Iterator[Found]:
        if not compares_type(node, facts):
            return
        if (taken := converting_branches.why_taken(node, facts)) is not None:
            yield self.advice(node, taken)
            return
        spelling = spell(facts, "torch.Tensor", node)
        if spelling is not None:
            yield self.found(
                node,
                "type(x) is never Variable on today's torch",
                numerics=Numerics.RESTORED,
                needs=spelling.needs,
                tensor=spelling.text,
                negated=isinstance(node.ops[0], (ast.NotEq, ast.IsNot)),
            )

    def _as_tensor(
        self, node: ast.expr, facts: Facts, restored: str | None = None
    ) -> Iterator[Found]:
        spelling = spell(facts, "torch.Tensor", node)
        if spelling is None:
            return
        needs, text, holder = spelling.needs, spelling.text, facts.parent(node)
        if isinstance(holder, ast.Tuple) and names_tensor(holder, facts):
            index = holder.elts.index(node)
            yield self.found(node, region=holder, without=index)
        else:
            numerics = Numerics.RESTORED if restored else None
            yield self.found(node, restored, numerics=numerics, needs=needs, tensor=text)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        if self.data["how"] == "mapped":
            return without_mapping(updated, self.data["is_kind"])
        return without_wrapper(updated, self.data["how"], self.data["holds"])

    def leave_Name(self, original: cst.Name, updated: cst.Name) -> cst.BaseExpression:
        return cst.parse_expression(self.data["tensor"])

    def leave_Attribute(
        self, original: cst.Attribute, updated: cst.Attribute
    ) -> cst.BaseExpression:
        return cst.parse_expression(self.data["tensor"])

    def leave_Tuple(self, original: cst.Tuple, updated: cst.Tuple) -> cst.BaseExpression:
        without = self.data["without"]
        return only_elements(updated, [i for i in range(len(updated.elements)) if i != without])

    def leave_SimpleStatementLine(
        self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.SimpleStatementLine] | cst.RemovalSentinel:
        if (unused := self.data.get("unused")) is not None:
            return without_names(updated, unused)
        return with_class_from_module(updated, self.data["index"])

    def leave_If(
        self, original: cst.If, updated: cst.If
    ) -> cst.If | cst.RemovalSentinel | cst.FlattenSentinel[cst.BaseStatement]:
        return without_branch(updated, self.data["depth"], self.data.get("is_taken", False))

    def leave_Comparison(
        self, original: cst.Comparison, updated: cst.Comparison
    ) -> cst.BaseExpression:
        return as_isinstance(updated, self.data["tensor"], self.data["negated"])
