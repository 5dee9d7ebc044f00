"""`np.array([[1, 2], [3]])`: numpy makes objects of unequal lists since 1.24 if it is told to."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import partial

from torchfix_codemods.edit import cst
from torchfix_codemods.edit.arguments import keyword_argument, with_argument_added
from torchfix_codemods.facts.language.arguments import is_opaque
from torchfix_codemods.facts.language.nodes import last_name, walk
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.behind import behind
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.origins import come_from
from torchfix_codemods.facts.values.lattice import Array, Number, Text
from torchfix_codemods.finding import Numerics
from torchfix_codemods.rule import Found, Rule

_MAKERS = frozenset({"array", "asarray", "asanyarray"})

_CHOICE = (
    "since NumPy 1.24 choice() makes no array of options of unequal lengths: "
    "options[randint(len(options))] draws the same"
)


class RaggedArray(Rule):
    """
    ## What it does
    Adds `dtype=object` to arrays that numpy makes of lists of unequal lengths: of lists that are
    written down so, and of those whose elements the same file pads as lists. Of options that are
    written down so, `(None, (0.1, None))`, one is taken without an array:
    `options[np.random.randint(len(options))]` for `np.random.choice(options)`.

    ## Why
    NumPy made an array of lists then, warned from 1.19 on, and raises since 1.24: "setting an array
    element with a sequence. The requested array has an inhomogeneous shape". `np.random.choice`
    makes an array of what it is given, too.

    ## Example
    ```python
    sentences = np.asarray(sentences)[order]
    batch = np.array([s + [PAD] * (longest - len(s)) for s in sentences])
    ```
    becomes
    ```python
    sentences = np.asarray(sentences, dtype=object)[order]
    batch = np.array([s + [PAD] * (longest - len(s)) for s in sentences])
    ```
    Of lists with equal lengths the first array would have rows that are arrays, and `+` would not
    make them longer.

    ## Numbers
    Restored: the old call fails; the new one makes the array of lists that it made, or draws the
    same number for the same option.

    ## When it stays its hand
    Where a dtype is given, where nothing in the file shows that the lists are unequal, and where
    what is padded may come from elsewhere than from such arrays. Where a choice is told the size,
    or is made from what no name is given to.

    ## References
    - https://numpy.org/doc/stable/release/1.24.0-notes.html
    - https://numpy.org/neps/nep-0034-infer-dtype-is-object.html
    """

    code = "TP429"
    name = "ragged-array"
    since = "0.1"
    numerics = Numerics.RESTORED
    words = _MAKERS | {"choice"}
    beside = frozenset({"numpy"})
    message = "since NumPy 1.24 lists of unequal lengths make an array with dtype=object only"

    def find_Call(self, call: ast.Call, facts: Facts) -> Iterator[Found]:
        if _chooses(call, facts):
            yield self.found(call, _CHOICE, chooses=True)
            return
        if not _makes_array(call, facts) or facts.names.scope_of(call).lookup("object"):
            return
        made_of_padded = partial(_made_of_padded, facts)
        is_padded = call in facts.remembered("padded as lists", made_of_padded)
        if is_padded or _is_ragged(call.args[0]):
            yield self.found(call, chooses=False)

    def leave_Call(self, original: cst.Call, updated: cst.Call) -> cst.BaseExpression:
        if self.data["chooses"]:
            options = updated.args[0].value
            assert isinstance(updated.func, cst.Attribute)
            count = cst.Call(cst.Name("len"), [cst.Arg(options)])
            drawn = cst.Call(updated.func.with_changes(attr=cst.Name("randint")), [cst.Arg(count)])
            return cst.Subscript(options, [cst.SubscriptElement(cst.Index(drawn))])
        return with_argument_added(updated, keyword_argument("dtype", cst.Name("object")))


def _chooses(call: ast.Call, facts: Facts) -> bool:
    """Whether ``np.random.choice(options)`` is given options of unequal lengths by a name."""
    if (
        facts.name(call.func) != "numpy.random.choice"
        or not isinstance(call.func, ast.Attribute)
        or is_opaque(call)
        or len(call.args) != 1
        or call.keywords
        or facts.names.scope_of(call).lookup("len")
    ):
        return False
    options = call.args[0]
    named = options
    while isinstance(named, ast.Attribute):
        named = named.value
    return isinstance(named, ast.Name) and come_from([Place(facts, options)], _before_options)


def _before_options(place: Place) -> Iterable[Place] | None:
    if isinstance(place.node, (ast.List, ast.Tuple)) and not place.content:
        return () if _is_mixed(place.node) else None
    return behind(place, by_name=False) or None


def _is_mixed(node: ast.List | ast.Tuple) -> bool:
    """``(None, (0.1, None))``: sequences beside what is none, or of another length."""
    is_row = [isinstance(each, (ast.List, ast.Tuple)) for each in node.elts]
    is_known = all(
        known or isinstance(each, ast.Constant)
        for known, each in zip(is_row, node.elts, strict=True)
    )
    return is_known and any(is_row) and (not all(is_row) or _is_ragged(node))


def _makes_array(call: ast.Call, facts: Facts) -> bool:
    """``np.asarray(x)``, of which numpy finds out the dtype."""
    module, _, function = (facts.name(call.func) or "").rpartition(".")
    if module != "numpy" or function not in _MAKERS or is_opaque(call) or len(call.args) != 1:
        return False
    return not call.keywords and not isinstance(facts.value(call.args[0]), Array)


def _is_ragged(node: ast.expr) -> bool:
    """``[[1, 2], [3]]``: lists in a list, which are not all of the same length."""
    rows = node.elts if isinstance(node, (ast.List, ast.Tuple)) else []
    lengths = set()
    for row in rows:
        if not isinstance(row, (ast.List, ast.Tuple)):
            return False
        if any(isinstance(each, ast.Starred) for each in row.elts):
            return False
        lengths.add(len(row.elts))
    return len(lengths) > 1


def _made_of_padded(facts: Facts) -> frozenset[ast.AST]:
    """The arrays of a file of which an element is a list: it is padded as one."""
    made: set[ast.AST] = set()
    for node in facts.names.nodes.get(ast.BinOp, ()):
        padded = _padded(node) if isinstance(node, ast.BinOp) else None
        if padded is not None:
            made.update(_arrays_behind(Place(facts, padded)))
    return frozenset(made)


def _padded(sum_of: ast.BinOp) -> ast.expr | None:
    """``x`` of ``x + [0] * (n - len(x))``, whichever comes first; None of another operation."""
    for kept, added in ((sum_of.left, sum_of.right), (sum_of.right, sum_of.left)):
        if isinstance(sum_of.op, ast.Add) and _is_list_up_to(added, kept):
            return kept
    return None


def _is_list_up_to(added: ast.expr, kept: ast.expr) -> bool:
    """Whether something is a list of as many elements as another one lacks."""
    if isinstance(added, ast.BinOp) and isinstance(added.op, ast.Mult):
        is_list = isinstance(added.left, ast.List) or isinstance(added.right, ast.List)
    else:
        is_list = isinstance(added, ast.ListComp)
    return is_list and any(
        isinstance(node, ast.BinOp)
        and isinstance(node.op, ast.Sub)
        and isinstance(node.right, ast.Call)
        and last_name(node.right.func) == "len"
        and [*map(ast.unparse, node.right.args)] == [ast.unparse(kept)]
        for node in walk(added)
    )


def _arrays_behind(padded: Place) -> list[ast.Call]:
    """The calls of numpy that made what something is an element of; none where it may not be."""
    arrays: list[ast.Call] = []

    def before_array(place: Place) -> Iterable[Place] | None:
        node, facts = place.node, place.facts
        if isinstance(node, ast.Call) and _makes_array(node, facts):
            arrays.append(node)
            return () if place.content else None
        if isinstance(node, ast.Subscript) and not isinstance(
            facts.value(node.slice), (Number, Text)
        ):
            # Some elements, in whichever order, are in an array again.
            return [Place(facts, node.value, place.content)]
        if isinstance(node, ast.Call) and (not place.content or facts.name(node.func) is not None):
            # list(x) is a list of any x, and what a library gives another array.
            return None
        return behind(place, by_name=False) or None

    return arrays if come_from([padded], before_array) else []
