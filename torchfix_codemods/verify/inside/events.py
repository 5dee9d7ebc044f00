"""What is recorded of a run: outputs of modules, gradients, steps, checkpoints, printed lines."""

from __future__ import annotations

import functools
import gc
import io
import os
import sys
import threading
import weakref
from typing import Any, Callable, Iterator

import torch

from .digest import Digest, digest, state_of_module, tensor
from .gradients import started_from
from .shown import given
from .trace import Trace

_RESULT_DEPTH, _RESULT_ITEMS = 2, 1000

#: Layers of torch that have got another name: the record calls them by that, whichever is used.
_RENAMED_LAYERS = {
    "NLLLoss2d": "NLLLoss",
    "UpsamplingBilinear2d": "Upsample",
    "UpsamplingNearest2d": "Upsample",
}

Patched = Callable[..., Any]


class Recorder:
    """Puts itself between the program and torch, and writes an event for what passes."""

    def __init__(self, trace: Trace) -> None:
        self.trace = trace
        self.before_forward: list[Callable[[torch.nn.Module], None]] = []
        self.before_step: list[Callable[[torch.optim.Optimizer], None]] = []
        self._depth = threading.local()
        self._counts: dict[str, int] = {}
        self._names: dict[int, tuple[weakref.ref[Any], str]] = {}
        self._roots: dict[int, tuple[weakref.ref[torch.nn.Module], str]] = {}
        self._steps = threading.local()
        self._optimizers: list[weakref.ref[torch.optim.Optimizer]] = []
        #: By parameter: the gradient that was told of.
        self._told: dict[int, Any] = {}

    def install(self) -> None:
        self._record_forward()
        self._record_backward()
        self._record_steps()
        self._record_saves()
        sys.stdout = PrintedLines(sys.stdout, self.trace)

    def forget(self) -> None:
        """Begin anew to name modules: what comes has nothing to do with what was."""
        self._counts.clear()
        self._names.clear()
        self._roots.clear()

    def final(self) -> None:
        """What the program leaves behind: its variables, and the modules that it called."""
        gc.collect()
        main = vars(sys.modules["__main__"])
        if self.trace.users_path_of(main.get("__file__")) is not None:
            left = {
                name: value
                for name, value in main.items()
                # Not ``__warningregistry__``: a deprecated name leaves its warning there.
                if not name.startswith("__") and _is_number(value)
            }
            self.trace.emit("result", lambda: {"value": digest(left)})
        for ref, name in list(self._roots.values()):
            module = ref()
            if module is not None and next(_state(module), None) is not None:
                fields = {"root": name, "value": state_of_module(module)}
                self.trace.emit("final", functools.partial(dict, fields))

    def _record_forward(self) -> None:
        original: Patched = torch.nn.Module.__call__
        recorder = self

        @functools.wraps(original)
        def call(module: torch.nn.Module, *args: Any, **kwargs: Any) -> Any:
            return recorder.recorded(original, module)(*args, **kwargs)

        torch.nn.Module.__call__ = call  # type: ignore[method-assign]

    def recorded(self, function: Patched, module: torch.nn.Module) -> Patched:
        """A call of a module, or of its ``forward``, that is told of unless it is inside another.

        Args:
            function: takes the module and the arguments.
            module: the module.
        """
        trace, depth = self.trace, self._depth

        def call(*args: Any, **kwargs: Any) -> Any:
            if getattr(depth, "value", 0) or trace.is_busy or _is_traced():
                return function(module, *args, **kwargs)
            name = self.root(module)
            for hook in self.before_forward:
                hook(module)
            depth.value = 1
            try:
                output = function(module, *args, **kwargs)
            finally:
                depth.value = 0
            trace.emit(
                "forward",
                lambda: {
                    "root": name,
                    "mode": "train" if module.training else "eval",
                    "input": digest([*args, kwargs] if kwargs else list(args)),
                    "value": digest(output),
                    **({"bare": 1} if next(_state(module), None) is None else {}),
                },
            )
            return output

        return call

    def root(self, module: torch.nn.Module) -> str:
        """The name by which the record calls a module."""
        known = self._roots.get(id(module))
        if known is not None and known[0]() is module:
            return known[1]
        kind = type(module).__name__
        if type(module).__module__.startswith("torch.nn."):
            kind = _RENAMED_LAYERS.get(kind, kind)
        # How many are still alive is up to the garbage collector: all that ever were are counted.
        self._counts[kind] = count = self._counts.get(kind, 0) + 1
        name = kind + ("" if count == 1 else str(count))
        # In the order in which they were called, also where one has the address of a dead one.
        self._roots.pop(id(module), None)
        self._roots[id(module)] = (weakref.ref(module), name)
        for path, parameter in module.named_parameters():
            self._names[id(parameter)] = (weakref.ref(parameter), f"{name}.{path}")
        return name

    def loose_parameters(self) -> list[tuple[str, torch.Tensor]]:
        """What optimizers change that no module holds: an image that is painted, say."""
        return [
            (f"optimizer{number}.{place}", parameter)
            for number, ref in enumerate(self._optimizers)
            for place, parameter in enumerate(_parameters(ref()))
            if id(parameter) not in self._names
        ]

    def _record_backward(self) -> None:
        backward: Patched = torch.autograd.backward
        grad: Patched = torch.autograd.grad
        trace = self.trace

        @functools.wraps(backward)
        def recorded_backward(tensors: Any = None, *args: Any, **kwargs: Any) -> Any:
            if trace.is_busy or tensors is None:
                return backward(*([] if tensors is None else [tensors]), *args, **kwargs)
            roots = [tensors] if isinstance(tensors, torch.Tensor) else list(tensors)
            leaves = _leaves(roots)
            with trace.quiet():
                losses = started_from(roots, args, kwargs)
            whole = tensors if isinstance(tensors, torch.Tensor) else roots
            result = backward(whole, *args, **kwargs)
            trace.emit("backward", lambda: {"value": losses, "grads": self._grads(leaves)})
            return result

        @functools.wraps(grad)
        def recorded_grad(*args: Any, **kwargs: Any) -> Any:
            result = grad(*args, **kwargs)
            trace.emit("grad", lambda: {"value": digest(result)})
            return result

        torch.autograd.backward = recorded_backward
        torch.autograd.grad = recorded_grad

    def _grads(self, leaves: list[torch.Tensor]) -> dict[str, Digest]:
        named: dict[str, Digest] = {}
        for leaf in leaves:
            self._told[id(leaf)] = _state_of(leaf.grad)
            if leaf.grad is not None:
                ref, name = self._names.get(id(leaf), (None, ""))
                if ref is None or ref() is not leaf:
                    name = f"leaf {len(named)} {list(leaf.shape)}"
                named[name] = tensor(leaf.grad)
        return named

    def _record_steps(self) -> None:
        original: Patched = torch.optim.Optimizer.__init__
        recorder = self

        @functools.wraps(original)
        def init(optimizer: torch.optim.Optimizer, *args: Any, **kwargs: Any) -> None:
            recorder._patch_step(type(optimizer))
            original(optimizer, *args, **kwargs)
            recorder._optimizers.append(weakref.ref(optimizer))

        torch.optim.Optimizer.__init__ = init  # type: ignore[method-assign,assignment]

    def _patch_step(self, cls: type) -> None:
        owner = next((base for base in cls.__mro__ if "step" in vars(base)), None)
        if owner is None or getattr(vars(owner)["step"], "_torchfix", False):
            return
        step: Patched = vars(owner)["step"]
        trace, running, hooks = self.trace, self._steps, self.before_step

        @functools.wraps(step)
        def recorded_step(optimizer: torch.optim.Optimizer, *args: Any, **kwargs: Any) -> Any:
            if trace.is_busy or getattr(running, "value", False):
                return step(optimizer, *args, **kwargs)
            for hook in hooks:
                hook(optimizer)
            with trace.quiet():
                changed = self._changed_gradients(optimizer)
            running.value = True
            try:
                result = step(optimizer, *args, **kwargs)
            finally:
                running.value = False
            trace.emit("step", lambda: {**_after_step(optimizer), **changed})
            return result

        recorded_step._torchfix = True  # type: ignore[attr-defined]
        setattr(owner, "step", recorded_step)  # noqa: B010

    def _changed_gradients(self, optimizer: torch.optim.Optimizer) -> dict[str, Any]:
        """The gradients that an optimizer is given, where they are not those that were told of:
        the program clipped or replaced them.
        """
        parameters = [p for group in optimizer.param_groups for p in group["params"]]
        if all(p.grad is None or self._told.get(id(p)) == _state_of(p.grad) for p in parameters):
            return {}
        return {"grads": [None if p.grad is None else tensor(p.grad) for p in parameters]}

    def _record_saves(self) -> None:
        original: Patched = torch.save
        trace = self.trace

        @functools.wraps(original)
        def save(obj: Any, f: Any, *args: Any, **kwargs: Any) -> Any:
            trace.emit("save", lambda: {"file": _file_name(f, trace), "value": digest(obj)})
            return original(obj, f, *args, **kwargs)

        torch.save = save


class PrintedLines(io.TextIOBase):
    """A standard output that tells the trace each line and passes it on."""

    def __init__(self, stream: Any, trace: Trace) -> None:
        self._stream = stream
        self._trace = trace
        self._line = ""
        self._pid = os.getpid()

    def write(self, text: str) -> int:
        if not self._trace.is_busy and isinstance(text, str):
            self._collect(text)
        written: int = self._stream.write(text)
        return written

    def _collect(self, text: str) -> None:
        if self._pid != os.getpid():
            self._pid, self._line = os.getpid(), ""
        self._line += text
        while "\n" in self._line:
            line, _, self._line = self._line.partition("\n")
            self._tell(line)

    def _tell(self, line: str) -> None:
        # What a progress bar draws over was never meant to stay.
        shown = line.rpartition("\r")[2] if not line.endswith("\r") else line.strip("\r")
        # What pytest or a logger says by itself is not the program's result.
        if self._trace.place() is not None:
            numbers = given.taken()
            self._trace.emit(
                "print",
                lambda: {
                    "value": shown.rpartition("\r")[2],
                    **({"given": numbers} if numbers else {}),
                },
            )

    def flush(self) -> None:
        self._stream.flush()

    def finish(self) -> None:
        """Tell the last line, which nothing ended."""
        if self._line:
            self._tell(self._line)
            self._line = ""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def fileno(self) -> int:
        number: int = self._stream.fileno()
        return number

    def isatty(self) -> bool:
        return False

    @property
    def buffer(self) -> Any:
        return self._stream.buffer

    @property
    def encoding(self) -> str:  # type: ignore[override]
        return str(self._stream.encoding)


def _is_number(value: Any, depth: int = 0) -> bool:
    """Whether a variable holds numbers, or lists and dicts of some."""
    if isinstance(value, (torch.Tensor, float, int)) or type(value).__module__ == "numpy":
        return True
    if depth > _RESULT_DEPTH or not isinstance(value, (list, tuple, dict)):
        return False
    items = list(value.values()) if isinstance(value, dict) else list(value)
    return 0 < len(items) <= _RESULT_ITEMS and all(_is_number(item, depth + 1) for item in items)


def _state(module: torch.nn.Module) -> Iterator[torch.Tensor]:
    yield from module.parameters()
    yield from module.buffers()


def _is_traced() -> bool:
    """Whether ``torch.jit`` watches: what is called then becomes part of the user's graph."""
    state: Callable[[], Any] | None = getattr(torch._C, "_get_tracing_state", None)
    return state is not None and state() is not None


def _leaves(roots: list[torch.Tensor]) -> list[torch.Tensor]:
    """The tensors whose gradients ``backward`` adds to, as the graph holds them."""
    found: list[torch.Tensor] = []
    seen = set()
    stack = [root.grad_fn for root in reversed(roots) if isinstance(root, torch.Tensor)]
    while stack:
        node: Any = stack.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        variable = getattr(node, "variable", None)
        if variable is not None:
            found.append(variable)
        stack.extend(following for following, _ in reversed(node.next_functions))
    return found


def _state_of(grad: torch.Tensor | None) -> Any:
    """What changes when somebody writes to a gradient, or puts another one in its place."""
    return None if grad is None else (id(grad), grad._version)


def _after_step(optimizer: torch.optim.Optimizer) -> dict[str, Any]:
    groups = optimizer.param_groups
    values = [tensor(parameter) for group in groups for parameter in group["params"]]
    rates = [digest(group.get("lr")) for group in groups]
    return {"root": type(optimizer).__name__, "lr": rates, "value": values}


def _parameters(optimizer: torch.optim.Optimizer | None) -> list[torch.Tensor]:
    groups = [] if optimizer is None else optimizer.param_groups
    return [parameter for group in groups for parameter in group["params"]]


def _file_name(target: Any, trace: Trace) -> str:
    name = getattr(target, "name", target)
    if not isinstance(name, (str, bytes, os.PathLike)):
        return type(target).__name__
    path = os.fsdecode(os.fspath(name))
    return trace.relative(path) or os.path.basename(path)
