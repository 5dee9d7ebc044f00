"""Tables that pandas made, and what is asked of them."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.language.arguments import (
    argument,
    constant,
    is_opaque,
    whole_number,
)
from torchfix_codemods.facts.language.nodes import last_name
from torchfix_codemods.facts.libraries.torch_names import last_part
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.graph import Place
from torchfix_codemods.facts.paths.named import function_named
from torchfix_codemods.facts.paths.origins import come_from, given_by_all, sources
from torchfix_codemods.facts.values.lattice import Foreign, Number
from torchfix_codemods.text.wording import worded

FRAME = "pandas.DataFrame"
_DATA_SETS = ("torch.utils.data.Dataset", "torch.utils.data.dataset.Dataset")
#: What gives labels of rows.
_GIVES_LABELS = ("idxmin", "idxmax")
_READ = "pandas.read_csv"
#: What pandas makes one row of each group by.
_REDUCES_GROUPS = frozenset({"sum", "mean", "count", "size", "first", "last"})
#: What a file speaks of that gives a table other labels, or numbers for the names of columns.
_LABELLED = ("index_col", "inplace", ".index")
_NAMED = ("header", "names")


def asked_of_frame(facts: Facts, node: ast.Attribute) -> str | None:
    """The name of ``frame.ix`` in pandas: None where it is not certain that pandas made it."""
    is_made = come_from([Place(facts, node.value)], _before_frame)
    return f"{FRAME}.{node.attr}" if is_made else None


def _before_frame(place: Place) -> Iterable[Place] | None:
    """What pandas made, or what it is a part of, or what a function of the project gives."""
    facts, node = place.facts, place.node
    value = facts.value(node)
    if isinstance(value, Foreign) and value.name is not None:
        return () if value.name.partition(".")[0] == "pandas" else None
    if place.content:
        return sources(place)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        is_own = function_named(node.func, facts) is not None or facts.name(node.func) is not None
        return sources(place) if is_own else [Place(facts, node.func.value)]
    if isinstance(node, (ast.Attribute, ast.Subscript)):
        return [Place(facts, node.value)]
    bindings = facts.flow.reaching(node) if isinstance(node, ast.Name) else ()
    if len(bindings) == 1 and bindings[0].kind == "parameter":
        return given_by_all(facts, bindings[0].node)
    return sources(place)


def instead_of(facts: Facts, node: ast.Attribute) -> str | None:
    """What to write for ``frame.ix[row, column]`` and ``frame.as_matrix(columns)``; None where the
    code does not decide it."""
    if node.attr == "as_matrix":
        return _of_columns(facts, node)
    way = _way_of_taking(facts, node)
    if way is not None:
        return f"write .{way} instead"
    taken = facts.parent(node)
    is_one = isinstance(taken, ast.Subscript) and not isinstance(
        taken.slice, (ast.Tuple, ast.Slice)
    )
    keys = _grouped_by(facts, node.value) if is_one else None
    by = "" if keys is None else worded(keys, "")
    return f"write .loc for a value of {by}, by which the rows are grouped" if by else None


def _of_columns(facts: Facts, node: ast.Attribute) -> str | None:
    """``frame[names].values`` for ``frame.as_matrix(columns=names)``, where those are no None."""
    call = facts.parent(node)
    if not isinstance(call, ast.Call) or call.func is not node or is_opaque(call):
        return None
    columns = argument(call, 0, "columns")
    if len(call.args) + len(call.keywords) != 1 or not isinstance(columns, (ast.Name, ast.List)):
        return None
    bindings = facts.flow.reaching(columns) if isinstance(columns, ast.Name) else ()
    if any(b.kind == "parameter" or constant(b.value) is None for b in bindings):
        return None
    return f"write {facts.segment(node.value)}[{facts.segment(columns)}].values"


def _grouped_by(facts: Facts, frame: ast.expr) -> ast.Constant | None:
    """The column of ``rows.groupby("fold").sum()``, whose values are the labels of its rows."""
    made = facts.assigned(frame) if isinstance(frame, ast.Name) else None
    reduced = made[0] if made is not None and len(made) == 1 else frame
    if not isinstance(reduced, ast.Call) or last_name(reduced.func) not in _REDUCES_GROUPS:
        return None
    grouped = reduced.func.value if isinstance(reduced.func, ast.Attribute) else None
    if not isinstance(grouped, ast.Call) or last_name(grouped.func) != "groupby":
        return None
    # Without an index the rows are numbered: as_index=False.
    by = grouped.args[0] if len(grouped.args) == 1 and not grouped.keywords else None
    return by if isinstance(by, ast.Constant) and isinstance(by.value, str) else None


def _way_of_taking(facts: Facts, node: ast.Attribute) -> str | None:
    """``loc`` or ``iloc``, whichever does what ``ix`` did."""
    taken = facts.parent(node)
    if not isinstance(taken, ast.Subscript) or taken.value is not node:
        return None
    keys = taken.slice.elts if isinstance(taken.slice, ast.Tuple) else [taken.slice]
    row, *columns = keys
    columns = [key for key in columns if not _is_all(key)]
    are_labels = all(_is_label(facts, key) for key in columns)
    if _is_label(facts, row) and are_labels:
        return "loc"
    if not _is_number(facts, row) or not _is_numbered(facts, node.value, columns):
        return None
    if columns and are_labels:
        return "loc"
    return "iloc" if all(map(_is_position, columns)) else None


def _is_label(facts: Facts, key: ast.expr) -> bool:
    """Whether a key names rows or columns, or asks which of them: ``"a"``, ``frame.x > 3``."""
    return come_from([Place(facts, key)], _before_label)


def _before_label(place: Place) -> Iterable[Place] | None:
    node = place.node
    if place.content:
        return sources(place)
    if isinstance(node, ast.Compare) or isinstance(constant(node), str):
        return ()
    if isinstance(node, ast.List) and node.elts:
        return () if all(isinstance(constant(each), str) for each in node.elts) else None
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr in _GIVES_LABELS and place.facts.name(node.func) is None:
            return ()
    return sources(place)


def _is_number(facts: Facts, row: ast.expr) -> bool:
    """Whether one row is asked for by its number, as a loader asks a data set."""
    if isinstance(facts.value(row), Number):
        return True
    method = facts.names.enclosing_function(row)
    if not isinstance(row, ast.Name) or getattr(method, "name", "") != "__getitem__":
        return False
    around = None if method is None else facts.parent(method)
    if not isinstance(around, ast.ClassDef):
        return False
    bindings = facts.flow.reaching(row)
    is_given = bool(bindings) and all(binding.kind == "parameter" for binding in bindings)
    # What a loader takes without having that base counts its samples as well.
    is_counted = any(getattr(each, "name", "") == "__len__" for each in around.body)
    return is_given and (is_counted or any(facts.name(b) in _DATA_SETS for b in around.bases))


def _is_all(key: ast.expr) -> bool:
    return isinstance(key, ast.Slice) and key.lower is key.upper is key.step is None


def _is_position(key: ast.expr) -> bool:
    """``0`` and ``1:`` of columns, which have names."""
    if not isinstance(key, ast.Slice):
        return whole_number(key) is not None
    ends = [end for end in (key.lower, key.upper, key.step) if end is not None]
    return all(whole_number(end) is not None for end in ends)


def _is_numbered(facts: Facts, node: ast.expr, columns: Iterable[ast.expr]) -> bool:
    """Whether the rows of a table have their places as labels: it is as it was read from a file.

    Without names in the file, columns are numbered as well, and ``1:3`` had the last one.
    """
    is_cut = any(isinstance(key, ast.Slice) and key.upper is not None for key in columns)
    other = (*_LABELLED, *_NAMED) if is_cut else _LABELLED
    is_read = facts.value(node) == Foreign(_READ) and facts.speaks_of(last_part(_READ))
    return is_read and not any(map(facts.speaks_of, other))
