"""What old code asks of tensors by names that are gone: `creator`, `resize`, `range` and others."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import with_arguments
from torchfix_codemods.edit.parentheses import as_operand
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.edit.tensors.ranges import arange
from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.language.method_names import method_names
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.defaults import EXACT, is_converted, may_change_default_type
from torchfix_codemods.facts.tensors.integers import is_int
from torchfix_codemods.facts.values.lattice import Tensor
from torchfix_codemods.finding import Numerics, Reason
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.masks.questions.unmasked_extremes import place_of_extreme
from torchfix_codemods.rules.questions.named_lines import numbered
from torchfix_codemods.rules.tensors.questions.resized import has_sizes, is_same_view

_TRUTHS = frozenset({"any", "all", "sum", "nonzero"})
_PREVIOUS = (
    "previous_functions went in torch 0.2: write next_functions, which has None for what needs no "
    "gradient, and for a leaf AccumulateGrad, with the tensor in .variable"
)


class RenamedTensorMethod(Rule):
    """
    ## What it does
    Writes what old code asks of tensors in today's words: `y.creator` is `y.grad_fn`,
    `x.resize(n, m)` is `x.reshape(n, m)`, `x.resize_as(y)` is `x.reshape_as(y)`, `torch.range` of
    whole numbers is `torch.arange`, `torch.max(out.data, 1)[1]` is `out.argmax(1)`,
    `x[x != x]` is `x[torch.isnan(x)]`, `.T` of a tensor that is no matrix is `permute`, and
    `permuate` is no word.

    ## Why
    `creator` and `previous_functions` went in 0.2; `permuate`, which guides spell so, never was.
    `resize` that is not in place, `torch.range` and `.T` of other than matrices are deprecated and
    warn: the end of `torch.range` belongs to it, as nowhere else in Python.

    ## Example
    ```python
    pred = torch.max(out.data, 1)[1]
    index = torch.range(0, len(x) - 1).long()
    print(loss.creator)
    ```
    becomes
    ```python
    pred = out.argmax(1)
    index = torch.arange(0, len(x)).long()
    print(loss.grad_fn)
    ```

    ## Numbers
    Identical, with `torch.range` also the dtype: `dtype=torch.float` is written where the values
    are not converted at once. Restored for `creator` and `permuate`, which fail today.

    ## When it stays its hand
    Where the receiver is not certainly a tensor (images and arrays have `resize` and `T`, too), on
    a `torch.range` of floats, whose end cannot be said exactly, or where the project sets another
    default dtype; on `torch.max` of what may be a mask, for which `argmax` is not defined, on all
    of a file that are written alike where one of them may be that of a mask or of no tensor, or
    where no line with one has `.data`, `.detach()` or `Variable` on it, and where the maximum
    itself is used as well.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.arange.html
    - https://pytorch.org/docs/stable/generated/torch.argmax.html
    - https://pytorch.org/docs/stable/tensors.html#torch.Tensor.T
    """

    code = "TP408"
    name = "renamed-tensor-method"
    tor = ("TOR101",)
    since = "1.0"
    numerics = Numerics.IDENTICAL
    words = frozenset("torch permuate resize resize_as creator previous_functions range T".split())
    message = "this has another name in today's torch"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if facts.name(call.func) == "torch.range":
            yield from self._find_range(call, facts)
            return
        method = call.func
        if not isinstance(method, ast.Attribute) or not facts.is_tensor(method.value):
            return
        if method.attr == "permuate":
            message = "tensors have no permuate: permute"
            yield self.found(call, message, numerics=Numerics.RESTORED, method="permute")
        elif method.attr in ("resize", "resize_as") and has_sizes(call, facts):
            if is_same_view(call, method.value, facts):
                new = method.attr.replace("resize", "reshape")
                message = f"{method.attr} that is not in place is deprecated: {new}"
                yield self.found(call, message, reason=Reason.WARNS, method=new)

    def find_Attribute(self, node: ast.Attribute, facts: Facts) -> Iterator[Found]:
        if not isinstance(node.ctx, ast.Load) or facts.name(node) is not None:
            return
        if node.attr == "previous_functions":
            if node is facts.names.attributes(node.attr)[0] and _is_of_torch(node, facts):
                yield self.advice(node, _PREVIOUS + _beside_previous(facts), fails=True)
            return
        value = facts.value(node.value)
        if not isinstance(value, Tensor):
            return
        if node.attr == "creator":
            yield self.found(node, "creator is now grad_fn", numerics=Numerics.RESTORED, dims=None)
        elif node.attr == "T" and value.ndim not in (None, 2):
            message = "T of a tensor that is no matrix is deprecated: it turns the dimensions round"
            dims = list(range(value.ndim or 0))[::-1]
            yield self.found(node, message, reason=Reason.WARNS, dims=dims)

    def find_Subscript(self, node: ast.Subscript, facts: Facts) -> Iterator[Found]:
        extreme = place_of_extreme(node, facts)
        if extreme is not None:
            old, new = extreme.method, f"arg{extreme.method}"
            message = f"{old}(…)[1], the place of the {old}imum, is {new}"
            yield self.found(node, message, method=new, is_function=extreme.is_function)

    def find_Compare(self, node: ast.Compare, facts: Facts) -> Iterator[Found]:
        if not (len(node.ops) == 1 and isinstance(node.ops[0], ast.NotEq)):
            return
        if not isinstance(node.left, (ast.Name, ast.Attribute)):
            return
        if ast.dump(node.left) != ast.dump(node.comparators[0]):
            return
        if not facts.is_tensor(node.left) or not _is_mask(node, facts):
            return
        function = spell(facts, "torch.isnan", node)
        if function is not None:
            message = "only nan differs from itself: torch.isnan says so"
            # The parentheses before a method go with what they held together.
            parent = facts.parent(node)
            region = parent if isinstance(parent, ast.Attribute) else node
            yield self.found(
                node, message, region=region, needs=function.needs, function=function.text
            )

    def _find_range(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if is_opaque(call) or len(call.args) not in (2, 3):
            return
        if not all(is_int(facts, given) for given in call.args[:2]):
            return
        step = constant(call.args[2]) if len(call.args) == 3 else 1
        if not isinstance(step, int) or step < 1 or may_change_default_type(facts):
            return
        dtype = None
        if argument(call, None, "dtype") is None and not is_converted(call, facts, EXACT):
            dtype = spell(facts, "torch.float", call)
            if dtype is None:
                return
        function = spell(facts, "torch.arange", call)
        if function is not None:
            yield self.found(
                call,
                "torch.range is deprecated: torch.arange ends before its end",
                reason=Reason.WARNS,
                needs=function.needs,
                method=None,
                function=function.text,
                dtype=dtype and dtype.text,
            )

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        method = self.data["method"]
        if method is None:
            return arange(updated, self.data["function"], self.data["dtype"])
        if not isinstance(updated.func, cst.Attribute):
            return updated
        return updated.with_changes(func=updated.func.with_changes(attr=cst.Name(method)))

    def leave_Attribute(
        self, original: cst.Attribute, updated: cst.Attribute
    ) -> cst.BaseExpression:
        if "function" in self.data and isinstance(updated.value, cst.Comparison):
            return updated.with_changes(value=self._isnan(updated.value))
        dims = self.data["dims"]
        if dims is None:
            return updated.with_changes(attr=cst.Name("grad_fn"))
        if len(dims) < 2:
            return updated.value
        args = [cst.Arg(cst.Integer(str(dim))) for dim in dims]
        return with_arguments(cst.Call(updated.with_changes(attr=cst.Name("permute"))), args)

    def leave_Subscript(
        self, original: cst.Subscript, updated: cst.Subscript
    ) -> cst.BaseExpression:
        call = updated.value
        if not isinstance(call, cst.Call):
            return updated
        if self.data["is_function"]:
            source, args = call.args[0].value, call.args[1:]
        elif isinstance(call.func, cst.Attribute):
            source, args = call.func.value, call.args
        else:
            return updated
        function = cst.Attribute(as_operand(_without_data(source)), cst.Name(self.data["method"]))
        new = with_arguments(call, args).with_changes(func=function)
        return new.with_changes(lpar=updated.lpar, rpar=updated.rpar)

    def leave_Comparison(
        self, original: cst.Comparison, updated: cst.Comparison
    ) -> cst.BaseExpression:
        return self._isnan(updated)

    def _isnan(self, comparison: cst.Comparison) -> cst.Call:
        return cst.Call(cst.parse_expression(self.data["function"]), [cst.Arg(comparison.left)])


def _beside_previous(facts: Facts) -> str:
    """What is said of ``x.creator``, which stays where x is not known, and of ``hasattr(x, …)``, by
    which what asks is left out."""
    asked = (node for node in facts.names.attributes("creator") if _is_of_torch(node, facts))
    lines = sorted({facts.origin(n.lineno) for n in asked if not facts.is_tensor(n.value)})
    said = f"; creator, in {numbered(lines)}, went with it: write grad_fn" if lines else ""
    texts = (*facts.names.texts("previous_functions"), *facts.names.texts("creator"))
    calls = (c for c in map(facts.parent, texts) if isinstance(c, ast.Call))
    lines = sorted({facts.origin(c.lineno) for c in calls if facts.names.builtin(c.func)})
    ask = "ask" if lines[1:] else "asks"
    return f"{said}; {numbered(lines)} {ask} for it by name, too" if lines else said


def _is_of_torch(node: ast.Attribute, facts: Facts) -> bool:
    """Whether nothing in the file gives an object an attribute of that name."""
    names = facts.names
    return node.attr not in method_names(names) and node.attr not in names.assigned_attributes


def _is_mask(node: ast.Compare, facts: Facts) -> bool:
    """Whether a comparison stands where only the mask of a tensor can: no number is compared."""
    parent = facts.parent(node)
    if isinstance(parent, ast.Subscript):
        return parent.slice is node and facts.is_tensor(parent.value)
    return isinstance(parent, ast.Attribute) and parent.attr in _TRUTHS


def _without_data(node: cst.BaseExpression) -> cst.BaseExpression:
    """``out`` of ``out.data`` and ``out.detach()``: indices have no graph that has to be cut."""
    if isinstance(node, cst.Call) and not node.args and isinstance(node.func, cst.Attribute):
        return node.func.value if node.func.attr.value == "detach" else node
    if isinstance(node, cst.Attribute) and node.attr.value == "data":
        return node.value
    return node
