"""What shows that a number in a text of Python 2 is a whole one."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable

from torchfix_codemods.documents.quotients.no_integers import KEEPING, is_no_integer
from torchfix_codemods.documents.quotients.sizes import is_size, may_be_size
from torchfix_codemods.documents.quotients.used_whole import is_counted_with
from torchfix_codemods.facts.language.arguments import constant, is_one, whole_number
from torchfix_codemods.facts.language.foreign import imports
from torchfix_codemods.facts.language.nodes import is_multiplied_again, last_name
from torchfix_codemods.facts.libraries import torch_effects
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.behind import behind, found_behind
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.named import is_self
from torchfix_codemods.facts.paths.origins import come_from, sources
from torchfix_codemods.facts.values.array_dtypes import is_array_of_floats
from torchfix_codemods.facts.values.lattice import UNKNOWN, Number, Tensor, Unknown
from torchfix_codemods.facts.values.options import number_option
from torchfix_codemods.patterns import lazy_pattern

#: Names of what is counted.
_COUNTING = lazy_pattern(
    r"n|k|w|h|(?:.*_)?(?:n|num|count|size|length|width|height|dim|channels|hidden|batch|total|index"
    r"|idx|kernel|planes|features|layers|rows|cols|columns|steps?|epochs?)(?:_.*|s)?"
    r"|(?:n|num|len|size).*",
    re.IGNORECASE,
)

#: Names of what is measured: ``epoch_loss``, ``total_time``.
_MEASURED = lazy_pattern(
    r"(?:.*_)?(?:acc|accuracy|avg|average|cost|loss|losses|lr|mean|prob|rate|ratio|score|std|time)",
    re.IGNORECASE,
)

_CALCULATES_WHOLE = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod)

#: What libraries call their functions that read a file.
_READ = frozenset({"load", "loads", "safe_load"})

#: What cuts the fraction off by itself.
_CUTS = frozenset({"math.floor", "numpy.floor"})


def may_be_whole(left: ast.expr, right: ast.expr, node: ast.AST, facts: Facts) -> bool:
    """Whether something shows that a division was one of whole numbers: what is not known is none.

    That is what is on both sides, or that the result is an index, or ``n / k * k``. Nobody lived
    with ``1 / n``, which was 0, and ``int(a / b)`` is what it was.

    Args:
        left: what is divided.
        right: what it is divided by.
        node: the division.
        facts: the facts of the module.
    """
    parent = facts.parent(node)
    if whole_number(left) == 1 or _is_cut(node, parent, facts):
        return False
    if isinstance(parent, ast.Subscript) and parent.slice is node:
        return True
    if isinstance(node, ast.BinOp) and is_multiplied_again(node, parent):
        return not any(_is_made_fraction(side, facts) for side in (left, right))
    return _shows_whole(right, facts) and (_shows_whole(left, facts) or _is_multiple(left))


def is_cut_anyway(left: ast.expr, right: ast.expr, node: ast.AST, facts: Facts) -> bool:
    """Whether ``int(n / k)`` is what it was: none of the two is below 0."""
    is_cut = _is_cut(node, facts.parent(node), facts)
    return is_cut and _counts(left, facts) and _counts(right, facts)


def _counts(node: ast.expr, facts: Facts) -> bool:
    """Whether a number is not below 0: a length, a size, a constant, what is called so."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Mult)):
        return _counts(node.left, facts) and _counts(node.right, facts)
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int) and node.value >= 0
    if isinstance(node, ast.Call):
        method = node.func if isinstance(node.func, ast.Attribute) else None
        is_size = method is not None and method.attr == "size" and facts.is_tensor(method.value)
        return facts.names.builtin(node.func) == "len" or is_size
    return _is_named_for_count(node) or min(_numbers_of(node, facts), default=-1) >= 0


def _shows_whole(node: ast.expr, facts: Facts) -> bool:
    """Whether something shows that an expression is a whole number: a value in sight, its name."""
    value = facts.value(node)
    if isinstance(value, (Number, Tensor)):
        return value == Number("int")
    if isinstance(node, ast.UnaryOp):
        return _shows_whole(node.operand, facts)
    if isinstance(node, ast.BinOp):
        is_share = isinstance(node.op, ast.Sub) and whole_number(node.left) == 1
        is_whole = isinstance(node.op, _CALCULATES_WHOLE) and not is_share
        return is_whole and all(_shows_whole(side, facts) for side in (node.left, node.right))
    if _takes_fractions(node, facts) or _is_made_fraction(node, facts):
        return False
    if _is_of_file(node, facts):
        return _is_named_for_count(node)
    found = found_behind([Place(facts, node)], _before_number)
    if found is not None:
        return may_be_size(found) or found.facts.value(found.node) == Number("int")
    return _is_named_for_count(node)


def is_certainly_whole(side: ast.expr, facts: Facts) -> bool:
    """Whether all that a side comes from is in sight, and are whole numbers: ``h, w = x.shape``.

    Args:
        side: what is divided, or what it is divided by.
        facts: the facts of the module.
    """
    return come_from([Place(facts, side)], _before_certain)


def _before_certain(place: Place) -> Iterable[Place] | None:
    facts, node = place.facts, place.node
    if not place.content:
        value = facts.value(node)
        if isinstance(value, (Number, Tensor)):
            return () if value == Number("int") else None
        if isinstance(node, ast.UnaryOp):
            return [Place(facts, node.operand)]
        if isinstance(node, ast.BinOp):
            is_whole = isinstance(node.op, _CALCULATES_WHOLE)
            return [Place(facts, node.left), Place(facts, node.right)] if is_whole else None
        if _is_sum_of_comparison(node, facts) or is_counted_with(node, facts):
            return ()
        if isinstance(node, ast.Name) and (added := _added_up(node, facts)):
            return added
    if is_size(place):
        return None if _stores_shape(facts) else ()
    return sources(place)


def is_declared_whole(side: ast.expr, facts: Facts) -> bool:
    """Whether a side is a whole number by the lines that declare it: ``args.width``, an option.

    Also where ``self.width`` keeps it, and whatever object it is read from, which may come from a
    file that an earlier run wrote.

    Args:
        side: what is divided, or what it is divided by.
        facts: the facts of the module.
    """
    return come_from([Place(facts, side)], _before_declared)


def _before_declared(place: Place) -> Iterable[Place] | None:
    facts, node = place.facts, place.node
    if place.content or isinstance(value := facts.value(node), Number):
        return () if not place.content and value == Number("int") else None
    if isinstance(node, ast.Attribute) and not is_self(facts, node.value):
        is_known = not isinstance(facts.value(node.value), Unknown)
        option = UNKNOWN if is_known else number_option(facts.inference, node.attr)
        return () if option == Number("int") else None
    return behind(place) or None if isinstance(node, ast.Attribute) else sources(place)


def _added_up(node: ast.Name, facts: Facts) -> list[Place]:
    """What a sum began as, and all that is added to it: ``hits += np.sum(x == y)``.

    Nothing where another operation changes it, or some of it is out of sight.
    """
    found, pending = list[Place](), [*facts.flow.reaching(node)]
    if not any(isinstance(binding.node, ast.AugAssign) for binding in pending):
        return []
    seen = {*pending}
    for binding in pending:
        statement = binding.node
        written = binding.written() if binding.kind == "assign" else None
        if isinstance(statement, ast.AugAssign):
            written = statement.value if isinstance(statement.op, _CALCULATES_WHOLE) else None
            before = {*facts.flow.reaching_before(statement, node.id)} - seen
            seen |= before
            pending += before
        if written is None:
            return []
        found.append(Place(facts, written))
    return found


def _stores_shape(facts: Facts) -> bool:
    """Whether a class of the file keeps what it likes under the name of a size."""
    return any(not isinstance(use.ctx, ast.Load) for use in facts.names.attributes("shape"))


def divides_without_rest(left: ast.expr, right: ast.expr, facts: Facts) -> bool:
    """Whether both sides are whole numbers of the project whose quotient is one, each with each.

    Args:
        left: what is divided.
        right: what it is divided by.
        facts: the facts of the module.
    """
    dividends, divisors = _numbers_of(left, facts), _numbers_of(right, facts)
    pairs = [(n, by) for n in dividends for by in divisors]
    return bool(pairs) and all(by and n % by == 0 for n, by in pairs)


def _numbers_of(side: ast.expr, facts: Facts) -> set[int]:
    """The whole numbers that an expression is wherever it comes from; none where it may be more."""
    found = set[int]()

    def before(place: Place) -> Iterable[Place] | None:
        number = None if place.content else whole_number(place.node)
        if number is None:
            # What is stored under a key stands for the part of a dict that is out of sight.
            return behind(place) or (() if place.content else None)
        found.add(number)
        return ()

    return set() if found_behind([Place(facts, side)], before) is not None else found


def is_number_found(node: ast.expr, facts: Facts) -> bool:
    """Whether a number is how many a comparison finds: ``(labels > 0).sum()``.

    What mxnet compares are floats, and so is their sum.

    Args:
        node: what is divided, or what it is divided by.
        facts: the facts of the module.
    """
    return _is_always(node, facts, lambda value: _is_sum_of_comparison(value, facts))


def is_always_one(node: ast.expr, facts: Facts) -> bool:
    """Whether a number is 1 wherever it comes from in sight: nothing is rounded by ``n / 1``.

    Args:
        node: what a number is divided by.
        facts: the facts of the module.
    """
    return found_behind([Place(facts, node)], _before_one) is None


def _before_one(place: Place) -> Iterable[Place] | None:
    node = place.node
    if isinstance(node, ast.Name):
        bindings = place.facts.flow.reaching(node)
        is_given = any(isinstance(binding.node, ast.arg) for binding in bindings)
        # Of a parameter that has another value in places it is not known which one callers leave.
        if any(isinstance(b.node, ast.AugAssign) for b in bindings) or (is_given and bindings[1:]):
            return None
    return () if not place.content and is_one(node) else behind(place) or None


def _is_always(node: ast.expr, facts: Facts, is_meant: Callable[[ast.expr], bool]) -> bool:
    """Whether an expression, or all that a name is bound to where it is read, is what is meant."""
    if not isinstance(node, ast.Name):
        return is_meant(node)
    if not isinstance(node.ctx, ast.Load):
        return False
    bindings = facts.flow.reaching(node)
    return bool(bindings) and all(
        isinstance(b.node, ast.Assign)
        and node.id in {target.id for target in b.node.targets if isinstance(target, ast.Name)}
        and is_meant(b.node.value)
        for b in bindings
    )


def _is_sum_of_comparison(node: ast.expr, facts: Facts) -> bool:
    if not isinstance(node, ast.Call) or node.keywords or imports(facts.names, "mxnet"):
        return False
    if facts.name(node.func) == "numpy.sum":
        of = node.args[0] if len(node.args) == 1 else None
    else:
        method = node.func if isinstance(node.func, ast.Attribute) else None
        of = method.value if method is not None and method.attr == "sum" and not node.args else None
    return isinstance(of, ast.Compare)


def _is_cut(node: ast.AST, parent: ast.AST | None, facts: Facts) -> bool:
    if not isinstance(parent, ast.Call) or parent.args != [node] or parent.keywords:
        return False
    return facts.names.builtin(parent.func) == "int" or facts.name(parent.func) in _CUTS


def _is_multiple(node: ast.expr) -> bool:
    """``n * 100``, but not ``2 * 100``, a whole number."""
    factors = (node.left, node.right) if isinstance(node, ast.BinOp) else ()
    is_product = isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult)
    return is_product and sum(whole_number(factor) is not None for factor in factors) == 1


def _before_number(place: Place) -> Iterable[Place] | None:
    # A quotient of 0 is 0 in either Python; what stands there otherwise may be anything.
    if not place.content and whole_number(place.node) == 0:
        return ()
    if may_be_size(place) or isinstance(place.facts.value(place.node), Number):
        return None
    if isinstance(place.node, ast.Name):
        bindings = place.facts.flow.reaching(place.node)
        # What 0 began as says nothing of what was added; callers may be in any file.
        if any(b.kind == "parameter" or isinstance(b.node, ast.AugAssign) for b in bindings):
            return ()
    if isinstance(place.node, ast.Attribute) and _is_added_to(place.node.attr, place.facts):
        return ()
    return behind(place)


def _takes_fractions(node: ast.expr, facts: Facts) -> bool:
    """Whether a name is a sum to which floats are added, somewhere: ``total += x.sum()``."""
    bindings = facts.flow.reaching(node) if isinstance(node, ast.Name) else ()
    added = [b.node.value for b in bindings if isinstance(b.node, ast.AugAssign)]
    return found_behind([Place(facts, each) for each in added], _before_fraction) is not None


def _before_fraction(place: Place) -> Iterable[Place] | None:
    """Where a number comes from; None of what is certainly a float."""
    facts, node = place.facts, place.node
    if place.content:
        return behind(place)
    if isinstance(value := facts.value(node), Number):
        return None if value == Number("float") else ()
    if is_no_integer(node, facts) or _is_of_floats(node, facts):
        return None
    if isinstance(node, ast.BinOp) and isinstance(node.op, KEEPING):
        return [Place(facts, node.left), Place(facts, node.right)]
    return behind(place)


def _is_made_fraction(node: ast.expr, facts: Facts) -> bool:
    """Whether a float is among what a number comes from in sight, as ``float(hits)``."""
    return found_behind([Place(facts, node)], _before_fraction) is not None


def _is_of_file(node: ast.expr, facts: Facts) -> bool:
    """Whether an item is of what a file is read into: ``json.load(file)["200"]``.

    What the project stores under the same key elsewhere may be another thing.
    """
    holder = node
    while isinstance(holder, ast.Subscript):
        holder = holder.value
    return holder is not node and found_behind([Place(facts, holder)], _before_file) is not None


def _before_file(place: Place) -> Iterable[Place] | None:
    called = place.facts.name(place.node.func) if isinstance(place.node, ast.Call) else None
    is_read = called is not None and called.rpartition(".")[2] in _READ
    return None if is_read else behind(place)


def _is_of_floats(node: ast.expr, facts: Facts) -> bool:
    """Whether a call gives a number of an array of floats: ``x.sum()``, but not ``x.argmax()``."""
    method = node.func if isinstance(node, ast.Call) else None
    if not isinstance(method, ast.Attribute) or facts.name(method) is not None:
        return False
    is_handed_on = torch_effects.hands_on_graph(f"torch.Tensor.{method.attr}")
    return is_handed_on and is_array_of_floats(facts.inference, method.value)


def _is_added_to(name: str, facts: Facts) -> bool:
    """Whether ``self.sum += loss`` stands somewhere, which may be of anything."""
    uses = facts.names.attributes(name)
    return any(isinstance(facts.parent(use), ast.AugAssign) for use in uses)


def _is_named_for_count(node: ast.expr) -> bool:
    """``size``, ``x.size`` and ``x["size"]``."""
    name = constant(node.slice) if isinstance(node, ast.Subscript) else last_name(node)
    if not isinstance(name, str) or _MEASURED.fullmatch(name) is not None:
        return False
    return _COUNTING.fullmatch(name) is not None
