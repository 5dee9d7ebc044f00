"""Whether a statement of a script may start the workers of a loader, or writes files."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from torchfix_codemods.facts.evaluation import classes_elsewhere
from torchfix_codemods.facts.language.arguments import argument, constant, values_given
from torchfix_codemods.facts.language.foreign import is_foreign
from torchfix_codemods.facts.language.nodes import own_nodes
from torchfix_codemods.facts.module import Facts
from torchfix_codemods.facts.values.lattice import Loader, LoaderIterator, Unknown

_LIBRARIES = ("torch.", "torchvision.", "numpy.")

#: What of Python goes through what it is given, or runs code that is not to be seen.
_ITERATING = frozenset(
    """next iter list tuple set frozenset dict sorted sum max min all any exec eval compile execfile
    __import__""".split()
)
#: What runs a function that it is given, or a script.
_RUNNING = ("subprocess.", "runpy.", "multiprocessing.", "torch.multiprocessing.", "threading.")

#: What opens a file to write it, or changes what is on the disk: run again by each worker, it
#: empties what the script wrote.
_WRITING = """
    logging.FileHandler logging.handlers. os.remove os.rename os.replace os.rmdir os.unlink shutil.
    torch.save numpy.save pickle.dump json.dump tensorboardX. torch.utils.tensorboard. wandb.
    tensorboard_logger.""".split()
_MAKING = ("os.makedirs", "os.mkdir")

_DEEPEST = 3


def may_start_workers(statement: ast.stmt, facts: Facts) -> bool:
    """Whether it is not certain that a statement goes through no loader."""
    return _may_loop([statement, *own_nodes(ast.Module([statement], []))], facts, 0)


def writes_files(statement: ast.stmt, facts: Facts) -> bool:
    """Whether a statement opens files to write them, or makes or removes what is on the disk."""
    return _writes([statement, *own_nodes(ast.Module([statement], []))], facts, 0)


def _writes(nodes: Iterable[ast.AST], facts: Facts, depth: int) -> bool:
    for node in nodes:
        if not isinstance(node, ast.Call):
            continue
        name = facts.name(node.func) or ""
        if name.startswith(tuple(_WRITING)) or _opens_to_write(node, facts):
            return True
        if name in _MAKING and not _is_made_if_missing(node, facts):
            return True
        if name == "logging.basicConfig" and argument(node, None, "filename") is not None:
            return True
        run = _function_run(node.func, facts) if depth < _DEEPEST else None
        if run is not None and _writes(run, facts, depth + 1):
            return True
    return False


def _opens_to_write(call: ast.Call, facts: Facts) -> bool:
    if facts.names.builtin(call.func) != "open" and facts.name(call.func) != "io.open":
        return False
    mode = constant(argument(call, 1, "mode"))
    return isinstance(mode, str) and not {*mode}.isdisjoint("wax+")


def _is_made_if_missing(call: ast.Call, facts: Facts) -> bool:
    """``os.makedirs(path, exist_ok=True)``, ``if not os.path.exists(path):``, ``try:``."""
    is_asked = any(isinstance(each, (ast.If, ast.Try)) for each in facts.names.ancestors(call))
    return is_asked or constant(argument(call, 2, "exist_ok")) is True


def _may_loop(nodes: Iterable[ast.AST], facts: Facts, depth: int) -> bool:
    for node in nodes:
        if isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
            if isinstance(facts.value(node.iter), (Loader, LoaderIterator)):
                return True
            if not isinstance(node.iter, ast.Call) and isinstance(facts.value(node.iter), Unknown):
                return True
        if isinstance(node, ast.Call) and not _is_plain(node, facts, depth):
            return True
    return False


def _is_plain(call: ast.Call, facts: Facts, depth: int) -> bool:
    """Whether a call certainly goes through no loader: of a library, or of code that does not."""
    builtin, name = facts.names.builtin(call.func), facts.name(call.func) or ""
    given = [facts.value(value) for value in values_given(call)]
    if any(isinstance(value, (Loader, LoaderIterator)) for value in given):
        return builtin == "len"
    if builtin is not None:
        return builtin not in _ITERATING or not any(isinstance(v, Unknown) for v in given)
    if name.startswith(_LIBRARIES) or is_foreign(name):
        return not name.startswith(_RUNNING)
    if _is_method_of_library(call.func, facts):
        return True
    run = _function_run(call.func, facts)
    return run is not None and depth < _DEEPEST and not _may_loop(run, facts, depth + 1)


def _is_method_of_library(function: ast.expr, facts: Facts) -> bool:
    """``parser.parse_args``, ``net.cuda``: a method that no class of the project has."""
    if not isinstance(function, ast.Attribute):
        return False
    if isinstance(function.value, ast.Call) and facts.names.builtin(function.value.func) == "super":
        return function.attr == "__init__"
    is_known = not isinstance(facts.value(function.value), Unknown)
    return is_known and classes_elsewhere.function_here(facts.inference, function) is None


def _function_run(function: ast.expr, facts: Facts) -> Iterable[ast.AST] | None:
    """The code of this file that a call runs."""
    definition = facts.classes.definition_of(function)
    if definition is not None:
        constructor = facts.classes.method(definition, "__init__")
        return () if constructor is None else own_nodes(constructor)
    found = classes_elsewhere.function_here(facts.inference, function)
    return None if found is None else own_nodes(found)
