"""Keeps what the expressions of an instrumented program evaluate to: runs inside that program.

Python imports a module of this name by itself when it starts. Written for any Python from 3.6 and
any torch from 0.4 on, because the program decides which ones it runs on.
"""

import atexit
import builtins
import json
import os
import signal
import sys
import tempfile

#: More observations than this of one expression tell nothing new, and cost time.
MOST_OBSERVATIONS = 2000

_seen = {}
_counts = {}
_kinds = {}


def record(position, value):
    """Remember what kind of thing the expression at a position gave, and hand it on."""
    count = _counts.get(position, 0)
    if count < MOST_OBSERVATIONS:
        _counts[position] = count + 1
        observations = _seen.get(position)
        if observations is None:
            observations = _seen[position] = set()
        kind = _kinds.get(type(value))
        if kind is None:
            kind = _kinds[type(value)] = _kind_of(value)
        if kind != "Tensor":
            if kind != "Mock":
                observations.add((kind,))
        else:
            try:
                observations.add(_look_of(value))
            except Exception:
                # Sparse, quantised and traced tensors have no such properties.
                observations.add(("Tensor", None, None, None, None, None))
    return value


def _look_of(tensor):
    return (
        "Tensor",
        tensor.dim(),
        bool(tensor.is_contiguous()),
        str(tensor.dtype).replace("torch.", ""),
        bool(tensor.requires_grad),
        tensor.numel() == 1,
    )


def _kind_of(value):
    torch = sys.modules.get("torch")
    numpy = sys.modules.get("numpy")
    cls = type(value)
    if value is None:
        return "None"
    if cls.__mro__[-2].__module__ in ("unittest.mock", "mock.mock", "mock"):
        # It passes for whatever a test needs, and is none of it.
        return "Mock"
    if getattr(torch, "Tensor", None) is not None:
        kind = _torch_kind(torch, value)
        if kind is not None:
            return kind
    if hasattr(numpy, "ndarray") and isinstance(value, (numpy.ndarray, numpy.generic)):
        return "Array" if isinstance(value, numpy.ndarray) else "ArrayScalar"
    for kind, types in _PLAIN:
        if isinstance(value, types):
            return kind
    return "Iterable" if hasattr(cls, "__iter__") else "Other"


def _torch_kind(torch, value):
    """The kind of a thing of torch; None while the parts of torch are still being imported."""
    if isinstance(value, torch.Tensor):
        return "Tensor"
    for module, name, kind in _OF_TORCH:
        found = getattr(sys.modules.get(module), name, None)
        if isinstance(found, type) and isinstance(value, found):
            return kind
    return None


_OF_TORCH = (
    ("torch", "Size", "Size"),
    ("torch", "device", "Device"),
    ("torch.nn.modules.loss", "_Loss", "Loss"),
    ("torch.nn.modules.module", "Module", "Module"),
    ("torch.optim.optimizer", "Optimizer", "Optimizer"),
    ("torch.optim.lr_scheduler", "LRScheduler", "Scheduler"),
    ("torch.optim.lr_scheduler", "_LRScheduler", "Scheduler"),
    ("torch.optim.lr_scheduler", "ReduceLROnPlateau", "Scheduler"),
    ("torch.utils.data.dataloader", "DataLoader", "DataLoader"),
    ("torch.utils.data.dataloader", "_BaseDataLoaderIter", "LoaderIterator"),
    ("torch.utils.data.dataloader", "_DataLoaderIter", "LoaderIterator"),
    ("torch.nn.utils.rnn", "PackedSequence", "Packed"),
)

_PLAIN = (
    ("Number", (bool, int, float, complex)),
    ("Text", (str, bytes)),
    ("Mapping", (dict,)),
    (
        "Sequence",
        (list, tuple, range, set, frozenset, zip, enumerate, reversed, map, filter),
    ),
)


def _write():
    folder = os.environ["TORCHFIX_RECORDS"]
    content = [[position, [list(o) for o in seen]] for position, seen in _seen.items() if seen]
    handle, _ = tempfile.mkstemp(suffix=".json", dir=folder)
    with os.fdopen(handle, "w") as file:
        json.dump(content, file)


def _stop(number, frame):
    sys.exit(128 + number)


_exit = os._exit


def _write_and_exit(status):
    # What multiprocessing starts ends like this, without the functions registered for the end.
    try:
        _write()
    finally:
        _exit(status)


if "TORCHFIX_RECORDS" in os.environ:
    builtins.__torchfix_record__ = record
    atexit.register(_write)
    os._exit = _write_and_exit
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _stop)
