"""Which tests and flags tell whether CUDA is to be used."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.evaluation.parameters import arguments_given
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.callers import parameter_held
from torchfix_codemods.facts.programs.devices import Flag
from torchfix_codemods.rules.devices.questions.flag_settings import setting_of
from torchfix_codemods.rules.devices.questions.gpu_moves import (
    MOVABLE,
    asks_for_place,
    is_of_a_module,
    moved_value,
    moves_to_default_gpu,
)

_IS_AVAILABLE = "torch.cuda.is_available"
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_SETTING = (ast.Assign, ast.If)


def guards_of(node: ast.AST, facts: Facts) -> Iterator[ast.expr]:
    """The tests that must have held where ``node`` runs, innermost first.

    Of ``if test: node``, ``if not test: … else: node``, ``node if test else …`` and all nested.
    """
    child: ast.AST = node
    for parent in facts.names.ancestors(node):
        if isinstance(parent, ast.If) and child in parent.body:
            yield parent.test
        elif isinstance(parent, ast.If) and child in parent.orelse:
            if isinstance(parent.test, ast.UnaryOp) and isinstance(parent.test.op, ast.Not):
                yield parent.test.operand
        elif isinstance(parent, ast.IfExp) and child is parent.body:
            yield parent.test
        elif isinstance(parent, _DEFINITIONS):
            return
        child = parent


def is_cuda_available(node: ast.AST, facts: Facts) -> bool:
    """Whether an expression is ``torch.cuda.is_available()``."""
    return isinstance(node, ast.Call) and facts.name(node.func) == _IS_AVAILABLE and not node.args


def module_flag(test: ast.expr, facts: Facts) -> Flag | None:
    """The flag that a guard tests, where it is one that the module level sets above all uses.

    ``args.cuda`` after ``args.cuda = …`` or ``args = parser.parse_args()``, ``use_cuda`` after
    ``use_cuda = …`` or ``from config import use_cuda``, or ``torch.cuda.is_available()`` itself.
    """
    if is_cuda_available(test, facts):
        return Flag(facts.segment(test), None)
    after = setting_of(test, facts) if mentions_cuda(test) else None
    if after is None:
        return _flag_given(test, facts)
    # A name that is imported is set once and for all; an attribute of a module is not.
    sets = (ast.Assign, ast.If, ast.ImportFrom) if isinstance(test, ast.Name) else _SETTING
    if not isinstance(after, sets) or facts.parent(after) is not facts.tree:
        return None
    return Flag(facts.segment(test), after)


def _flag_given(test: ast.expr, facts: Facts) -> Flag | None:
    """The flag of the module that all calls of a function give for its parameter."""
    if not isinstance(test, ast.Name) or facts.is_imported_elsewhere:
        return None
    function, parameter = parameter_held(test, facts)
    if function is None or parameter is None:
        return None
    given = arguments_given(facts.inference, parameter)
    # What a function hands to itself, or another one to it, is not followed.
    known = [None if flag is None else setting_of(flag, facts) for flag in given]
    flags = {
        None if flag is None or after is None else module_flag(flag, facts)
        for flag, after in zip(given, known, strict=True)
    }
    return flags.pop() if len(flags) == 1 else None


def flag_of_device(definition: ast.expr | None, facts: Facts) -> ast.expr | None:
    """FLAG of ``torch.device("cuda" if FLAG else "cpu")``."""
    if not (isinstance(definition, ast.Call) and facts.name(definition.func) == "torch.device"):
        return None
    if len(definition.args) != 1 or not isinstance(definition.args[0], ast.IfExp):
        return None
    choice = definition.args[0]
    kinds = [part.value for part in (choice.body, choice.orelse) if isinstance(part, ast.Constant)]
    return choice.test if kinds == ["cuda", "cpu"] else None


def flag_of_module(facts: Facts) -> Flag | None:
    """The one flag that all guarded ``.cuda()`` calls of the module stand under.

    None where something moves without a guard that ``.to(device)`` cannot take along: then the
    rest has to go where it goes, flag or no flag. So it has to beside ``cuda = False``, which is
    written for the guarded part only.
    """
    return facts.remembered("flag of the module", lambda: _find_flag_of_module(facts))


def _find_flag_of_module(facts: Facts) -> Flag | None:
    flags: dict[str, Flag] = {}
    some_unguarded = False
    for node in facts.names.nodes.get(ast.Call, ()):
        if not (isinstance(node, ast.Call) and moves_to_default_gpu(node)):
            continue
        if is_of_a_module(node, facts):
            continue
        tests = [test for test in guards_of(node, facts) if mentions_cuda(test)]
        if any(asks_for_place(test, facts) for test in tests):
            # It goes where that is, flag or no flag.
            continue
        if not tests and not isinstance(moved_value(node, facts), MOVABLE):
            return None
        some_unguarded = some_unguarded or not tests
        for test in tests:
            flag = module_flag(test, facts)
            if flag is None:
                return None
            flags[flag.text] = flag
    flag = next(iter(flags.values())) if len(flags) == 1 else None
    if flag is not None and _is_off(flag) and (some_unguarded or _makes_on_gpu(facts)):
        return None
    return flag


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


def mentions_cuda(test: ast.expr) -> bool:
    """Whether an expression speaks of the GPU: ``torch.cuda.is_available()``, ``args.gpu``."""
    text = ast.unparse(test).lower()
    return "cuda" in text or "gpu" in text
