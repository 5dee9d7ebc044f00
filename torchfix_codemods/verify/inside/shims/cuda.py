"""Code full of `.cuda()` on a machine without a GPU: "cuda" is the CPU, and a move is a copy.

As on a GPU (https://docs.pytorch.org/docs/stable/notes/cuda.html and the pages of `Tensor.cuda`,
`Tensor.to`, `nn.Module.cuda`):

- `.cuda()`, `.to("cuda")`, `.type(torch.cuda.FloatTensor)` of a host tensor give a *copy* that
  autograd sees through; of a tensor that is on "cuda" already they give that tensor itself;
  `.cpu()` of a tensor on "cuda" is a copy again.
- The parameters of a module stay the same objects, the values in them move.
- Random numbers all come from the CPU's generator, so `.cuda()` and `.to(device)` draw the same
  ones; seeding the GPU's generator alone does nothing.

A tensor counts as on "cuda" as long as it shares its storage with a living tensor that was moved
or made there: a parameter of a moved module, its `.data`, its entry in a `state_dict()`, a view.
The result of an operation does not count: `.cuda()` of it copies once more, which no number shows
unless one of the two is then written to in place. `tensor.is_cuda` and `tensor.device` tell the
truth, and so do `is_available()` and `device_count()` when torch itself asks.
"""

from __future__ import annotations

import importlib
import weakref
from collections.abc import Callable
from typing import Any

import torch

from . import cuda_namespace
from .frames import asked_by_torch
from .patching import replace

FACTORIES = (
    "arange as_tensor asarray bartlett_window blackman_window empty empty_like empty_strided eye "
    "full full_like hamming_window hann_window kaiser_window linspace logspace normal ones "
    "ones_like rand rand_like randint randint_like randn randn_like randperm range scalar_tensor "
    "sparse_coo_tensor tensor tril_indices triu_indices zeros zeros_like"
).split()
NEW = ("new_empty", "new_full", "new_ones", "new_tensor", "new_zeros")

_on_cuda: weakref.WeakValueDictionary[int, torch.Tensor] = weakref.WeakValueDictionary()


def install() -> None:
    """Make "cuda" mean a copy on the CPU; where a GPU is there, leave everything alone."""
    if torch.cuda.is_available() or getattr(torch.cuda, "_torchfix_stand_in", False):
        return
    cuda_namespace.install(made_on_cuda)
    _tensors()
    _modules()
    _factories()
    _loaders()
    _files()


def is_cuda(device: Any) -> bool:
    """Whether `device` names a GPU, as a string, a `torch.device` or a number."""
    if isinstance(device, str):
        return device.startswith("cuda")
    if isinstance(device, torch.device):
        return device.type == "cuda"
    return isinstance(device, int) and not isinstance(device, bool)


def made_on_cuda(tensor: Any) -> Any:
    """The same tensor, known to be on "cuda" from now on."""
    address = _storage(tensor)
    if address:
        _on_cuda[address] = tensor
    return tensor


def known_on_cuda(tensor: Any) -> bool:
    """Whether the storage of `tensor` is one that was moved to "cuda"."""
    address = _storage(tensor)
    owner = _on_cuda.get(address) if address else None
    return owner is not None and _storage(owner) == address


def _storage(tensor: Any) -> int:
    try:
        storage = getattr(tensor, "untyped_storage", tensor.storage)()
        return int(storage.data_ptr())
    except (AttributeError, NotImplementedError, RuntimeError):
        return 0


def _arrived(source: torch.Tensor, result: torch.Tensor) -> Any:
    """`result` of moving `source` to "cuda": a copy unless it was there."""
    if result is source and not known_on_cuda(source):
        result = result.clone()
    return made_on_cuda(result)


def _left(source: torch.Tensor, result: torch.Tensor) -> Any:
    return result.clone() if result is source and known_on_cuda(source) else result


def _on_host(device: Any) -> bool:
    return not is_cuda(device) and str(device) == "cpu"


def _tensors() -> None:
    tensor = torch.Tensor

    def cuda(original: Any) -> Callable[..., Any]:
        return lambda self, *args, **kwargs: _arrived(self, self)

    def cpu(original: Any) -> Callable[..., Any]:
        return lambda self, *args, **kwargs: _left(self, original(self, *args, **kwargs))

    def to(original: Any) -> Callable[..., Any]:
        def to(self: torch.Tensor, *args: Any, **kwargs: Any) -> Any:
            target = kwargs.get("device", args[0] if args else kwargs.get("other"))
            if isinstance(target, torch.Tensor):
                result = original(self, *args, **kwargs)
                return _arrived(self, result) if known_on_cuda(target) else result
            if is_cuda(target):
                if "device" in kwargs:
                    kwargs["device"] = "cpu"
                else:
                    args = ("cpu", *args[1:])
                return _arrived(self, original(self, *args, **kwargs))
            result = original(self, *args, **kwargs)
            return _left(self, result) if _on_host(target) else result

        return to

    def type_(original: Any) -> Callable[..., Any]:
        def type_(self: torch.Tensor, dtype: Any = None, *args: Any, **kwargs: Any) -> Any:
            host = cuda_namespace.host_type(dtype)
            if host is None:
                return original(self, dtype, *args, **kwargs)
            return _arrived(self, original(self, host))

        return type_

    def type_as(original: Any) -> Callable[..., Any]:
        def type_as(self: torch.Tensor, other: torch.Tensor) -> Any:
            result = original(self, other)
            return _arrived(self, result) if known_on_cuda(other) else result

        return type_as

    def get_device(original: Any) -> Callable[..., Any]:
        return lambda self: original(self) if asked_by_torch() else 0

    replace(tensor, "cuda", cuda)
    replace(tensor, "cpu", cpu)
    replace(tensor, "to", to)
    replace(tensor, "type", type_)
    replace(tensor, "type_as", type_as)
    replace(tensor, "get_device", get_device)
    replace(tensor, "pin_memory", lambda original: lambda self, *args, **kwargs: self.clone())
    replace(tensor, "record_stream", lambda original: lambda self, stream: None)
    for name in NEW:
        replace(tensor, name, _factory)
    for name in ("_StorageBase", "TypedStorage", "UntypedStorage"):
        storage = getattr(torch.storage, name, None)
        if storage is not None:
            storage.cuda = lambda self, *args, **kwargs: self


def _modules() -> None:
    """A module moves itself with the functions above; its parameters then count as moved."""

    def move(original: Any) -> Callable[..., Any]:
        def move(self: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
            result = original(self, *args, **kwargs)
            target = kwargs.get("device", args[0] if args else None)
            if original.__name__ == "cuda" or is_cuda(target):
                for parameter in self.parameters():
                    made_on_cuda(parameter)
                for buffer in self.buffers() if hasattr(self, "buffers") else ():
                    made_on_cuda(buffer)
            return result

        return move

    def data_parallel(original: Any) -> Callable[..., Any]:
        def data_parallel(
            module: torch.nn.Module,
            inputs: Any,
            device_ids: Any = None,
            output_device: Any = None,
            dim: int = 0,
            module_kwargs: Any = None,
        ) -> Any:
            inputs = inputs if isinstance(inputs, tuple) else (inputs,)
            return module(*inputs, **(module_kwargs or {}))

        return data_parallel

    replace(torch.nn.Module, "cuda", move)
    replace(torch.nn.Module, "to", move)
    replace(torch.nn.parallel, "data_parallel", data_parallel)


def _factory(original: Any) -> Callable[..., Any]:
    copies = getattr(original, "__name__", "") in ("as_tensor", "asarray")

    def make(*args: Any, **kwargs: Any) -> Any:
        kwargs.pop("pin_memory", None)
        if not is_cuda(kwargs.get("device")):
            return original(*args, **kwargs)
        kwargs["device"] = "cpu"
        made = original(*args, **kwargs)
        return made_on_cuda(made.clone() if copies and not known_on_cuda(made) else made)

    return make


def _factories() -> None:
    for name in FACTORIES:
        replace(torch, name, _factory)

    def set_type(original: Any) -> Callable[..., Any]:
        return lambda dtype: original(cuda_namespace.host_type(dtype) or dtype)

    replace(torch, "set_default_tensor_type", set_type)
    devices = getattr(torch.utils, "_device", None)
    if devices is not None:

        def context(original: Any) -> Callable[..., Any]:
            def init(self: Any, device: Any) -> None:
                original(self, "cpu" if is_cuda(device) else device)

            return init

        replace(devices.DeviceContext, "__init__", context)


def _loaders() -> None:
    """A loader that pins copies its batches; torch does it only beside a GPU."""
    module: Any = importlib.import_module("torch.utils.data.dataloader")
    iterator = getattr(module, "_BaseDataLoaderIter", getattr(module, "_DataLoaderIter", None))
    pinning: Any = module
    name = "pin_memory_batch"
    if not hasattr(module, name):
        pinning, name = importlib.import_module("torch.utils.data._utils.pin_memory"), "pin_memory"

    def init(original: Any) -> Callable[..., Any]:
        def init(self: Any, loader: Any, *args: Any, **kwargs: Any) -> None:
            self._pins_on_cpu = bool(loader.pin_memory)
            original(self, loader, *args, **kwargs)

        return init

    def following(original: Any) -> Callable[..., Any]:
        def following(self: Any) -> Any:
            batch = original(self)
            return getattr(pinning, name)(batch) if self._pins_on_cpu else batch

        return following

    replace(iterator, "__init__", init)
    replace(iterator, "__next__", following)


def _files() -> None:
    """What was saved on a GPU, and what is asked to go there, is read onto the CPU."""

    def load(original: Any) -> Callable[..., Any]:
        def load(f: Any, map_location: Any = None, *args: Any, **kwargs: Any) -> Any:
            if map_location is None or is_cuda(map_location):
                map_location = "cpu"
            elif isinstance(map_location, dict):
                map_location = {
                    place: "cpu" if is_cuda(target) else target
                    for place, target in map_location.items()
                }
            return original(f, map_location, *args, **kwargs)

        return load

    replace(torch, "load", load)
