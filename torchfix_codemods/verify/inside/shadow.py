"""Changed functions on the inputs that the program really gives them: both versions, side by side.

Before the program calls a changed function, the version before and the version after are each
called with copies of the arguments and the same random state. What they return, what they do to
their arguments, the gradients and the random numbers they draw go into the record. A function that
reaches for models, optimizers or tensors outside of its arguments is left out: it cannot be called
twice.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import copy
import dis
import functools
import inspect
import io
import random
import types
from typing import Any, Callable, Dict, Iterator, Sequence

import torch

from . import compiling
from .digest import digest
from .gradients import gradients, tensors_of
from .places import fill_places
from .trace import Trace, rng_crc

MARK = "__torchfix_shadow__"

#: So many calls of a function are looked at.
CALLS = 3

#: By path within the tree: ``text`` (the file afterwards) and ``functions`` (qualified names).
Shadows = Dict[str, Dict[str, Any]]

_Function = (ast.FunctionDef, ast.AsyncFunctionDef)


def install(trace: Trace, shadows: Shadows) -> Callable[[ast.Module, str], None]:
    """Be ready for the functions that are to be compared.

    Returns:
        what marks them in a module, given the module and its path within the tree.
    """
    calls: dict[str, int] = {}
    state = {"busy": False}

    def mark(path: str, qualname: str) -> Callable[[Any], Any]:
        def decorate(function: Any) -> Any:
            if not isinstance(function, types.FunctionType) or _is_lazy(function):
                return function
            after = _Later(shadows[path]["text"], qualname, function)
            key = f"{path}:{qualname}"

            @functools.wraps(function)
            def call(*args: Any, **kwargs: Any) -> Any:
                if not state["busy"] and not trace.is_busy and calls.get(key, 0) < CALLS:
                    calls[key] = calls.get(key, 0) + 1
                    state["busy"] = True
                    try:
                        with trace.quiet():
                            fields = _compared(function, after, args, kwargs)
                    finally:
                        state["busy"] = False
                    trace.note(dict(fields, call=key))
                return function(*args, **kwargs)

            return call

        return decorate

    setattr(builtins, MARK, mark)
    return lambda tree, path: decorate(tree, path, shadows.get(path, {}).get("functions", ()))


def decorate(tree: ast.Module, path: str, functions: Sequence[str], mark: str = MARK) -> None:
    """Put a decorator on functions of a module and methods of its classes, next to the ``def``.

    Args:
        tree: the module; it is changed.
        path: its path within the tree.
        functions: qualified names.
        mark: the name of a function that gives the decorator for a path and a qualified name.
    """
    for owner, prefix in _owners(tree):
        for node in owner:
            if isinstance(node, _Function) and prefix + node.name in functions:
                name = ast.Name(mark, ast.Load())
                given: list[ast.expr] = [ast.Constant(path), ast.Constant(prefix + node.name)]
                node.decorator_list.append(ast.copy_location(ast.Call(name, given, []), node))
    if functions:
        fill_places(tree)


def _owners(tree: ast.Module) -> Iterator[Any]:
    yield tree.body, ""
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            yield node.body, node.name + "."


def _is_lazy(function: Any) -> bool:
    return inspect.isgeneratorfunction(function) or inspect.iscoroutinefunction(function)


class _Later:
    """The version of a function after the rewrites, in the globals of the version before."""

    def __init__(self, text: str, qualname: str, before: types.FunctionType) -> None:
        self._text, self._qualname, self._before = text, qualname, before
        self._function: Any | None = None

    def function(self) -> Any:
        if self._function is None:
            self._function = self._made()
        return self._function

    def _made(self) -> Any:
        tree = ast.parse(self._text)
        node = next(
            node
            for owner, prefix in _owners(tree)
            for node in owner
            if isinstance(node, _Function) and prefix + node.name == self._qualname
        )
        if "super" in {name.id for name in ast.walk(node) if isinstance(name, ast.Name)}:
            raise _CannotError("it calls super()")
        node.decorator_list = [d for d in node.decorator_list if _is_grad_mode(d)]
        space = dict(self._before.__globals__)
        for each in [*(each for each in tree.body if _brings(each, space)), node]:
            module = compiling.module_of(each)
            exec(compile(module, self._before.__code__.co_filename, "exec"), space)
        return space[node.name]


def _brings(statement: ast.stmt, space: dict[str, Any]) -> bool:
    """Whether a statement brings names that the version before does not have: a device."""
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return True
    return isinstance(statement, ast.Assign) and all(
        isinstance(target, ast.Name) and target.id not in space for target in statement.targets
    )


def _is_grad_mode(decorator: ast.expr) -> bool:
    target = decorator.func if isinstance(decorator, ast.Call) else decorator
    return getattr(target, "attr", getattr(target, "id", "")) in ("no_grad", "inference_mode")


class _CannotError(Exception):
    pass


def _compared(before: Any, after: _Later, args: Any, kwargs: Any) -> dict[str, Any]:
    """What both versions do with copies of the arguments."""
    start = _random_state()
    try:
        _check_self_contained(before)
        later = after.function()
        result = {}
        for name, function in (("before", before), ("after", later)):
            with _copyable_tensors():
                given = copy.deepcopy((args, kwargs))
            _set_random_state(start)
            result[name] = _called(function, *given)
        return result
    except Exception as error:
        return {"skipped": f"{type(error).__name__}: {str(error)[:200]}"}
    finally:
        _set_random_state(start)


def _called(function: Any, args: Any, kwargs: Any) -> dict[str, Any]:
    inputs = list(tensors_of((args, kwargs)))
    given = digest([list(args), kwargs])
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            output = function(*args, **kwargs)
        except Exception as error:
            return {"error": f"{type(error).__name__}: {str(error)[:200]}"}
    arguments = digest([list(args), kwargs])
    return {
        "value": digest(output),
        "arguments": arguments,
        "writes": arguments != given,
        "rng": rng_crc(),
        "grads": gradients(output, inputs),
    }


def _check_self_contained(function: types.FunctionType) -> None:
    """Raise where a call could change what the program goes on to use."""
    held = [function.__globals__.get(name) for name in function.__code__.co_names]
    held += [cell.cell_contents for cell in function.__closure__ or ()]
    for value in held:
        values = value if isinstance(value, (list, tuple)) else [value]
        for each in values:
            if isinstance(each, (torch.nn.Module, torch.optim.Optimizer, torch.Tensor)):
                raise _CannotError(f"it uses a {type(each).__name__} from outside")
            if hasattr(each, "__next__") or isinstance(each, (dict, io.IOBase)):
                raise _CannotError(f"it uses a {type(each).__name__} from outside")
    for instruction in dis.get_instructions(function):
        if instruction.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"):
            raise _CannotError(f"it sets the global {instruction.argval}")


@contextlib.contextmanager
def _copyable_tensors() -> Iterator[None]:
    """Let ``deepcopy`` take tensors of a graph, too: as leaves with the same numbers."""
    original = torch.Tensor.__deepcopy__

    def copied(self: torch.Tensor, memo: dict[int, Any]) -> Any:
        if self.is_leaf or not self.requires_grad:
            return original(self, memo)  # type: ignore[no-untyped-call]
        if id(self) not in memo:
            memo[id(self)] = self.detach().clone().requires_grad_()
        return memo[id(self)]

    torch.Tensor.__deepcopy__ = copied  # type: ignore[method-assign]
    try:
        yield
    finally:
        torch.Tensor.__deepcopy__ = original  # type: ignore[method-assign]


def _random_state() -> Any:
    try:
        import numpy

        arrays: Any = numpy.random.get_state()
    except ImportError:
        arrays = None
    return torch.get_rng_state(), random.getstate(), arrays


def _set_random_state(state: Any) -> None:
    torch.set_rng_state(state[0])
    random.setstate(state[1])
    if state[2] is not None:
        import numpy

        numpy.random.set_state(state[2])
