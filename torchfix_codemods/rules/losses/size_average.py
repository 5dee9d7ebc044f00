"""`size_average=` and `reduce=` of the losses became `reduction=`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import (
    index_of_keyword,
    keyword_argument,
    with_arguments,
)
from torchfix_codemods.edit.parentheses import as_operand, parenthesized, strength
from torchfix_codemods.facts.evaluation import parameters
from torchfix_codemods.facts.language.arguments import argument, constant, is_opaque
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries.losses import BETWEEN_FLAGS, FLAG_POSITIONS
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.pure import only_computes
from torchfix_codemods.facts.values.lattice import Module, Number
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_MAX_DEPTH = 8

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
    reported.

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
    pinned: the loss is the sum again, as it was on the torch of the file.

    ## When it stays its hand
    Where `*args` or `**kwargs` could carry a flag, where `reduction` is given too, where both
    flags are variables (a finding says so), and on classes that are not torch's. Flags that are
    set later are only reported where they are variables, where both are set, and where something
    reads them. A variable that may be None gives `"mean" if flag is None or flag else "sum"`:
    torch takes None for True.

    ## References
    - https://pytorch.org/docs/stable/generated/torch.nn.MSELoss.html
    - https://github.com/pytorch/pytorch/releases/tag/v0.4.1
    """

    code = "TP301"
    name = "size-average"
    since = "0.4.1"
    numerics = Numerics.IDENTICAL
    words = frozenset(
        {"size_average", "reduce", "reduction", *(n.rpartition(".")[2] for n in FLAG_POSITIONS)}
    )
    message = "size_average= and reduce= are now reduction="

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        name = facts.name(call.func)
        if name not in FLAG_POSITIONS or is_opaque(call):
            return
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
        if average and reduce and _is_variable(average) and _is_variable(reduce):
            yield self.advice(call, _of_variables(average, reduce, facts))
            return
        unsure = [f for f in (average, reduce) if f is not None and not _is_bool(f, facts)]
        if not all(only_computes(facts, flag) for flag in unsure):
            yield self.advice(
                call,
                "a flag that a call gives may be None, and must not be asked twice: give it a name,"
                f" FLAG, and write reduction={_of_flag(average, reduce)}",
            )
            return
        yield self.found(
            call,
            positions=positions,
            between=BETWEEN_FLAGS.get(name),
            is_bool=not unsure,
        )

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        target = node.targets[0]
        if not isinstance(target, ast.Attribute) or target.attr not in ("size_average", "reduce"):
            return
        if len(node.targets) > 1 or not _is_loss(target.value, facts):
            return
        loss = facts.segment(target.value)
        flags = _flags_of_losses(facts)[loss]
        reduction = _SET_LATER.get((target.attr, constant(node.value)))
        if reduction == "mean" and len(flags) == 1:
            # It is what losses do where nothing is said.
            return
        is_plain = all(
            flag.attr == target.attr and isinstance(flag.ctx, ast.Store) for flag in flags
        )
        if reduction and is_plain and facts.era_of(node).before((0, 4, 1)):
            yield self.found(
                node,
                f"{target.attr} of a loss is read by nothing since 0.4.1: reduction",
                numerics=Numerics.PINNED,
                reduction=reduction,
            )
            return
        new = f'"{reduction}"' if reduction and is_plain else '…, which is "mean", "sum" or "none"'
        yield self.advice(
            node,
            f"{loss}.{target.attr} is read by nothing since 0.4.1: write {loss}.reduction = {new}",
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
        average = _take(updated, positions[0], "size_average")
        reduce = _take(updated, positions[1], "reduce")
        reduction = _reduction(average, reduce, self.data["is_bool"])
        flags = [arg for arg in (average, reduce) if arg is not None]
        kept: list[cst.Arg] = []
        placed = reduction is None
        for arg in updated.args:
            if arg not in flags:
                kept.append(_by_keyword_after(arg, updated, positions[0], self.data["between"]))
            elif not placed and reduction is not None:
                new = keyword_argument("reduction", reduction)
                kept.append(new.with_changes(comma=arg.comma))
                placed = True
        return with_arguments(updated, kept)


def _is_loss(node: ast.expr, facts: Facts) -> bool:
    value = facts.value(node)
    return isinstance(value, Module) and value.cls in FLAG_POSITIONS


def _flags_of_losses(facts: Facts) -> dict[str, list[ast.Attribute]]:
    """The places that set or read a flag of a loss that was built before, by what it is called."""
    return facts.remembered("flags of losses", lambda: _find_flags_of_losses(facts))


def _find_flags_of_losses(facts: Facts) -> dict[str, list[ast.Attribute]]:
    found: dict[str, list[ast.Attribute]] = {}
    for name in ("size_average", "reduce"):
        for flag in facts.names.attributes(name):
            if _is_loss(flag.value, facts):
                found.setdefault(facts.segment(flag.value), []).append(flag)
    return found


def _of_variables(average: ast.expr, reduce: ast.expr, facts: Facts) -> str:
    """What to write for two flags that are both variables."""
    if only_computes(facts, average) and only_computes(facts, reduce):
        called = ""
        no_average, no_reduce = (_is_no(f, _is_bool(f, facts)) for f in (average, reduce))
    else:
        called = "call them AVERAGE and REDUCE, and "
        no_average, no_reduce = (_is_no(ast.Name(n), False) for n in ("AVERAGE", "REDUCE"))
    return (
        f"size_average and reduce are both variables: {called}write reduction="
        f'"none" if {no_reduce} else "sum" if {no_average} else "mean"'
    )


def _is_no(flag: ast.expr, is_bool: bool) -> str:
    """What asks whether a flag is False: torch takes None for True."""
    negated = ast.unparse(ast.UnaryOp(ast.Not(), flag))
    is_given = ast.Compare(flag, [ast.IsNot()], [ast.Constant(None)])
    return negated if is_bool else f"{ast.unparse(is_given)} and {negated}"


def _of_flag(average: ast.expr | None, reduce: ast.expr | None) -> str:
    """The reduction that a flag, called FLAG, decides on beside another one that is written down,
    if there is one."""
    if not _is_variable(reduce):
        if constant(reduce) in (False, 0):
            return '"none"'
        return '"mean" if FLAG is None or FLAG else "sum"'
    otherwise = "sum" if constant(average) in (False, 0) else "mean"
    return f'"{otherwise}" if FLAG is None or FLAG else "none"'


def _is_variable(node: ast.expr | None) -> bool:
    return node is not None and not isinstance(node, ast.Constant)


def _take(call: cst.Call, position: int, name: str) -> cst.Arg | None:
    index = index_of_keyword(call, name)
    if index is not None:
        return call.args[index]
    positional = [arg for arg in call.args if arg.keyword is None]
    return positional[position] if position < len(positional) else None


def _by_keyword_after(arg: cst.Arg, call: cst.Call, removed: int, parameter: str | None) -> cst.Arg:
    """A positional argument behind a removed flag has to name its parameter: ignore_index."""
    index = call.args.index(arg)
    if arg.keyword is not None or index <= removed:
        return arg
    assert parameter is not None
    return keyword_argument(parameter, arg.value).with_changes(comma=arg.comma)


def _is_bool(flag: ast.expr | None, facts: Facts, depth: int = 0) -> bool:
    """Whether a flag is certainly True or False: torch takes None for True.

    Values alone do not tell: a default of True or False says what callers mean to give.
    """
    if flag is None:
        return True
    if depth > _MAX_DEPTH:
        return False
    if isinstance(flag, (ast.Constant, ast.Compare, ast.UnaryOp)):
        return facts.value(flag) == Number("bool")
    if isinstance(flag, (ast.BoolOp, ast.IfExp)):
        choices = flag.values if isinstance(flag, ast.BoolOp) else [flag.body, flag.orelse]
        return all(_is_bool(choice, facts, depth + 1) for choice in choices)
    if isinstance(flag, ast.Name):
        bindings = facts.flow.reaching(flag)
        return bool(bindings) and all(_binds_bool(b, facts, depth + 1) for b in bindings)
    if isinstance(flag, ast.Attribute):
        owner = facts.names.enclosing_class(flag)
        sources = [] if owner is None else facts.classes.attribute_sources(owner, flag.attr)
        return bool(sources) and all(_binds_bool(b, facts, depth + 1) for b in sources)
    return isinstance(flag, ast.Call) and facts.value(flag) == Number("bool")


def _binds_bool(binding: Binding, facts: Facts, depth: int) -> bool:
    """Whether all that a name is bound to is a bool; a default tells what callers may give."""
    if binding.kind == "parameter" and isinstance(binding.node, ast.arg):
        default = parameters.default_value(facts.inference, binding.node)
        given = parameters.arguments_given(facts.inference, binding.node)
        return default == Number("bool") and all(_is_bool(g, facts, depth) for g in given)
    if binding.kind == "for" and isinstance(binding.value, (ast.Tuple, ast.List)):
        items = binding.value.elts
        return not binding.path and all(_is_bool(item, facts, depth) for item in items)
    return (
        binding.kind == "assign"
        and not binding.path
        and binding.value is not None
        and _is_bool(binding.value, facts, depth)
    )


def _reduction(
    average: cst.Arg | None, reduce: cst.Arg | None, is_bool: bool
) -> cst.BaseExpression | None:
    """The value of ``reduction=``; None where it is the default, "mean"."""
    if reduce is not None and not _is_true(reduce.value):
        if _is_false(reduce.value):
            return cst.SimpleString('"none"')
        otherwise = '"sum"' if average is not None and _is_false(average.value) else '"mean"'
        return _choice(reduce.value, otherwise, '"none"', is_bool)
    if average is None or _is_true(average.value):
        return None
    if _is_false(average.value):
        return cst.SimpleString('"sum"')
    return _choice(average.value, '"mean"', '"sum"', is_bool)


def _choice(flag: cst.BaseExpression, yes: str, no: str, is_bool: bool) -> cst.IfExp:
    test = flag if strength(flag) > 2 else parenthesized(flag)
    if not is_bool:
        test = as_operand(flag)
        is_none = cst.Comparison(test, [cst.ComparisonTarget(cst.Is(), cst.Name("None"))])
        test = cst.BooleanOperation(left=is_none, operator=cst.Or(), right=test)
    return cst.IfExp(test=test, body=cst.SimpleString(yes), orelse=cst.SimpleString(no))


def _is_true(node: cst.BaseExpression) -> bool:
    return (isinstance(node, cst.Name) and node.value in ("True", "None")) or _is_number(node, "1")


def _is_false(node: cst.BaseExpression) -> bool:
    return (isinstance(node, cst.Name) and node.value == "False") or _is_number(node, "0")


def _is_number(node: cst.BaseExpression, text: str) -> bool:
    return isinstance(node, cst.Integer) and node.value == text
