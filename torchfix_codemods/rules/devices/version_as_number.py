"""`float(torch.__version__[:3])` reads 1.10 as 1.1 and 0.15 as 0.1: versions compare as tuples."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.parentheses import as_operand, in_place_of
from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.finding import Numerics
from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.rule import TRAINING, Found, Rule
from torchfix_codemods.rules.devices.questions.version_parts import least_version

#: From which version on the first three characters tell a later release for an earlier one.
_FIRST_MISREAD = {"torch.__version__": (1, 2), "torchvision.__version__": (0, 2)}
#: Up to which version the answer is right again today.
_ANSWERED = {"torch.__version__": (2, 0), "torchvision.__version__": (0, 0)}

_READ_AS = {
    "torch.__version__": "of torch 2.13 this is 2.1, as of 2.1: compare "
    'tuple(map(int, {}.split(".")[:2]))',
    "torchvision.__version__": "of torchvision 0.15 this is 0.1, as of 0.1: compare "
    'tuple(map(int, {}.split(".")[:2]))',
}
_BUILD = "a version can say how torch was built (2.13.0+cpu), which is no number"
_NO_LATER = "torch passes this test with the major number {} alone"

_TWO_NUMBERS = lazy_pattern(r"(\d)\.(\d+)")
_OPERATORS = (ast.Lt, ast.GtE)
_COMPREHENSIONS = (ast.ListComp, ast.GeneratorExp)


class VersionAsNumber(Rule):
    """
    ## What it does
    Compares the version of torch or torchvision as a tuple of numbers where it is compared as a
    float or as a text; where such a float gets a name, a finding says what it stands for. So it
    does where two numbers of it are asked for one by one, `major == 0 and minor > 3`. Leaves out
    how torch was built, `+cpu`, where all parts of its version are read as whole numbers.

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
    Restored where `map(int, torch.__version__.split("."))` fails at `0+cpu`.

    ## When it stays its hand
    Where the answer is right for every release, as of `float(torch.__version__[:3]) < 0.4`; on
    `torch.__version__ < "1.7"`, which torch compares as versions; on other comparisons than `<` and
    `>=`, on other slices, and where the version has a name of its own. Nothing is said of a float
    that is only compared with versions that it is right about. Both numbers stay where another
    major number is asked for as well, where nothing is for other versions, or where these are
    refused; in a file that may be for later ones a finding says what to write.

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

    def find_Attribute(self, node: ast.Attribute, facts: Facts) -> Iterator[Found]:
        name = facts.name(node)
        if name == "torch.__version__" and _is_all_read_as_numbers(facts, node):
            yield self.found(node, _BUILD, numerics=Numerics.RESTORED)
        number = _float_of(facts, node)
        if name not in _ANSWERED or number is None:
            return
        if not isinstance(facts.parent(number), ast.Compare) and not _is_answered(
            number, name, facts
        ):
            yield self.advice(number, _READ_AS[name].format(facts.segment(node)))

    def leave_Attribute(
        self, original: cst.Attribute, updated: cst.Attribute
    ) -> cst.BaseExpression:
        plain = cst.Call(
            cst.Attribute(updated.with_changes(lpar=[], rpar=[]), cst.Name("split")),
            [cst.Arg(cst.SimpleString('"+"'))],
        )
        first = cst.SubscriptElement(cst.Index(cst.Integer("0")))
        return cst.Subscript(plain, [first], lpar=updated.lpar, rpar=updated.rpar)

    def find_BoolOp(self, node: ast.BoolOp, facts: Facts) -> Iterator[Found]:
        least = least_version(node, facts)
        if least is None:
            return
        read = f"({facts.segment(least.major)}, {facts.segment(least.minor)})"
        text = f"{read} {least.operator} {least.numbers}"
        why = _NO_LATER.format(least.numbers[0])
        if facts.era_of(node).before((least.numbers[0] + 1, 0)):
            yield self.found(node, f"{why}, and later ones are meant, too", text=text)
        else:
            yield self.advice(node, f"{why}: write {text} if later ones are meant, too")

    def leave_BooleanOperation(
        self, original: cst.BooleanOperation, updated: cst.BooleanOperation
    ) -> cst.BaseExpression:
        return in_place_of(updated, self.data["text"])

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


def _float_of(facts: Facts, version: ast.Attribute) -> ast.Call | None:
    """``float(torch.__version__[:3])`` around a version."""
    cut = facts.parent(version)
    number = None if cut is None else facts.parent(cut)
    if not isinstance(cut, ast.Subscript) or not _is_first_three(cut.slice):
        return None
    if not isinstance(number, ast.Call) or number.args != [cut] or number.keywords:
        return None
    return number if facts.names.builtin(number.func) == "float" else None


def _is_answered(number: ast.Call, name: str, facts: Facts) -> bool:
    """Whether a version gets a name and is only compared with those that today's is right about."""
    assign = facts.parent(number)
    if not isinstance(assign, ast.Assign) or len(assign.targets) != 1:
        return False
    target = assign.targets[0]
    if not isinstance(target, ast.Name):
        return False
    scope = facts.names.scope_of(target)
    tests = [facts.parent(use) for use in facts.names.uses_of(scope, target.id)]
    tests = [test for test in tests if test is not assign]
    return bool(tests) and all(
        isinstance(test, ast.Compare)
        and len(test.ops) == 1
        and isinstance(test.ops[0], _OPERATORS)
        and (numbers := _TWO_NUMBERS.fullmatch(facts.segment(test.comparators[0]))) is not None
        and _is_right_about((int(numbers[1]), int(numbers[2])), name)
        for test in tests
    )


def _is_right_about(version: tuple[int, int], name: str) -> bool:
    """Whether the first three characters of today's releases compare with a version as it does."""
    return version < _FIRST_MISREAD[name] or version <= _ANSWERED[name]


def _is_all_read_as_numbers(facts: Facts, version: ast.Attribute) -> bool:
    """``map(int, torch.__version__.split("."))``, and the same as a comprehension."""
    method = facts.parent(version)
    split = None if method is None else facts.parent(method)
    if not (isinstance(method, ast.Attribute) and isinstance(split, ast.Call)):
        return False
    if method.attr != "split" or split.keywords or [constant(arg) for arg in split.args] != ["."]:
        return False
    user = facts.parent(split)
    if isinstance(user, ast.Call) and facts.names.builtin(user.func) == "map":
        return (
            len(user.args) == 2
            and user.args[1] is split
            and facts.names.builtin(user.args[0]) == "int"
        )
    of = None if user is None else facts.parent(user)
    if not isinstance(user, ast.comprehension) or not isinstance(of, _COMPREHENSIONS):
        return False
    part = of.elt
    return (
        user.iter is split
        and not user.ifs
        and isinstance(part, ast.Call)
        and facts.names.builtin(part.func) == "int"
        and isinstance(user.target, ast.Name)
        and [getattr(arg, "id", "") for arg in part.args] == [user.target.id]
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
