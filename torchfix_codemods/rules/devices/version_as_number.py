"""`float(torch.__version__[:3])` reads 1.10 as 1.1 and 0.15 as 0.1: versions compare as tuples."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.parentheses import as_operand
from torchfix_codemods.facts.arguments import constant
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.rule import TRAINING, Found, Rule

#: From which version on the first three characters tell a later release for an earlier one.
_FIRST_MISREAD = {"torch.__version__": (1, 2), "torchvision.__version__": (0, 2)}
#: Up to which version the answer is right again today.
_ANSWERED = {"torch.__version__": (2, 0), "torchvision.__version__": (0, 0)}

_TWO_NUMBERS = lazy_pattern(r"(\d)\.(\d+)")
_OPERATORS = (ast.Lt, ast.GtE)


class VersionAsNumber(Rule):
    """
    ## What it does
    Compares the version of torch or torchvision as a tuple of numbers where it is compared as a
    float or as a text.

    ## Why
    Three characters of `0.15.2` are `0.1`, which is less than `0.7`: code for old releases runs on
    new ones, and fails there. As a text, `"0.15.2"` comes before `"0.7"`, too.

    ## Example
    ```python
    if float(torchvision.__version__[:3]) < 0.7:
        from torchvision.ops import _new_empty_tensor
    ```
    becomes
    ```python
    if tuple(map(int, torchvision.__version__.split(".")[:2])) < (0, 7):
        from torchvision.ops import _new_empty_tensor
    ```

    ## Numbers
    Changed: the branch that is taken is the one for the release that runs. Identical where torch
    is compared with a version up to 2.0: only torch 1.10 to 1.13 was taken for another one there.

    ## When it stays its hand
    Where the answer is right for every release, as of `float(torch.__version__[:3]) < 0.4`; on
    `torch.__version__ < "1.7"`, which torch compares as versions; on other comparisons than `<` and
    `>=`, on other slices, and where the version has a name of its own.

    ## References
    - https://peps.python.org/pep-0440/#version-specifiers
    """

    code = "TP210"
    name = "version-as-number"
    since = "0.1"
    numerics = Numerics.CHANGED
    moves = TRAINING
    words = frozenset({"__version__"})
    is_for_any_version = True
    message = "three characters of 0.15 are 0.1: compare the numbers of a version one by one"

    def find_Compare(self, node: ast.Compare, facts: Facts) -> Iterator[Found]:
        if len(node.ops) != 1 or not isinstance(node.ops[0], _OPERATORS):
            return
        version, wanted = node.left, node.comparators[0]
        attribute = _version(facts, version, wanted)
        numbers = _TWO_NUMBERS.fullmatch(facts.segment(wanted).strip("\"'"))
        name = None if attribute is None else facts.name(attribute)
        if attribute is None or name is None or numbers is None:
            return
        wanted_numbers = int(numbers[1]), int(numbers[2])
        if wanted_numbers < _FIRST_MISREAD[name] or not _are_builtins(facts, node):
            return
        is_answered = wanted_numbers <= _ANSWERED[name]
        numerics = Numerics.IDENTICAL if is_answered else Numerics.CHANGED
        text = facts.segment(attribute)
        yield self.found(node, numerics=numerics, version=text, numbers=wanted_numbers)

    def leave_Comparison(self, original: cst.Comparison, updated: cst.Comparison) -> cst.Comparison:
        version, (major, minor) = self.data["version"], self.data["numbers"]
        numbers = f'tuple(map(int, {version}.split(".")[:2]))'
        target = updated.comparisons[0]
        wanted = as_operand(cst.parse_expression(f"({major}, {minor})"))
        return updated.with_changes(
            left=cst.parse_expression(numbers),
            comparisons=[target.with_changes(comparator=wanted)],
        )


def _version(facts: Facts, version: ast.expr, wanted: ast.expr) -> ast.Attribute | None:
    """The ``torch.__version__`` that is compared by its characters."""
    kind = type(constant(wanted))
    if kind is float and isinstance(version, ast.Call):
        function = version.func
        is_float = isinstance(function, ast.Name) and function.id == "float"
        if not is_float or len(version.args) != 1 or version.keywords:
            return None
        version = version.args[0]
    elif kind is not str:
        return None
    is_cut = isinstance(version, ast.Subscript) and _is_first_three(version.slice)
    attribute = version.value if isinstance(version, ast.Subscript) and is_cut else version
    if not isinstance(attribute, ast.Attribute) or facts.name(attribute) not in _ANSWERED:
        return None
    # What torch gives is no plain text, and compares as versions do.
    is_text = kind is str and facts.name(attribute) == "torchvision.__version__"
    return attribute if is_cut or is_text else None


def _is_first_three(part: ast.expr) -> bool:
    return (
        isinstance(part, ast.Slice)
        and (part.lower is None or constant(part.lower) == 0)
        and constant(part.upper) == 3
        and part.step is None
    )


def _are_builtins(facts: Facts, node: ast.AST) -> bool:
    names = ("float", "tuple", "map", "int")
    return all(facts.names.scope_of(node).lookup(name) is None for name in names)
