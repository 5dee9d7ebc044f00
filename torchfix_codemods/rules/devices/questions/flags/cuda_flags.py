"""Which tests and flags tell whether CUDA is to be used."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.facts.evaluation.parameters import arguments_given
from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.held import parameter_held
from torchfix_codemods.facts.programs.devices import Flag
from torchfix_codemods.rules.devices.questions.flags.flag_settings import setting_of

_IS_AVAILABLE = "torch.cuda.is_available"
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_SETTING = (ast.Assign, ast.If)
_WORDS = ("cuda", "gpu", "cpu")


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
    ``use_cuda = …`` or ``from config import use_cuda``, or ``torch.cuda.is_available()`` itself;
    ``not args.cpu`` and ``not args.no_cuda`` as well.
    """
    if is_cuda_available(test, facts):
        return Flag(facts.segment(test), None)
    asked = without_not(test)
    is_about_cpu = asked is not test and "cpu" in ast.unparse(asked).lower()
    after = setting_of(asked, facts) if mentions_cuda(test) or is_about_cpu else None
    if after is None:
        return _flag_given(test, facts)
    # A name that is imported is set once and for all; an attribute of a module is not.
    sets = (ast.Assign, ast.If, ast.ImportFrom) if isinstance(asked, ast.Name) else _SETTING
    if not isinstance(after, sets) or facts.parent(after) is not facts.tree:
        return None
    return Flag(facts.segment(test), after)


def without_not(test: ast.expr) -> ast.expr:
    """``args.cpu`` of ``not args.cpu``, and what is not negated itself."""
    is_negated = isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not)
    return test.operand if isinstance(test, ast.UnaryOp) and is_negated else test


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
    """FLAG of ``torch.device("cuda" if FLAG else "cpu")``, and of the text alone."""
    choice = definition
    if isinstance(choice, ast.Call):
        is_device = facts.name(choice.func) == "torch.device" and len(choice.args) == 1
        choice = choice.args[0] if is_device else None
    if not isinstance(choice, ast.IfExp):
        return None
    kinds = [part.value for part in (choice.body, choice.orelse) if isinstance(part, ast.Constant)]
    return choice.test if kinds == ["cuda", "cpu"] else None


def mentions_cuda(test: ast.expr) -> bool:
    """Whether an expression speaks of the GPU: ``torch.cuda.is_available()``, ``args.gpu``.

    So does what asks for cuDNN, which is built in or not, whether there is a GPU or none.
    """
    text = ast.unparse(test).lower()
    return any(word in text for word in ("cuda", "gpu", "cudnn"))


def speaks_of_device(test: ast.expr) -> bool:
    """Whether a test speaks of a device: ``args.cuda``, ``not use_cpu``, ``device is not None``."""
    if mentions_cuda(test):
        return True
    parts = list(ast.walk(test))
    named = (part for part in parts if isinstance(part, (ast.Name, ast.Attribute)))
    return any(map(is_named_for_device, parts)) or any(last_name(n) == "device" for n in named)


def is_named_for_device(node: ast.AST) -> bool:
    """Whether a name, an attribute or a text speaks of the GPU or of the CPU."""
    if isinstance(node, ast.Constant):
        text = node.value if isinstance(node.value, str) else ""
    elif isinstance(node, ast.Name):
        text = node.id
    else:
        text = node.attr if isinstance(node, ast.Attribute) else ""
    return any(word in text.lower() for word in _WORDS)
