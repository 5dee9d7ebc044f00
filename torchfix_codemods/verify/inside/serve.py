"""Pays for ``import torch`` once: waits with torch imported and forks for each run.

One job a line comes in by standard input, as JSON; for each a line goes out that tells how the
process ended.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import select
import signal
import sys
import time
import weakref
from typing import Any

from .world import made

POLL_SECONDS = 0.01

_SHIMS = (".shims.cuda", ".shims.datasets", ".shims.legacy")


def serve() -> None:
    """Work until standard input ends."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    # What torch prints while it is imported must not come between the answers.
    os.dup2(2, 1)
    versions = _versions()
    if "error" not in versions:
        _prepare()
    print(json.dumps(versions), file=answers, flush=True)
    for line in sys.stdin:
        print(json.dumps(_run(json.loads(line))), file=answers, flush=True)


def _prepare() -> None:
    """Import what every run would import, and keep the garbage collector from going through it."""
    from . import start  # noqa: F401

    # Optimizers of torch 2 import the first, which takes longer than many a run.
    for name in ("torch._dynamo", *_SHIMS):
        with contextlib.suppress(Exception):
            importlib.import_module(name, __package__)
    # Each run begins without it, and would have to copy it to throw it away.
    sys.path_importer_cache.clear()
    gc.collect()
    gc.freeze()


def _versions() -> dict[str, Any]:
    try:
        import torch
    except ImportError as error:
        return {"error": f"{type(error).__name__}: {error}"}
    return {
        "python": "{}.{}.{}".format(*sys.version_info),
        "torch": torch.__version__,
        "device_count": _device_count(),
    }


def _device_count() -> int:
    import torch

    # Asked without making a context, which a forked process could not use.
    return torch.cuda.device_count()


def _run(job: dict[str, Any]) -> dict[str, Any]:
    started = time.monotonic()
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        _in_child(job)
    killed = False
    try:
        while True:
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                break
            is_late = job.get("timeout") and time.monotonic() - started > job["timeout"]
            # Nothing comes in during a run: what can be read is the end, of whoever asked for it.
            is_abandoned = bool(select.select([0], [], [], POLL_SECONDS)[0])
            if not killed and (is_late or is_abandoned):
                _kill(pid)
                killed = True
    finally:
        # What the program left running must not write into the next run's tree.
        _kill(pid)
        made.take_away(job["folder"])
    signalled = os.WIFSIGNALED(status)
    return {
        "status": -os.WTERMSIG(status) if signalled else os.WEXITSTATUS(status),
        "timeout": killed,
        "seconds": time.monotonic() - started,
    }


def _kill(pid: int) -> None:
    with contextlib.suppress(OSError, PermissionError):
        os.killpg(pid, signal.SIGKILL)


def _in_child(job: dict[str, Any]) -> None:
    status = 1
    try:
        os.setsid()
        out = os.open(job["output"], os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.dup2(out, 1)
        os.dup2(out, 2)
        sys.stdin = open(0)  # noqa: SIM115
        sys.stdout = open(1, "w", encoding="utf-8", errors="replace", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", errors="replace", closefd=False, buffering=1)  # noqa: SIM115
        os.environ.update(job.get("environment", {}))
        _leave_finalizers()
        from . import start

        status = start.run(job)
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        os._exit(status & 0xFF)


def _leave_finalizers() -> None:
    """What this process would do at its end is not for a forked one to do at its own.

    Torch's would take its operators apart one by one, which takes longer than many a run.
    """
    for finalizer in list(getattr(weakref.finalize, "_registry", ())):
        finalizer.atexit = False


if __name__ == "__main__":
    serve()
    # Nothing is left to be done, and torch would take itself apart for half a second.
    os._exit(0)
