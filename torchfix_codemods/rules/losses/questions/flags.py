"""What the flags of a loss are: variables, certainly bools, set after it was built."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.evaluation import parameters
from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.language.branches import tests_passed
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import torch_table
from torchfix_codemods.facts.libraries.losses import BETWEEN_FLAGS, FLAG_POSITIONS
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import is_self
from torchfix_codemods.facts.paths.pure import only_computes
from torchfix_codemods.facts.values.lattice import Module, Number, Tensor

_MAX_DEPTH = 8


def is_loss(node: ast.expr, facts: Facts) -> bool:
    """Whether a value is a loss object of torch that took the flags."""
    value = facts.value(node)
    return isinstance(value, Module) and value.cls in FLAG_POSITIONS


def losses_called(call: ast.Call, facts: Facts) -> list[str]:
    """The losses of torch that a call may be of: ``(nn.MSELoss if c else nn.L1Loss)(…)``.

    There are none where it may be of something else, or where arguments that have no keyword are
    flags of one and no flags of the other.
    """
    names = [facts.name(one) or "" for one in _ways(call.func, facts)]
    places = {(FLAG_POSITIONS.get(name), BETWEEN_FLAGS.get(name)) for name in names}
    is_known = all(name in FLAG_POSITIONS for name in names)
    return names if is_known and (len(places) == 1 or not call.args) else []


def _ways(function: ast.expr, facts: Facts, depth: int = 0) -> list[ast.expr]:
    if isinstance(function, ast.IfExp) and depth < _MAX_DEPTH:
        ways = [function.body, function.orelse]
    elif isinstance(function, ast.Subscript) and isinstance(function.value, ast.Dict):
        ways = function.value.values
    elif isinstance(function, ast.Name) and facts.name(function) is None and depth < _MAX_DEPTH:
        ways = facts.assigned(function) or [ast.Constant(None)]
    else:
        return [function]
    return [one for way in ways for one in _ways(way, facts, depth + 1)]


def flags_of_losses(facts: Facts) -> dict[str, list[ast.Attribute]]:
    """The places that set or read a flag of a loss that was built before, by what it is called."""
    return facts.remembered("flags of losses", lambda: _find_flags_of_losses(facts))


def _find_flags_of_losses(facts: Facts) -> dict[str, list[ast.Attribute]]:
    found: dict[str, list[ast.Attribute]] = {}
    for name in ("size_average", "reduce"):
        for flag in facts.names.attributes(name):
            if is_loss(flag.value, facts):
                found.setdefault(facts.segment(flag.value), []).append(flag)
    return found


def about_variables(call: ast.Call, average: ast.expr, reduce: ast.expr, facts: Facts) -> str:
    """What to write for two flags of a loss that are both variables."""
    # Of a function of torch that is not public, the line as it was read speaks of another one.
    is_ours = facts.is_rewritten(call.func.lineno)
    write = f"for {ast.unparse(call.func)} write" if is_ours else "write"
    for flag, other in ((reduce, average), (average, reduce)):
        always, name = _set_always(flag, facts), f"{ast.unparse(flag)} is"
        known = f"{name} {always} wherever it is set"
        if always is None:
            always = _outcome_of_tests(flag, facts)
            known = f"{name} {always} here"
        if always is False and flag is reduce:
            return f'{known}: {write} reduction="none"'
        if always is not None and only_computes(facts, other):
            is_no = _is_no(other, is_bool(other, facts))
            off, on = ("none", "mean" if always else "sum") if flag is average else ("sum", "mean")
            return f'{known}: {write} reduction="{off}" if {is_no} else "{on}"'
    if only_computes(facts, average) and only_computes(facts, reduce):
        called = ""
        no_average, no_reduce = (_is_no(f, is_bool(f, facts)) for f in (average, reduce))
    else:
        called = "call them AVERAGE and REDUCE, and "
        no_average, no_reduce = (_is_no(ast.Name(n), False) for n in ("AVERAGE", "REDUCE"))
    return (
        f"size_average and reduce are both variables: {called}{write} reduction="
        f'"none" if {no_reduce} else "sum" if {no_average} else "mean"'
    )


def _set_always(flag: ast.expr, facts: Facts) -> bool | None:
    """What all objects of a class have for a flag: ``self.reduce = False`` in its constructor."""
    owner = facts.names.enclosing_class(flag)
    if not isinstance(flag, ast.Attribute) or owner is None or not is_self(facts, flag.value):
        return None
    sources = facts.classes.attribute_sources(owner, flag.attr)
    values = {
        source.value.value if isinstance(source.value, ast.Constant) else None for source in sources
    }
    stores = [n for n in facts.names.attributes(flag.attr) if not isinstance(n.ctx, ast.Load)]
    is_set_elsewhere = facts.files is not None and facts.files.is_assigned_anywhere(flag.attr)
    if len(values) != 1 or len(stores) != len(sources) or is_set_elsewhere:
        return None
    value = values.pop()
    return value if isinstance(value, bool) and all(s.kind == "assign" for s in sources) else None


def _outcome_of_tests(flag: ast.expr, facts: Facts) -> bool | None:
    """What a flag is where the code has asked for it: below ``if reduce: return …`` it is False."""
    if not isinstance(flag, ast.Name):
        return None
    bindings = facts.flow.reaching(flag)
    for test, outcome in tests_passed(facts.names, flag):
        is_not = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
        asked = test.operand if is_not and isinstance(test, ast.UnaryOp) else test
        if isinstance(asked, ast.Name) and asked.id == flag.id:
            value = outcome is not is_not
            # What is not true may be None, which torch takes for True.
            if facts.flow.reaching(asked) == bindings and (value or is_bool(flag, facts)):
                return value
    return None


def _is_no(flag: ast.expr, is_certain: bool) -> str:
    """What asks whether a flag is False: torch takes None for True."""
    negated = ast.unparse(ast.UnaryOp(ast.Not(), flag))
    is_given = ast.Compare(flag, [ast.IsNot()], [ast.Constant(None)])
    return negated if is_certain else f"{ast.unparse(is_given)} and {negated}"


def for_a_flag(average: ast.expr | None, reduce: ast.expr | None) -> str:
    """The reduction that a flag, called FLAG, decides on beside another one that is written down,
    if there is one."""
    if not is_variable(reduce):
        if constant(reduce) in (False, 0):
            return '"none"'
        return '"mean" if FLAG is None or FLAG else "sum"'
    otherwise = "sum" if constant(average) in (False, 0) else "mean"
    return f'"{otherwise}" if FLAG is None or FLAG else "none"'


def is_variable(node: ast.expr | None) -> bool:
    """Whether a flag is given, and not written down as True or False."""
    return node is not None and not isinstance(node, ast.Constant)


def may_be_target(flag: ast.expr, facts: Facts) -> bool:
    """Whether a tensor stands where a flag does: ``nn.CrossEntropyLoss(logits, y.view(-1))``.

    Its author took the class for the function; no flag is meant.
    """
    if isinstance(facts.value(flag), Tensor):
        return True
    method = flag.func if isinstance(flag, ast.Call) else None
    return isinstance(method, ast.Attribute) and torch_table.is_method(method.attr)


def is_bool(flag: ast.expr | None, facts: Facts, depth: int = 0) -> bool:
    """Whether a flag is certainly True or False: torch takes None for True.

    Values alone do not tell: a default of True or False says what callers mean to give.
    """
    if flag is None:
        return True
    if depth > _MAX_DEPTH:
        return False
    if isinstance(flag, ast.Compare) and isinstance(constant(flag.comparators[-1]), str):
        # What is compared with a text is no tensor: ``self.reduction == "mean"``.
        return True
    if isinstance(flag, (ast.Constant, ast.Compare, ast.UnaryOp)):
        return facts.value(flag) == Number("bool")
    if isinstance(flag, (ast.BoolOp, ast.IfExp)):
        choices = flag.values if isinstance(flag, ast.BoolOp) else [flag.body, flag.orelse]
        return all(is_bool(choice, facts, depth + 1) for choice in choices)
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
        return default == Number("bool") and all(is_bool(g, facts, depth) for g in given)
    if binding.kind == "for" and isinstance(binding.value, (ast.Tuple, ast.List)):
        items = binding.value.elts
        return not binding.path and all(is_bool(item, facts, depth) for item in items)
    return (
        binding.kind == "assign"
        and not binding.path
        and binding.value is not None
        and is_bool(binding.value, facts, depth)
    )
