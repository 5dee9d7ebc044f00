"""`x.view(n, c / 2)`: `/` gave whole numbers in Python 2, and is no size today: `//`."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.tensors.division import floored
from torchfix_codemods.facts.language.arguments import values_given, whole_number
from torchfix_codemods.facts.language.nodes import children, is_multiplied_again, walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.tensors.integers import is_float
from torchfix_codemods.facts.tensors.reductions import source_of
from torchfix_codemods.facts.values.lattice import Array, Number, Size, Tensor
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule
from torchfix_codemods.rules.questions.named_lines import told_once
from torchfix_codemods.rules.tensors.questions import sizes
from torchfix_codemods.rules.tensors.questions.divisions import is_size_of_integers
from torchfix_codemods.text.wording import worded_operand

_COUNTING_METHODS = frozenset("size dim numel nelement".split())
_COUNTING_BUILTINS = frozenset("len int min max sum".split())

_CALCULATING = ("math.", "numpy.")
_MADE_OF_NUMBERS = ("numpy.array", "numpy.asarray")

_MULTIPLE = (
    "{0} / {1} * {1} is {0} again in Python 3, where Python 2 rounded whole numbers down to a "
    "multiple of {1}: write {0} // {1} * {1}"
)


class DividedSize(Rule):
    """
    ## What it does
    Writes `//` for the `/` of whole numbers that is a size, a channel count, a padding, the bound
    of a slice or of a `range`, an index, directly, by the name it is assigned to, in a list or a
    comprehension of sizes, as one of those that `min` and `max` choose from, or through functions
    and classes of the project: `Decoder(n / 4)`, which keeps it as `self.n` for sizes alone; for a
    `range` in files without torch, too. Says that `n / 64 * 64` gives no multiple of 64 any more.

    ## Why
    In Python 2 `/` of whole numbers gave a whole number. In Python 3 it gives a float, which none
    of these places takes.

    ## Example
    ```python
    x = x.view(n, groups, channels / groups, height, width)
    ```
    becomes
    ```python
    x = x.view(n, groups, channels // groups, height, width)
    ```

    ## Numbers
    Restored: the float raises a `TypeError`, and `//` is what `/` was in Python 2.

    ## When it stays its hand
    Where an operand may be a float or is a tensor; where the place takes floats, too, such as
    `torch.arange`, or one slice of what is not known, which may be a table with floats for its
    labels (several slices cut a block out of an array); where a name has other uses as well (unless
    integers are certainly divided, and the next statements fail with a float in any case), or an
    attribute, which anything in the project may read whose class is not known; in functions with
    decorators, which may compile them (`@warp.kernel`); in files that import `division` from
    `__future__`.

    ## References
    - https://docs.python.org/3/whatsnew/3.0.html#integers
    - https://peps.python.org/pep-0238/
    """

    code = "TP414"
    name = "divided-size"
    since = "0.1"
    numerics = Numerics.RESTORED
    words = frozenset({"torch"})
    message = "/ of whole numbers gives a float in Python 3, which is no size: //"

    def for_other_libraries(self) -> Rule | None:
        rule = copy.copy(self)
        rule.words = frozenset({"range"})
        return rule

    def find_BinOp(self, node: ast.BinOp, facts: Facts) -> Iterator[Found]:
        if not isinstance(node.op, ast.Div):
            return
        if _is_made_multiple(node, facts) and not sizes.is_size(facts, node):
            others = facts.names.nodes.get(ast.BinOp, ())
            told = told_once(
                node, facts, "multiples", others, lambda other: _about_multiple(other, facts)
            )
            if told is not None:
                yield self.advice(node, told)
            return
        if not _is_division_of_whole(node, (node.left, node.right), facts):
            return
        if sizes.is_size(facts, node) or is_size_of_integers(node, facts):
            yield self.found(node)

    def find_AugAssign(self, node: ast.AugAssign, facts: Facts) -> Iterator[Found]:
        if not isinstance(node.op, ast.Div):
            return
        if not sizes.is_augmented_size(facts, node) and not is_size_of_integers(node, facts):
            return
        if _is_division_of_whole(node, (node.target, node.value), facts):
            yield self.found(node)

    def leave_SimpleStatementLine(
        self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine:
        statement = updated.body[0]
        divided = statement.operator if isinstance(statement, cst.AugAssign) else None
        if not isinstance(divided, cst.DivideAssign) or len(updated.body) > 1:
            return updated
        floor = cst.FloorDivideAssign(
            whitespace_before=divided.whitespace_before, whitespace_after=divided.whitespace_after
        )
        return updated.with_changes(body=[statement.with_changes(operator=floor)])

    def leave_BinaryOperation(
        self, original: cst.BinaryOperation, updated: cst.BinaryOperation
    ) -> cst.BinaryOperation:
        return floored(updated)


def _is_division_of_whole(node: ast.AST, operands: tuple[ast.expr, ast.expr], facts: Facts) -> bool:
    """Whether `/` of these operands was a division of whole numbers that Python carried out."""
    if _divides_truly(facts) or not all(_is_whole(facts, operand) for operand in operands):
        return False
    # A decorator may compile the function: in kernels `/` has the meaning that it has in C.
    return not any(
        facts.classes.is_wrapped(parent)
        for parent in facts.names.ancestors(node)
        if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef))
    )


def _is_made_multiple(node: ast.BinOp, facts: Facts) -> bool:
    """Whether a multiple of a number is meant: ``n / 64 * 64``."""
    return (whole_number(node.right) or 0) > 1 and is_multiplied_again(node, facts.parent(node))


def _about_multiple(node: ast.AST, facts: Facts) -> str | None:
    """What is said of what no longer gives a multiple of a number."""
    if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Div):
        return None
    if not _is_made_multiple(node, facts) or sizes.is_size(facts, node):
        return None
    is_whole = _is_division_of_whole(node, (node.left, node.right), facts)
    words = (worded_operand(node.left, "n"), ast.unparse(node.right))
    return _MULTIPLE.format(*words) if is_whole else None


def _is_whole(facts: Facts, operand: ast.AST) -> bool:
    """Whether nothing speaks against an operand being a whole number, as it has to be there."""
    if isinstance(operand, ast.Call) and facts.names.builtin(operand.func) == "len":
        return True  # Whatever is counted.
    if _is_item_of_size(facts, operand):
        return True
    whole = all(_is_whole(facts, part) for part in children(operand))
    return whole and not _speaks_against(facts, operand)


def _speaks_against(facts: Facts, part: ast.AST) -> bool:
    if not isinstance(part, ast.expr):
        return False
    if isinstance(part, ast.Constant):
        return type(part.value) is float
    if isinstance(part, ast.Call):
        return not _counts(facts, part)
    is_asked = isinstance(facts.parent(part), ast.Attribute)
    if isinstance(part, ast.Name) and not is_asked and _is_calculated_float(facts, part):
        return True
    if isinstance(facts.value(part), (Tensor, Array)):
        return not is_asked and not isinstance(facts.parent(part), ast.Call)
    name = facts.name(part)
    return is_float(facts, part) or (name is not None and name.startswith(_CALCULATING))


def _is_item_of_size(facts: Facts, operand: ast.AST) -> bool:
    """``np.array(x.size())[0]``, which is whole in numpy, too, whatever it is set to."""
    if not isinstance(operand, ast.Subscript) or whole_number(operand.slice) is None:
        return False
    made = source_of(facts, operand.value)
    if not isinstance(made, ast.Call) or facts.name(made.func) not in _MADE_OF_NUMBERS:
        return False
    given = values_given(made)
    return len(given) == 1 and isinstance(facts.value(given[0]), Size)


def _is_calculated_float(facts: Facts, name: ast.Name) -> bool:
    """Whether a name is given what numpy or ``math`` calculates: ``np.ceil(x)`` is a float."""
    return any(
        isinstance(part, ast.Call) and (facts.name(part.func) or "").startswith(_CALCULATING)
        for value in facts.assigned(name) or ()
        if not (isinstance(value, ast.Call) and facts.names.builtin(value.func) == "int")
        for part in walk(value)
    )


def _counts(facts: Facts, call: ast.Call) -> bool:
    """``x.size(1)``, ``len(words)``, and what else is known to give a whole number."""
    function = call.func
    builtin = facts.names.builtin(function)
    if builtin is not None:
        return builtin in _COUNTING_BUILTINS
    if isinstance(function, ast.Attribute) and function.attr in _COUNTING_METHODS:
        return facts.name(function) is None
    return facts.value(call) == Number("int")


def _divides_truly(facts: Facts) -> bool:
    """Whether `/` meant the same in Python 2 in this file."""
    return any(
        isinstance(statement, ast.ImportFrom)
        and statement.module == "__future__"
        and any(alias.name == "division" for alias in statement.names)
        for statement in facts.tree.body
    )
