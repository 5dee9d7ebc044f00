"""Whether the main process draws from numpy's generator while its workers come and go."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from torchfix_codemods.facts.language.nodes import LOOPS
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.inference import Inference
from torchfix_codemods.rules.data.questions.numpy_draws import touches_generator


def may_others_draw(loader: ast.Call, drawing: Collection[ast.AST], facts: Facts) -> bool:
    """Whether numpy's generator may be drawn from, or set, by others than the workers.

    What runs before the loader is made does not matter, nor do files that no file shows.

    Args:
        loader: the call that makes the loader.
        drawing: the functions that draw for its data set.
        facts: the facts of the module.
    """
    here = facts.inference
    if any(_touching(here, loader, drawing)):
        return True
    if facts.files is None:
        return False
    others = facts.files.mentioning("random")
    files = None if others is None else [file.inference for file in others]
    if files is None or None in files:
        return True
    known = [there for there in files if there is not None]
    return any(any(_touching(there, None, drawing)) for there in known) or any(
        any(_handed_out(there, drawing, facts)) for there in (here, *known)
    )


def _touching(
    inference: Inference, loader: ast.Call | None, drawing: Collection[ast.AST]
) -> Iterator[ast.AST]:
    """The places of a file that may touch the generator in the main process."""
    names = inference.names
    for kind in (ast.Name, ast.Attribute):
        for node in names.nodes.get(kind, ()):
            if not touches_generator(names.name(node) or ""):
                continue
            around = {*names.ancestors(node)}
            if around.isdisjoint(drawing) and not _runs_before(inference, node, loader):
                yield node
    for function in _own_functions(inference, drawing):
        for use in names.uses_of(names.module, function.name):
            if {*names.ancestors(use)}.isdisjoint(drawing):
                yield use


def _own_functions(inference: Inference, drawing: Collection[ast.AST]) -> Iterator[ast.FunctionDef]:
    """The functions of a file that no class holds: others may call them, too."""
    for function in drawing:
        holder = inference.names.parents.get(function)
        if isinstance(holder, ast.Module) and isinstance(function, ast.FunctionDef):
            yield function


def _handed_out(
    inference: Inference, drawing: Collection[ast.AST], facts: Facts
) -> Iterator[ast.FunctionDef]:
    """The functions of a file that another one speaks of."""
    assert facts.files is not None
    for function in _own_functions(inference, drawing):
        is_spoken_of = inference is not facts.inference and facts.speaks_of(function.name)
        others = facts.files.mentioning(function.name)
        if is_spoken_of or others is None or any(o.inference is not inference for o in others):
            yield function


def _runs_before(inference: Inference, node: ast.AST, loader: ast.Call | None) -> bool:
    """Whether a place is run before a loader is made, and never again."""
    if loader is None or getattr(node, "lineno", 0) > loader.lineno:
        return False
    names = inference.names
    function = names.enclosing_function(loader)
    return names.enclosing_function(node) is function and not any(
        isinstance(parent, LOOPS) for parent in names.ancestors(node)
    )
