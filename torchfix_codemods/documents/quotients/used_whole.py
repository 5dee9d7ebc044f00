"""What the use of a quotient says of it: that it has to be a whole number, or that it need not."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable, Iterator

from torchfix_codemods.documents.quotients.equal import runs_beside, runs_in_each_turn
from torchfix_codemods.facts.evaluation.parameters import may_take
from torchfix_codemods.facts.language.arguments import argument, constant, whole_number
from torchfix_codemods.facts.language.branches import are_exclusive, tests_around
from torchfix_codemods.facts.language.nodes import same_expression, walk
from torchfix_codemods.facts.libraries.layer_sizes import KEYWORDS, LAYERS
from torchfix_codemods.facts.libraries.sizes_taken import takes_size
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.behind import methods_named
from torchfix_codemods.facts.paths.graph import Place, Use, reads
from torchfix_codemods.facts.paths.uses import (
    bindings_by,
    parameter_bindings,
    uses_given_by,
    uses_of,
    uses_run_after,
)
from torchfix_codemods.facts.paths.walk import follow
from torchfix_codemods.facts.tensors.integers import gives_on
from torchfix_codemods.facts.values.lattice import Array, Number, Sequence, Size, Tensor, Unknown
from torchfix_codemods.patterns import lazy_pattern

#: The fields of a text: of ``%*d`` and ``%(name)d``, which take something else, no kind is found.
_FIELDS = lazy_pattern(r"%(?:[-#0 +]*\d*(?:\.\d+)?([a-zA-Z]))?")

#: Python's own functions that take whole numbers only.
_OF_WHOLE = frozenset({"chr", "range"})
#: What takes a whole number as its index, and nothing else that may be a number.
_INDEXED = (Array, Sequence, Size, Tensor)


def has_to_be_whole(node: ast.BinOp | ast.AugAssign, facts: Facts) -> bool:
    """Whether a float would have failed where a quotient goes: Python 2 made a whole number.

    Args:
        node: the division.
        facts: the facts of the module.
    """
    left: list[ast.expr | ast.AugAssign] = [node]
    seen = set[ast.AST]()
    while left:
        number = left.pop()
        if number in seen:
            continue
        seen.add(number)
        if isinstance(number, ast.expr):
            if _fails_as_float(number, facts):
                return True
            # ``low = max(low, 0)``: what is calculated of it has the same name, or another.
            number = _calculated_of(number, facts)
        if isinstance(number, (ast.expr, ast.AugAssign)):
            left += uses_run_after(facts, number)
            left += _uses_below_branches(number, facts)
    return False


def _uses_below_branches(number: ast.expr | ast.AugAssign, facts: Facts) -> Iterator[ast.Name]:
    """The same of what a branch gives a name that is read below the test, where it got there."""
    given = facts.parent(number)
    if not isinstance(given, ast.Assign) or given.value is not number:
        return
    targets = (target for target in given.targets if isinstance(target, ast.Name))
    for use in (use for target in targets for use in uses_given_by(facts, given, target.id)):
        others = [b.node for b in facts.flow.reaching(use) if b.node is not given]
        # What gets there from another branch, or from above, takes nothing of it away.
        is_kept = all(_gives_way(other, given, facts) for other in others)
        if others and is_kept and _is_below(use, given, facts) and runs_beside(use, given, facts):
            yield use


def _gives_way(other: ast.AST, given: ast.Assign, facts: Facts) -> bool:
    is_above = isinstance(other, ast.stmt) and other.lineno < given.lineno
    is_given = isinstance(other, ast.arg)
    return is_above or is_given or are_exclusive(facts.names, other, given)


def _is_below(use: ast.Name, given: ast.Assign, facts: Facts) -> bool:
    """Whether a use stands below a statement, and only tests are around that beside the use."""
    block = facts.block(facts.statement(use))
    here: ast.AST | None = given
    while isinstance(here, (ast.Assign, ast.If)) and here not in block:
        here = facts.parent(here)
    return here in block and use.lineno > (here.end_lineno or here.lineno)


def is_counted_with(node: ast.expr, facts: Facts) -> bool:
    """Whether a number is used, whenever it is read, where a float fails: ``range(n)``.

    Args:
        node: the name of a number.
        facts: the facts of the module.
    """
    bindings = facts.flow.reaching(node) if isinstance(node, ast.Name) else ()
    return len(bindings) == 1 and any(
        use is not node
        and not _is_divided(use, facts)
        and len(facts.flow.reaching(use)) == 1
        and _fails_there(use, node, facts)
        for use in uses_of(facts, bindings[0])
    )


def _fails_there(use: ast.expr, node: ast.expr, facts: Facts) -> bool:
    """Whether a float raises at a use of a number, or where a loop over lists of it comes to."""
    if _fails_as_float(use, facts):
        return runs_beside(use, node, facts)

    def after(step: Use) -> Iterable[Place] | None:
        if step.kind == "iterated":
            return step.named() if isinstance(step.by, ast.For) else ()
        if step.kind == "element" or (step.place.content and _is_numbered(step.by)):
            return step.result()
        is_number = step.node is not use and not step.place.content
        is_cut = is_number and isinstance(facts.parent(step.node), ast.Slice)
        return None if is_cut and runs_in_each_turn(step.node, node, facts) else ()

    found = follow([Place(facts, use)], after) if _is_listed(use, facts) else None
    return found is not None and not found.is_cut


def _is_listed(use: ast.expr, facts: Facts) -> bool:
    """``[[0, n], …]``"""
    lists = facts.parent(use), facts.parent(facts.parent(use) or use)
    return all(isinstance(each, (ast.List, ast.Tuple)) for each in lists)


def _is_numbered(node: ast.AST) -> bool:
    """``x[1]``"""
    return isinstance(node, ast.Subscript) and whole_number(node.slice) is not None


def _is_divided(number: ast.expr, facts: Facts) -> bool:
    """Whether a number stands in a quotient, of which something is known only as a whole."""
    around = facts.parent(number)
    return isinstance(around, ast.BinOp) and isinstance(around.op, (ast.Div, ast.Mod))


def may_have_to_be_whole(node: ast.AST, facts: Facts) -> bool:
    """Whether a float fails somewhere that a quotient may come to.

    Args:
        node: the division.
        facts: the facts of the module.
    """
    if isinstance(node, ast.expr):
        found = follow([Place(facts, node)], _comes_to_whole)
        return found is not None and not found.is_cut
    target = node.target if isinstance(node, ast.AugAssign) else None
    return isinstance(target, ast.Name) and any(
        _fails_as_float(use, facts) for use in uses_given_by(facts, node, target.id)
    )


def _comes_to_whole(use: Use) -> Iterable[Place] | None:
    """None for what takes a whole number only; else what holds the number next."""
    node, content = use.node, use.place.content
    if isinstance(node, ast.expr) and not content and _fails_as_float(node, use.facts):
        return None
    if content and _is_shape(use):
        return None
    if use.kind == "argument":
        return [*_taken(use), *use.held()]
    if use.kind in ("bound", "iterated", "unpacked"):
        return use.named()
    if use.kind == "returned":
        return use.returned()
    is_calculated = use.kind in ("chosen", "element", "operand") or (
        use.kind == "item" and bool(content)
    )
    return use.result() if is_calculated else ()


def _is_shape(use: Use) -> bool:
    """Whether a list is the size of an array: ``np.ones(sizes)``."""
    call, is_one_deep = use.by, len(use.place.content) == 1
    if not is_one_deep or not isinstance(call, ast.Call) or use.node not in call.args:
        return False
    position = call.args.index(use.place.node)
    return takes_size(use.facts.name(call.func) or "", position)


def _taken(use: Use) -> Iterator[Place]:
    """Where the function that is given a number reads it.

    Of what is not known that is each method of the project with that name and that keyword.
    """
    facts, call = use.facts, use.by
    given, method = facts.parent(use.node), call.func if isinstance(call, ast.Call) else None
    is_open = isinstance(method, ast.Attribute) and isinstance(facts.value(method), Unknown)
    if not is_open or not isinstance(given, ast.keyword) or use.callee() is not None:
        yield from use.taken()
        return
    assert isinstance(method, ast.Attribute) and isinstance(call, ast.Call)
    for there, function in methods_named(facts, method.attr):
        if may_take(function, call, there.classes.gets_object(function)):
            for binding in parameter_bindings(there, function, call, use.node, facts):
                # What takes any keyword says nothing of this one.
                if isinstance(binding.node, ast.arg) and binding.node.arg == given.arg:
                    yield from reads(there, binding)


def _calculated_of(number: ast.expr, facts: Facts) -> ast.expr:
    """The whole of what is calculated of a number: ``max(n + 1, 0)``."""
    around = facts.parent(number)
    while isinstance(around, ast.expr) and _gives_on(number, around, facts):
        number, around = around, facts.parent(around)
    return number


def _fails_as_float(node: ast.expr, facts: Facts) -> bool:
    """Whether a float raises where an expression stands, or what is calculated of it."""
    node = _calculated_of(node, facts)
    parent = facts.parent(node)
    if isinstance(parent, ast.Slice):
        return True
    if isinstance(parent, (ast.Tuple, ast.List)):
        node, parent = parent, facts.parent(parent)
    if isinstance(parent, ast.Subscript):
        is_indexed = isinstance(facts.value(parent.value), _INDEXED)
        return parent.slice is node and (is_indexed or _is_cut_out(parent.value, facts))
    if isinstance(parent, ast.keyword):
        call = facts.parent(parent)
        if not isinstance(call, ast.Call):
            return False
        is_layer = _layer(call, facts) in LAYERS and parent.arg in KEYWORDS
        return is_layer or _counts_points(call, node, facts)
    if not isinstance(parent, ast.Call) or node not in parent.args:
        return False
    if facts.names.builtin(parent.func) in _OF_WHOLE or _counts_points(parent, node, facts):
        return True
    if takes_size(facts.name(parent.func) or "", parent.args.index(node)):
        return True
    return parent.args.index(node) < LAYERS.get(_layer(parent, facts), 0)


def _is_cut_out(node: ast.expr, facts: Facts) -> bool:
    """Whether something is a part of what has an order: ``x[i : i + n]``, whatever ``x`` is."""
    made = facts.assigned(node) if isinstance(node, ast.Name) else [node]
    return bool(made) and all(map(_is_cut, made or ()))


def _is_cut(node: ast.expr) -> bool:
    index = node.slice if isinstance(node, ast.Subscript) else None
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return any(isinstance(part, ast.Slice) for part in parts)


def _gives_on(node: ast.expr, parent: ast.expr, facts: Facts) -> bool:
    return isinstance(parent, (ast.BinOp, ast.UnaryOp)) or gives_on(facts, parent, node)


def _counts_points(call: ast.Call, node: ast.expr, facts: Facts) -> bool:
    """Whether an argument is how many points ``numpy.linspace`` gives."""
    return facts.name(call.func) == "numpy.linspace" and argument(call, 2, "num") is node


def _layer(call: ast.Call, facts: Facts) -> str:
    """The name of a layer of torch that a call builds."""
    name = facts.name(call.func) or ""
    return name.removeprefix("torch.nn.") if name.startswith("torch.nn.") else ""


def is_printed_whole(node: ast.AST, facts: Facts) -> bool:
    """Whether a quotient is only written, without its fraction: ``"%d" % (n / 2)``.

    Args:
        node: the division.
        facts: the facts of the module.
    """
    operands = (node.left, node.right) if isinstance(node, ast.BinOp) else ()
    # Below 0 the one rounds down, and the other towards 0.
    if not operands or any(isinstance(p, ast.UnaryOp) for side in operands for p in walk(side)):
        return False
    operation, place, count = facts.parent(node), 0, 1
    if isinstance(operation, ast.Tuple) and isinstance(node, ast.expr):
        place, count = operation.elts.index(node), len(operation.elts)
        operation = facts.parent(operation)
    if not isinstance(operation, ast.BinOp) or not isinstance(operation.op, ast.Mod):
        return False
    text = constant(operation.left)
    kinds = _FIELDS.findall(text.replace("%%", "")) if isinstance(text, str) else []
    return len(kinds) == count and kinds[place] in ("d", "i")


def is_asked_for_rest(
    node: ast.BinOp | ast.AugAssign, quotients: Collection[ast.AST], facts: Facts
) -> bool:
    """Whether a division runs only where nothing is left over: ``if n % k == 0:`` around ``n / k``.

    Args:
        node: the division.
        quotients: the divisions of the file, which are written as ``%`` here as well.
        facts: the facts of the module.
    """
    return isinstance(node, ast.BinOp) and any(
        so and any(_is_no_rest(part, node, quotients, facts) for part in _all_of(test))
        for test, so in tests_around(facts.names, node)
    )


def _all_of(test: ast.expr) -> list[ast.expr]:
    return test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]


def _is_no_rest(
    test: ast.expr, node: ast.BinOp, quotients: Collection[ast.AST], facts: Facts
) -> bool:
    """``n % k == 0`` of the numbers of a division, which have the same values there."""
    if not isinstance(test, ast.Compare) or not isinstance(test.ops[0], ast.Eq):
        return False
    rest, by = test.left, test.comparators[0]
    if rest in quotients or whole_number(by) != 0 or not same_expression(rest, node):
        return False
    parts = [[n for n in walk(each) if isinstance(n, ast.expr)] for each in (rest, node)]
    # What is read from an object may be another number by then.
    if not all(isinstance(part, (ast.Name, ast.Constant, ast.BinOp)) for part in parts[0]):
        return False
    return all(
        _is_the_same(asked, divided, facts)
        for asked, divided in zip(*parts, strict=True)
        if isinstance(asked, ast.Name) and isinstance(divided, ast.Name)
    )


def _is_the_same(above: ast.Name, name: ast.Name, facts: Facts) -> bool:
    """Whether nothing gives a name another value between two places that read it."""
    bindings = facts.flow.reaching(above)
    lines = range(above.lineno, name.lineno + 1)
    is_kept = not any(getattr(b.node, "lineno", 0) in lines for b in bindings)
    return is_kept and {*bindings} == {*facts.flow.reaching(name)}


def is_compared_alike(node: ast.AST, facts: Facts, is_same: bool) -> bool:
    """Whether a quotient is only compared, and nothing comes out otherwise for the fraction.

    ``n / k < m`` and ``n / k >= m`` are what they were for each whole ``m``.

    Args:
        node: the division.
        facts: the facts of the module.
        is_same: whether it divides without a rest.
    """
    uses = [*_only_uses(node, facts)]
    return bool(uses) and all(_is_compared_alike(use, facts, is_same) for use in uses)


def _only_uses(node: ast.AST, facts: Facts) -> Iterator[ast.AST]:
    """Where a quotient is read: where it stands, or where the one name of it is."""
    statement = facts.parent(node)
    if not isinstance(statement, ast.Assign):
        yield node
        return
    target = statement.targets[0]
    if statement.targets[1:] or not isinstance(target, ast.Name):
        return
    if facts.names.enclosing_function(statement) is None:
        # Other files may read it.
        return
    for binding in bindings_by(facts, statement, target.id):
        yield from uses_of(facts, binding)


def _is_compared_alike(use: ast.AST, facts: Facts, is_same: bool) -> bool:
    compared = facts.parent(use)
    if is_same and isinstance(compared, ast.Call) and compared.args == [use]:
        return facts.names.builtin(compared.func) in ("float", "int") and not compared.keywords
    if not isinstance(compared, ast.Compare) or len(compared.ops) > 1:
        return False
    if is_same:
        return True
    is_left = compared.left is use
    other = compared.comparators[0] if is_left else compared.left
    orders = (ast.Lt, ast.GtE) if is_left else (ast.Gt, ast.LtE)
    return isinstance(compared.ops[0], orders) and facts.value(other) != Number("float")
