"""New tensors that a rewrite moves at once are made where they go."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import keyword_argument, with_argument_added
from torchfix_codemods.edit.below import code_of
from torchfix_codemods.edit.lines import WIDTH, outgrows
from torchfix_codemods.edit.tensors.construction import calls_in_chain
from torchfix_codemods.edit.tidying.base import Tidying, stood_further_in
from torchfix_codemods.edit.tidying.made_above import (
    all_kept_by,
    is_there_before,
    kept_by,
    lines_since_made,
    name_of,
)
from torchfix_codemods.edit.tidying.moves.converted_when_moved import is_idle_cast
from torchfix_codemods.edit.tidying.moves.moving import (
    is_device,
    is_move,
    lies_on,
    lies_there_already,
    moves_nothing,
)
from torchfix_codemods.edit.tidying.needless_names import lost_variable, was_of_variable
from torchfix_codemods.facts.language.arguments import constant, is_opaque
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.libraries.losses import LOSSES
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.tensors.constructors import DTYPES
from torchfix_codemods.facts.tensors.defaults import may_change_default_type
from torchfix_codemods.facts.tensors.noticed_views import may_be_noticed
from torchfix_codemods.facts.values.dtypes import named
from torchfix_codemods.rule import Found

#: What makes the same numbers on every device: no random ones, and none calculated.
_MAKING = frozenset(
    f"torch.{name}" for name in ("zeros", "ones", "empty", "full", "eye", "tensor", "as_tensor")
)

#: What makes the same numbers of every type.
_MAKING_OF_ANY_TYPE = frozenset({"torch.zeros", "torch.ones"})

#: The types of whole numbers that count, and of those that are added to others.
_COUNTED = ("int64", "float32", "float64")

#: By how much ``, dtype=torch.long, device=device`` is longer than ``.to(device, torch.long)``.
_LONGER = len(", dtype=, device=") - len(".to(, )")

#: What makes a tensor another one where it is made than where it is moved to.
_UNLIKE = frozenset({"device", "out", "pin_memory", "requires_grad", None})


#: What becomes of two lines: the second goes, or its device goes into the first, or all of it.
_THERE, _MADE, _JOINED = "there", "made", "joined"


class MovedWhenMade(Tidying):
    """Writes ``torch.zeros(2, device=device)`` for ``torch.zeros(2).to(device)``.

    Also where it is seen in another shape before, as in ``torch.zeros(2).view(1, 2).to(device)``,
    or is converted to the type that it has: ``torch.zeros(2).float().to(device)``. Zeros and ones
    have another type from the start: ``torch.zeros(2).to(device, torch.long)``.
    It does so for ``x = torch.zeros(2)`` and ``x = x.to(device)`` right below, too. The second line
    goes where the first one has moved it already, and joins the first one where that has just lost
    its Variable, or where torch makes a tensor or a loss there that was moved under a guard:
    ``x = torch.randn(2).to(device)``. Lines that compute other names may stand between. Of
    ``y = Variable(x.to(device))`` it leaves ``y = x`` where x was moved there above.
    """

    name = "moved-when-made"
    words = frozenset({"cuda", "to"})

    def find_Call(self, node: ast.Call, facts: Facts) -> Iterator[Found]:
        if facts.touched(node) and is_move(node, facts):
            made = _made_before(node, facts)
            if made is not None:
                depth, idle = made
                yield self.found(
                    node, "is made where it goes", depth=depth, idle=idle, says_default=False
                )
        elif facts.touched(node) and _is_converted_there(node, facts):
            is_default = _is_default_type(node.args[1], facts)
            told = "is made of its type where it goes"
            yield self.found(node, told, depth=1, idle=(), says_default=is_default)

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        if not facts.touched(node):
            return
        if was_of_variable(node, facts) and not lies_there_already(node, facts):
            if moves_nothing(node.value, facts):
                yield self.found(node.value, "lies there already", way=_THERE)
                return
        if not is_move(node.value, facts):
            return
        assert isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute)
        moved, device = name_of(node.value.func.value, facts), node.value.args[0]
        if moved is None or kept_by(node, facts) != moved:
            return
        lines = lines_since_made(node, moved, facts)
        if not lines:
            return
        above, between = lines[0], lines[1:-1]
        assert isinstance(above, ast.Assign)
        if not is_there_before(device, {moved, *all_kept_by(between)}, facts):
            return
        if between:
            if fits_joined(above, node.value, facts) and was_of_variable(above, facts):
                yield self.found(node, "is moved at once", region=lines, way=_JOINED)
        elif lies_on(above.value, device, facts):
            yield self.found(node, "lies there already", region=lines, way=_THERE)
        elif is_making(above.value, facts):
            yield self.found(node, "is made where it goes", region=lines, way=_MADE)
        elif fits_joined(above, node.value, facts) and was_on_its_way(above, node, facts):
            yield self.found(node, "is moved at once", region=lines, way=_JOINED)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        if "way" in self.data:
            return updated.func.value if isinstance(updated.func, cst.Attribute) else updated
        *_, last = calls = calls_in_chain(updated, self.data["depth"] + 1) or [updated]
        if last is calls[0] or not isinstance(last.func, cst.Attribute):
            return updated
        made: cst.BaseExpression = _made_on(calls[0], updated, self.data["says_default"])
        for before_move, call in zip(range(len(calls) - 2, 0, -1), calls[1:-1], strict=True):
            if before_move not in self.data["idle"]:
                made = call.with_deep_changes(call.func, value=made)
        return made

    def leave_IndentedBlock(
        self, original: cst.IndentedBlock, updated: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        joined = self._joined(updated)
        last = updated.body[-1]
        # What was taken out above the line that goes stays below the others.
        if not isinstance(last, cst.SimpleStatementLine) or last in joined.body:
            return joined
        left = [line for line in last.leading_lines if line.comment]
        return joined.with_changes(footer=[*left, *joined.footer]) if left else joined

    def _joined(self, updated: cst.IndentedBlock) -> cst.IndentedBlock:
        way = self.data["way"]
        if way == _THERE:
            return updated.with_changes(body=updated.body[:1])
        first, *between, last = updated.body
        making, moving = map(assignment_of, (first, last))
        if making is None or moving is None or not isinstance(moving.value, cst.Call):
            return updated
        if way == _JOINED:
            moved = moving.value.with_deep_changes(moving.value.func, value=making.value)
            return updated.with_changes(
                body=[first.with_deep_changes(making, value=moved), *between]
            )
        if not isinstance(making.value, cst.Call):
            return updated
        device = keyword_argument("device", moving.value.args[0].value)
        return updated.with_changes(body=[with_keyword(first, making, device, updated.indent)])


def with_keyword(
    line: cst.BaseStatement, making: cst.Assign, new: cst.Arg, indent: str | None
) -> cst.BaseStatement:
    """A line whose call has one more argument, in a line of its own where that is too long.

    Args:
        line: the line. One that was too long before, or is indented by tabs, is not broken.
        making: the assignment of what the call gives, in it.
        new: the argument.
        indent: what stands before the line.
    """
    assert isinstance(making.value, cst.Call)
    longer = line.with_deep_changes(making, value=with_argument_placed(making.value, new))
    before, after = (code_of(each).rstrip().split("\n")[-1] for each in (line, longer))
    fits, fitted = (len(indent or "") + len(each) <= WIDTH for each in (after, before))
    if fits or not fitted or "\t" in (indent or ""):
        return longer
    column = code_of(making).index("(") + 1
    return line.with_deep_changes(making, value=with_argument_placed(making.value, new, column))


def _made_on(making: cst.Call, move: cst.Call, says_default: bool) -> cst.Call:
    device, *dtypes = move.args
    for dtype in () if says_default else dtypes:
        making = with_argument_placed(making, keyword_argument("dtype", dtype.value))
    return with_argument_placed(making, keyword_argument("device", device.value))


def with_argument_placed(making: cst.Call, new: cst.Arg, column: int | None = None) -> cst.Call:
    """A call with one more argument, which goes on a line of its own where others do.

    Where none does, it goes there at ``column`` of the statement.
    """
    *others, last = making.args
    if isinstance(last.comma, cst.Comma):
        return with_argument_added(making, new)
    ends = (arg.comma for arg in others if isinstance(arg.comma, cst.Comma))
    spaces = [comma.whitespace_after for comma in ends]
    broken = [space for space in spaces if isinstance(space, cst.ParenthesizedWhitespace)]
    if broken:
        space = broken[0].with_changes(first_line=cst.TrailingWhitespace(), empty_lines=[])
    elif column is not None:
        below = cst.SimpleWhitespace(" " * column)
        space = cst.ParenthesizedWhitespace(indent=True, last_line=below)
    else:
        return with_argument_added(making, new)
    ended = last.with_changes(
        comma=cst.Comma(whitespace_after=space), whitespace_after_arg=cst.SimpleWhitespace("")
    )
    new = new.with_changes(whitespace_after_arg=last.whitespace_after_arg)
    return making.with_changes(args=[*others, ended, new])


def _made_before(move: ast.Call, facts: Facts) -> tuple[int, tuple[int, ...]] | None:
    """How many calls a move follows on what makes a tensor, and which of those do nothing.

    One for ``torch.zeros(2).to(device)``, two for ``torch.empty(2).fill_(v).to(device)`` and
    ``torch.zeros(2).view(1, 2).to(device)``. In ``torch.zeros(2).float().to(device)`` the first of
    two does nothing, counted from the move. None where no tensor is made there alike.
    """
    depth, idle, node, repeats = 0, list[int](), move, False
    while isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Call):
        node, depth = node.func.value, depth + 1
        if is_making(node, facts):
            return None if repeats and _is_copy_noticed(move, facts) else (depth, (*idle,))
        method = node.func.attr if isinstance(node.func, ast.Attribute) else ""
        if is_idle_cast(node, facts):
            idle.append(depth)
            continue
        is_filled = method == "fill_" and depth == len(idle) + 1
        if not is_filled and not torch_effects.rearranges(method):
            return None
        repeats = repeats or (
            torch_effects.may_do(method, "repeats") and torch_effects.may_share(method)
        )
    return None


def _is_converted_there(node: ast.Call, facts: Facts) -> bool:
    """``torch.zeros(2).to(device, torch.long)``, which is floats first, without a longer line."""
    method = node.func
    if not isinstance(method, ast.Attribute) or method.attr != "to" or node.keywords:
        return False
    device, *dtypes = node.args or [node]
    if len(dtypes) != 1 or named(facts.name(dtypes[0])) is None or not is_device(device, facts):
        return False
    made = method.value
    if not isinstance(made, ast.Call) or facts.name(made.func) not in _MAKING_OF_ANY_TYPE:
        return False
    if not is_making(made, facts) or any(k.arg == "dtype" for k in made.keywords):
        return False
    return not outgrows(node, _LONGER, facts)


def _is_default_type(dtype: ast.expr, facts: Facts) -> bool:
    """Whether new tensors are of a type anyway."""
    is_float = named(facts.name(dtype)) == named("torch.float")
    return is_float and not may_change_default_type(facts)


def _is_copy_noticed(move: ast.Call, facts: Facts) -> bool:
    """Whether anything may tell ``x.expand(2, 3)`` from the copy of it that a move makes."""
    question = may_be_noticed(facts, move, layout_matters=True)
    return follow([Place(facts, move)], question) is not None


def assignment_of(statement: cst.CSTNode) -> cst.Assign | None:
    """The assignment that is all of a line."""
    is_line = isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1
    only = statement.body[0] if is_line else None  # type: ignore[attr-defined]
    return only if isinstance(only, cst.Assign) else None


def target_of(node: ast.Assign) -> str | None:
    """The one name that a statement assigns to."""
    target = node.targets[0]
    return target.id if len(node.targets) == 1 and isinstance(target, ast.Name) else None


def is_making(node: ast.expr, facts: Facts, unlike: frozenset[str | None] | None = None) -> bool:
    """``torch.zeros(2)``, which takes more keywords as well, without those that it cannot have."""
    if not isinstance(node, ast.Call) or not node.args:
        return False
    if facts.name(node.func) not in _MAKING and not _counts(node, facts):
        return False
    if unlike is None:
        return not is_another_there(node)
    return unlike.isdisjoint(keyword.arg for keyword in node.keywords)


def _counts(node: ast.Call, facts: Facts) -> bool:
    """``torch.arange(n, dtype=torch.float)``, which are whole numbers wherever it ends.

    From a fraction on, or in other steps, a device may calculate others.
    """
    if facts.name(node.func) != "torch.arange" or is_opaque(node):
        return False
    given = {keyword.arg: keyword.value for keyword in node.keywords}
    first, steps = node.args[:-1], {"start", "step"} & {*given}
    is_whole = not steps and len(first) < 2 and all(type(constant(n)) is int for n in first)
    return is_whole and "dtype" in given and named(facts.name(given["dtype"])) in _COUNTED


def is_another_there(node: ast.Call) -> bool:
    """Whether a keyword makes a tensor another one where it is made than where it is moved to.

    ``requires_grad=False`` says what every new tensor does.
    """
    return any(
        keyword.arg in _UNLIKE
        and (keyword.arg != "requires_grad" or constant(keyword.value) is not False)
        for keyword in node.keywords
    )


def fits_joined(above: ast.Assign, move: ast.expr, facts: Facts) -> bool:
    """Whether no line becomes too long where a call is followed by its move at once."""
    if not isinstance(above.value, (ast.Call, ast.Subscript, ast.Attribute)):
        return False
    more, end = len(ast.unparse(move)) - len(ast.unparse(above.targets[0])), above.end_lineno
    if end is not None and end != above.lineno:
        # What stands below its bracket ends on a line of its own.
        is_below = facts.lines[above.lineno - 1].endswith("(")
        return is_below and len(facts.lines[end - 1]) + more <= WIDTH
    return not outgrows(above.value, more, facts)


def was_on_its_way(above: ast.Assign, node: ast.Assign, facts: Facts) -> bool:
    """Whether a line lost its Variable, or makes a tensor above a move that lost its guard."""
    return lost_variable(above, facts) or _is_made_above_guard(above, node, facts)


def _is_made_above_guard(above: ast.Assign, node: ast.Assign, facts: Facts) -> bool:
    """Whether torch makes a tensor, or a loss, above a move whose guard a rewrite took away."""
    if not stood_further_in(node, facts):
        return False
    if isinstance(above.value, ast.Call) and facts.name(above.value.func) in LOSSES:
        # Moved, it gives itself.
        return True
    is_made = is_made_by_torch(above.value, facts, "torch.from_numpy", *DTYPES)
    return is_made and facts.is_tensor(above.value)


def is_made_by_torch(value: ast.expr, facts: Facts, *others: str) -> bool:
    """``torch.randn(2)``, also followed by methods: no name holds any of it.

    Args:
        value: what is made.
        facts: the facts of the module.
        others: names of more that makes a tensor, if on memory that something else has.
    """
    made: ast.expr | None = value
    while isinstance(made, ast.Call):
        name = facts.name(made.func) or ""
        if name in others or torch_effects.does(name, "makes"):
            return True
        made = made.func.value if isinstance(made.func, ast.Attribute) else None
    return False
