"""What a program gives to functions, kept so that they can be called without it."""

from __future__ import annotations

import ast
import builtins
import functools
import inspect
import os
import sys
import types
import weakref
from typing import Any, Callable, Dict, Sequence

import torch

from ..shadow import decorate
from ..trace import Trace
from . import packed
from .performing import Call

#: So many calls of a function are kept.
CALLS = 3

#: Tensors and arrays of one call hold so many numbers at most.
_MOST_NUMBERS = 1 << 22

MARK, MAKING = "__torchfix_kept__", "__torchfix_making__"

#: By path within the tree: ``functions`` (qualified names) and ``classes``.
Asked = Dict[str, Dict[str, Sequence[str]]]


def install(trace: Trace, asked: Asked, file: str) -> Callable[[ast.Module, str], None]:
    """Be ready for the functions whose inputs are kept; they are written when the program ends.

    Args:
        trace: the record.
        asked: the functions, and the classes whose objects are made again for that.
        file: where to.

    Returns:
        what marks them in a module, given the module and its path within the tree.
    """
    keeper = _Keeper(trace, asked, file)
    setattr(builtins, MARK, keeper.of_function)
    setattr(builtins, MAKING, keeper.of_class)

    def mark(tree: ast.Module, path: str) -> None:
        found = asked.get(path, {})
        names = [name for name in found.get("functions", ()) if not name.endswith(".__init__")]
        decorate(tree, path, names, MARK)
        decorate(tree, path, [f"{name}.__init__" for name in found.get("classes", ())], MAKING)

    if asked:
        trace.at_end.append(keeper.write)
    return mark


class _Keeper:
    def __init__(self, trace: Trace, asked: Asked, file: str) -> None:
        self._trace, self._file = trace, file
        self._owner = os.getpid()
        self._asked = {f"{p}:{n}" for p, found in asked.items() for n in found["functions"]}
        self._calls: list[Call] = []
        self._counts: dict[str, int] = {}
        #: By address: the object, and how it was made; or why that is not known.
        self._made: dict[int, tuple[Any, packed.Packed | str]] = {}

    def of_class(self, path: str, name: str) -> Callable[[Any], Any]:
        """A decorator of ``__init__``, which takes down what it is given."""

        def decorated(init: Any) -> Any:
            @functools.wraps(init)
            def make(this: Any, *args: Any, **kwargs: Any) -> None:
                # The class of the object comes first, those that it inherits from later.
                if self._known(this) is None:
                    making = self._making(this, args, kwargs)
                    self._made[id(this)] = (_reference(this), making)
                    self._keep_making(f"{path}:{name}", making)
                init(this, *args, **kwargs)

            return make

        return decorated

    def _known(self, this: Any) -> packed.Packed | str | None:
        reference, making = self._made.get(id(this), (None, ""))
        return making if reference is not None and reference() is this else None

    def _making(self, this: Any, args: Any, kwargs: Any) -> packed.Packed | str:
        cls = type(this)
        path = self._trace.users_path_of(
            getattr(sys.modules.get(cls.__module__), "__file__", None) or ""
        )
        if path is None or "<locals>" in cls.__qualname__:
            return f"a {cls.__name__}, which no file has at its margin"
        try:
            with self._trace.quiet():
                return {
                    "k": "object",
                    "path": path,
                    "name": cls.__qualname__,
                    "args": [self._packed(item) for item in args],
                    "kwargs": {key: self._packed(item) for key, item in kwargs.items()},
                }
        except packed.CannotPackError as error:
            return f"a {cls.__name__} that is made of {error}"

    def _keep_making(self, key: str, making: packed.Packed | str) -> None:
        """That an object was made is a call of its own, where ``__init__`` is asked for."""
        if key not in self._asked or self._counts.get(key, 0) >= CALLS:
            return
        if isinstance(making, str):
            self._trace.note({"searched": key, "why": f"it makes {making}"})
            return
        path, _, name = key.partition(":")
        construct = {**making, "state": None, "training": True}
        call = {"path": path, "name": name, "construct": construct, "args": [], "kwargs": {}}
        self._calls.append(call)
        self._counts[key] = self._counts.get(key, 0) + 1

    def of_function(self, path: str, name: str) -> Callable[[Any], Any]:
        """A decorator of a function, which keeps what it is called with."""
        key = f"{path}:{name}"

        def decorated(function: Any) -> Any:
            if not isinstance(function, types.FunctionType):
                return function

            @functools.wraps(function)
            def call(*args: Any, **kwargs: Any) -> Any:
                if self._counts.get(key, 0) < CALLS and not self._trace.is_busy:
                    if os.getpid() == self._owner:
                        with self._trace.quiet():
                            self._keep(path, name, function, args, kwargs)
                return function(*args, **kwargs)

            return call

        return decorated

    def _keep(self, path: str, name: str, function: Any, args: Any, kwargs: Any) -> None:
        construct, given = None, args
        try:
            if "." in name and next(iter(inspect.signature(function).parameters), "") == "self":
                construct, given = self._packed(args[0]), args[1:]
            call = {
                "path": path,
                "name": name,
                "construct": construct,
                "args": [self._packed(item) for item in given],
                "kwargs": {key: self._packed(item) for key, item in kwargs.items()},
                "backward": True,
            }
            if _numbers(call) > _MOST_NUMBERS:
                raise packed.CannotPackError(f"more than {_MOST_NUMBERS} numbers")
        except packed.CannotPackError as error:
            self._trace.note({"searched": f"{path}:{name}", "why": f"it is given {error}"})
            return
        self._counts[f"{path}:{name}"] = self._counts.get(f"{path}:{name}", 0) + 1
        self._calls.append(call)

    def _packed(self, value: Any) -> packed.Packed:
        return packed.pack(value, self._object)

    def _object(self, value: Any) -> packed.Packed | None:
        """How an object of the user's is made, with what its parameters are by now."""
        is_module = isinstance(value, torch.nn.Module)
        making = self._known(value)
        if isinstance(making, str):
            raise packed.CannotPackError(making)
        if making is None and is_module and type(value).__init__ is torch.nn.Module.__init__:
            found = self._making(value, (), {})
            making = None if isinstance(found, str) else found
        if making is None and is_module:
            making = _of_torch(value)
        if making is None:
            return None
        if not is_module:
            return {**making, "state": None, "training": True}
        state = packed.pack(dict(value.state_dict()), lambda _: None)
        return {**making, "state": state, "training": value.training}

    def write(self) -> dict[str, Any]:
        """Write what was kept, and tell how much."""
        if os.getpid() == self._owner:
            torch.save({"calls": self._calls}, self._file)
        return {"kept": self._counts}


def _of_torch(layer: torch.nn.Module) -> packed.Packed | None:
    """A layer of torch as what it prints, which is how it is made; None: it is not."""
    if not type(layer).__module__.startswith("torch.nn.") or next(layer.children(), None):
        return None
    text = f"torch.nn.{layer!r}"
    try:
        made = eval(text, {"torch": torch})
        made.load_state_dict(layer.state_dict())
    except Exception:
        return None
    # How losses are reduced is not printed.
    plain = {name: v for name, v in vars(layer).items() if isinstance(v, (bool, int, float, str))}
    return {"k": "torch", "v": text, "attributes": plain}


def _reference(value: Any) -> Any:
    try:
        return weakref.ref(value)
    except TypeError:
        return lambda: value


def _numbers(value: Any) -> int:
    if isinstance(value, torch.Tensor):
        return value.numel()
    if isinstance(value, dict):
        return sum(map(_numbers, value.values()))
    if isinstance(value, (list, tuple)):
        return sum(map(_numbers, value))
    return 0
