"""`size_average=` and `reduce=` of the losses became `reduction=`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import index_of_keyword
from torchfix_codemods.edit.tensors.reductions import with_reduction
from torchfix_codemods.facts.guards import is_guarded
from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.libraries.losses import BETWEEN_FLAGS, FLAG_POSITIONS
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.pure import only_computes
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.losses.questions.flag_reads import (
    MEANS,
    are_of_one_loss,
    gives_one_number,
    is_missing_flag,
)
from torchfix_codemods.rules.losses.questions.flags import (
    about_variables,
    flags_of_losses,
    for_a_flag,
    is_bool,
    is_loss,
    is_variable,
    losses_called,
    may_be_target,
)
from torchfix_codemods.text.wording import worded

#: What the flags of a loss mean that are set after it is built.
_SET_LATER: dict[tuple[str, object], str] = {
    ("size_average", True): "mean",
    ("size_average", False): "sum",
    ("reduce", True): "mean",
    ("reduce", False): "none",
}


class SizeAverage(Rule):
    """
    ## What it does
    Replaces the flags `size_average` and `reduce` of torch's losses by `reduction`, for every loss
    class and function, whether the flags are given by keyword or by position, as literals or as
    variables. `reduction="elementwise_mean"`, the spelling of 0.4.1, becomes `"mean"`.

    `criterion.size_average = False` after the loss was built is read by nothing since 0.4.1: in
    files that are certainly older it becomes `criterion.reduction = "sum"`, in others it is
    reported. Where code reads the flag of a loss that is built in sight, it reads the reduction
    instead: `criterion.reduction == "mean"`, and `reduction=criterion.reduction` where another loss
    is given it.

    ## Why
    The flags have been deprecated since 0.4.1 and warn at each construction. Two flags that
    interact are easily misread: with `reduce=False`, `size_average` means nothing.

    ## Example
    ```python
    loss = F.nll_loss(output, target, size_average=False)
    criterion = nn.CrossEntropyLoss(weight, True)
    ```
    becomes
    ```python
    loss = F.nll_loss(output, target, reduction="sum")
    criterion = nn.CrossEntropyLoss(weight)
    ```

    ## Numbers
    Identical: torch itself translates the flags in just this way. Flags that are set later are
    pinned: the loss is the sum again, as it was on the torch of the file. Flags that are read are
    restored: losses have none since 0.4.1.

    ## When it stays its hand
    Where `*args` or `**kwargs` could carry a flag, where `reduction` is given too, where both flags
    are variables (a finding says so), and on classes that are not torch's. Flags that are set later
    are only reported where they are variables, where both are set, and where something reads them.
    A flag that is read is only reported where the loss may be one that is not reduced, and left
    alone where anything sets it. A variable that may be None gives `"mean" if flag is None or flag
    else "sum"`: torch takes None for True.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.nn.MSELoss.html
    - https://github.com/pytorch/pytorch/releases/tag/v0.4.1
    """

    code = "TP301"
    name = "size-average"
    since = "0.4.1"
    numerics = Numerics.IDENTICAL
    warns = True
    words = frozenset(
        {"size_average", "reduce", "reduction", *(n.rpartition(".")[2] for n in FLAG_POSITIONS)}
    )
    message = "size_average= and reduce= are now reduction="

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        names = losses_called(call, facts)
        if not names or is_opaque(call):
            return
        name = names[0]
        reduction = argument(call, None, "reduction")
        if constant(reduction) == "elementwise_mean":
            yield self.found(call, '"elementwise_mean" is now "mean"', positions=None)
            return
        positions = FLAG_POSITIONS[name]
        average = argument(call, positions[0], "size_average")
        reduce = argument(call, positions[1], "reduce")
        if reduction is not None or (average is None and reduce is None):
            return
        if len(call.args) > positions[1] + 1:
            # The newer signature, where reduction and others follow by position.
            return
        if any(isinstance(constant(given), str) for given in call.args):
            return
        if is_missing_flag(average, facts) or is_missing_flag(reduce, facts):
            if are_of_one_loss(average, reduce, facts) and not is_guarded(facts, call, "reduction"):
                yield self.found(
                    call,
                    "the flags of a loss that was built are its reduction since torch 0.4.1",
                    numerics=Numerics.RESTORED,
                    positions=positions,
                    between=BETWEEN_FLAGS.get(name),
                    is_bool=True,
                    is_read=True,
                )
            return
        if average and reduce and is_variable(average) and is_variable(reduce):
            yield self.advice(call, about_variables(call, average, reduce, facts))
            return
        unsure = [f for f in (average, reduce) if f is not None and not is_bool(f, facts)]
        if any(may_be_target(flag, facts) for flag in unsure):
            return
        if not all(only_computes(facts, flag) for flag in unsure):
            yield self.advice(
                call,
                "a flag that a call gives may be None, and must not be asked twice: give it a name,"
                f" FLAG, and write reduction={for_a_flag(average, reduce)}",
            )
            return
        yield self.found(
            call,
            positions=positions,
            between=BETWEEN_FLAGS.get(name),
            is_bool=not unsure,
            is_read=False,
        )

    def find_Attribute(self, node: ast.Attribute, facts: Facts) -> Iterator[Found]:
        if not is_missing_flag(node, facts) or is_guarded(facts, node, "reduction"):
            return
        around = facts.parent(node)
        call = facts.parent(around) if isinstance(around, ast.keyword) else around
        if isinstance(call, ast.Call) and any(self.find_Call(call, facts)):
            return
        operator, reduction = MEANS[node.attr]
        if node.attr == "reduce" or gives_one_number(node.value, facts):
            yield self.found(
                node,
                f"a loss has no {node.attr} since torch 0.4.1, but a reduction",
                numerics=Numerics.RESTORED,
            )
            return
        loss = ast.unparse(node.value)
        yield self.advice(
            node,
            f"{loss}.{node.attr} is no attribute since torch 0.4.1, and raises: write"
            f' {loss}.reduction {operator} "{reduction}"',
            fails=True,
        )

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        target = node.targets[0]
        if not isinstance(target, ast.Attribute) or target.attr not in ("size_average", "reduce"):
            return
        if len(node.targets) > 1 or not is_loss(target.value, facts):
            return
        loss = facts.segment(target.value)
        flags = flags_of_losses(facts)[loss]
        reduction = _SET_LATER.get((target.attr, constant(node.value)))
        if reduction == "mean" and len(flags) == 1:
            # It is what losses do where nothing is said.
            return
        is_plain = all(
            flag.attr == target.attr and isinstance(flag.ctx, ast.Store) for flag in flags
        )
        if reduction and is_plain and facts.numbers_before(node, (0, 4, 1)):
            yield self.found(
                node,
                f"{target.attr} of a loss is read by nothing since 0.4.1: reduction",
                numerics=Numerics.PINNED,
                reduction=reduction,
            )
            return
        new = _written(node, reduction) if is_plain else '…, which is "mean", "sum" or "none"'
        yield self.advice(
            node,
            f"no loss reads {loss}.{target.attr} since 0.4.1: write {loss}.reduction = {new}",
        )

    def leave_SimpleStatementLine(
        self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine:
        assignment = updated.body[0]
        assert isinstance(assignment, cst.Assign)
        place = assignment.targets[0]
        assert isinstance(place.target, cst.Attribute)
        target = place.target.with_changes(attr=cst.Name("reduction"))
        value = cst.SimpleString(f'"{self.data["reduction"]}"')
        changed = assignment.with_changes(targets=[place.with_changes(target=target)], value=value)
        return updated.with_changes(body=[changed, *updated.body[1:]])

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        positions = self.data["positions"]
        if positions is None:
            index = index_of_keyword(updated, "reduction")
            assert index is not None
            mean = updated.args[index].with_changes(value=cst.SimpleString('"mean"'))
            return updated.with_changes(
                args=[*updated.args[:index], mean, *updated.args[index + 1 :]]
            )
        return with_reduction(
            updated, positions, self.data["between"], self.data["is_bool"], self.data["is_read"]
        )

    def leave_Attribute(self, original: cst.Attribute, updated: cst.Attribute) -> cst.Comparison:
        operator, reduction = MEANS[updated.attr.value]
        today = updated.with_changes(attr=cst.Name("reduction"))
        compared = cst.Equal() if operator == "==" else cst.NotEqual()
        text = cst.SimpleString(f'"{reduction}"')
        return cst.Comparison(today, [cst.ComparisonTarget(compared, text)])


def _written(flag: ast.Assign, reduction: str | None) -> str:
    """The reduction that a flag meant which is set alone, as code."""
    target = flag.targets[0]
    assert isinstance(target, ast.Attribute)
    if reduction is not None:
        return f'"{reduction}"'
    off = _SET_LATER[target.attr, False]
    return f'"mean" if {worded(flag.value, "flag")} else "{off}"'
