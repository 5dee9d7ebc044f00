"""Runs a script in a process of its own, with stand-ins for what is not there, for a few steps."""

from __future__ import annotations

import contextlib
import json
import os
import runpy
import signal
import sys
import time
import traceback
import warnings
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

#: A script is ended after so many steps of optimizers, but not before so many seconds.
MOST_STEPS = 60
LEAST_SECONDS = 4


@dataclass(frozen=True)
class Outcome:
    """What became of one script.

    Attributes:
        steps: of optimizers.
        calls: of modules that are no part of another one.
        ended: `end`, `steps`, `time`, `killed` or `error`.
        error: what was raised.
        places: `file:line` of the project's frames, the one that raised last.
    """

    steps: int
    calls: int
    ended: str
    error: str = ""
    places: tuple[str, ...] = ()

    @property
    def runs(self) -> bool:
        """Whether it came to its end, or trained or evaluated at least twice."""
        return self.ended == "end" or (
            self.ended != "error" and (self.steps >= 2 or self.calls >= 2)
        )


def run(
    script: Path,
    arguments: Sequence[str],
    cwd: Path,
    tree: Path,
    *,
    seconds: int,
    batches: int,
    gpu: bool = False,
    log: Path | None = None,
    setup: str = "",
) -> Outcome:
    """Run a script of `tree` from `cwd`.

    Args:
        script: the file.
        arguments: of its command line.
        cwd: where it starts.
        tree: the project; nothing outside of it is written.
        seconds: after which it is ended.
        batches: that each pass over a loader gives.
        gpu: whether `.cuda()` works as on a machine with a GPU.
        log: takes what it prints.
        setup: code that runs before, in a process of its own.
    """
    if setup:
        code = tree.parent / "setup.py"
        code.write_text(setup)
        run(code, (), cwd, tree, seconds=seconds, batches=batches)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read)
        os.setsid()
        _be_child(script, arguments, cwd, tree, seconds, batches, gpu, log, write)
    os.close(write)
    until = time.monotonic() + seconds + 15
    while time.monotonic() < until and os.waitpid(child, os.WNOHANG) == (0, 0):
        time.sleep(0.1)
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child, signal.SIGKILL)
    with contextlib.suppress(ChildProcessError):
        os.waitpid(child, 0)
    os.set_blocking(read, False)
    with os.fdopen(read, "rb") as pipe:
        text = pipe.read() or b""
    if not text.strip():
        return Outcome(0, 0, "killed", "the process was killed")
    fields = json.loads(text.splitlines()[-1])
    return Outcome(**{**fields, "places": tuple(fields["places"])})


def _be_child(
    script: Path,
    arguments: Sequence[str],
    cwd: Path,
    tree: Path,
    seconds: int,
    batches: int,
    gpu: bool,
    log: Path | None,
    write: int,
) -> None:
    """Run the script, say through a pipe what became of it, and end the process."""
    counts = {"steps": 0, "calls": 0}

    def tell(ended: str, error: BaseException | None = None) -> None:
        message = "" if error is None else f"{type(error).__name__}: {error}"[:300]
        outcome = Outcome(**counts, ended=ended, error=message, places=_places(error, tree))
        os.write(write, json.dumps(asdict(outcome)).encode() + b"\n")
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)

    output = os.open(log or os.devnull, os.O_RDWR | os.O_CREAT | os.O_TRUNC)
    silent = os.open(os.devnull, os.O_RDWR)
    for stream, taken in ((0, silent), (1, output), (2, output)):
        os.dup2(taken, stream)
    warnings.simplefilter("ignore")
    try:
        os.chdir(cwd)
        _install(tree, batches, gpu)
        _count(counts, tell)
    except BaseException as error:
        traceback.print_exc()
        tell("error", RuntimeError(f"stand-ins: {error!r}"))
    signal.signal(signal.SIGALRM, lambda *_: tell("time"))
    signal.alarm(seconds)
    sys.argv = [str(script), *arguments]
    # The folder of the repository as where it is installed in place.
    sys.path[:0] = [str(script.parent), str(tree)]
    sys.dont_write_bytecode = True
    try:
        runpy.run_path(str(script), run_name="__main__")
    except SystemExit as error:
        if error.code not in (None, 0):
            traceback.print_exc()
            tell("error", error)
    except EOFError:
        # It waits for somebody to type.
        tell("end")
    except BaseException as error:
        traceback.print_exc()
        tell("error", error)
    tell("end")


def _install(tree: Path, batches: int, gpu: bool) -> None:
    """Put stand-ins, seeds and limits in place in this process."""
    import torch
    import torch.utils.data

    from benchmarks.shims import legacy_packages
    from torchfix_codemods.verify.inside import shims
    from torchfix_codemods.verify.inside.trace import Trace
    from torchfix_codemods.verify.inside.world import guard, limits, seeds

    os.environ["HOME"] = str(tree)
    legacy_packages.install(tree)
    for name in (("cuda",) if gpu else ()) + ("datasets",):
        shims.install(name, lambda path: str(tree) in path)
    legacy_packages.mend_torchvision()
    seeds.seed_all(0)
    torch.set_num_threads(1)
    scratch = tree.parent / "records"
    scratch.mkdir(exist_ok=True)
    limits.install(Trace(str(scratch), str(tree)), max_batches=batches)
    loader: Any = torch.utils.data.DataLoader
    original = loader.__init__

    def without_workers(self: Any, *args: Any, **kwargs: Any) -> None:
        # Workers would be started anew for each of the few batches.
        args = (*args[:5], 0, *args[6:]) if len(args) > 5 else args
        if len(args) <= 5:
            kwargs["num_workers"] = 0
        if gpu and kwargs.get("pin_memory") and "collate_fn" in kwargs:
            # What pinning does besides.
            collate = kwargs["collate_fn"]
            kwargs["collate_fn"] = lambda items: _listed(collate(items))
        original(self, *args, **kwargs)

    loader.__init__ = without_workers
    guard.install(["/"], [str(tree.parent), "/dev", "/proc", "/tmp"])


def _listed(batch: Any) -> Any:
    return list(batch) if isinstance(batch, tuple) else batch


def _count(counts: dict[str, int], tell: Any) -> None:
    """Count the steps of optimizers and the calls of modules; end after enough of them."""
    import torch
    from torch.optim.optimizer import register_optimizer_step_post_hook

    began = time.monotonic()

    def step(*_: Any) -> None:
        counts["steps"] += 1
        if counts["steps"] >= MOST_STEPS and time.monotonic() - began > LEAST_SECONDS:
            tell("steps")

    register_optimizer_step_post_hook(step)
    depth = [0]

    def enter(*_: Any) -> None:
        depth[0] += 1

    def leave(*_: Any) -> None:
        depth[0] = max(depth[0] - 1, 0)
        counts["calls"] += depth[0] == 0

    torch.nn.modules.module.register_module_forward_pre_hook(enter)
    torch.nn.modules.module.register_module_forward_hook(leave, always_call=True)


def _places(error: BaseException | None, tree: Path) -> tuple[str, ...]:
    """The frames of the project in a traceback, as `file:line`."""
    if error is None:
        return ()
    root = os.path.join(os.path.realpath(tree), "")
    frames = [
        (os.path.realpath(frame.filename), frame.lineno or 0)
        for frame in traceback.extract_tb(error.__traceback__)
        if not frame.filename.startswith("<")
    ]
    if isinstance(error, SyntaxError) and error.filename:
        frames.append((os.path.realpath(error.filename), error.lineno or 0))
    return tuple(f"{path[len(root) :]}:{line}" for path, line in frames if path.startswith(root))
