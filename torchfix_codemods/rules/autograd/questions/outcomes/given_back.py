"""What functions of the project give back without a graph, whatever they are given."""

from __future__ import annotations

import ast

from torchfix_codemods.facts.language.scopes import Binding
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.paths.named import function_run
from torchfix_codemods.facts.programs.cut_off import reads_detached
from torchfix_codemods.facts.values.lattice import Array, Number, Text

#: Through so many names a value is followed.
_MOST_FOLLOWED = 4


def is_given_without_graph(binding: Binding, source: ast.AST, facts: Facts) -> bool:
    """``action`` of ``action, scores = act(x)``, which returns ``scores.data.max(1)[1], scores``.

    Args:
        binding: what a name gets.
        source: what makes the volatile value, of which nothing is cut yet.
        facts: the facts of its file.
    """
    place = binding.path[0] if len(binding.path) == 1 else None
    if not isinstance(place, int) or place < 0 or not isinstance(binding.value, ast.Call):
        return False
    if binding.value is source:
        return False
    found = function_run(binding.value.func, facts)
    if found is None or found[0].classes.is_wrapped(found[1]):
        return False
    home, function = found
    given = [node.value for node in home.inference.exits.get(function, ())]
    # As many as there are names for: another number could not be taken apart.
    count = _count_of_names(binding.node)
    parts = [
        one.elts[place]
        for one in given
        if isinstance(one, ast.Tuple) and len(one.elts) == count and not _is_open(one)
    ]
    is_clear = all(isinstance(one, ast.Tuple) and not _is_open(one) for one in given)
    return is_clear and bool(parts) and all(_is_cut(part, home) for part in parts)


def _count_of_names(node: ast.AST) -> int | None:
    target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
    is_plain = isinstance(target, (ast.Tuple, ast.List)) and not _is_open(target)
    return len(target.elts) if is_plain and isinstance(target, (ast.Tuple, ast.List)) else None


def _is_open(several: ast.Tuple | ast.List) -> bool:
    return any(isinstance(one, ast.Starred) for one in several.elts)


def _is_cut(part: ast.expr, facts: Facts, depth: int = 0) -> bool:
    if reads_detached(part):
        return True
    if isinstance(part, ast.Name) and depth < _MOST_FOLLOWED:
        bindings = facts.flow.reaching(part)
        if bindings and all(
            one.kind == "assign"
            and one.value is not None
            and not one.path
            and _is_cut(one.value, facts, depth + 1)
            for one in bindings
        ):
            return True
    # A volatile tensor that has no graph yet makes all volatile that is calculated with it.
    return isinstance(facts.value(part), (Array, Number, Text))
