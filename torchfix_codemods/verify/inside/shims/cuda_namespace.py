"""The names of `torch.cuda` on a machine without a GPU (see `cuda`)."""

from __future__ import annotations

import contextlib
import time
import types
from collections.abc import Callable
from typing import Any

import torch

from .frames import asked_by_torch
from .patching import replace

KINDS = "Float Double Half BFloat16 Byte Char Short Int Long Bool".split()
SILENT = (
    "empty_cache init ipc_collect manual_seed manual_seed_all reset_accumulated_memory_stats "
    "reset_max_memory_allocated reset_max_memory_cached reset_peak_memory_stats seed seed_all "
    "set_device set_per_process_memory_fraction set_rng_state set_rng_state_all set_stream "
    "synchronize"
).split()
ZERO = (
    "current_device initial_seed max_memory_allocated max_memory_cached max_memory_reserved "
    "memory_allocated memory_cached memory_reserved utilization"
).split()
NAME = "CPU in the place of a GPU"

_hosts: dict[Any, Any] = {}


def install(made_on_cuda: Callable[[Any], Any]) -> None:
    """Give `torch.cuda` one device whose memory is always empty."""
    _answers()
    _types(torch.cuda, torch, "torch.cuda.", made_on_cuda)
    _types(torch.cuda.sparse, torch.sparse, "torch.cuda.sparse.", made_on_cuda)
    for name, stand_in in _stand_ins().items():
        setattr(torch.cuda, name, stand_in)
    ranges = getattr(torch.cuda, "nvtx", None)
    for name in ("mark", "range_pop", "range_push"):
        if ranges is not None:
            setattr(ranges, name, _answering(name, None))
    torch.cuda._torchfix_stand_in = True  # type: ignore[attr-defined]


def host_type(dtype: Any) -> Any:
    """The CPU's tensor type in the place of a GPU's, None for anything else."""
    if isinstance(dtype, (str, type)):
        return _hosts.get(dtype)
    return None


class Stream:
    """A queue of work: everything is done when it is asked for."""

    cuda_stream = 0
    device_index = 0

    def __init__(self, *args: Any, **kwargs: Any) -> None: ...

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *exc: object) -> None: ...

    def query(self) -> bool:
        return True

    def record_event(self, event: Any = None) -> Any:
        event = Event() if event is None else event
        event.record(self)
        return event

    def synchronize(self) -> None: ...

    def wait_event(self, event: Any) -> None: ...

    def wait_stream(self, stream: Any) -> None: ...


class Event:
    """A point in time, read from the clock of the host."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.at = 0.0

    def record(self, stream: Any = None) -> None:
        self.at = time.perf_counter()

    def elapsed_time(self, end_event: Event) -> float:
        return (end_event.at - self.at) * 1000.0

    def query(self) -> bool:
        return True

    def synchronize(self) -> None: ...

    def wait(self, stream: Any = None) -> None: ...


class Device:
    """`with torch.cuda.device(0)`, which changes nothing."""

    def __init__(self, device: Any = None) -> None:
        self.idx = 0

    def __enter__(self) -> Device:
        return self

    def __exit__(self, *exc: object) -> None: ...


def _answering(name: str, answer: Any) -> Callable[..., Any]:
    """A function of its own for each name: torch.compile's tables refuse one under two names."""

    def stand_in(*args: Any, **kwargs: Any) -> Any:
        return answer

    stand_in.__name__ = stand_in.__qualname__ = name
    stand_in.__module__ = "torch.cuda"
    return stand_in


def _answers() -> None:
    def user_hears(answer: Any) -> Callable[[Any], Callable[..., Any]]:
        def make(original: Any) -> Callable[..., Any]:
            return lambda: original() if asked_by_torch() else answer

        return make

    replace(torch.cuda, "is_available", user_hears(True))
    replace(torch.cuda, "is_initialized", user_hears(True))
    replace(torch.cuda, "device_count", user_hears(1))


def _stand_ins() -> dict[str, Any]:
    memory = 16 * 2**30
    properties = types.SimpleNamespace(
        name=NAME, major=7, minor=0, total_memory=memory, multi_processor_count=1
    )
    found = {name: _answering(name, None) for name in SILENT}
    found.update((name, _answering(name, 0)) for name in ZERO)
    for name, answer in (
        ("get_device_capability", (7, 0)),
        ("get_device_name", NAME),
        ("get_device_properties", properties),
        ("is_bf16_supported", True),
        ("mem_get_info", (memory, memory)),
        ("memory_summary", ""),
    ):
        found[name] = _answering(name, answer)
    found.update(
        Event=Event,
        Stream=Stream,
        current_stream=lambda device=None: Stream(),
        default_stream=lambda device=None: Stream(),
        device=Device,
        device_of=Device,
        get_rng_state=lambda device=None: torch.zeros(16, dtype=torch.uint8),
        get_rng_state_all=lambda: [torch.zeros(16, dtype=torch.uint8)],
        memory_stats=lambda device=None: {},
        stream=lambda stream=None: contextlib.nullcontext(stream),
    )
    return found


class _CudaType(type):
    """`torch.cuda.FloatTensor`: makes a tensor of the CPU's type, which is one of its own."""

    host: Any
    made_on_cuda: Any

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        kwargs.pop("device", None)
        return cls.made_on_cuda(cls.host(*args, **kwargs))

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, cls.host)


def _types(cuda: Any, host: Any, prefix: str, made_on_cuda: Callable[[Any], Any]) -> None:
    for kind in KINDS:
        name = kind + "Tensor"
        of_host = getattr(host, name, None)
        if of_host is None:
            continue
        members = {
            "__module__": prefix[:-1],
            "dtype": getattr(of_host, "dtype", None),
            "host": of_host,
            "is_cuda": True,
            "made_on_cuda": staticmethod(made_on_cuda),
        }
        ours = _CudaType(name, (), members)
        _hosts[prefix + name] = of_host
        _hosts[ours] = of_host
        setattr(cuda, name, ours)
