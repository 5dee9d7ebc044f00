"""`.data` became `.detach()`, `torch.no_grad()` and `nn.init`: autograd sees what is done."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import with_arguments
from torchfix_codemods.edit.below import changed_below
from torchfix_codemods.edit.parentheses import as_operand, without_parentheses
from torchfix_codemods.edit.spelling import spell
from torchfix_codemods.edit.statements import under_with
from torchfix_codemods.edit.tensors.numbers import with_item
from torchfix_codemods.facts.libraries.initializers import INITIALIZERS
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Tensor, Unknown
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.autograd.questions.data.data_ways import way_of_update
from torchfix_codemods.rules.autograd.questions.data.plain_writes import is_stored_plainly
from torchfix_codemods.rules.autograd.questions.data.staying import (
    is_asked_beside_store,
    stays_with_others,
    way_beside_others,
)
from torchfix_codemods.rules.autograd.questions.graphless.switched_off import is_without_grad
from torchfix_codemods.rules.autograd.questions.updates import (
    filled_with,
    group_of_updates,
    initialization,
    tensors_with_data,
    updated_tensor,
    whole_loop,
)
from torchfix_codemods.rules.autograd.questions.written_data import (
    is_plain_before,
    is_stored_to,
    reshaping,
    said_of_reshaped,
)


class DataAttribute(Rule):
    """
    ## What it does
    Says what each `.data` is there for. Reads become `.detach()`, numbers in a format `.item()`.
    In-place updates of parameters go under `torch.no_grad()`, and initialization uses `nn.init`.
    Where only the shape, the type or `.grad` is asked for, where there is no graph to hide from
    (the labels of a batch, what is calculated under `torch.no_grad()`), or where masks, indices and
    numbers are all that is made of it, `.data` goes. So it does in files for torch 1.0 or older for
    `x.data.resize_(n)`, `t_()` and the like, and where else numbers are written into it.

    ## Why
    `.data` hides what is done from autograd: a value that a backward pass still needs can be
    overwritten, and the gradients are silently wrong. `.detach()` notices.

    ## Example
    ```python
    predicted = output.data.max(1)[1]
    score = output.data.mean()
    for p in model.parameters():
        p.data.sub_(lr * p.grad.data)
    layer.weight.data.uniform_(-0.1, 0.1)
    ```
    becomes
    ```python
    predicted = output.max(1)[1]
    score = output.detach().mean()
    with torch.no_grad():
        for p in model.parameters():
            p.sub_(lr * p.grad)
    nn.init.uniform_(layer.weight, -0.1, 0.1)
    ```

    ## Numbers
    Identical, and the same random numbers are drawn. `x.data.resize_(n)`, which gave x itself
    another size until torch 1.0 and leaves it alone today, is pinned to what it was. Unlike
    `.data`, the new forms make a backward pass raise that needs a value overwritten in the
    meantime.

    ## When it stays its hand
    Storage swaps (`p.data = t`), stores into a part (`p.data[0] = 1`) of what is not
    new, and what is read of the same `p.data` there; updates on the line of an `if` or of other
    statements; updates of what is not certainly a parameter or in `forward`, a `.data` that is
    modified later or handed to code that is not known, `.data` of what is not certainly a tensor
    (`packed.data`, `dataset.data`), and `loss.data[0]`, which is that of `scalar-data-index`. In
    one function all `.data` go that are read, all of gradients, all that are written into, and all
    of weights that are set up, or none of them does where one stays. What only asks for the size
    goes beside a swap.

    ## References
    - https://pytorch.org/blog/pytorch-0_4_0-migration-guide/#what-about-data
    - https://pytorch.org/docs/stable/generated/torch.Tensor.detach.html
    """

    code = "TP104"
    name = "data-attribute"
    since = "0.4"
    numerics = Numerics.IDENTICAL
    words = frozenset({"data"})
    message = ".data hides changes from autograd: use .detach()"

    def find_Attribute(self, node: ast.Attribute, facts: Facts) -> Iterator[Found]:
        is_read = node.attr == "data" and isinstance(node.ctx, ast.Load)
        if not is_read or facts.name(node) is not None:
            return
        if (method := reshaping(node, facts)) is not None:
            yield from self._find_reshaped(node, method, facts)
            return
        statement = facts.statement(node)
        if not isinstance(facts.value(node.value), Tensor) or updated_tensor(statement, facts):
            return
        is_stored = is_stored_to(node, statement) and not is_asked_beside_store(node, facts)
        is_plain = not is_stored or is_stored_plainly(node, statement, facts)
        if not is_plain or (is_stored and stays_with_others(node, facts)):
            return
        way = "needless" if is_stored else way_beside_others(node, facts)
        if way in ("needless", "plain"):
            yield self.found(node, ".data is not needed here", waits=way == "plain", method="")
        elif way == "number":
            yield self.found(node, ".item() gives the number", waits=True, method="item")
        elif way == "detached":
            yield self.found(node, waits=True, method="detach")

    def _find_reshaped(self, node: ast.Attribute, method: str, facts: Facts) -> Iterator[Found]:
        tensor = ast.unparse(node.value)
        if not isinstance(facts.value(node.value), (Tensor, Unknown)):
            return
        if is_plain_before(node, facts):
            yield self.found(
                node,
                f"{method} of {tensor}.data gave {tensor} itself another size until torch 1.0",
                numerics=Numerics.PINNED,
                method="",
            )
            return
        if (said := said_of_reshaped(node, method, facts)) is not None:
            yield self.advice(node, said)

    def find_Expr(self, statement: ast.Expr, facts: Facts) -> Iterator[Found]:
        updated, way = updated_tensor(statement, facts), way_of_update(statement, facts)
        data = None if updated is None else facts.parent(updated)
        if not isinstance(data, ast.Attribute) or stays_with_others(data, facts):
            return
        if way == "plain":
            yield self.found(
                statement, ".data is not needed here", region=statement.value, spelling=""
            )
        elif way == "initialized":
            number = None if self.target and self.target < (1, 1) else filled_with(statement)
            function = number or INITIALIZERS[initialization(statement) or ""][0]
            spelled = spell(facts, f"torch.nn.init.{function}", statement)
            if spelled is not None:
                yield self.found(
                    statement,
                    "initialize parameters by nn.init",
                    region=statement.value,
                    needs=spelled.needs,
                    spelling=spelled.text,
                    is_filled=number is not None,
                )
        elif way == "updated":
            yield from self._find_update(statement, facts)

    def find_AugAssign(self, statement: ast.AugAssign, facts: Facts) -> Iterator[Found]:
        data, way = statement.target, way_of_update(statement, facts)
        if way == "updated" and isinstance(data, ast.Attribute):
            if not stays_with_others(data, facts):
                yield from self._find_update(statement, facts)

    def _find_update(self, statement: ast.stmt, facts: Facts) -> Iterator[Found]:
        group = group_of_updates(statement, facts)
        spelled = spell(facts, "torch.no_grad", statement)
        if not group or group[0] is not statement or spelled is None:
            return
        region = whole_loop(group, facts)
        without_grad = is_without_grad(statement, facts)
        yield self.found(
            statement,
            "update parameters under torch.no_grad(), not through .data",
            region=region,
            needs=() if without_grad else spelled.needs,
            receivers=frozenset(tensors_with_data(group, facts)),
            context=None if without_grad else spelled.text,
        )

    def leave_Attribute(
        self, original: cst.Attribute, updated: cst.Attribute
    ) -> cst.BaseExpression:
        if self.data["method"] == "item":
            number = with_item(updated, is_of_data=True)
            return number.with_changes(lpar=updated.lpar, rpar=updated.rpar)
        if self.data["method"]:
            detach = updated.with_changes(attr=cst.Name("detach"), lpar=[], rpar=[])
            return cst.Call(func=detach, lpar=updated.lpar, rpar=updated.rpar)
        return without_parentheses(updated.value)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        method = updated.func
        assert isinstance(method, cst.Attribute)
        if not self.data["spelling"]:
            plain = _without_data(method.value)
            return updated if plain is None else updated.with_deep_changes(method, value=plain)
        tensor = _without_data(method.value)
        if tensor is None or method.attr.value not in INITIALIZERS:
            return updated
        given = () if self.data["is_filled"] else updated.args
        names = INITIALIZERS[method.attr.value][1]
        arguments = [cst.Arg(tensor), *(_named_for_init(arg, names) for arg in given)]
        function = cst.parse_expression(self.data["spelling"])
        return with_arguments(updated, arguments).with_changes(func=function)

    def leave_IndentedBlock(
        self, original: cst.IndentedBlock, updated: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        block = _without_data_of(self.data["receivers"], updated)
        context = self.data["context"]
        if context is None:
            return block
        return under_with(cst.Call(func=cst.parse_expression(context)), block, self.indent)


def _without_data_of(receivers: frozenset[str], block: cst.IndentedBlock) -> cst.IndentedBlock:
    """Take ``.data`` from the expressions whose text is one of ``receivers``."""
    module = cst.Module([])

    def without(original: cst.Attribute, updated: cst.Attribute) -> cst.BaseExpression:
        if original.attr.value != "data":
            return updated
        text = module.code_for_node(original.value)
        return as_operand(updated.value) if text in receivers else updated

    return changed_below(block, cst.Attribute, without)


def _without_data(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """``p.grad`` of ``p.grad.data``, ``w[i]`` of ``w.data[i]``."""
    if isinstance(node, cst.Attribute):
        return node.value if node.attr.value == "data" else None
    if isinstance(node, cst.Subscript) and (whole := _without_data(node.value)) is not None:
        return node.with_changes(value=whole)
    return None


def _named_for_init(arg: cst.Arg, names: tuple[str, ...]) -> cst.Arg:
    """``fill_(value=0)`` is ``constant_(w, val=0)``."""
    if arg.keyword is None or arg.keyword.value in names:
        return arg
    return arg.with_changes(keyword=cst.Name(names[0]))
