"""Calls functions and modules with what a file says, and tells what became of it.

Each call is told of as a test is: what happened in it, and at its end whether it failed. So one
that fails before the rewrite is not compared, and one that fails only after it is the rewrite's
doing.
"""

from __future__ import annotations

import builtins
import functools
import itertools
from typing import Any, Dict, Sequence

import torch

from ..digest import digest
from ..events import Recorder
from ..gradients import gradients, tensors_of
from ..trace import Stop, Trace, rng_crc
from ..world.seeds import seed_all
from . import packed
from .loading import Loader

#: A call: ``path``, ``name`` (``Net.forward``, or that of a function), ``construct`` (how the
#: object is made, for methods), ``args``, ``kwargs``, ``backward`` (whether it is asked for
#: gradients).
Call = Dict[str, Any]

#: So many values are taken of a generator.
_MOST_YIELDED = 100

_SEED = 0


def run(files: Sequence[str], recorder: Recorder) -> None:
    """Make all calls of some files.

    Args:
        files: what :func:`torch.save` wrote.
        recorder: tells of what happens.
    """
    performer = Performer(recorder.trace)
    for call in [call for file in files for call in read(file)["calls"]]:
        recorder.forget()
        _told(performer, call, recorder.trace)


def read(file: str) -> dict[str, Any]:
    """The calls in a file.

    Args:
        file: what :func:`torch.save` wrote.
    """
    try:
        found: dict[str, Any] = torch.load(file, weights_only=True)
    except TypeError:
        found = torch.load(file)
    return found


def label(call: Call) -> str:
    """A call in a few words."""
    given = [packed.shown(item) for item in call["args"]]
    given += [f"{name}={packed.shown(item)}" for name, item in call["kwargs"].items()]
    return f"{call['path']}:{call['name']}({', '.join(given)})"


def _told(performer: Performer, call: Call, trace: Trace) -> None:
    name, reason = label(call), ""
    try:
        answer = performer.answer(call)
        trace.emit("called", lambda: {"root": name, **answer})
    except Stop:
        raise
    except (Exception, SystemExit) as error:
        reason = said(error)
    value = "failed" if reason else "passed"
    trace.emit("test", lambda: {"test": name, "value": value, "reason": reason})


def said(error: BaseException) -> str:
    """An error in one line."""
    text = str(error).strip().splitlines()[:1]
    return f"{type(error).__name__}: {''.join(text)[:200]}"


class Performer:
    """Makes calls.

    Args:
        trace: the record, which knows where files are.
    """

    def __init__(self, trace: Trace) -> None:
        _take_no_numbers_for_files()
        self._trace = trace
        self._loader = Loader(trace)

    def space(self, path: str) -> dict[str, Any]:
        """The names of a file."""
        found: dict[str, Any] = vars(self._loader.module(path))
        return found

    def unpacked(self, value: packed.Packed, path: str) -> Any:
        """A value for a function of a file."""
        return packed.unpack(value, self.space(path), self.made)

    def arguments(self, call: Call) -> tuple[list[Any], dict[str, Any]]:
        """What a call is given, or the class of an object that is to be made."""
        path = call["path"]
        args = [self.unpacked(item, path) for item in call["args"]]
        return args, {key: self.unpacked(item, path) for key, item in call["kwargs"].items()}

    def made(self, value: packed.Packed) -> Any:
        """An object of a class of the user's or of torch, with the state that it is to have."""
        if value["k"] == "torch":
            made = eval(value["v"], {"torch": torch})
            vars(made).update(value["attributes"])
        else:
            args, kwargs = self.arguments(value)
            seed_all(_SEED)
            made = found(self.space(value["path"]), value["name"])(*args, **kwargs)
        if value.get("state") is not None:
            _load(made, value["state"])
        if isinstance(made, torch.nn.Module):
            made.train(value.get("training", True))
        return made

    def function(self, call: Call) -> tuple[Any, Any]:
        """What is called, and the object that it is a method of; None: of none."""
        space = self.space(call["path"])
        if call.get("construct") is None:
            return found(space, call["name"]), None
        owner = self.made(call["construct"])
        name = call["name"].rpartition(".")[2]
        if name == "__init__":
            return (lambda: owner), owner
        if name == "forward" and isinstance(owner, torch.nn.Module):
            return owner, owner
        return getattr(owner, name), owner

    def answer(self, call: Call) -> dict[str, Any]:
        """What a call gives: value, arguments as it leaves them, random numbers, gradients.

        Raises:
            Exception: whatever the call raises.
        """
        function, owner = self.function(call)
        args, kwargs = self.arguments(call)
        seed_all(_SEED)
        output = drawn(function(*args, **kwargs) if callable(function) else function)
        with self._trace.quiet():
            state = owner if owner is not None and output is not owner else None
            described = {
                "gives": digest(output),
                "arguments": digest([args, kwargs]),
                "object": digest(state),
                "random": digest(rng_crc()),
            }
            value = {"k": "dict", "n": 4, "i": [[key, each] for key, each in described.items()]}
            leaves = [*tensors_of((args, kwargs)), *tensors_of(owner)]
            grads = gradients(output, leaves) if call.get("backward", True) else None
        return {"value": value, "grads": grads}


def found(space: dict[str, Any], name: str) -> Any:
    """What a dotted name of a file stands for.

    Raises:
        NameError: the file does not come to it by itself.
    """
    first, *rest = name.split(".")
    if first not in space:
        raise NameError(f"{first} is not defined without running the file")
    value = space[first]
    for each in rest:
        value = getattr(value, each)
    return value


def drawn(output: Any) -> Any:
    """What a function gives; of a generator, the values."""
    if hasattr(output, "__next__"):
        return list(itertools.islice(output, _MOST_YIELDED))
    return output


def _load(made: Any, state: packed.Packed) -> None:
    """Give a module the parameters that it had, by name, or in order where names changed."""
    values = {key: item["v"] for key, item in state["i"]}
    own = made.state_dict()
    if own.keys() != values.keys():
        shapes = [tuple(item.shape) for item in own.values()]
        if shapes != [tuple(item.shape) for item in values.values()]:
            raise ValueError("its parameters are not those that were saved")
        values = dict(zip(own, values.values()))
    made.load_state_dict(values)


def _take_no_numbers_for_files() -> None:
    """Let ``open(3)`` fail: it would be a file of ours, closed afterwards."""
    original = builtins.open

    @functools.wraps(original)
    def of_names(file: Any, *args: Any, **kwargs: Any) -> Any:
        if isinstance(file, int):
            raise OSError(f"{file} is no name of a file")
        return original(file, *args, **kwargs)

    setattr(builtins, "open", of_names)  # noqa: B010
