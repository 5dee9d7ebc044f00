"""Values that are a little off, to see whether that shows."""

from __future__ import annotations

import functools
import re
import types
from typing import Any, Callable, Iterable, Iterator

import torch

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]

_RELATIVE, _ABSOLUTE = 0.5, 0.25

#: The same where the program must not fail of it.
_GENTLY = 0.001

#: The same of numbers with few digits.
_GENTLY_HALF = 0.05

_Function = (
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    functools.partial,
)
_Iterator = (types.GeneratorType, map, zip, filter, enumerate)

#: Methods of modules that write to their parameters.
_WRITES_PARAMETERS = frozenset(
    "cuda cpu to float double half apply load_state_dict reset_parameters".split()
)


class Mover:
    """Moves values.

    Args:
        moved: is called whenever a number was moved.
        gently: whether integers stay within their range, and others nearly what they are.
    """

    def __init__(self, moved: Callable[[], None], gently: bool = False) -> None:
        self._tell = moved
        self._gently = gently
        self._hooked: set[int] = set()

    def moved(self, value: Any) -> Any:
        """A value that is a little off; itself where it holds no numbers."""
        if isinstance(value, torch.Tensor):
            return self._tensor(value)
        if isinstance(value, bytes):
            return self._text(value.decode("latin-1")).encode("latin-1")
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, (bool, int, float)):
            return self._plain(value)
        if numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic)):
            return self._array(value)
        if isinstance(value, tuple):
            return self._tuple(value)
        if type(value) is list:
            return [self.moved(item) for item in value]
        if isinstance(value, dict):
            return self._dict(value)
        if isinstance(value, torch.nn.Module):
            self._module(value)
        elif isinstance(value, torch.optim.Optimizer):
            self._rate(value)
        elif isinstance(value, torch.utils.data.DataLoader):
            value.collate_fn = self._function(value.collate_fn)
        elif isinstance(getattr(value, "optimizer", None), torch.optim.Optimizer):
            self._schedule(value)
        elif isinstance(value, _Function):
            return self._function(value)
        elif isinstance(value, _Iterator):
            return self.items(value)
        return value

    def items(self, values: Iterable[Any]) -> Iterator[Any]:
        """What a loop goes through, each a little off."""
        for value in values:
            yield self.moved(value)

    def in_place(self, value: Any) -> Any:
        """The same tensor with numbers that are a little off."""
        if isinstance(value, torch.Tensor):
            with torch.no_grad():
                value.copy_(self._tensor(value.detach().clone()))
        return value

    def gradients(self, parameters: Any) -> Any:
        """The same parameters, whose gradients are a little off."""
        if isinstance(parameters, torch.Tensor):
            parameters = [parameters]
        parameters = list(parameters)
        for parameter in parameters:
            if getattr(parameter, "grad", None) is not None:
                parameter.grad = self._tensor(parameter.grad.detach())
        return parameters

    def after(self, owner: Any, name: str) -> Callable[[], None] | None:
        """What to do after a method, so that what it did is a little off; None: nothing."""
        is_module = isinstance(owner, torch.nn.Module)
        is_optimizer = isinstance(owner, torch.optim.Optimizer)
        if name == "zero_grad" and (is_module or is_optimizer):
            return lambda: self._fill_gradients(owner)
        if is_module and name in ("train", "eval"):
            return lambda: self._turn(owner)
        if is_module and name in _WRITES_PARAMETERS:
            return lambda: self._module(owner)
        if is_optimizer and name == "step":
            return lambda: self._parameter(_parameters(owner))
        if name == "step" and isinstance(getattr(owner, "optimizer", None), torch.optim.Optimizer):
            return lambda: self._rate(owner.optimizer)
        return None

    def _plain(self, value: Any) -> Any:
        if isinstance(value, bool):
            self._tell()
            return not value
        if isinstance(value, int):
            self._tell()
            return value - 1 if self._gently and value > 0 else value + 1
        self._tell()
        return self._off(value, 1)

    def _text(self, value: str) -> str:
        digits = list(re.finditer(r"\d", value))
        if not digits:
            return value
        self._tell()
        place = digits[-1].start()
        return value[:place] + str((int(value[place]) + 1) % 10) + value[place + 1 :]

    def _tuple(self, value: Any) -> Any:
        items = [self.moved(item) for item in value]
        if hasattr(value, "_make"):
            return value._make(items)
        try:
            return type(value)(items)
        except TypeError:
            return value

    def _dict(self, value: Any) -> Any:
        result = value.copy()
        for key, item in value.items():
            result[key] = self.moved(item)
        return result

    def _function(self, function: Any) -> Any:
        @functools.wraps(function, updated=())
        def off(*args: Any, **kwargs: Any) -> Any:
            return self.moved(function(*args, **kwargs))

        return off

    def _module(self, module: torch.nn.Module) -> None:
        self._parameter(module.parameters())
        if next(module.parameters(), None) is not None or id(module) in self._hooked:
            return
        # One without parameters is seen by what it gives.
        self._hooked.add(id(module))
        module.register_forward_hook(lambda _, given, output: self.moved(output))

    def _parameter(self, parameters: Iterable[torch.Tensor]) -> None:
        for parameter in parameters:
            self._tensor(parameter)
            break

    def _rate(self, optimizer: torch.optim.Optimizer) -> None:
        for group in optimizer.param_groups:
            if "lr" in group:
                group["lr"] = self.moved(group["lr"])

    def _schedule(self, scheduler: Any) -> None:
        for name, value in list(vars(scheduler).items()):
            if isinstance(value, (float, list)):
                setattr(scheduler, name, self.moved(value))

    def _turn(self, module: torch.nn.Module) -> None:
        self._tell()
        module.train(not module.training)

    def _fill_gradients(self, owner: Any) -> None:
        for parameter in _parameters(owner):
            if parameter.requires_grad:
                self._tell()
                parameter.grad = torch.full_like(parameter, _ABSOLUTE, requires_grad=False)

    def _array(self, value: Any) -> Any:
        if value.dtype.kind not in "fciub" or not value.size:
            return value
        self._tell()
        if value.dtype.kind == "b":
            return ~value
        if value.dtype.kind in "iu":
            off = self._off_whole(value)
            return value.dtype.type(off) if value.ndim == 0 else off.astype(value.dtype)
        off = self._off(value, numpy.asarray(_factors(value.size)).reshape(value.shape))
        return value.dtype.type(off) if value.ndim == 0 else off.astype(value.dtype)

    def _tensor(self, value: Any) -> Any:
        if not value.numel():
            return value
        self._tell()
        if value.is_floating_point() or str(value.dtype).startswith("torch.complex"):
            with torch.no_grad():
                factors = torch.as_tensor(_factors(value.numel()), device=value.device)
                plain = value.detach()
                off = self._off(plain, factors.reshape(value.shape))
                offset = (off - plain).to(value.dtype)
                if value.is_leaf and value.requires_grad:
                    # Whoever collects its gradients has to find the same tensor.
                    value += offset
                    return value
            return value + offset
        if str(value.dtype) == "torch.bool":
            return ~value
        return self._off_whole(value)

    def _off_whole(self, value: Any) -> Any:
        """Whole numbers that are off; gently: within the range that they have."""
        low, high = value.min(), value.max()
        if not self._gently:
            return value + 1
        if low == high:
            return value - 1 if high > 0 else value + 1
        return high + low - value

    def _off(self, value: Any, factors: Any) -> Any:
        """Numbers that are off; gently: a little nearer to zero, and those that are zero above."""
        if self._gently:
            part = _GENTLY_HALF if "float16" in str(getattr(value, "dtype", "")) else _GENTLY
            return value * (1 - part * abs(factors)) + (value == 0) * part
        return value + factors * (abs(value) * _RELATIVE + _ABSOLUTE)


def _parameters(owner: Any) -> Iterator[Any]:
    if isinstance(owner, torch.nn.Module):
        yield from owner.parameters()
    else:
        yield from (parameter for group in owner.param_groups for parameter in group["params"])


def _factors(count: int) -> Any:
    """Numbers around +1 and -1, in turn but irregularly: what is moved the same way keeps its
    order, and what is moved by as much to both sides its sum.
    """
    indices: Any = range(1, count + 1) if numpy is None else numpy.arange(1, count + 1)
    if numpy is None:
        return [_factor(index) for index in indices]
    return _factor(indices)


def _factor(index: Any) -> Any:
    hashed = index * 40503
    return (1 - 2 * ((hashed // 65536 + index) % 2)) * (1 + hashed % 65536 / 131072)
