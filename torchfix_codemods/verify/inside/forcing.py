"""Each call of a module begins with the parameters that another run had there.

Two versions of torch differ in the last bits of nearly every sum, and training amplifies that
until nothing can be compared. So the run on the old torch keeps what each module holds when the
program calls it, and the gradients when an optimizer steps; the run on the new torch tells its
own (events ``state`` and ``grads``, which are compared) and goes on with the ones that were kept.

On one version of torch, rewrites that only round otherwise are amplified just so. There nothing
more is told, gradients are left alone, what optimizers change beside modules counts as well, and
what the parameters were off each time is added up: it must not be more than rounding comes to,
because what is a little wrong at each step adds up, too.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from typing import Any, Optional, Tuple

import numpy
import torch

from .digest import digest, tensor
from .events import Recorder

#: Bytes of different parameters that are kept at most; the run goes on freely afterwards.
LIMIT = 2 * 1024**3

#: By how many units in the last place each step may be off.
_UNITS = 2

Item = Tuple[str, Optional[torch.Tensor]]


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


def install_alone(recorder: Recorder, kept: str | None, followed: str | None) -> None:
    """Keep what modules are, or put it in their place, and tell no events of it.

    Args:
        recorder: tells of calls.
        kept: the file that they are kept in.
        followed: the file of a run that kept them.
    """
    if followed:
        Follower(recorder, followed)
    else:
        Keeper(recorder, kept, is_alone=True)


class Forcing:
    """What both sides share: they tell the same events in the same order."""

    def __init__(self, recorder: Recorder, is_alone: bool = False) -> None:
        self.trace = recorder.trace
        self.recorder = recorder
        self.forced = 0
        self.stopped: str | None = None
        self._owner = os.getpid()
        self._is_alone = is_alone
        recorder.before_forward.append(self._before_forward)
        if not is_alone:
            recorder.before_step.append(self._before_step)
        self.trace.at_end.append(self._summary)

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

    def _before_step(self, optimizer: torch.optim.Optimizer) -> None:
        name = type(optimizer).__name__
        parameters = [p for group in optimizer.param_groups for p in group["params"]]
        items = [(str(number), p.grad) for number, p in enumerate(parameters)]
        self.trace.emit("grads", lambda: {"root": name, "value": [_gradient(g) for _, g in items]})
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
        is_alone: whether modules are kept only, and nothing is told.
    """

    def __init__(self, recorder: Recorder, path: str | None, is_alone: bool = False) -> None:
        super().__init__(recorder, is_alone)
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
            index.write(json.dumps({"kind": kind, "name": name, "items": kept}) + "\n")
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
    """

    def __init__(self, recorder: Recorder, path: str, is_alone: bool = False) -> None:
        super().__init__(recorder, is_alone)
        self._values: Any = None
        self._index: Any = None
        if os.path.exists(path):
            self._values = open(path, "rb")  # noqa: SIM115
            self._index = open(path + ".index")  # noqa: SIM115

    def _handle(self, kind: str, name: str, items: list[Item]) -> None:
        line = self._index.readline() if self._index is not None else ""
        nothing = {"end": f"nothing was kept after {self.forced} calls"}
        kept: dict[str, Any] = json.loads(line) if line else nothing
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
        for key, value in items:
            if value is not None and key in values:
                dtype, shape, place = values[key]
                other = torch.from_numpy(self._read(dtype, shape, place))
                self._replaced(f"{name}.{key}", value.detach(), other)
                value.data.copy_(other)
        self.forced += 1

    def _replaced(self, name: str, own: torch.Tensor, other: torch.Tensor) -> None:
        """Take note of what a parameter was, and what takes its place."""

    def _read(self, dtype: str, shape: list[int], place: int) -> Any:
        count = int(numpy.prod(shape))
        self._values.seek(place)
        data = self._values.read(count * numpy.dtype(dtype).itemsize)
        return numpy.frombuffer(data, dtype=dtype).reshape(shape).copy()


class Follower(Forcer):
    """Adds up what the parameters were off, each time that they were put right.

    Args:
        recorder: tells of calls.
        path: where they were kept.
    """

    def __init__(self, recorder: Recorder, path: str) -> None:
        super().__init__(recorder, path, is_alone=True)
        self._sums: dict[str, torch.Tensor] = {}
        self._sizes: dict[str, float] = {}
        self._rounding: dict[str, float] = {}
        self._most = 0.0

    def _replaced(self, name: str, own: torch.Tensor, other: torch.Tensor) -> None:
        if not own.is_floating_point():
            return
        off = own.cpu().double() - other.double()
        size = float(other.double().norm())
        self._sums[name] = self._sums.get(name, 0) + off
        # A parameter that passes through zero is no less exact there.
        self._sizes[name] = size = max(size, self._sizes.get(name, 0.0))
        apart = _ratio(float(off.norm()), size)
        self._most = max(self._most, apart)
        if apart:
            # The same is rounded the same way at each step: what that comes to grows like an error.
            unit = torch.finfo(own.dtype).eps * _UNITS
            self._rounding[name] = self._rounding.get(name, 0.0) + unit

    def _summary(self) -> dict[str, Any]:
        totals = {
            name: _ratio(float(s.norm()), self._sizes[name]) for name, s in self._sums.items()
        }
        beyond = [t for name, t in totals.items() if t > self._rounding.get(name, 0.0)]
        return {
            **super()._summary(),
            "most_off": self._most,
            "off_in_all": max(beyond, default=0.0),
        }


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else float(part > 0)


def _gradient(value: torch.Tensor | None) -> dict[str, Any]:
    """A gradient; one of zeros is as good as none: ``zero_grad`` came to take them away."""
    if value is None or (not value.is_sparse and not value.detach().abs().sum().item()):
        return {"k": "number", "v": None}
    return tensor(value)
