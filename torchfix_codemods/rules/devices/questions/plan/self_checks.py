"""What a file of modules runs to try itself: a device is of no matter to all else in it."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from torchfix_codemods.edit.insertions import line_in_function
from torchfix_codemods.facts.language.branches import asks_for_program
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.programs.first_run import top_statement
from torchfix_codemods.rules.devices.questions.gpu_types import CPU_TYPE_OF


def self_check_around(moves: Sequence[ast.Call], facts: Facts) -> ast.FunctionDef | ast.If | None:
    """Where a file that defines modules tries them, if all of some moves stand there.

    A function that is called there alone, if anywhere, or the block under
    ``if __name__ == "__main__":``.
    """
    tops = {top_statement(move, facts) for move in moves}
    place = tops.pop() if len(tops) == 1 else None
    if not isinstance(place, (ast.FunctionDef, ast.If)) or not _defines_modules(facts):
        return None
    if _names_gpu_types(facts) or not _is_self_check(place, facts):
        return None
    line = line_in_function(place, None, facts)
    return None if line is None or _imports_torch_below(line, place, facts) else place


def _imports_torch_below(line: int, place: ast.stmt, facts: Facts) -> bool:
    """Whether a place imports torch below a line of it, which could not name it then."""
    imports = (*facts.names.nodes.get(ast.Import, ()), *facts.names.nodes.get(ast.ImportFrom, ()))
    return any(
        line < getattr(node, "lineno", 0) <= (place.end_lineno or 0)
        and any((alias.asname or alias.name).partition(".")[0] == "torch" for alias in node.names)
        for node in imports
        if isinstance(node, (ast.Import, ast.ImportFrom))
    )


def _is_self_check(place: ast.FunctionDef | ast.If, facts: Facts) -> bool:
    if isinstance(place, ast.If):
        return asks_for_program(place.test) and not place.orelse
    uses = facts.names.uses_of(facts.names.module, place.name)
    is_plain = not place.decorator_list and len(facts.names.module.bindings[place.name]) == 1
    return is_plain and all(_is_under_main(use, facts) for use in uses)


def _is_under_main(node: ast.AST, facts: Facts) -> bool:
    top = top_statement(node, facts)
    return isinstance(top, ast.If) and asks_for_program(top.test)


def _defines_modules(facts: Facts) -> bool:
    classes = facts.names.nodes.get(ast.ClassDef, ())
    return any(isinstance(c, ast.ClassDef) and facts.classes.kind(c) == "module" for c in classes)


def _names_gpu_types(facts: Facts) -> bool:
    """Whether a file speaks of a type of the GPU, which may need the device in another place."""
    return any(facts.speaks_of(name.removeprefix("torch.")) for name in CPU_TYPE_OF)
