"""Names that were there for a Variable alone: ``input_var = input`` once the wrapper is gone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import TypeGuard

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.elements import only_elements
from torchfix_codemods.edit.tidying.base import Tidying, stood_further_in
from torchfix_codemods.edit.tidying.beside import (
    Comments,
    comment_beside,
    comments_renamed,
    is_comment_lost,
    later_line,
    lines_speaking_of,
    stands_alone_below_comment,
    with_comment,
)
from torchfix_codemods.edit.tidying.moves.moving import is_move
from torchfix_codemods.edit.tidying.stale_comments import is_code
from torchfix_codemods.facts.language.flow import TRIES
from torchfix_codemods.facts.language.jumps import JUMPS
from torchfix_codemods.facts.language.nodes import COMPREHENSIONS, same_expression, same_target
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.pure import only_computes
from torchfix_codemods.facts.paths.uses import augmented
from torchfix_codemods.facts.recording.fences import PREFIX
from torchfix_codemods.rule import Found

#: In so many places another name is written; of one that is used more often the line stays.
_MOST_USES = 4
#: It is so many where other names of the same lines go.
_MOST_USES_IN_ROW = 8


class NeedlessName(Tidying):
    """Writes ``model(images)`` for ``inputs = images`` and ``model(inputs)``.

    Where ``inputs = inputs.to(device)`` stands right below, that becomes
    ``inputs = images.to(device)``, with the comment beside it. Code that was taken out has
    the other name then: ``# print(images.size())``. Several names of one statement go
    together. What a loop calls ``images`` for that line alone, it calls ``inputs``, if
    anything reads that.
    """

    name = "needless-name"

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        names = [
            (value, _uses_instead(target, value, node, facts)) for target, value in _pairs(node)
        ]
        is_needed = not names or any(uses is None for _, uses in names)
        called = _called_above(node, facts) if is_needed else []
        if is_needed and not called:
            return
        group = f"{node.lineno} {ast.unparse(node.targets[0])}"
        if called:
            yield self.found(node, "is what is given above", group=group)
            for other, name in called:
                yield self.found(other, "is its other name", group=group, name=name)
            return
        kept = _others_of(node)
        said = "is another name for it"
        yield self.found(node, said, group=group, kept=kept, lets_comment_go=not kept)
        move = _move_below(node, facts)
        if move is not None:
            yield self.found(move, said, group=group, beside=comment_beside(node, facts))
        renamed: Comments = {}
        for (target, value), (_, uses) in zip(_pairs(node), names, strict=True):
            renamed = _comments_renamed(target, value, node, uses or [], facts, renamed) or {}
            for use in uses or ():
                name = ast.unparse(value)
                yield self.found(use, said, group=group, name=name)
        for below, lines in renamed.items():
            above, count = "\n".join(lines).rstrip("\n"), len(lines)
            yield self.found(below, said, group=group, comment_above=above, comment_lines=count)

    def leave_SimpleStatementLine(
        self, original: cst.SimpleStatementLine, updated: cst.SimpleStatementLine
    ) -> cst.SimpleStatementLine | cst.RemovalSentinel:
        if len(updated.body) != 1:
            return updated
        if "beside" in self.data:
            return with_comment(updated, self.data["beside"])
        assignment, kept = updated.body[0], self.data.get("kept")
        return _with_parts(updated, assignment, kept) if kept else cst.RemoveFromParent()

    def leave_Name(self, original: cst.Name, updated: cst.Name) -> cst.BaseExpression:
        return cst.parse_expression(self.data["name"])


def _pairs(node: ast.Assign) -> list[tuple[ast.Name, ast.expr]]:
    """What an assignment gives to each of its names: ``a, b = x, y``.

    Of ``a, b = x, f(y)`` that is what a gets; the rest stays.
    """
    target, value = node.targets[0], node.value
    if len(node.targets) != 1:
        return []
    if isinstance(target, ast.Name):
        return [(target, value)]
    if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple):
        return []
    if len(target.elts) != len(value.elts):
        return []
    pairs = zip(target.elts, value.elts, strict=True)
    named = [(name, given) for name, given in pairs if isinstance(given, ast.Name)]
    return [(name, given) for name, given in named if isinstance(name, ast.Name)]


def _others_of(node: ast.Assign) -> tuple[int, ...]:
    """The parts of ``a, b = x, f(y)`` that give no name what has one."""
    given = node.value.elts if isinstance(node.value, ast.Tuple) else []
    return tuple(n for n, part in enumerate(given) if not isinstance(part, ast.Name))


def _with_parts(
    line: cst.SimpleStatementLine, assignment: cst.BaseSmallStatement, kept: tuple[int, ...]
) -> cst.SimpleStatementLine:
    """``b = f(y)`` of ``a, b = x, f(y)``."""
    if not isinstance(assignment, cst.Assign) or not isinstance(assignment.value, cst.Tuple):
        return line
    target = assignment.targets[0]
    if not isinstance(target.target, cst.Tuple):
        return line
    named = target.with_changes(target=only_elements(target.target, kept))
    given = only_elements(assignment.value, kept)
    return line.with_changes(body=[assignment.with_changes(targets=[named], value=given)])


def _uses_instead(
    target: ast.Name, value: ast.expr, node: ast.Assign, facts: Facts
) -> list[ast.Name] | None:
    """Where a name is read for which a value can be written; None where the name has to stay."""
    if not _lost_wrapper(value, node, facts) or _is_handed_on(node, facts):
        return None
    binding = _own_binding(node, target, facts)
    is_told = _carries_comment(node, facts) and not is_comment_lost(node, facts)
    is_told = is_told and _move_below(node, facts) is None
    if binding is None or is_told or stands_alone_below_comment(node, facts):
        return None
    if _has_sibling(node, value, facts):
        return None
    uses = _uses_of(binding, facts)
    if uses is None:
        return None
    # Nothing reads either name where the loop could be told to give the other one.
    if not uses and not _is_in_row(node, facts) and not _called_above(node, facts):
        return None
    if isinstance(value, ast.Name):
        is_needless = _is_bound_anew(node, target, uses, facts) or (
            len(uses) <= (_MOST_USES_IN_ROW if _is_in_row(node, facts) else _MOST_USES)
            and all(_sees_the_same(use, node, value, facts) for use in uses)
            and _comments_renamed(target, value, node, uses, facts, {}) is not None
        )
    else:
        # What is said of ``noise`` holds for ``self.noise``.
        is_spoken_of = value.attr != target.id and _is_spoken_of(target.id, node, facts)
        is_needless = not is_spoken_of and _is_read_below(node, uses, facts)
    return uses if is_needless else None


def _move_below(node: ast.Assign, facts: Facts) -> ast.Assign | None:
    """``x = x.to(device)`` right below ``x = y  # (batch, 3)``, which says so of both."""
    later, block = later_line(node, facts), facts.block(node)
    if later is None or later not in block[block.index(node) + 1 :][:1]:
        return None
    if not is_move(later.value, facts) or not isinstance(later.value.func, ast.Attribute):
        return None
    return later if same_target(later.value.func.value, node.targets[0]) else None


def _comments_renamed(
    target: ast.Name,
    value: ast.expr,
    node: ast.Assign,
    uses: list[ast.Name],
    facts: Facts,
    before: Comments,
) -> Comments | None:
    """What becomes of the comments with a name that goes; None where it has to stay for them."""
    if not isinstance(value, ast.Name) or _is_bound_anew(node, target, uses, facts):
        return before
    return comments_renamed(target, value, node, facts, before)


def _is_in_row(node: ast.Assign, facts: Facts) -> bool:
    """Whether a statement gives several names, or the lines beside it such names as well."""
    block = facts.block(node)
    at = block.index(node)
    beside = [*block[max(at - 1, 0) : at], *block[at + 1 : at + 2]]
    return isinstance(node.value, ast.Tuple) or any(
        _lost_wrapper(value, other, facts)
        for other in beside
        if isinstance(other, ast.Assign)
        for _, value in _pairs(other)
    )


def _called_above(node: ast.Assign, facts: Facts) -> list[tuple[ast.Name, str]]:
    """``image`` of ``for image in loader:``, which is only read by ``x = image`` in its body.

    So the loop can call it ``x``, where nothing above that line knows another x. With it what else
    the line names; also what ``image, label = samples[n]`` gives. None where one has to stay.
    """
    pairs = _pairs(node)
    if not was_of_variable(node, facts) or _carries_comment(node, facts) or _others_of(node):
        return []
    called = [
        (other, target.id)
        for target, value in pairs
        if isinstance(value, ast.Name)
        and (other := _given_by_other_name(target, value, node, facts)) is not None
    ]
    return called if len(called) == len(pairs) == len({name for _, name in called}) else []


def _given_by_other_name(
    target: ast.Name, value: ast.Name, node: ast.Assign, facts: Facts
) -> ast.Name | None:
    """The name in a loop, or in an assignment to several, for which a line has another one."""
    bound = facts.flow.reaching(value)
    giving = bound[0].node if len(bound) == 1 else None
    given = _names_given(giving)
    if given is None or not isinstance(giving, (ast.For, ast.Assign)):
        return None
    above = _lines_between(giving, node, facts)
    called = [n for n in ast.walk(given) if isinstance(n, ast.Name) and n.id == value.id]
    if above is None or len(called) != 1 or _own_binding(giving, value, facts) is None:
        return None
    if _uses_of(bound[0], facts) != [value] or _own_binding(node, target, facts) is None:
        return None
    source = giving.iter if isinstance(giving, ast.For) else giving.value
    named = (part for line in (given, source, *above) for part in ast.walk(line))
    if any(isinstance(p, JUMPS) or (isinstance(p, ast.Name) and p.id == target.id) for p in named):
        return None
    scope = facts.names.scope_of(node)
    is_own = all(facts.names.scope_of(n) is scope for n in facts.names.uses_of(scope, target.id))
    is_told = any(_is_spoken_of(name.id, node, facts) for name in (target, value))
    return called[0] if is_own and not is_told else None


def _names_given(giving: ast.AST | None) -> ast.expr | None:
    """``image, label`` of a loop, or of what an assignment takes apart."""
    if isinstance(giving, ast.For):
        return None if giving.orelse else giving.target
    if not isinstance(giving, ast.Assign) or len(giving.targets) > 1:
        return None
    is_taken_apart = isinstance(giving.targets[0], ast.Tuple)
    is_taken_apart = is_taken_apart and not isinstance(giving.value, (ast.Tuple, ast.List))
    return giving.targets[0] if is_taken_apart else None


def _lines_between(
    giving: ast.For | ast.Assign, node: ast.stmt, facts: Facts
) -> list[ast.AST] | None:
    """What is run between what gives a value and a statement; None where it may not come to that.

    What may be caught there could read the other name as it was.
    """
    above: list[ast.AST] = []
    around: ast.AST | None = node
    while isinstance(around, ast.stmt) and around is not giving:
        block = facts.block(around)
        before = block[: block.index(around)]
        if giving in before:
            is_caught = any(isinstance(each, TRIES) for each in facts.names.ancestors(node))
            return None if is_caught else [*above, *before[before.index(giving) + 1 :]]
        above += before
        if not isinstance(around, (ast.Assign, ast.With)):
            return None
        above += around.items if isinstance(around, ast.With) else []
        around = facts.parent(around)
    return above if around is giving else None


class ReturnedName(Tidying):
    """Leaves ``return x.to(device)`` of ``x = x.to(device)`` and ``return Variable(x)``.

    ``self.x = Variable(x)`` becomes ``self.x = x.to(device)`` in the same way, and so does what is
    returned below a move whose guard a rewrite has taken away. Of ``x_ = torch.randn(2)`` and
    ``x = Variable(x_)`` it is ``x = torch.randn(2)``, and ``# print(x_)`` that stands between them
    is ``# print(x)``.
    """

    name = "returned-name"

    def find_Return(self, node: ast.Return | ast.Assign, facts: Facts) -> Iterator[Found]:
        if not isinstance(node.value, ast.Name):
            return
        block = facts.block(node)
        above = block[block.index(node) - 1] if node is not block[0] else None
        if not isinstance(above, ast.Assign) or len(above.targets) != 1:
            return
        if not was_of_variable(node, facts) and not _is_freed_move(above, node, facts):
            return
        target = above.targets[0]
        if not isinstance(target, ast.Name) or target.id != node.value.id:
            return
        if above.end_lineno != node.lineno - 1:
            return
        made_anew = any(
            isinstance(n, ast.Name) and n.id == target.id for n in ast.walk(above.value)
        )
        if not made_anew and not facts.touched(above):
            return
        binding = _own_binding(above, target, facts)
        is_plain = not any(_carries_comment(one, facts) for one in (above, node))
        if is_plain and binding is not None and _uses_of(binding, facts) == [node.value]:
            yield self.found(node, "is handed on at once", region=[above, node])

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Attribute):
            if isinstance(node.targets[0].value, ast.Name):
                yield from self.find_Return(node, facts)
        elif _is_handed_on(node, facts):
            block = facts.block(node)
            region = [block[block.index(node) - 1], node]
            named = (ast.unparse(node.value), ast.unparse(node.targets[0]))
            told = "is handed on at once"
            yield self.found(node, told, region=region, named=named, lets_comment_go=True)

    def leave_IndentedBlock(
        self, original: cst.IndentedBlock, updated: cst.IndentedBlock
    ) -> cst.IndentedBlock:
        first, last = updated.body
        if not isinstance(first, cst.SimpleStatementLine) or len(first.body) != 1:
            return updated
        assignment = first.body[0]
        if not isinstance(assignment, cst.Assign) or not isinstance(last, cst.SimpleStatementLine):
            return updated
        line = last.with_deep_changes(last.body[0], value=assignment.value)
        above = [each for each in last.leading_lines if each.comment]
        left = [_with_name(each, *self.data["named"]) for each in above]
        body = [line.with_changes(leading_lines=first.leading_lines)]
        return updated.with_changes(body=body, footer=[*left, *updated.footer])


def _with_name(line: cst.EmptyLine, name: str, new: str) -> cst.EmptyLine:
    """``# print(x)`` for ``# print(x_)``."""
    assert line.comment is not None
    said = re.sub(rf"\b{name}\b", new, line.comment.value)
    return line.with_changes(comment=line.comment.with_changes(value=said))


def _is_handed_on(node: ast.Assign, facts: Facts) -> bool:
    """``x = x_`` right below ``x_ = torch.randn(2)``, which nothing else reads.

    Where an ``x_var`` is read once, that line reads ``x`` instead. A comment beside ``x = x_`` says
    what both are, and stays: ``x = torch.randn(2)  # (batch,)``.
    """
    target, value, block = node.targets[0], node.value, facts.block(node)
    above = block[block.index(node) - 1] if node is not block[0] else None
    if not isinstance(target, ast.Name) or not isinstance(value, ast.Name):
        return False
    if len(node.targets) > 1 or target.id == value.id or not was_of_variable(node, facts):
        return False
    if not isinstance(above, ast.Assign) or not _follows(node, above, facts):
        return False
    if [ast.unparse(each) for each in above.targets] != [value.id]:
        return False
    if _carries_comment(above, facts) or ";" in facts.lines[node.lineno - 1]:
        return False
    if is_comment_lost(node, facts):
        return False
    made, given = _own_binding(above, value, facts), _own_binding(node, target, facts)
    if made is None or given is None or _uses_of(made, facts) != [value]:
        return False
    uses = _uses_of(given, facts)
    is_plainer = uses is None or len(uses) > 1 or target.id == value.id.strip("_")
    is_plainer = is_plainer or _carries_comment(node, facts)
    between = range(above.lineno, node.lineno - 1)
    return is_plainer and not _is_spoken_of(value.id, node, facts, but=between)


def _follows(node: ast.stmt, above: ast.stmt, facts: Facts) -> bool:
    """Whether a statement stands below one of a single line, with at most a blank line between.

    Or code that was taken out.
    """
    between = [line.strip() for line in facts.lines[above.lineno : node.lineno - 1]]
    is_short = above.end_lineno == above.lineno
    return is_short and between.count("") < 2 and all(map(is_code, filter(None, between)))


def _is_freed_move(above: ast.Assign, node: ast.stmt, facts: Facts) -> bool:
    """``x = x.to(device)`` above ``return x``, which stood under a guard."""
    is_freed = facts.touched(above) and stood_further_in(above, facts)
    return isinstance(node, ast.Return) and is_freed and is_move(above.value, facts)


def was_of_variable(node: ast.stmt, facts: Facts) -> bool:
    """Whether a rewrite took a Variable from a statement of one line."""
    return node.lineno == node.end_lineno and lost_variable(node, facts)


def lost_variable(node: ast.stmt, facts: Facts) -> bool:
    """Whether a rewrite took a Variable from the first line of a statement."""
    return facts.touched(node) and facts.had_variable(node.lineno)


def _lost_wrapper(
    value: ast.expr, node: ast.Assign, facts: Facts
) -> TypeGuard[ast.Name | ast.Attribute]:
    """Whether a rewrite left ``x = y`` of ``x = Variable(y)``, whatever that is called there.

    Or ``x = self.y``.
    """
    if isinstance(value, ast.Attribute):
        is_own = isinstance(value.value, ast.Name) and value.attr != "data"
        return is_own and (was_of_variable(node, facts) or _is_left_of_choice(node, facts))
    if not isinstance(value, ast.Name):
        return False
    if node.value is value and was_of_variable(node, facts):
        return True
    if node.lineno != node.end_lineno or not facts.touched(node):
        return False
    wrapped = re.compile(rf"[=,]\s*[\w.]+\(\s*{value.id}\b")
    return wrapped.search(facts.as_read(node.lineno)) is not None


def _is_left_of_choice(node: ast.Assign, facts: Facts) -> bool:
    """Whether a line is left of an ``if`` whose other half gave the name a Variable."""
    return facts.touched(node) and stood_further_in(node, facts)


def _own_binding(node: ast.Assign | ast.For, target: ast.Name, facts: Facts) -> Binding | None:
    """What an assignment gives a name, where no other file or cell can ask for that."""
    scope = facts.names.scope_of(node)
    if scope.kind == "module":
        if facts.is_imported_elsewhere or facts.speaks_of(PREFIX):
            return None
    elif scope.kind != "function" or facts.speaks_of("locals"):
        return None
    bindings = [b for b in scope.bindings.get(target.id, ()) if b.node is node]
    return bindings[0] if len(bindings) == 1 else None


def _uses_of(binding: Binding, facts: Facts) -> list[ast.Name] | None:
    """What reads a value, all of it in the scope that binds it; None where another may be read."""
    scope = facts.names.scope_of(binding.node)
    # ``del x`` needs the name as well.
    is_deleted = any(other.kind == "delete" for other in scope.bindings[binding.name])
    if is_deleted or augmented(facts, binding):
        return None
    found = []
    for use in facts.names.uses_of(scope, binding.name):
        reaching = facts.flow.reaching(use)
        if binding not in reaching:
            continue
        is_own = facts.names.scope_of(use) is scope and isinstance(use.ctx, ast.Load)
        if reaching != (binding,) or not is_own:
            return None
        found.append(use)
    return found


def _sees_the_same(use: ast.Name, node: ast.Assign, value: ast.Name, facts: Facts) -> bool:
    """Whether a name means where another is used what it meant where that got its value."""
    scope = facts.names.scope_of(node)
    found = scope.lookup(value.id)
    if found is None or found[0] is not scope:
        return False
    before = facts.flow.reaching(value)
    statement = facts.statement(use)
    there = facts.flow.reaching_before(statement, value.id)
    # What is assigned is read before the name is bound.
    is_read_first = isinstance(statement, ast.Assign) and (
        statement.value in (use, *facts.names.ancestors(use))
    )
    binds_it = not is_read_first and any(b.node is statement for b in found[1])
    return not binds_it and bool(before) and set(before) == set(there)


def _is_bound_anew(node: ast.Assign, target: ast.Name, uses: list[ast.Name], facts: Facts) -> bool:
    """``x = x.to(device)`` right below ``x = y``, where nothing else reads that x."""
    block = facts.block(node)
    at = block.index(node) + 1
    below = block[at] if at < len(block) else None
    return (
        isinstance(below, ast.Assign)
        and isinstance(below.targets[0], ast.Name)
        and below.targets[0].id == target.id
        and all(facts.statement(use) is below for use in uses)
    )


def _is_read_below(node: ast.Assign, uses: list[ast.Name], facts: Facts) -> bool:
    """Whether a name is read once, by the next statement, before anything else is run there."""
    block = facts.block(node)
    below = block[block.index(node) + 1 :][:1]
    if len(uses) != 1 or facts.statement(uses[0]) not in below:
        return False
    statement, around = below[0], [*facts.names.ancestors(uses[0])]
    if not isinstance(statement, (ast.Assign, ast.Expr, ast.Return)):
        return False
    if statement.value not in (uses[0], *around):
        return False
    return all(
        each in around or (isinstance(each, ast.Call) and only_computes(facts, each))
        for each in ast.walk(statement.value)
        if isinstance(each, (ast.Call, ast.Await, ast.Lambda, *COMPREHENSIONS))
    )


def _has_sibling(node: ast.Assign, value: ast.Name | ast.Attribute, facts: Facts) -> bool:
    """``source = data`` and ``target = data``, which say what is what.

    Where ``data`` is bound anew between the two, each names something else.
    """
    return any(
        isinstance(other, ast.Assign)
        and same_expression(other.value, value)
        and not same_expression(other.targets[0], node.targets[0])
        and (
            not isinstance(value, ast.Name)
            or facts.flow.reaching_before(other, value.id) == facts.flow.reaching(value)
        )
        for other in facts.block(node)
    )


def _is_spoken_of(name: str, node: ast.stmt, facts: Facts, but: range = range(0)) -> bool:
    """Whether a comment of the function has a name in it, in other lines than ``but``, from 0."""
    return any(n not in but for n in lines_speaking_of(name, node, facts))


def _carries_comment(node: ast.stmt, facts: Facts) -> bool:
    line = facts.lines[(node.end_lineno or node.lineno) - 1]
    return "#" in line or ";" in line
