"""What functions of the project give back without a graph, whatever they are given."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.arguments import values_given
from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.libraries import torch_table
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import function_run
from torchfix_codemods.facts.paths.wrapping import computes_nothing
from torchfix_codemods.facts.programs.cut_off import reads_detached
from torchfix_codemods.facts.programs.training import trains
from torchfix_codemods.facts.values.lattice import Array, Number, Text

#: Through so many names a value is followed.
_MOST_FOLLOWED = 4


def is_given_without_graph(binding: Binding, source: ast.AST, facts: Facts) -> bool:
    """``action`` of ``action, scores = act(x)``, which returns ``scores.data.max(1)[1], scores``.

    So it is with ``action = act(x)``, where that is all that is returned.

    Args:
        binding: what a name gets.
        source: what makes the volatile value, of which nothing is cut yet.
        facts: the facts of its file.
    """
    if not isinstance(binding.value, ast.Call) or binding.value is source:
        return False
    if not binding.path:
        return gives_cut(binding.value, facts)
    place = binding.path[0] if len(binding.path) == 1 else None
    if not isinstance(place, int) or place < 0:
        return False
    found = _returned(binding.value, facts)
    if found is None:
        return False
    home, given = found
    # As many as there are names for: another number could not be taken apart.
    count = _count_of_names(binding.node)
    parts = [
        one.elts[place]
        for one in given
        if isinstance(one, ast.Tuple) and len(one.elts) == count and not _is_open(one)
    ]
    is_clear = all(isinstance(one, ast.Tuple) and not _is_open(one) for one in given)
    return is_clear and bool(parts) and all(_is_cut(part, home) for part in parts)


def gives_cut(node: ast.expr, facts: Facts) -> bool:
    """Whether a function of the project that does not train gives back what it has cut.

    Args:
        node: a call of it, or a name that holds what it gives.
        facts: the facts of the file.
    """
    if isinstance(node, ast.Name):
        bindings = facts.flow.reaching(node)
        calls = [one.value for one in bindings if one.kind == "assign" and not one.path]
        return len(calls) == len(bindings) > 0 and all(
            isinstance(call, ast.Call) and gives_cut(call, facts) for call in calls
        )
    found = _returned(node, facts) if isinstance(node, ast.Call) else None
    if found is None or not found[1]:
        return False
    home, given = found
    is_cut = all(one is not None and _is_cut(one, home) for one in given)
    # What trains is told of, whatever it gives back.
    return is_cut and not trains([node], facts)


def _returned(call: ast.Call, facts: Facts) -> tuple[Facts, list[ast.expr | None]] | None:
    """What the function of the project that a call runs returns, with the facts of its file."""
    found = function_run(call.func, facts)
    if found is None or found[0].classes.is_wrapped(found[1]):
        return None
    home, function = found
    exits = home.inference.exits.get(function, ())
    is_plain = all(isinstance(node, ast.Return) for node in exits)
    return (home, [node.value for node in exits]) if is_plain else None


def _count_of_names(node: ast.AST) -> int | None:
    target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
    is_plain = isinstance(target, (ast.Tuple, ast.List)) and not _is_open(target)
    return len(target.elts) if is_plain and isinstance(target, (ast.Tuple, ast.List)) else None


def _is_open(several: ast.Tuple | ast.List) -> bool:
    return any(isinstance(one, ast.Starred) for one in several.elts)


def _is_cut(part: ast.expr, facts: Facts, depth: int = 0) -> bool:
    if reads_detached(part):
        return True
    held = _without_methods(part, facts)
    if isinstance(held, ast.Name) and depth < _MOST_FOLLOWED:
        bindings = facts.flow.reaching(held)
        if bindings and all(
            one.kind == "assign" and one.value is not None and _is_cut(one.value, facts, depth + 1)
            for one in bindings
        ):
            return True
    # A volatile tensor that has no graph yet makes all volatile that is calculated with it.
    return isinstance(facts.value(part), (Array, Number, Text))


def _without_methods(part: ast.expr, facts: Facts) -> ast.expr:
    """``rows`` of ``rows.cpu().view(n, 2)``: nothing but numbers is given to these methods."""
    while (
        isinstance(part, ast.Call)
        and isinstance(part.func, ast.Attribute)
        and (torch_table.is_method(part.func.attr) or computes_nothing(part.func.attr))
        and all(isinstance(facts.value(given), Number) for given in values_given(part))
    ):
        part = part.func.value
    return part
