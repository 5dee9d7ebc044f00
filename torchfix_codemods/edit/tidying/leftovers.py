"""What rewrites leave behind and no person would have written."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.lines import indent_of
from torchfix_codemods.edit.statements import without_test
from torchfix_codemods.edit.tidying.base import Tidying
from torchfix_codemods.edit.tidying.own_lists import is_made_anew_below, is_made_for_itself
from torchfix_codemods.edit.tidying.stale_comments import (
    is_code,
    speaks_of_flag,
    tells_where_flag_is_set,
    with_tensors,
    without_clause_on_flag,
    without_first_sentence,
    without_flag,
    without_variables,
)
from torchfix_codemods.facts.evaluation.classes_elsewhere import sets_plainly
from torchfix_codemods.facts.evaluation.outside import is_set_by_others
from torchfix_codemods.facts.language.arguments import constant
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import is_self
from torchfix_codemods.facts.paths.uses import uses_given_by
from torchfix_codemods.facts.values.lattice import Batch, Collated, Sequence, Tensor
from torchfix_codemods.facts.values.torch_api import MAKE_ANEW
from torchfix_codemods.patterns import lazy_pattern
from torchfix_codemods.rule import Found


class EmptyBranches(Tidying):
    """Removes ``if flag: pass`` where a rewrite emptied it, and asking costs and does nothing.

    An ``else: pass`` goes alone, and so do ``with torch.no_grad(): pass`` and ``for i in range(n):
    pass``. With them ``try: loss.item()``, which was ``loss.data[0]``, where that only caught the
    ``IndexError`` of what has no dimensions.
    """

    name = "empty-branches"

    def find_Try(self, node: ast.Try, facts: Facts) -> Iterator[Found]:
        is_alone = len(facts.block(node)) == 1 or node.orelse or node.finalbody
        if is_alone or len(node.body) != 1 or len(node.handlers) != 1:
            return
        tried, caught = node.body[0], node.handlers[0].type
        number = tried.value if isinstance(tried, ast.Expr) and facts.touched(tried) else None
        if not isinstance(number, ast.Call) or not isinstance(number.func, ast.Attribute):
            return
        is_item = number.func.attr == "item" and is_plain(number.func.value, facts)
        is_item = is_item and "[0]" in facts.as_read(tried.lineno)
        if is_item and caught is not None and facts.names.builtin(caught) == "IndexError":
            yield self.found(node, "nothing in it raises an IndexError")

    def find_If(self, node: ast.If, facts: Facts) -> Iterator[Found]:
        if not facts.touched(node):
            return
        is_empty = all(isinstance(s, ast.Pass) for s in (*node.body, *node.orelse))
        if is_empty and all(_only_asks(part, facts) for part in ast.walk(node.test)):
            yield self.found(node, "does nothing", is_empty=True)
        elif node.orelse and all(isinstance(s, ast.Pass) and facts.touched(s) for s in node.orelse):
            yield self.found(node, "the other branch does nothing", is_empty=False)

    def find_With(self, node: ast.With, facts: Facts) -> Iterator[Found]:
        if not all(isinstance(s, ast.Pass) and facts.touched(s) for s in node.body):
            return
        contexts = [item.context_expr for item in node.items if item.optional_vars is None]
        names = [facts.name(c.func) if isinstance(c, ast.Call) else None for c in contexts]
        if len(node.items) == names.count("torch.no_grad"):
            yield self.found(node, "does nothing")

    def find_For(self, node: ast.For, facts: Facts) -> Iterator[Found]:
        if node.orelse or not all(isinstance(s, ast.Pass) and facts.touched(s) for s in node.body):
            return
        target, gone_through = node.target, node.iter
        if not isinstance(gone_through, ast.Call) or not isinstance(target, ast.Name):
            return
        counts = facts.names.builtin(gone_through.func) == "range"
        if counts and all(_only_asks(p, facts) for arg in gone_through.args for p in ast.walk(arg)):
            if not uses_given_by(facts, node, target.id):
                yield self.found(node, "does nothing")

    def leave_Try(self, original: cst.Try, updated: cst.Try) -> cst.RemovalSentinel:
        return cst.RemoveFromParent()

    def leave_With(self, original: cst.With, updated: cst.With) -> cst.RemovalSentinel:
        return cst.RemoveFromParent()

    def leave_For(self, original: cst.For, updated: cst.For) -> cst.RemovalSentinel:
        return cst.RemoveFromParent()

    def leave_If(self, original: cst.If, updated: cst.If) -> cst.If | cst.RemovalSentinel:
        if self.data["is_empty"]:
            return cst.RemoveFromParent()
        return updated.with_changes(orelse=None)


class EqualBranches(Tidying):
    """Leaves of ``e if e is None else e`` just ``e`` where a rewrite made the branches the same.

    They are so in ``e if e is not None else None``, too. Of an ``if`` with an ``else`` the first
    half is left.
    """

    name = "equal-branches"

    def find_If(self, node: ast.If, facts: Facts) -> Iterator[Found]:
        if not node.orelse or not facts.touched(node):
            return
        if all(_only_asks(part, facts) for part in ast.walk(node.test)):
            if _became_equal(node.body, node.orelse, facts):
                yield self.found(node, "both branches are the same", is_said_twice=True)

    def find_IfExp(self, node: ast.IfExp, facts: Facts) -> Iterator[Found]:
        if not facts.touched(node) or not _asks_plain(node.test, facts):
            return
        is_same = ast.unparse(node.body) == ast.unparse(node.orelse)
        held = node.body if is_same else _unless_none(node)
        if held is not None and is_plain(held, facts):
            yield self.found(node, "both branches are the same", is_body=held is node.body)

    def leave_IfExp(self, original: cst.IfExp, updated: cst.IfExp) -> cst.BaseExpression:
        return updated.body if self.data["is_body"] else updated.orelse

    def leave_If(self, original: cst.If, updated: cst.If) -> cst.FlattenSentinel[cst.BaseStatement]:
        return cst.FlattenSentinel(without_test(updated))


class IdleComprehension(Tidying):
    """Leaves ``list(xs)`` of ``[x for x in xs]`` where a rewrite took away what it did to x.

    Of ``[x for x in [a, b]]`` it is ``[a, b]``, of ``tuple(x for x in xs)`` ``tuple(xs)``, of
    ``tuple([x for x in xs])`` as well. Of
    ``xs = [x for x in xs]`` nothing is left where ``xs`` is a list that nobody else has, or where
    ``xs = [x.to(device) for x in xs]`` stands right below.
    """

    name = "idle-comprehension"

    def find_ListComp(self, node: ast.ListComp, facts: Facts) -> Iterator[Found]:
        if not _became_idle(node, facts):
            return
        held = node.generators[0].iter
        is_display = isinstance(held, (ast.List, ast.Tuple))
        is_list = _is_all_given(node, facts) or (
            isinstance(held, ast.Name)
            and (is_made_for_itself(node, held, facts) or is_made_anew_below(node, held, facts))
        )
        if is_list or is_display or facts.names.scope_of(node).lookup("list") is None:
            yield self.found(node, "makes a list of what is one", is_list=is_list)

    def find_GeneratorExp(self, node: ast.GeneratorExp, facts: Facts) -> Iterator[Found]:
        call = facts.parent(node)
        if not _became_idle(node, facts) or not _is_all_given(node, facts):
            return
        if isinstance(call, ast.Call):
            held = node.generators[0].iter
            is_list = isinstance(held, ast.Name) and is_made_anew_below(call, held, facts)
            yield self.found(call, "goes through what can be gone through", is_list=is_list)

    def leave_ListComp(self, original: cst.ListComp, updated: cst.ListComp) -> cst.BaseExpression:
        held = updated.for_in.iter
        if isinstance(held, cst.List) or self.data["is_list"]:
            return held
        if isinstance(held, cst.Tuple):
            return cst.List(held.elements)
        return cst.Call(cst.Name("list"), [cst.Arg(held)], lpar=updated.lpar, rpar=updated.rpar)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        given = updated.args[0]
        if not isinstance(given.value, cst.GeneratorExp):
            return updated
        if self.data["is_list"]:
            return given.value.for_in.iter
        return updated.with_changes(args=[given.with_changes(value=given.value.for_in.iter)])


class RepeatedMove(Tidying):
    """Leaves ``x.to(device, torch.long)`` of ``x.to(device, torch.long).to(device)``."""

    name = "repeated-move"
    words = frozenset({"to"})

    def find_Call(self, node: ast.Call, facts: Facts) -> Iterator[Found]:
        if not facts.touched(node) or not _is_move(node) or len(node.args) != 1 or node.keywords:
            return
        assert isinstance(node.func, ast.Attribute)
        inner = node.func.value
        if _is_move(inner) and isinstance(inner, ast.Call) and is_plain(node.args[0], facts):
            if ast.unparse(inner.args[0]) == ast.unparse(node.args[0]):
                yield self.found(node, "is there already")

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        assert isinstance(updated.func, cst.Attribute)
        return updated.func.value


class NestedClasses(Tidying):
    """Leaves of ``isinstance(x, ((str, bytes), int))`` one tuple where a rewrite put two."""

    name = "nested-classes"
    words = frozenset({"isinstance"})

    def find_Call(self, node: ast.Call, facts: Facts) -> Iterator[Found]:
        if len(node.args) != 2 or not facts.touched(node):
            return
        classes = node.args[1]
        if isinstance(classes, ast.Tuple) and facts.names.builtin(node.func) == "isinstance":
            if any(isinstance(cls, ast.Tuple) for cls in classes.elts):
                yield self.found(node, "is a tuple in a tuple")

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.Call:
        classes = updated.args[1].value
        if not isinstance(classes, cst.Tuple):
            return updated
        elements: list[cst.BaseElement] = []
        for element in classes.elements:
            inner = element.value
            if not isinstance(inner, cst.Tuple):
                elements.append(element)
                continue
            elements += inner.elements[:-1]
            elements.append(inner.elements[-1].with_changes(comma=element.comma))
        flat = updated.args[1].with_changes(value=classes.with_changes(elements=elements))
        return updated.with_changes(args=[updated.args[0], flat])


class StaleComment(Tidying):
    """Removes ``# wrap them in Variable`` above code that a rewrite took the Variables from.

    Of ``# Create inputs, and wrap them in Variables.`` the rest stays, and so it does of ``# no
    autograd is required: volatile=True``.
    """

    name = "stale-comment"

    def find_Assign(self, node: ast.stmt, facts: Facts) -> Iterator[Found]:
        comment, line = facts.lines[node.lineno - 2], facts.lines[node.lineno - 1]
        if node.lineno == 1 or not comment.lstrip().startswith("#"):
            return
        if not any(map(_may_be_stale, _comment_above(node, facts))):
            return
        kept = without_variables(comment, _names_given_by(node))
        gone = _EITHER if speaks_of_flag(comment) else _VARIABLE
        if kept == comment:
            gone, kept = _VOLATILE, without_flag(comment)
        count = 1
        above = facts.lines[node.lineno - 3].lstrip() if node.lineno > 2 else ""
        if above.startswith("#") and not is_code(above):
            # It may be the end of a sentence.
            gone, lines = _VOLATILE, _comment_above(node, facts)
            kept, count = "\n".join(without_clause_on_flag(lines)), len(lines)
            comment = "\n".join(lines)
        about = list(_lines_about(node, facts))
        if tells_where_flag_is_set(comment.split("\n")):
            gone, kept, about = _EITHER, "", _lines_of_code(node, facts)
        elif _makes_tensors(about, facts):
            said = "\n".join(map(with_tensors, (kept or comment).split("\n")))
            if said != (kept or comment):
                gone, kept = _EITHER, said
        if kept == comment and count > 1:
            gone = _EITHER if speaks_of_flag(comment) else _VARIABLE
            kept = "\n".join(without_first_sentence(comment.split("\n"), _names_given_by(node)))
        if kept == comment:
            return
        is_beside = indent_of(comment) == indent_of(line) and not line[: node.col_offset].strip()
        is_rewritten = facts.touched(node) or any(map(facts.is_rewritten, about))
        was_there = any(gone.search(facts.as_read(number)) for number in about)
        is_there = any(gone.search(facts.lines[number - 1]) for number in about)
        if is_rewritten and is_beside and was_there and not is_there:
            said = "speaks of what is gone"
            yield self.found(node, said, comment_above=kept, comment_lines=count)

    find_AugAssign = find_Expr = find_Return = find_Assign
    find_If = find_For = find_With = find_Try = find_FunctionDef = find_Assign


#: ``std.data is the tensor that is wrapped by std``, of which nothing is wrapped any more.
_DATA_WRAPPED = lazy_pattern(
    r"\b(?P<name>\w+)\.data(?P<what> is (?:a|an|the)\b.*?\btensor)"
    r"(?:,? (?:that|which) is)? wrapped (?:by|in|inside) (?P=name)\b"
)


class UnwrappedComment(Tidying):
    """Writes ``# x is the (n, 2) tensor`` for ``# x.data is the (n, 2) tensor wrapped by x``.

    So it does where the line below asked for ``x.data`` and does no more.
    """

    name = "unwrapped-comment"

    def find_Assign(self, node: ast.Assign, facts: Facts) -> Iterator[Found]:
        if not facts.touched(node) or ".data" in facts.lines[node.lineno - 1]:
            return
        lines = _comment_above(node, facts)
        said = [_DATA_WRAPPED.sub(r"\g<name>\g<what>", line) for line in lines]
        names = {found["name"] for line in lines if (found := _DATA_WRAPPED.search(line))}
        was = facts.as_read(node.lineno)
        if names and all(f"{name}.data" in was for name in names):
            comment = "\n".join(said)
            told = "speaks of what is wrapped no more"
            yield self.found(node, told, comment_above=comment, comment_lines=len(lines))


_VARIABLE = lazy_pattern(r"\bVariable\b")
_VOLATILE = lazy_pattern(r"\bvolatile\b")
_EITHER = lazy_pattern(r"\b(?:Variable|volatile)\b")


def _may_be_stale(comment: str) -> bool:
    """Whether a comment has a word of Variables, without which none of its lines is gone."""
    said = comment.lower()
    return "variable" in said or "volatile" in said


def _comment_above(node: ast.stmt, facts: Facts) -> list[str]:
    """The lines of the comment right above a statement."""
    first = last = node.lineno - 1
    while first and facts.lines[first - 1].lstrip().startswith("#"):
        first -= 1
    return facts.lines[first:last]


def _names_given_by(node: ast.stmt) -> list[str]:
    """What an assignment gives values to, and the parameters of a function."""
    if isinstance(node, ast.FunctionDef):
        return [part.arg for part in ast.walk(node.args) if isinstance(part, ast.arg)]
    targets = node.targets if isinstance(node, ast.Assign) else ()
    return [n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)]


def _lines_about(node: ast.stmt, facts: Facts) -> Iterator[int]:
    """The lines of a statement, and those right below it: what a comment above is about."""
    last = node.end_lineno or node.lineno
    yield from range(node.lineno, last + 1)
    indent = indent_of(facts.lines[node.lineno - 1])
    for number in range(last + 1, len(facts.lines) + 1):
        line = facts.lines[number - 1]
        if not line.strip() or line.lstrip().startswith("#") or not line.startswith(indent):
            return
        yield number


def _lines_of_code(node: ast.stmt, facts: Facts) -> list[int]:
    """The lines of the function around a statement that are no comments."""
    function = facts.names.enclosing_function(node) or node
    lines = range(function.lineno, (function.end_lineno or function.lineno) + 1)
    return [n for n in lines if not facts.lines[n - 1].lstrip().startswith("#")]


def _makes_tensors(lines: Collection[int], facts: Facts) -> bool:
    """Whether arrays still become tensors in some lines, by ``torch.from_numpy(x)`` or the like."""
    return any(
        isinstance(call, ast.Call) and call.lineno in lines and facts.name(call.func) in MAKE_ANEW
        for call in facts.names.nodes.get(ast.Call, ())
    )


def _is_move(node: ast.expr) -> bool:
    """``x.to(device, …)``."""
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "to"
        and bool(node.args)
        and not isinstance(node.args[0], ast.Starred)
    )


def _became_idle(node: ast.ListComp | ast.GeneratorExp, facts: Facts) -> bool:
    """Whether a rewrite made it so; others are as their author wrote them."""
    if not facts.touched(node) or not _is_idle(node):
        return False
    name = ast.unparse(node.elt)
    return re.search(rf"\b{name}\s+for\s+{name}\b", facts.as_read(node.lineno)) is None


def _is_idle(node: ast.ListComp | ast.GeneratorExp) -> bool:
    """``[x for x in xs]``."""
    loop = node.generators[0]
    if len(node.generators) != 1 or loop.ifs or loop.is_async or not isinstance(node.elt, ast.Name):
        return False
    return isinstance(loop.target, ast.Name) and loop.target.id == node.elt.id


def _is_all_given(node: ast.ListComp | ast.GeneratorExp, facts: Facts) -> bool:
    """Whether ``tuple`` or the like is given it alone, which takes what is gone through."""
    call = facts.parent(node)
    if not isinstance(call, ast.Call) or call.args != [node] or call.keywords:
        return False
    return facts.names.builtin(call.func) in ("tuple", "list", "set")


def _only_asks(node: ast.AST, facts: Facts) -> bool:
    """``isinstance(x, torch.Tensor)``, ``torch.is_tensor(x)`` and the like: to ask does nothing."""
    if not isinstance(node, ast.Call):
        return not isinstance(node, (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom))
    if facts.name(node.func) in ("torch.cuda.is_available", "torch.is_tensor"):
        return True
    return facts.names.builtin(node.func) in ("isinstance", "len")


def _became_equal(half: list[ast.stmt], other: list[ast.stmt], facts: Facts) -> bool:
    """Whether two halves of a choice do the same, and did not when they were read."""
    if [*map(ast.unparse, half)] != [*map(ast.unparse, other)]:
        return False
    lines = [range(block[0].lineno, (block[-1].end_lineno or 0) + 1) for block in (half, other)]
    read, beside = ([facts.as_read(number).strip() for number in part] for part in lines)
    return read != beside


def _unless_none(node: ast.IfExp) -> ast.expr | None:
    """``e`` of ``e if e is not None else None``, and of ``None if e is None else e``."""
    test = node.test
    if not isinstance(test, ast.Compare) or not isinstance(test.left, ast.Name):
        return None
    held, other = node.body, node.orelse
    if isinstance(test.ops[0], ast.Is):
        held, other = other, held
    asked = [test.left, *test.comparators, held]
    same = [test.left.id, "None", test.left.id]
    return held if constant(other) is None and [*map(ast.unparse, asked)] == same else None


def _asks_plain(test: ast.expr, facts: Facts, *, is_named: bool = False) -> bool:
    """Whether a test is one of names by ``is`` or of what they are, also by a name for that."""
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return _asks_plain(test.operand, facts, is_named=is_named)
    if isinstance(test, ast.Call):
        return all(_only_asks(part, facts) for part in ast.walk(test))
    if isinstance(test, ast.Name) and not is_named:
        return all(_asks_plain(v, facts, is_named=True) for v in facts.assigned(test) or [test])
    if not isinstance(test, ast.Compare):
        return False
    return all(isinstance(op, (ast.Is, ast.IsNot)) for op in test.ops) and all(
        isinstance(part, (ast.Name, ast.Constant)) for part in (test.left, *test.comparators)
    )


def is_plain(target: ast.expr, facts: Facts) -> bool:
    """Whether to assign is all that happens: an attribute can be a property with a setter."""
    if isinstance(target, (ast.Tuple, ast.List)):
        return all(is_plain(element, facts) for element in target.elts)
    if isinstance(target, ast.Subscript):
        return _is_plain_item(target, facts)
    return is_plain_name(target, facts)


def is_plain_name(target: ast.expr, facts: Facts) -> bool:
    """Whether it is a name, or an attribute of the object in its method that is no property."""
    return isinstance(target, ast.Name) or _is_plain_attribute(target, facts)


def _is_plain_item(target: ast.Subscript, facts: Facts) -> bool:
    """``batch[key]`` of a list or a dict, or of what a loader yields."""
    held, key = target.value, target.slice
    if not isinstance(key, (ast.Name, ast.Constant)) or not is_plain(held, facts):
        return False
    made = (isinstance(held, ast.Name) and facts.assigned(held)) or ()
    if made and all(isinstance(value, ast.Dict) for value in made):
        return True
    return isinstance(facts.value(held), (Batch, Collated, Sequence)) or _holds_list(held, facts)


def _holds_list(held: ast.expr, facts: Facts) -> bool:
    """Whether ``self.xs`` is a list, or a tensor, by all that its class stores there.

    What else the file has of that name, as a class of the same base, says nothing of this one.
    """
    owner = facts.names.enclosing_class(held)
    if owner is None or not isinstance(held, ast.Attribute):
        return False
    stored = facts.classes.attribute_sources(owner, held.attr)
    if not stored or is_set_by_others(facts.inference, held.attr):
        return False
    others = [use for use in facts.names.attributes(held.attr) if _may_be_stored(use, owner, facts)]
    values = [facts.inference.bound(each) for each in stored]
    return not others and all(isinstance(value, (Sequence, Tensor)) for value in values)


def _may_be_stored(use: ast.Attribute, owner: ast.ClassDef, facts: Facts) -> bool:
    """Whether other code than that of a class and its bases may set an attribute of its objects."""
    around = facts.names.enclosing_class(use)
    if isinstance(use.ctx, ast.Load) or around is None or not is_self(facts, use.value):
        return not isinstance(use.ctx, ast.Load)
    return around not in facts.classes.bases(owner) and owner in facts.classes.bases(around)


def _is_plain_attribute(target: ast.expr, facts: Facts) -> bool:
    """``self.x`` in a method of a class that says of no ``x``, nor of what setting one does."""
    if not (isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name)):
        return False
    method = facts.names.enclosing_function(target)
    cls = None if method is None else facts.parent(method)
    if method is None or not isinstance(cls, ast.ClassDef):
        return False
    if target.value.id != facts.classes.self_name(method):
        return False
    return sets_plainly(facts.inference, cls, target.attr)
