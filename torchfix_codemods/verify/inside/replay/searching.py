"""Looks for inputs that functions and modules take, and by which their changed lines run."""

from __future__ import annotations

import contextlib
import inspect
import io
import itertools
import time
from typing import Any, Iterator, Sequence

import torch

from .. import coverage
from ..trace import Stop, Trace
from . import guesses, packed
from .loading import TooLongError, limited
from .performing import Call, Performer, drawn, found, said

#: So many calls of a function are kept, and so many are tried, in so many seconds.
CALLS, _TRIES, _SECONDS = 3, 250, 10.0

#: One call may take so many seconds.
_CALL_SECONDS = 3.0

#: What takes too long so many times, always does.
_ENDLESS = 2

_LAYERS = 4


def run(asked: list[dict[str, Any]], file: str, trace: Trace) -> None:
    """Look for inputs, write the calls to a file, and tell of what cannot be called.

    Args:
        asked: the functions: ``path``, ``name``, ``parameters`` (what is known of each, by name),
            ``keys`` (of the statements that are to run), ``class`` (the same of the class that it
            is a method of: ``name``, ``parameters``, ``examples``) and ``examples`` (arguments that
            the file calls it with).
        file: where to.
        trace: the record.
    """
    calls: list[Call] = []
    performer = Performer(trace)
    with trace.quiet():
        for function in asked:
            search = _Search(performer, function)
            try:
                search.look()
            except (Exception, SystemExit, TooLongError) as error:
                search.why = said(error)
            calls += search.calls
            trace.note(
                {
                    "searched": f"{function['path']}:{function['name']}",
                    "calls": len(search.calls),
                    "keys": sorted(search.covered),
                    "why": search.why,
                }
            )
            torch.save({"calls": calls}, file)


class _Search:
    def __init__(self, performer: Performer, asked: dict[str, Any]) -> None:
        self._performer, self._asked = performer, asked
        self._path: str = asked["path"]
        self._end = time.monotonic() + _SECONDS
        self._endless = 0
        self.calls: list[Call] = []
        self.covered: set[str] = set()
        self.why = ""

    def look(self) -> None:
        """Find calls by which all statements run, as far as there are any."""
        asked, space = self._asked, self._performer.space(self._path)
        owner, construct = None, None
        if asked.get("class") is not None:
            cls = found(space, asked["class"]["name"])
            name = asked["name"].rpartition(".")[2]
            if name == "__new__" or not isinstance(cls, type):
                raise TypeError(f"{asked['class']['name']} is no class that can be made")
            is_bound = not isinstance(
                inspect.getattr_static(cls, name), (staticmethod, classmethod)
            )
            if is_bound:
                construct = self._constructed(cls, asked["class"])
                if construct is None:
                    return
                owner = self._performer.made(construct)
            function = owner if name == "forward" else getattr(owner or cls, name, None)
            if name == "__init__":
                self._try({**self._call((), {}), "construct": construct})
                function = owner if isinstance(owner, torch.nn.Module) else None
                if function is None or self._is_done():
                    return
                asked = {**asked, "name": f"{asked['class']['name']}.forward"}
                asked["parameters"] = asked["class"].get("forward", {})
        else:
            function = found(space, asked["name"])
        self._asked = asked
        base = {**self._call((), {}), "construct": construct}
        for args, kwargs in self._inputs(function, asked, owner):
            is_hopeless = self._endless >= _ENDLESS and not self.calls
            if self._is_done() or is_hopeless or time.monotonic() > self._end:
                break
            if self._is_of_another_kind(args):
                continue
            self._try({**base, "args": list(args), "kwargs": kwargs})
        self._in_evaluation(owner)

    def _is_done(self) -> bool:
        wanted = set(self._asked["keys"])
        enough = len(self.calls) >= CALLS or (bool(self.calls) and not self._asked["parameters"])
        return enough and wanted <= self.covered

    def _is_of_another_kind(self, args: Sequence[packed.Packed]) -> bool:
        """Whether a function that all of is seen of was called with tensors, and is to be called
        with something else now: what it takes by chance is not what it is for.
        """
        if not self.calls or not set(self._asked["keys"]) <= self.covered:
            return False
        return [item["k"] for item in self.calls[0]["args"]] != [item["k"] for item in args]

    def _call(self, args: Any, kwargs: dict[str, Any]) -> Call:
        return {
            "path": self._path,
            "name": self._asked["name"],
            "construct": None,
            "args": list(args),
            "kwargs": kwargs,
            "backward": True,
        }

    def _constructed(self, cls: type, asked: dict[str, Any]) -> packed.Packed | None:
        """How an object of a class is made; None: nothing was found that it takes."""
        tries = self._inputs(cls, {**asked, "name": asked["name"]}, None)
        for args, kwargs in itertools.islice(tries, _TRIES):
            made = {
                "k": "object",
                "path": self._path,
                "name": asked["name"],
                "args": list(args),
                "kwargs": kwargs,
                "state": None,
                "training": True,
            }
            try:
                with limited(_CALL_SECONDS), _silent():
                    self._performer.made(made)
                return made
            except Stop:
                raise
            except (Exception, SystemExit, TooLongError) as error:
                self._note(error, f"{asked['name']} cannot be made: ")
            if time.monotonic() > self._end:
                break
        return None

    def _try(self, call: Call) -> None:
        """Keep a call where it ends well, and other statements run than in those before."""
        ran: set[str] = set()
        coverage.LISTENERS[:] = [ran.add]
        try:
            with limited(_CALL_SECONDS), _silent():
                function, _ = self._performer.function(call)
                args, kwargs = self._performer.arguments(call)
                drawn(function(*args, **kwargs) if callable(function) else function)
        except Stop:
            raise
        except (Exception, SystemExit, TooLongError) as error:
            self._note(error)
            return
        finally:
            coverage.LISTENERS[:] = []
        new = ran & set(self._asked["keys"]) - self.covered
        if new or (len(self.calls) < CALLS and ran & set(self._asked["keys"])):
            self.covered |= ran
            self.calls.append(self._with_gradients(call))

    def _with_gradients(self, call: Call) -> Call:
        """The same call, with inputs that gradients are asked for where it takes them."""
        with_grad = {**call, "args": [_requiring(item) for item in call["args"]]}
        for each in (with_grad, call):
            try:
                with limited(_CALL_SECONDS), _silent():
                    self._performer.answer(each)
                return each
            except Stop:
                raise
            except (Exception, SystemExit, TooLongError):
                continue
        return {**call, "backward": False}

    def _in_evaluation(self, owner: Any) -> None:
        """A module is also asked what it gives in evaluation."""
        if isinstance(owner, torch.nn.Module) and self.calls:
            first = self.calls[-1]
            made = {**first["construct"], "training": False}
            self.calls.append({**first, "construct": made})

    def _note(self, error: BaseException, head: str = "") -> None:
        self._endless += isinstance(error, TooLongError)
        if not self.why or isinstance(error, TooLongError):
            self.why = head + said(error)

    def _evaluated(self, text: str) -> packed.Packed:
        """What an expression of the file gives, as data where that can be: after the rewrites its
        names may be gone.

        Raises:
            Exception: whatever the expression raises.
        """
        expression = {"k": "expression", "v": text}
        with limited(_CALL_SECONDS), _silent():
            value = self._performer.unpacked(expression, self._path)
        try:
            return packed.pack(value, lambda _: None)
        except packed.CannotPackError:
            return expression

    def _inputs(
        self, function: Any, asked: dict[str, Any], owner: Any
    ) -> Iterator[tuple[tuple[packed.Packed, ...], dict[str, packed.Packed]]]:
        """Arguments to try: those of calls in the file, and those that parameters are known for."""
        for example in asked.get("examples", ()):
            with contextlib.suppress(Exception):
                args = [self._evaluated(text) for text in example["args"]]
                kwargs = {key: self._evaluated(text) for key, text in example["kwargs"].items()}
                yield tuple(args), kwargs
        names = _required(function)
        shapes = [shape for layer in _layers(owner) for shape in guesses.shapes_of_layer(layer)]
        known = asked.get("parameters", {})
        lists = [guesses.guesses(known.get(name, {}), shapes) for name in names]
        space = self._performer.space(self._path)
        for name, values in zip(names, lists):
            if name in space and not known.get(name, {}).get("kinds"):
                values.insert(0, {"k": "expression", "v": name})
        for chosen in itertools.islice(guesses.combinations(lists), _TRIES):
            yield chosen, {}


def _requiring(item: packed.Packed) -> packed.Packed:
    if item["k"] == "tensor" and item["v"].is_floating_point():
        return {**item, "g": True}
    return item


def _required(function: Any) -> list[str]:
    """The parameters that have to be given, in order."""
    target = function.forward if isinstance(function, torch.nn.Module) else function
    try:
        parameters = inspect.signature(target).parameters.values()
    except (TypeError, ValueError):
        return []
    places = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return [p.name for p in parameters if p.kind in places and p.default is inspect.Parameter.empty]


def _layers(owner: Any) -> list[torch.nn.Module]:
    """The first layers of torch in a module: one of them takes what it is given."""
    if not isinstance(owner, torch.nn.Module):
        return []
    inner = [m for m in owner.modules() if guesses.shapes_of_layer(m)]
    return inner[:_LAYERS]


@contextlib.contextmanager
def _silent() -> Iterator[None]:
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        yield
