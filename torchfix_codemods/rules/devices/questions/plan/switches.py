"""The program's own switch between its devices: what the tests around its moves ask."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence

from torchfix_codemods.edit.insertions import line_in_function
from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.language.nodes import last_name, start_of, walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.devices import Flag
from torchfix_codemods.rules.devices.questions.flags.cuda_flags import (
    guards_of,
    is_cuda_available,
    is_named_for_device,
    mentions_cuda,
    module_flag,
    speaks_of_device,
)
from torchfix_codemods.rules.devices.questions.plan.given_tensors import would_come_back
from torchfix_codemods.rules.devices.questions.plan.local_flags import local_flag
from torchfix_codemods.rules.devices.questions.plan.object_flags import (
    has_device,
    object_flag,
)
from torchfix_codemods.rules.devices.questions.plan.same_switch import is_set_to_available

_TESTING = (ast.If, ast.IfExp, ast.While, ast.Assert)


def tests_of(node: ast.AST, facts: Facts) -> list[ast.expr]:
    """The tests around a move that ask for the device, innermost first."""
    tests = guards_of(node, facts)
    return [t for t in tests if speaks_of_device(t) or _brings_back(facts.parent(t), facts)]


def chooses_place(choice: ast.If | ast.IfExp, facts: Facts) -> bool:
    """Whether a choice is one between the GPU and the CPU, by its test or by what it does."""
    return speaks_of_device(choice.test) or _brings_back(choice, facts)


def _brings_back(choice: ast.AST | None, facts: Facts) -> bool:
    """Whether something is moved to the GPU, or else to the CPU: ``else: net.cpu()``."""
    if not isinstance(choice, (ast.If, ast.IfExp)):
        return False
    return facts.remembered(
        ("brings back", choice),
        lambda: bool(_moved(choice.body, "cuda") & _moved(choice.orelse, "cpu")),
    )


def _moved(branch: ast.expr | list[ast.stmt], method: str) -> set[str]:
    """What the calls of a method in a branch are called on."""
    return {
        ast.unparse(node.func.value)
        for part in (branch if isinstance(branch, list) else [branch])
        for node in walk(part)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == method
    }


Switches = Mapping[ast.Call, Flag | None]
"""By what each of some moves goes to the GPU; None: whether CUDA is there."""


def switches_of(calls: Sequence[ast.Call], facts: Facts) -> Switches | ast.expr:
    """The switches of some moves: one of the module level, or one of each function.

    Where they have none, a test that speaks against it.
    """
    tests = [test for call in calls for test in tests_of(call, facts)]
    flags = [module_flag(test, facts) for test in tests]
    if any(flag is None for flag in flags):
        return _switches_of_functions(calls, tests, facts)
    by_text = {flag.text: flag for flag in flags if flag is not None}
    if all(_asks_for_cuda(test, facts) for test in tests):
        # A name for the answer is as good as asking again, where all say it.
        named = [flag for flag in by_text.values() if flag.after is not None]
        other = None if named else other_switch(facts)
        one = named[0] if len(by_text) == 1 and named else None
        return dict.fromkeys(calls, one) if other is None else other
    if len(by_text) > 1:
        return tests[-1]
    (flag,) = by_text.values()
    is_free = any(not tests_of(call, facts) for call in calls) or _makes_on_gpu(facts)
    return tests[0] if _is_off(flag) and is_free else dict.fromkeys(calls, flag)


def _switches_of_functions(
    calls: Sequence[ast.Call], tests: Sequence[ast.expr], facts: Facts
) -> Switches | ast.expr:
    """The switch of each function, or of each class, around some moves, if they have one each."""
    known: dict[ast.AST, Flag] = {}
    for test in tests:
        flag = local_flag(test, facts) or object_flag(test, facts)
        if flag is None or flag.function is None:
            return test
        holder = _holder_of(flag, facts)
        if holder is None or _differs(flag, known.setdefault(holder, flag)):
            return test
    switches = {}
    for call in calls:
        function, owner = facts.names.enclosing_function(call), facts.names.enclosing_class(call)
        flags = [known[holder] for holder in (function, owner) if holder in known]
        if len(flags) != 1 or not _is_below(call, flags[0], facts):
            return tests[0]
        if would_come_back(call, flags[0], facts):
            return tests[0]
        switches[call] = flags[0]
    return switches


def _holder_of(flag: Flag, facts: Facts) -> ast.AST | None:
    """The function that a flag is known in, or the class whose objects keep it."""
    if flag.function is None or not flag.is_of_object:
        return flag.function
    owner = facts.names.enclosing_class(flag.function)
    return None if owner is None or has_device(owner) else owner


def _differs(flag: Flag, other: Flag) -> bool:
    return (flag.text, flag.after) != (other.text, other.after)


def _is_below(call: ast.Call, flag: Flag, facts: Facts) -> bool:
    if flag.function is None:
        return False
    if flag.is_of_object and facts.names.enclosing_function(call) is not flag.function:
        return True
    line = line_in_function(flag.function, flag.after, facts)
    return line is not None and call.lineno > line


def _asks_for_cuda(test: ast.expr, facts: Facts) -> bool:
    return is_cuda_available(test, facts) or is_set_to_available(test, facts)


def other_switch(facts: Facts) -> ast.expr | None:
    """A test for a flag of the file, which a device made by what is there would ignore."""
    return facts.remembered(other_switch, lambda: _find_other_switch(facts))


def _find_other_switch(facts: Facts) -> ast.expr | None:
    for kind in _TESTING:
        for node in facts.names.nodes.get(kind, ()):
            if not isinstance(node, _TESTING) or moves_both_ways(node):
                continue
            if any(_flags_in(node.test, facts)):
                return node.test
    return None


def switch_tests(facts: Facts) -> list[ast.expr]:
    """The tests of the program's own flags by which moves of the file go to the GPU, or do not.

    Not those that choose how to move, or ask whether there is a GPU, or where a tensor is.
    """
    return facts.remembered(switch_tests, lambda: _find_switch_tests(facts))


def asks_for_gpu(test: ast.expr, facts: Facts) -> bool:
    """Whether a test by which something moves to the GPU asks whether to use one.

    By a flag or by what is there; not what asks where a tensor is, or whether there are several.
    """
    choice = facts.parent(test)
    # Of ``if not test: … else: x.cuda()`` the operand is what has to hold.
    choice = facts.parent(choice) if isinstance(choice, ast.UnaryOp) else choice
    if moves_both_ways(choice):
        return False
    return (
        any(_asks_for_cuda(part, facts) for part in ast.walk(test) if isinstance(part, ast.expr))
        or any(not _is_type(flag, facts) for flag in _flags_in(test, facts))
        or _brings_back(choice, facts)
    )


def _find_switch_tests(facts: Facts) -> list[ast.expr]:
    tests = {
        test: None
        for call in sorted(facts.names.method_calls("cuda"), key=start_of)
        for test in guards_of(call, facts)
        if any(not _is_type(flag, facts) for flag in _flags_in(test, facts))
        if not moves_both_ways(facts.parent(test))
    }
    return list(tests)


def _is_type(flag: ast.AST, facts: Facts) -> bool:
    """``"torch.cuda.FloatTensor"``, or a part of it, which ``x.type()`` is asked for."""
    if not isinstance(flag, ast.Constant) or not isinstance(flag.value, str):
        return False
    asked = facts.parent(flag)
    sides = [asked.left, *asked.comparators] if isinstance(asked, ast.Compare) else []
    return flag.value.startswith("torch.") or any(
        isinstance(side, ast.Call) and last_name(side.func) == "type" and not side.args
        for side in sides
    )


def moves_both_ways(choice: ast.AST | None) -> bool:
    """Whether something is moved to the GPU where a test holds, and where it does not."""
    if not isinstance(choice, (ast.If, ast.IfExp)):
        return False
    return bool(_moved(choice.body, "cuda") and _moved(choice.orelse, "cuda"))


def _flags_in(test: ast.expr, facts: Facts) -> Iterator[ast.AST]:
    """What names the device in a test, and is neither torch's nor an answer of torch."""
    for node in ast.walk(test):
        if not is_named_for_device(node) or _counts_gpus(facts.parent(node)):
            continue
        if isinstance(node, ast.Constant):
            yield node
        elif isinstance(node, (ast.Name, ast.Attribute)):
            parent = facts.parent(node)
            is_called = isinstance(parent, ast.Call) and parent.func is node
            is_of_torch = (facts.name(node) or "").startswith("torch")
            is_asked = isinstance(node, ast.Attribute) and node.attr == "is_cuda"
            if not (is_called or is_of_torch or is_asked or is_set_to_available(node, facts)):
                yield node


def _counts_gpus(test: ast.AST | None) -> bool:
    """``args.gpus > 1``: whether there are several, which is no matter of a move."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1:
        return False
    least = constant(test.comparators[0])
    is_above = isinstance(test.ops[0], ast.Gt) and least == 1
    return is_above or (isinstance(test.ops[0], ast.GtE) and least == 2)


def _makes_on_gpu(facts: Facts) -> bool:
    """Whether a tensor type of the GPU stands under no test for it: ``torch.cuda.LongTensor``."""
    return any(
        isinstance(node, ast.Attribute)
        and node.attr.endswith("Tensor")
        and (facts.name(node) or "").startswith("torch.cuda.")
        and not any(mentions_cuda(test) for test in guards_of(node, facts))
        for node in facts.names.nodes.get(ast.Attribute, ())
    )


def _is_off(flag: Flag) -> bool:
    """Whether a flag is False as it is written: ``use_cuda = False``."""
    value = flag.after.value if isinstance(flag.after, ast.Assign) else None
    return isinstance(value, ast.Constant) and not value.value
