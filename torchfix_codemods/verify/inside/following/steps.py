"""A run that follows another one, step by step, on the same version of torch.

Training amplifies the last bits of a sum that is rounded otherwise until nothing agrees. So each
call of a module begins with what the other run had there, also what optimizers change beside
modules. What the parameters were off each time is added up: it must not be more than rounding comes
to, because what is a little wrong at each step adds up, too.

Gradients are left alone, but for those numbers that are nothing but what rounding left of zero in
both runs (of a bias before a batch normalisation, say): of these, Adam makes steps as long as of
any. What the others are off is added up as well, as steps may hide it: Adam's are of one length.
"""

from __future__ import annotations

import json
from typing import Any

import torch

from ..events import Recorder
from .forcing import Forcer, Keeper, Pair

#: By how many units in the last place parameters may be off at each step, and gradients, which are
#: what is left of larger terms.
_UNITS, _UNITS_OF_GRADIENTS = 2, 20

#: What the file of the gradients is called, beside that of the parameters.
_GRADIENTS = "-gradients"


def install(recorder: Recorder, kept: str | None, followed: str | None) -> None:
    """Keep what modules are, or put it in their place, and tell no events of it.

    Args:
        recorder: tells of calls and steps.
        kept: the file that they are kept in.
        followed: the file of a run that kept them.
    """
    if followed:
        _Follower(recorder, followed)
        _NoiseFollower(recorder, followed + _GRADIENTS)
    elif kept:
        Keeper(recorder, kept, "state")
        Keeper(recorder, kept + _GRADIENTS, "grads")


class _Follower(Forcer):
    """Adds up what the parameters were off, each time that they were put right.

    Args:
        recorder: tells of calls.
        path: where they were kept.
    """

    def __init__(self, recorder: Recorder, path: str) -> None:
        super().__init__(recorder, path, "state")
        self._off = _Off(_UNITS)
        self._step = 0
        self._of_step: dict[str, list[str]] = {}
        self._ahead: tuple[float, str, str] = (0, "", "")

    def kept(self, name: str) -> dict[str, Any]:
        """What was kept of a call between the same steps: there may be more or fewer calls there,
        as batches can be given in parts.

        Args:
            name: of the module.
        """
        if self._step != self.steps:
            self._step, self._of_step = self.steps, {}
        step, of, line = self._ahead
        while step <= self.steps:
            if line and step == self.steps:
                self._of_step.setdefault(of, []).append(line)
            step, of, line = self._ahead = self._read_ahead()
        lines = self._of_step.get(name)
        if not lines:
            # A line without a name says why there is no more.
            return dict(json.loads(line)) if line and not of else self.nothing()
        found: dict[str, Any] = json.loads(lines.pop(0) if len(lines) > 1 else lines[0])
        return found

    def _read_ahead(self) -> tuple[float, str, str]:
        """The next line, by its step and name."""
        line = self.next_line()
        told = json.loads(line) if line else {}
        return told.get("step", float("inf")), told.get("name", ""), line

    def _put_in_place(self, name: str, pairs: list[Pair]) -> None:
        for key, value, kept in pairs:
            if value.is_floating_point():
                own, other = value.detach().cpu().double(), kept.double()
                unit = torch.finfo(value.dtype).eps
                self._off.add(f"{name}.{key}", own - other, float(other.norm()), unit)
        super()._put_in_place(name, pairs)

    def _summary(self) -> dict[str, Any]:
        return {
            **super()._summary(),
            "most_off": self._off.most,
            "off_in_all": self._off.in_all(),
        }


class _NoiseFollower(Forcer):
    """Goes on with the gradients of the other run where both are what rounding left of zero.

    Args:
        recorder: tells of steps.
        path: where they were kept.
    """

    def __init__(self, recorder: Recorder, path: str) -> None:
        super().__init__(recorder, path, "grads")
        self._off = _Off(_UNITS_OF_GRADIENTS)
        self.trace.at_end.append(self._gradients)

    def _gradients(self) -> dict[str, Any]:
        return {"gradients_off": self._off.in_all(), "gradients_free": self.stopped}

    def _put_in_place(self, name: str, pairs: list[Pair]) -> None:
        largest = max((float(other.double().norm()) for _, _, other in pairs), default=0.0)
        for key, value, kept in pairs:
            if value.is_sparse or not value.is_floating_point():
                continue
            own, other = value.detach(), kept.to(value)
            unit = torch.finfo(own.dtype).eps
            off = own.cpu().double() - kept.double()
            self._off.add(f"{name}.{key} {list(own.shape)}", off, largest, unit)
            little = unit * _UNITS * largest
            is_noise = (own.abs() <= little) & (other.abs() <= little)
            value.data[is_noise] = other[is_noise]


class _Off:
    """What tensors were off each time, and in all.

    Args:
        units: by how many units in the last place each step may be off.
    """

    def __init__(self, units: int) -> None:
        self.most = 0.0
        self._units = units
        self._sums: dict[str, torch.Tensor] = {}
        self._sizes: dict[str, float] = {}
        self._rounding: dict[str, float] = {}

    def add(self, name: str, off: torch.Tensor, size: float, unit: float) -> None:
        """Take note of what a tensor was off once.

        Args:
            name: of the tensor.
            off: what was to be taken from it.
            size: what that is relative to.
            unit: the last place of a number of about 1.
        """
        self._sums[name] = self._sums.get(name, 0) + off
        # A parameter that passes through zero is no less exact there.
        self._sizes[name] = size = max(size, self._sizes.get(name, 0.0))
        apart = _ratio(float(off.norm()), size)
        self.most = max(self.most, apart)
        if apart:
            # The same is rounded the same way at each step: what that comes to grows like an error.
            self._rounding[name] = self._rounding.get(name, 0.0) + unit * self._units

    def in_all(self) -> float:
        """How much of the size of a tensor it was off in sum, if more than rounding comes to."""
        totals = {
            name: _ratio(float(s.norm()), self._sizes[name]) for name, s in self._sums.items()
        }
        beyond = [t for name, t in totals.items() if t > self._rounding.get(name, 0.0)]
        return max(beyond, default=0.0)


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else float(part > 0)
