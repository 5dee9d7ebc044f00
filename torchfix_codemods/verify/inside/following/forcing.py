"""Each call of a module begins with the parameters that another run had there.

Two versions of torch differ in the last bits of nearly every sum, and training amplifies that
until nothing can be compared. So the run on the old torch keeps what each module holds when the
program calls it, and the gradients when an optimizer steps; the run on the new torch tells its
own (events ``state`` and ``grads``, which are compared) and goes on with the ones that were kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from typing import Any, Optional, Tuple

import numpy
import torch

from ..digest import digest, tensor
from ..events import Recorder

#: Bytes of different parameters that are kept at most; the run goes on freely afterwards.
LIMIT = 2 * 1024**3

Item = Tuple[str, Optional[torch.Tensor]]
Pair = Tuple[str, torch.Tensor, torch.Tensor]


def install(recorder: Recorder, kept: str | None, forced: str | None) -> None:
    """Tell what modules and gradients are, and keep them or put others in their place.

    Args:
        recorder: tells of calls and steps.
        kept: the file that they are kept in.
        forced: the file of a run that kept them.
    """
    if forced:
        Forcer(recorder, forced)
    else:
        Keeper(recorder, kept)


class Forcing:
    """What both sides share: they tell the same events in the same order.

    Args:
        recorder: tells of calls and steps.
        only: ``state`` or ``grads``, where nothing else is looked at, and nothing is told.
    """

    def __init__(self, recorder: Recorder, only: str | None = None) -> None:
        self.trace = recorder.trace
        self.recorder = recorder
        self.forced = 0
        self.steps = 0
        """How many steps of optimizers have begun."""
        self.stopped: str | None = None
        self._owner = os.getpid()
        self._is_alone = only is not None
        if only != "grads":
            recorder.before_forward.append(self._before_forward)
            self.trace.at_end.append(self._summary)
        recorder.before_step.append(self._count if only == "state" else self._before_step)

    def _summary(self) -> dict[str, Any]:
        return {"forced": self.forced, "free": self.stopped}

    def _before_forward(self, module: torch.nn.Module) -> None:
        items: list[Item] = list(module.state_dict().items())
        items = [(key, value) for key, value in items if isinstance(value, torch.Tensor)]
        if self._is_alone:
            items += self.recorder.loose_parameters()
        if items:
            name = self.recorder.root(module)
            if not self._is_alone:
                self.trace.emit("state", lambda: {"root": name, "value": digest(dict(items))})
            self._passed("state", name, items)

    def _count(self, optimizer: torch.optim.Optimizer) -> None:
        self.steps += 1

    def _before_step(self, optimizer: torch.optim.Optimizer) -> None:
        self._count(optimizer)
        name = type(optimizer).__name__
        parameters = [p for group in optimizer.param_groups for p in group["params"]]
        items = [(str(number), p.grad) for number, p in enumerate(parameters)]
        if not self._is_alone:
            self.trace.emit(
                "grads", lambda: {"root": name, "value": [_gradient(g) for _, g in items]}
            )
        self._passed("grads", name, items)

    def _passed(self, kind: str, name: str, items: list[Item]) -> None:
        if self.stopped is None and os.getpid() == self._owner and not self.trace.is_busy:
            self._handle(kind, name, items)

    def _handle(self, kind: str, name: str, items: list[Item]) -> None:
        """Keep what there is, or put in place what was kept."""


class Keeper(Forcing):
    """Keeps what there is.

    Args:
        recorder: tells of calls and steps.
        path: where to; None: nowhere, only the events are wanted.
        only: see :class:`Forcing`.
    """

    def __init__(self, recorder: Recorder, path: str | None, only: str | None = None) -> None:
        super().__init__(recorder, only)
        self._known: dict[bytes, int] = {}
        self._size = 0
        self._path = path
        if path is not None:
            for old in (path, path + ".index"):
                with contextlib.suppress(FileNotFoundError):
                    os.remove(old)

    def _handle(self, kind: str, name: str, items: list[Item]) -> None:
        if self._path is None:
            return
        kept = []
        with open(self._path, "ab") as file:
            for key, value in items:
                if value is None or value.is_sparse:
                    continue
                array = numpy.ascontiguousarray(value.detach().cpu().numpy())
                kept.append([key, str(array.dtype), list(value.shape), self._place(array, file)])
        with open(self._path + ".index", "a") as index:
            if self._size > LIMIT:
                self.stopped = f"after {self.forced} calls and steps there was no more room"
                index.write(json.dumps({"end": self.stopped}) + "\n")
                return
            told = {"kind": kind, "name": name, "step": self.steps, "items": kept}
            index.write(json.dumps(told) + "\n")
        self.forced += 1

    def _place(self, array: Any, file: Any) -> int:
        name = hashlib.sha1(array.tobytes()).digest()
        if name not in self._known:
            self._known[name] = self._size
            file.write(array.tobytes())
            self._size += array.nbytes
        return self._known[name]


class Forcer(Forcing):
    """Puts in place what another run kept.

    Args:
        recorder: tells of calls and steps.
        path: where it was kept.
        only: see :class:`Forcing`.
    """

    def __init__(self, recorder: Recorder, path: str, only: str | None = None) -> None:
        super().__init__(recorder, only)
        self._values: Any = None
        self._index: Any = None
        if os.path.exists(path):
            self._values = open(path, "rb")  # noqa: SIM115
            self._index = open(path + ".index")  # noqa: SIM115

    def _handle(self, kind: str, name: str, items: list[Item]) -> None:
        kept = self.kept(name)
        if "end" in kept:
            self.stopped = kept["end"]
            return
        kept_items: list[tuple[str, str, list[int], int]] = kept["items"]
        values = {key: (dtype, shape, place) for key, dtype, shape, place in kept_items}
        fitting = (kept["kind"], kept["name"]) == (kind, name) and all(
            value is None or key not in values or list(value.shape) == values[key][1]
            for key, value in items
        )
        if not fitting:
            self.stopped = f"{kept['kind']} of {kept['name']} became {kind} of {name}"
            return
        pairs = [
            (key, value, torch.from_numpy(self._read(*values[key])))
            for key, value in items
            if value is not None and key in values
        ]
        self._put_in_place(name, pairs)
        self.forced += 1

    def kept(self, name: str) -> dict[str, Any]:
        """What was kept of the next call or step.

        Args:
            name: of the module or optimizer.
        """
        line = self.next_line()
        return json.loads(line) if line else self.nothing()

    def next_line(self) -> str:
        """The next line of the index; empty: there is none."""
        line: str = self._index.readline() if self._index is not None else ""
        return line

    def nothing(self) -> dict[str, Any]:
        """What is said where nothing was kept."""
        return {"end": f"nothing was kept after {self.forced} calls"}

    def _put_in_place(self, name: str, pairs: list[Pair]) -> None:
        """Go on with what was kept.

        Args:
            name: of the module or optimizer.
            pairs: names, what there is, and what was kept.
        """
        for _, value, other in pairs:
            value.data.copy_(other)

    def _read(self, dtype: str, shape: list[int], place: int) -> Any:
        count = int(numpy.prod(shape))
        self._values.seek(place)
        data = self._values.read(count * numpy.dtype(dtype).itemsize)
        return numpy.frombuffer(data, dtype=dtype).reshape(shape).copy()


def _gradient(value: torch.Tensor | None) -> dict[str, Any]:
    """A gradient; one of zeros is as good as none: ``zero_grad`` came to take them away."""
    if value is None or (not value.is_sparse and not value.detach().abs().sum().item()):
        return {"k": "number", "v": None}
    return tensor(value)
